"""Planning tried out in the world of the sidebar: a worker plans in every way, the page draws what each is worth."""

from collections.abc import Mapping
from concurrent.futures import Future

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.index import Status
from ppe_core.experiments.plans import TRIALS, PlansRecord, check_plannable
from ppe_core.experiments.work import Outcome, Task, Work
from ppe_core.figures import plans as figures
from ui import jobs, results, state
from ui.text import plain

POLL_SECONDS = 0.2
MOST_SECONDS = 10  # that PPE may take before planning
NAMES = {"plan": "a plan,<br>no look", "counted": "counted model,<br>looking", "psdp": "PSDP,<br>looking"}


def show(config: RunConfig, losses: Mapping[str, float]) -> None:
    """An offer to plan here, or what came of it; `losses` are what policies may lack, where theory says so."""
    st.markdown(
        "**And here?** PPE with the settings of the sidebar, then three policies: the plan; value iteration on a model "
        "that is *counted* through the decoders (section 4, the direct way), which looks where it is at every step and "
        "finds its way back; and PSDP."
    )
    if reason := _too_much(config):
        st.info(f"Not tried out here: {plain(reason)}.", icon=":material/info:")
        return
    planned, future = st.session_state.get(state.THEORY_PLANS, (None, None))
    if planned != config.id:
        st.button("Plan with PSDP", type="primary", icon=":material/play_arrow:", on_click=_start, args=(config,))
    else:
        _watch(config, future, losses)


def _too_much(config: RunConfig) -> str | None:
    try:
        check_plannable(config)
    except ValueError as error:
        return str(error)
    seconds = jobs.pool().estimate(config)
    return f"PPE alone would take {in_words(seconds)}" if seconds > MOST_SECONDS else None


def _start(config: RunConfig) -> None:
    """Hand it to a worker. What a visitor asked for before and nobody has begun yet is not wanted any more."""
    _, before = st.session_state.get(state.THEORY_PLANS, (None, None))
    if before:
        before.cancel()
    future = jobs.pool().pool.submit(Task("", config.flat(), 0, Work.PLAN))
    st.session_state[state.THEORY_PLANS] = (config.id, future)


def _watch(config: RunConfig, future: "Future[Outcome]", losses: Mapping[str, float]) -> None:
    is_done = future.done()

    @st.fragment(run_every=None if is_done else POLL_SECONDS)
    def poll() -> None:
        if future.done() and not is_done:
            st.rerun()
        if is_done:
            _draw(config, future, losses)
        else:
            st.info(
                "PPE runs and policies are made: a second or two, as soon as a worker is free.",
                icon=":material/hourglass_top:",
            )

    poll()


def _draw(config: RunConfig, future: "Future[Outcome]", losses: Mapping[str, float]) -> None:
    problem = future.exception()
    outcome = None if problem else future.result()
    if outcome is None or outcome.status != Status.DONE:
        reason = outcome.message if outcome else "the worker that did it is gone"
        results.failure(reason or "")
        st.button("Try again", icon=":material/refresh:", on_click=_start, args=(config,))
        return
    found = PlansRecord.from_dict(outcome.summary or {})
    values = {name: getattr(found, policy) for policy, name in NAMES.items()}
    guaranteed = {NAMES[policy]: found.optimal - loss for policy, loss in losses.items()}
    shown = (values, found.optimal, guaranteed)
    st.plotly_chart(
        figures.worth_of_plans(*shown), key="theory-plans", config=results.PLOTLY, alt=figures.describe_plans(*shown)
    )
    st.caption(
        f"PSDP and counting used {found.samples:,} episodes a time step each, far fewer than theory asks for. The "
        f"plan's value is exact; policies that look were judged in {TRIALS:,} fresh episodes. The mark is the best "
        "possible less what the table allows to lack; there is none where nothing is proved, or less than is drawn."
    )
