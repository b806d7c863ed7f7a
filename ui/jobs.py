"""Runs, as a page sees them: start some, watch their levels appear, show them when they are finished."""

import dataclasses
import uuid
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.bundle import bundled_level, bundled_record, is_bundled
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.index import UNDER_WAY, Status
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.limits import LimitExceeded, Limits
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.store import Store, Upkeep, default_home
from ui import state

Found = TypeVar("Found")
POLL_SECONDS = 0.2  # a run
POLL_MANY_SECONDS = 1.0  # a study, whose page takes more to draw
RECORDS_IN_MEMORY = 16
LEVELS_IN_MEMORY = 16


@st.cache_resource(show_spinner=False)
def pool() -> Jobs:
    """The jobs of this server. Its workers get ready at once; unfinished ones of an earlier server go on."""
    jobs = Jobs(Store(default_home()), limits=Limits.from_environment(), upkeep=Upkeep.from_environment())
    if not jobs.store.index.read_only:
        jobs.adopt()
    return jobs


def start(configs: Sequence[RunConfig]) -> bool:
    """Queue runs for this visitor; what stands in the way is told by the page that is drawn next."""
    st.session_state.setdefault(state.STARTED, set()).update(config.id for config in configs)
    try:
        pool().submit(configs, _visitor())
    except (LimitExceeded, Unusable) as problem:
        st.session_state[state.REFUSED] = str(problem)
        return False
    return True


def cancel(configs: Sequence[RunConfig]) -> None:
    pool().cancel(configs)


def refusal() -> str | None:
    """Why the last start was refused, told once."""
    return st.session_state.pop(state.REFUSED, None)


def under_way(configs: Sequence[RunConfig]) -> list[RunConfig]:
    """Those that are queued or running."""
    statuses = pool().statuses(configs)
    return [config for config in configs if statuses.get(config.id) in UNDER_WAY]


def was_started_here(config: RunConfig) -> bool:
    return config.id in st.session_state.get(state.STARTED, ())


def comes_bundled(config: RunConfig) -> bool:
    """Whether what is shown of a run came with the program: unless this visitor asked to run it."""
    return is_bundled(config) and not (was_started_here(config) and pool().status(config))


def status(config: RunConfig) -> Status | None:
    """Where a run stands, bundled ones included; None: there is nothing of it."""
    return Status.DONE if comes_bundled(config) else pool().status(config)


def shown(config: RunConfig) -> RunConfig | None:
    """The run to show: the controls' own if there is one, else the one of this environment shown before."""
    if status(config):
        st.session_state[state.SHOWN] = config
    before = st.session_state.get(state.SHOWN)
    if before is None or before.environment.name != config.environment.name:
        return None
    return before if status(before) else None


def record(config: RunConfig) -> RunRecord:
    """A finished run, without its largest arrays."""
    return _record(config.id, comes_bundled(config), config)


def whole_record(config: RunConfig) -> Callable[[], RunRecord]:
    """What reads a finished run with all its arrays, even outside the script."""
    if comes_bundled(config):
        return lambda: bundled_record(config)
    store = pool().store
    return lambda: _there(store.record(config), config.id)


def levels(config: RunConfig) -> list[LevelRecord]:
    """The finished levels of an unfinished run; only what is new since the last look is read from the store."""
    run_id, known = st.session_state.get(state.LEVELS, (None, []))
    if run_id != config.id:
        known = []
    known = known + [_light(level) for level in pool().store.files.levels(config.id, known=len(known))]
    st.session_state[state.LEVELS] = (config.id, known)
    return known


def level(config: RunConfig, h: int) -> LevelRecord:
    """One finished level with all its arrays."""
    return _level(config.id, comes_bundled(config), h, config)


def watch(configs: Sequence[RunConfig], draw: Callable[[], None]) -> None:
    """Draw, again and again while some of the jobs are under way; when that changes, the whole page once more."""
    is_under_way = bool(under_way(configs))
    pause = POLL_SECONDS if len(configs) == 1 else POLL_MANY_SECONDS

    @st.fragment(run_every=pause if is_under_way else None)
    def poll() -> None:
        if bool(under_way(configs)) != is_under_way:
            st.rerun()
        draw()

    poll()


def _visitor() -> str:
    return st.session_state.setdefault(state.VISITOR, uuid.uuid4().hex)


@st.cache_resource(show_spinner=False, max_entries=RECORDS_IN_MEMORY)
def _record(run_id: str, bundled: bool, _config: RunConfig) -> RunRecord:
    full = bundled_record(_config) if bundled else _there(pool().store.record(_config), run_id)
    return dataclasses.replace(full, levels=[_light(level) for level in full.levels])


@st.cache_resource(show_spinner=False, max_entries=LEVELS_IN_MEMORY)
def _level(run_id: str, bundled: bool, h: int, _config: RunConfig) -> LevelRecord:
    if bundled:
        return bundled_level(_config, h)
    return _there(pool().store.files.level(run_id, h), f"{run_id}, level {h}")


def _there(found: Found | None, name: str) -> Found:
    if found is None:
        raise Unusable(f"the stored run {name} is no longer there")
    return found


def _light(level: LevelRecord) -> LevelRecord:
    """Without gaps and weights: they are most of the memory, and these pages do not show them."""
    nothing = np.empty((0, 0))
    return LevelRecord(
        dataclasses.replace(level.found, paper_gap=nothing, signature_gap=nothing, signatures=nothing, weights={}),
        level.truth,
    )
