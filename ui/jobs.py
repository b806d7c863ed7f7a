"""Runs, as a page sees them: start one, watch its levels appear, show it when it is finished."""

import dataclasses
from collections.abc import Callable

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs, State
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.store import default_home
from ui import state

POLL_SECONDS = 0.3
RECORDS_IN_MEMORY = 16


@st.cache_resource(show_spinner=False)
def pool() -> Jobs:
    """The one pool of workers of this server, getting ready for the first run."""
    jobs = Jobs(default_home())
    jobs.warm_up()
    return jobs


def start(config: RunConfig) -> None:
    st.session_state.setdefault(state.STARTED, set()).add(config.id)
    pool().submit(config)


def was_started_here(config: RunConfig) -> bool:
    return config.id in st.session_state.get(state.STARTED, ())


def shown(config: RunConfig) -> RunConfig | None:
    """The run to show: the controls' own if there is one, else the one of this environment shown before."""
    if pool().state(config) is not State.ABSENT:
        st.session_state[state.SHOWN] = config
    before = st.session_state.get(state.SHOWN)
    if before is None or before.environment.name != config.environment.name:
        return None
    return None if pool().state(before) is State.ABSENT else before


def record(config: RunConfig) -> RunRecord:
    return _record(config.id, config)


def watch(config: RunConfig, draw: Callable[[list[LevelRecord]], None]) -> None:
    """Draw the finished levels of a running job again and again, until all are there."""

    @st.fragment(run_every=POLL_SECONDS)
    def poll() -> None:
        is_running = pool().state(config) is State.RUNNING
        draw(_levels_so_far(config))
        if not is_running:
            st.session_state.pop(state.LEVELS, None)
            st.rerun()

    poll()


def _levels_so_far(config: RunConfig) -> list[LevelRecord]:
    """Only what is new since the last look is read from the store."""
    run_id, levels = st.session_state.get(state.LEVELS, (None, []))
    if run_id != config.id:
        levels = []
    levels = levels + [_light(level) for level in pool().store.levels(config.id, known=len(levels))]
    st.session_state[state.LEVELS] = (config.id, levels)
    return levels


@st.cache_resource(show_spinner=False, max_entries=RECORDS_IN_MEMORY)
def _record(run_id: str, _config: RunConfig) -> RunRecord:
    full = pool().store.record(_config)
    assert full is not None
    return dataclasses.replace(full, levels=[_light(level) for level in full.levels])


def _light(level: LevelRecord) -> LevelRecord:
    """Without gaps and weights: they are most of the memory, and these pages do not show them."""
    nothing = np.empty((0, 0))
    return LevelRecord(
        dataclasses.replace(level.found, paper_gap=nothing, signature_gap=nothing, weights={}), level.truth
    )
