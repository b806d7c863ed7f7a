"""The frame of every page that shows one run: what to say while there is none, or it is not what was asked for."""

from collections.abc import Callable, Sequence

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.index import UNDER_WAY, Status
from ppe_core.experiments.jobs import Progress
from ppe_core.experiments.records import LevelRecord, RunRecord
from ui import controls, jobs, live, results
from ui.text import plain

Draw = Callable[[RunConfig, Sequence[LevelRecord], RunRecord | None], None]


def show(draw: Draw) -> None:
    """Draw the run that the controls ask for, or the one before it, as far as it has come.

    `draw` gets the config, the finished levels and, when all are finished, the record.
    """
    config = controls.config()
    controls.show_link_problems()
    live.await_quick(config)
    if reason := jobs.refusal():
        st.error(f"The run was not started: {plain(reason)}.", icon=":material/block:")
    shown = jobs.shown(config)
    if shown is None:
        _invite(config)
        return
    if shown != config:
        _say_stale(config, shown)
    status = jobs.status(shown)
    if status in UNDER_WAY:
        jobs.watch([shown], lambda: _show_progress(shown, draw))
    elif status is Status.DONE:
        _show_finished(shown, draw)
    else:
        _show_unfinished(shown, config, draw, status)


def _invite(config: RunConfig) -> None:
    text = "Nothing has been run with these settings yet."
    _offer_run(text, f"Run it and watch paths merge ({in_words(jobs.pool().estimate(config))})", ":material/lightbulb:")


def _say_stale(config: RunConfig, shown: RunConfig) -> None:
    text = f"The controls have changed. Below is still the run with {controls.differences(shown)}."
    _offer_run(text, f"Run with the new settings ({in_words(jobs.pool().estimate(config))})", ":material/history:")


def _offer_run(text: str, label: str, icon: str) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.info(text, icon=icon)
    right.button(label, type="primary", icon=":material/play_arrow:", width="stretch", on_click=controls.start)


def _show_progress(config: RunConfig, draw: Draw) -> None:
    progress = jobs.pool().progress(config)
    levels = jobs.levels(config)
    left, right = st.columns([5, 1], vertical_alignment="center")
    left.progress(len(levels) / config.horizon, _progress_text(config, progress, len(levels)))
    right.button("Cancel", icon=":material/stop_circle:", width="stretch", on_click=jobs.cancel, args=([config],))
    draw(config, levels, None)


def _progress_text(config: RunConfig, progress: Progress, done: int) -> str:
    left = in_words(progress.seconds_left)
    if progress.position:
        return f"Waiting: number {progress.position} in the queue, {left} until it is finished"
    if not done:
        return f"Getting ready, {left}"
    return f"Level {done} of {config.horizon}, {left} left"


def _show_finished(config: RunConfig, draw: Draw) -> None:
    try:
        record = jobs.record(config)
    except Unusable as problem:
        _failure(str(problem), "Run it again", config)
        return
    draw(config, record.levels, record)


def _show_unfinished(shown: RunConfig, config: RunConfig, draw: Draw, status: Status | None) -> None:
    levels = jobs.levels(shown)
    if status is Status.FAILED:
        _failure(jobs.pool().failure(shown), "Try again", shown)
    elif shown == config:
        text = f"The run was stopped after level {len(levels)} of {shown.horizon}; what was finished is kept."
        _offer_run(text, "Resume", ":material/pause_circle:")
    if levels:
        draw(shown, levels, None)


def _failure(message: str, label: str, config: RunConfig) -> None:
    results.failure(message)
    st.button(label, icon=":material/replay:", on_click=jobs.start, args=([config],))
