"""The keys of the session state, each named once. The session is all that tells visitors apart."""

LINK_PROBLEMS = "link_problems"  # what could not be taken over from the link, with the config that was used instead
SHOWN = "shown"  # the config of the run on the page
STARTED = "started"  # ids of the runs this visitor started
VISITOR = "visitor"  # a name for this visitor, by which the queue is fair and limits are counted
REFUSED = "refused"  # why a start was refused, until it is told
LEVELS = "levels"  # id and finished levels of the run being watched
DRAWN_LAYOUT = "drawn_layout"  # a gridworld that came drawn in the link: it stays on offer
MODEL_VIEW = "model_view"  # truth, recovered or difference
MODEL_LEVEL = "model_level"  # the time step whose states and decoder the Model page shows
MODEL_STATE = "model_state"  # the state that was clicked there: time step, true state, recovered state


def control(name: str) -> str:
    """The key of the control of a config field."""
    return f"control_{name}"
