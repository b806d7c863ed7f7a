"""Runs on disk, under PPE_HOME: a folder a run and an index over all of them."""

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from ppe_core.config import RunConfig
from ppe_core.experiments.index import UNDER_WAY, Index, Row, Status, StoreError
from ppe_core.experiments.run_files import Damaged, RunFiles
from ppe_core.experiments.study import Summaries

DAY = 24 * 3600


class Upkeep(NamedTuple):
    """How much is kept; 0 stands for no limit."""

    megabytes: float = 20_000
    days: float = 0

    @classmethod
    def from_environment(cls) -> "Upkeep":
        """PPE_STORE_MEGABYTES and PPE_STORE_DAYS."""
        given = {}
        for name in cls._fields:
            text = os.environ.get(f"PPE_STORE_{name.upper()}", "")
            try:
                given[name] = float(text) if text else cls._field_defaults[name]
            except ValueError:
                raise ValueError(f"PPE_STORE_{name.upper()}: {text!r} is not a number; 0 is no limit") from None
        return cls(**given)


def default_home() -> Path:
    """PPE_HOME, or the user's data directory."""
    return Path(os.environ.get("PPE_HOME") or platformdirs.user_data_path("ppe-lab"))


class Store:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.files = RunFiles(home)
        self.index = self._open_index()

    def record(self, config: RunConfig) -> Any:
        """The record of a finished run; one that is damaged is unfinished from then on."""
        try:
            return self.files.record(config)
        except Damaged as damage:
            self.note_damage(config.id, damage)
            raise

    def note_damage(self, run_id: str, damage: Damaged) -> None:
        if not self.index.read_only:
            message = f"{damage}. It can be run again."
            self.index.set_unfinished(run_id, Status.FAILED, message, self.files.size(run_id))

    def summaries(self, configs: Sequence[RunConfig]) -> Summaries:
        """The finished ones of some runs, in short."""
        ids = json.dumps([config.id for config in configs])
        rows = self.index.rows("status = 'done' AND id IN (SELECT value FROM json_each(?))", ids)
        known = {row.id: row.summary for row in rows}
        return lambda config: known.get(config.id)

    def forget(self, run_ids: list[str]) -> None:
        self.index.forget(run_ids)
        for run_id in run_ids:
            self.files.forget(run_id)

    def prune(self, upkeep: Upkeep) -> list[Row]:
        """Forget what is too old, then the oldest until the rest fits; never what is under way or pinned."""
        rows = self.index.rows()
        free = [row for row in rows if row.status not in UNDER_WAY and not row.pinned]
        oldest_first = sorted(free, key=lambda row: row.ended or row.created)
        too_many = sum(row.bytes for row in rows) - upkeep.megabytes * 1e6 if upkeep.megabytes else 0
        too_old = time.time() - upkeep.days * DAY if upkeep.days else 0
        gone = []
        for row in oldest_first:
            if too_many <= 0 and (row.ended or row.created) >= too_old:
                break
            gone.append(row)
            too_many -= row.bytes
        if gone:
            self.forget([row.id for row in gone])
        return gone

    def _open_index(self) -> Index:
        file = self.home / "index.sqlite"
        try:
            index = Index(file)
            is_empty = not index.rows(limit=1)
        except sqlite3.DatabaseError:  # not a database any more
            file.rename(self.home / f"index.damaged-{time.time_ns()}")
            for leftover in self.home.glob("index.sqlite-*"):
                leftover.unlink()
            index, is_empty = Index(file), True
        if is_empty and not index.read_only:
            self._list_again(index)
        return index

    def _list_again(self, index: Index) -> None:
        """List the finished runs of a store whose index was lost."""
        for run_id in self.files.ids():
            config, summary = self.files.config(run_id), self.files.summary(run_id)
            if config and summary and config.id == run_id:
                index.set_done(config, summary, self.files.size(run_id))


__all__ = ["Damaged", "Row", "Status", "Store", "StoreError", "Upkeep", "default_home"]
