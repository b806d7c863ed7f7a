"""Live mode: PPE runs again as soon as a control is let go, where that takes no longer than a blink.

The run computes in a worker like any other. The script that started it goes on drawing and, where
the result belongs, waits a moment for it: quicker than asking again and again, and nothing flickers.
"""

from time import monotonic, sleep

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.index import UNDER_WAY, Status
from ui import controls, jobs, state

PATIENCE_SECONDS = 0.7  # that a page waits for such a run
LOOK_SECONDS = 0.005


def start_if_quick() -> None:
    """Start what the controls ask for if it is new and quick; never before the visitor changed something."""
    config = controls.config()
    if config == st.session_state[state.OPENED]:
        return
    st.session_state[state.OPENED] = None
    if _is_on() and jobs.status(config) is None and jobs.pool().estimate(config) < _quick_seconds():
        jobs.start([config])
        st.session_state[state.AWAITED] = config.id


def await_quick(config: RunConfig) -> None:
    """Give a run that was just started by itself a moment to finish."""
    if st.session_state.pop(state.AWAITED, None) == config.id:
        deadline = monotonic() + PATIENCE_SECONDS
        while monotonic() < deadline and jobs.pool().status(config) in UNDER_WAY:
            sleep(LOOK_SECONDS)


def show() -> None:
    """Run and the switch for live mode, and the way back to the start or on to another instance."""
    config = controls.config()
    status = jobs.pool().status(config)
    reasons = {
        Status.QUEUED: "This run is waiting for a worker.",
        Status.RUNNING: "This run is under way.",
        Status.DONE: "This run is stored: running it again would give the same, bit for bit.",
    }
    st.button(
        "Run",
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=status in reasons,
        help=reasons.get(status, f"Takes {in_words(jobs.pool().estimate(config))}."),
        on_click=controls.start,
    )
    left, right = st.columns(2)
    left.button("Reset", on_click=controls.reset, width="stretch", help="Back to the preset, seed included.")
    right.button("New seed", on_click=controls.new_seed, width="stretch", help="Another instance: the next seed.")
    st.session_state.setdefault(state.LIVE, True)
    st.toggle(
        "Live",
        key=state.LIVE,
        help=f"A changed control runs PPE at once when that takes less than {_quick_seconds():g} s. "
        "What takes longer waits for Run.",
    )


def _quick_seconds() -> float:
    return jobs.pool().limits.live_milliseconds / 1000


def _is_on() -> bool:
    return st.session_state.get(state.LIVE, True)
