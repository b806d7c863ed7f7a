"""The keys of the session state, each named once. The session is all that tells visitors apart."""

LINK_PROBLEMS = "link_problems"  # what could not be taken over from the link, with the config that was used instead
OPENED = "opened"  # the config that the link gave, until the visitor changes something
VIEW = "view"  # what the link asks to be shown: everything, or one thing for a class
PRESET = "preset"  # the name of the preset that the controls started from
LIVE = "live"  # whether a quick run starts as soon as a control changes
AWAITED = "awaited"  # id of a quick run that was just started: the page waits for it a moment
TOUR = "tour"  # the step of the tour, or None
TOUR_PAGE = "tour_page"  # the page that this step still has to open
SETTINGS = "settings"  # what the controls said last
SHOWN = "shown"  # the config of the run on the page
STARTED = "started"  # ids of the runs this visitor started
VISITOR = "visitor"  # a name for this visitor, by which the queue is fair and limits are counted
REFUSED = "refused"  # why a start was refused, until it is told
LEVELS = "levels"  # id and finished levels of the run being watched
WRITTEN_WORLD = "written_world"  # a world that came written in the link: it stays on offer
DRAWN_LAYOUT = "drawn_layout"  # a gridworld that came drawn in the link: it stays on offer
MODEL_VIEW = "model_view"  # truth, recovered or difference
MODEL_LEVEL = "model_level"  # the time step whose states and decoder the Model page shows
MODEL_STATE = "model_state"  # the state that was clicked there: time step, true state, recovered state
COMPARE_LEARNERS = "compare_learners"
COMPARE_SIZES = "compare_sizes"  # sample sizes, as typed
COMPARE_SEEDS = "compare_seeds"  # how many
COMPARE_QUIET = "compare_quiet"  # whether the world without exogenous noise is compared as well
THEORY_SECTION = "theory_section"
THEORY_EXAMPLE = "theory_example"  # the counter-example shown
THEORY_PLANS = "theory_plans"  # id of the run that was planned with last, and the future of what came of it
THEORY_LEVEL = "theory_level"  # the time step whose gaps are compared with the exact ones
STUDY_SEEDS = "study_seeds"
STUDY_MEASURE = "study_measure"
STUDY_CELL = "study_cell"  # the combination whose runs are listed
STUDY_EARLIER = "study_earlier"  # the earlier study that was chosen
STUDY_SUMMARIES = "study_summaries"  # finished runs of the study on the page, in short, by id


def study_name(axis: str) -> str:
    """The key of the setting that varies along an axis of a study, x or y."""
    return f"study_{axis}"


def study_values(axis: str) -> str:
    """The key of the values that it takes, as typed."""
    return f"study_{axis}_values"


STUDY_LINK = {
    "x": study_name("x"),
    "x_values": study_values("x"),
    "y": study_name("y"),
    "y_values": study_values("y"),
    "seeds": STUDY_SEEDS,
}
"""What the link says of a study, by name."""


def paper_results(figure: str) -> str:
    """The key of the choice between the committed results of a figure and those of a quick run."""
    return f"paper_{figure}"


def knob(example: str, name: str) -> str:
    """The key of a knob of a counter-example."""
    return f"knob_{example}_{name}"


def control(name: str) -> str:
    """The key of the control of a config field."""
    return f"control_{name}"
