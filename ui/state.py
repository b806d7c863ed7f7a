"""The keys of the session state, each named once. The session is all that tells visitors apart."""

LINK_PROBLEMS = "link_problems"  # what could not be taken over from the link, with the config that was used instead
OPENED = "opened"  # the config that the link gave, until the visitor changes something
VIEW = "view"  # what the link asks to be shown: everything, or one thing for a class
PRESET = "preset"  # the name of the preset that the controls started from
LIVE = "live"  # whether a quick run starts as soon as a control changes
AWAITED = "awaited"  # id of a quick run that was just started: the page waits for it a moment
TOUR = "tour"  # the step of the tour, or None
TOUR_PAGE = "tour_page"  # the page that this step still has to open
SHOWN = "shown"  # the config of the run on the page
STARTED = "started"  # ids of the runs this visitor started
VISITOR = "visitor"  # a name for this visitor, by which the queue is fair and limits are counted
REFUSED = "refused"  # why a start was refused, until it is told
LEVELS = "levels"  # id and finished levels of the run being watched
DRAWN_LAYOUT = "drawn_layout"  # a gridworld that came drawn in the link: it stays on offer


def control(name: str) -> str:
    """The key of the control of a config field."""
    return f"control_{name}"
