"""Studies: PPE for every combination of two settings, over several seeds."""

from datetime import datetime

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.study import Study
from ui import controls, fields, jobs, state, study_form, study_view
from ui.text import plain

EARLIER_SHOWN = 20


def main() -> None:
    st.title("When does PPE succeed, and when not? Vary two settings and see.", anchor=False)
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.caption("A study is one run for each combination and seed. Everything else is as in the sidebar.")
    with right:
        earlier_studies()
    study = study_form.show()
    controls.show_link_problems()
    if reason := jobs.refusal():
        st.error(f"The study was not started: {plain(reason)}.", icon=":material/block:")
    if study is None:
        return
    if st.session_state.get(state.STUDY_CELL, 0) >= len(study.cells()):
        st.session_state[state.STUDY_CELL] = 0
    jobs.watch(study.configs(), lambda: show(study))


def earlier_studies() -> None:
    """Studies started on this server, to come back to."""
    known = {study_id: (definition, created) for study_id, definition, created in _earlier()}
    if known:
        st.selectbox(
            "Earlier studies", list(known), index=None, key=state.STUDY_EARLIER, placeholder="Open an earlier study",
            format_func=lambda study_id: _title(*known[study_id]), label_visibility="collapsed",
            on_change=lambda: open_earlier(known[st.session_state[state.STUDY_EARLIER]][0]),
        )  # fmt: skip


def open_earlier(definition: str) -> None:
    study_form.load(Study.from_json(definition))
    st.session_state[state.STUDY_EARLIER] = None


def show(study: Study) -> None:
    """The study as far as it has come."""
    configs = study.configs()
    found = study_view.summaries(configs)
    missing = [config for config in configs if config.id not in found]
    running = jobs.under_way(missing)
    if running:
        show_progress(configs, running, len(found))
    elif missing:
        offer(study, missing)
    else:
        st.success(f"All {len(configs)} runs are finished and stored.", icon=":material/check_circle:")
    study_view.pictures(study, found)
    study_view.cell(study, found)
    study_view.table(study, found)
    study_view.downloads(study, found)


def show_progress(configs: list[RunConfig], running: list[RunConfig], finished: int) -> None:
    left, right = st.columns([5, 1], vertical_alignment="center")
    time_left = in_words(jobs.pool().estimate_all(running))
    left.progress(finished / len(configs), f"{finished} of {len(configs)} runs finished, {time_left} left")
    right.button("Cancel", icon=":material/stop_circle:", width="stretch", on_click=jobs.cancel, args=(running,))


def offer(study: Study, missing: list[RunConfig]) -> None:
    failed = [config for config, status in _statuses(missing) if status == "failed"]
    left, right = st.columns([3, 2], vertical_alignment="center")
    stored = len(study.configs()) - len(missing)
    left.info(
        f"{len(study.configs())} runs, {stored} of them stored already. The rest will take "
        f"{in_words(jobs.pool().estimate_all(missing))} with {jobs.pool().pool.width()} workers.",
        icon=":material/grid_on:",
    )
    label = f"Run the {len(missing)} missing runs" if stored else f"Run all {len(missing)}"
    right.button(
        label, type="primary", icon=":material/play_arrow:", width="stretch", on_click=start, args=(study, missing)
    )
    if failed:
        reason = jobs.pool().failure(failed[0]).strip().splitlines()[-1]
        st.error(f"{len(failed)} runs failed, the first because: {plain(reason)}", icon=":material/error:")


def start(study: Study, missing: list[RunConfig]) -> None:
    if jobs.start(missing):
        jobs.pool().store.index.save_study(study.id, study.canonical_json)


def _statuses(configs: list[RunConfig]) -> list[tuple[RunConfig, str]]:
    statuses = jobs.pool().statuses(configs)
    return [(config, statuses[config.id]) for config in configs if config.id in statuses]


def _earlier() -> list[tuple[str, str, float]]:
    try:
        return jobs.pool().store.index.studies(EARLIER_SHOWN)
    except Unusable:
        return []


def _title(definition: str, created: float) -> str:
    """What it varies and when it was started; with its id, because Streamlit tells choices apart by their words."""
    study = Study.from_json(definition)
    axes = " × ".join(fields.label(name) for name in study.axes)
    when = datetime.fromtimestamp(created).strftime("%-d %b %H:%M")
    runs = f"H = {study.base.horizon}, {len(study.configs())} runs"
    return f"{fields.ENVIRONMENTS[study.base.environment.name]}: {axes}, {runs} · {when} · {study.id}"


main()
