"""A job, in the worker: run a config, keep each level as it is finished, stop when asked to.

What it finds goes into the folder of the run; only a few words come back. A job can also be to plan in the
world of a config: that leaves nothing behind but the few words.
"""

import errno
import json
import traceback
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from ppe_core.config import RunConfig
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.index import Status
from ppe_core.experiments.run_files import Damaged, RunFiles


class Work(StrEnum):
    """What is to be done with a config."""

    RUN = "run"
    PLAN = "plan"


class Task(NamedTuple):
    """What a worker is told."""

    home: str
    config: dict[str, Any]  # flat
    seconds: float  # it may take, if it is a run
    work: Work = Work.RUN


class Outcome(NamedTuple):
    """What a worker says when it is done."""

    status: Status
    message: str | None = None
    summary: dict[str, Any] | None = None
    bytes: int = 0

    def to_json(self) -> str:
        return json.dumps(self)

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        status, *rest = json.loads(text)
        return cls(Status(status), *rest)


class _Stop(Exception):
    """Raised between two epochs."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def work(home: str, flat: dict[str, Any], seconds: float, kind: str = Work.RUN) -> Outcome:
    """Finished levels of an earlier attempt are kept; `seconds` is how long this one may take."""
    try:
        if kind == Work.PLAN:
            return _plan(RunConfig.from_flat(flat))
        return _run(RunConfig.from_flat(flat), RunFiles(Path(home)), monotonic() + seconds, seconds)
    except _Stop as stop:
        return stop.outcome
    except OSError as error:
        return unwritable(home, error)
    except Unusable as error:
        return Outcome(Status.FAILED, str(error))
    except Exception:
        return Outcome(Status.FAILED, traceback.format_exc(limit=-3))


def unwritable(home: Path | str, error: OSError) -> Outcome:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    reason = f"there is no space left in {home}" if full else f"{home} cannot be written: {error}"
    return Outcome(Status.FAILED, f"{reason}. The time steps finished before are kept.")


def get_ready() -> None:
    """What takes a worker a second or two the first time: import the engine, and let it run."""
    from ppe_core.experiments.run import run

    run(RunConfig(horizon=1, samples=50))


def _run(config: RunConfig, files: RunFiles, deadline: float, seconds: float) -> Outcome:
    from ppe_core.experiments.events import Event, LevelDone
    from ppe_core.experiments.run import run

    def on_event(event: Event) -> None:
        if isinstance(event, LevelDone):
            files.write_level(config, event.record)
        if files.is_asked_to_stop(config.id):
            raise _Stop(Outcome(Status.STOPPED))
        if monotonic() > deadline:
            raise _Stop(Outcome(Status.FAILED, took_too_long(seconds)))

    record = run(config, on_event, done=_finished_levels(files, config))
    files.write_record(record)
    return Outcome(Status.DONE, None, record.summary(), files.size(config.id))


def _plan(config: RunConfig) -> Outcome:
    from ppe_core.experiments.plans import compare_plans

    return Outcome(Status.DONE, None, compare_plans(config).as_dict())


def took_too_long(seconds: float) -> str:
    return f"it took longer than the {seconds:g} seconds that this server allows. What is finished is kept."


def _finished_levels(files: RunFiles, config: RunConfig) -> list:
    """The levels of an earlier attempt; a damaged one is set aside, and those before it are kept."""
    files.drop_drafts(config.id)
    try:
        return files.levels(config.id)
    except Damaged:
        return files.levels(config.id)
