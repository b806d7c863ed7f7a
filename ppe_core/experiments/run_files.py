"""The folder of each run: all that a worker touches.

A level is written beside its place and moved there in one step, so what a crash leaves behind is a
shorter run, never a broken one. What was damaged later (a full disk, a bad copy) is noticed when it
is read and set aside: the run is then a shorter one, which can be resumed. Nothing here needs more
than files that are seen by all, so a worker may as well be on another machine.
"""

import json
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ppe_core.config import PPESettings, RunConfig
from ppe_core.experiments.baseline_record import BaselineRecord
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.level_files import read_level, write_level
from ppe_core.experiments.records import LevelRecord, RunRecord

UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile, SafetensorError)


class Damaged(Unusable):
    """A stored run could not be read; what is damaged was set aside."""


class RunFiles:
    def __init__(self, home: Path) -> None:
        self._runs = home / "runs"
        self._damaged = home / "damaged"

    def ids(self) -> list[str]:
        """Every run that has a folder."""
        return sorted(folder.name for folder in self._runs.iterdir()) if self._runs.is_dir() else []

    def begin(self, config: RunConfig) -> None:
        """Make the folder of a run; a wish to stop an earlier attempt is forgotten."""
        self._stop_file(config.id).unlink(missing_ok=True)
        _write_text(self._runs / config.id / "config.json", config.canonical_json)

    def levels(self, run_id: str, known: int = 0) -> list[LevelRecord]:
        """The finished levels of a run after the first `known` ones, in order and without a hole."""
        found: list[LevelRecord] = []
        while level := self.level(run_id, known + len(found) + 1):
            found.append(level)
        return found

    def level(self, run_id: str, h: int) -> LevelRecord | None:
        """One finished level."""
        folder = self._level_folder(run_id, h)
        if not folder.is_dir():
            return None
        try:
            return read_level(folder)
        except UNREADABLE as error:
            if folder.is_dir():
                raise self._set_aside(run_id, folder, error) from error
            return None  # forgotten by another process meanwhile

    def level_count(self, run_id: str) -> int:
        count = 0
        while self._level_folder(run_id, count + 1).is_dir():
            count += 1
        return count

    def record(self, config: RunConfig) -> Any:
        """The record of a finished run, of PPE or of a baseline; None: it is not finished."""
        file = self._record_file(config.id)
        if not file.exists():
            return None
        try:
            values = json.loads(file.read_text())
            summary = values.pop("summary")
            if config.learner.name != PPESettings.name:
                return BaselineRecord.from_summary(config, summary, self._weights(config.id))
            values["plan"] = np.array(values["plan"], np.int64)
            record = RunRecord(config=config, levels=self.levels(config.id), **values)
            if not record.stopped and len(record.levels) < config.horizon:
                raise ValueError(f"level {len(record.levels) + 1} is missing")
        except UNREADABLE as error:
            raise self._set_aside(config.id, file, error) from error
        return record

    def summary(self, run_id: str) -> dict[str, Any] | None:
        """The record of a finished run in short, without reading its levels."""
        try:
            return json.loads(self._record_file(run_id).read_text())["summary"]
        except UNREADABLE:
            return None

    def config(self, run_id: str) -> RunConfig | None:
        try:
            return RunConfig.from_flat(json.loads((self._runs / run_id / "config.json").read_text()))
        except UNREADABLE:
            return None

    def write_level(self, config: RunConfig, record: LevelRecord) -> None:
        folder = self._level_folder(config.id, record.found.h)
        if folder.exists():
            return
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=folder.parent))
        try:
            write_level(draft, record)
            draft.rename(folder)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            if not folder.exists():  # else another worker finished the same level first, with the same content
                raise

    def write_record(self, record: RunRecord | BaselineRecord) -> None:
        if isinstance(record, BaselineRecord):
            self._write_weights(record)
            _write_text(self._record_file(record.config.id), json.dumps({"summary": record.summary()}))
            return
        values = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in ("config", "levels")}
        values |= {"plan": record.plan.tolist(), "summary": record.summary()}
        _write_text(self._record_file(record.config.id), json.dumps(values))

    def ask_to_stop(self, run_id: str) -> None:
        """Leave a wish for the worker, where the disk takes it; there are ways to stop it without."""
        with suppress(OSError):
            self._stop_file(run_id).touch()

    def is_asked_to_stop(self, run_id: str) -> bool:
        return self._stop_file(run_id).exists()

    def size(self, run_id: str) -> int:
        """Bytes that a run takes."""
        return sum(file.stat().st_size for file in (self._runs / run_id).rglob("*") if file.is_file())

    def drop_drafts(self, run_id: str) -> None:
        """Remove what a killed worker was just writing."""
        for draft in (self._runs / run_id).glob("draft-*"):
            shutil.rmtree(draft, ignore_errors=True)

    def forget(self, run_id: str) -> None:
        """Remove a run, so that it can be computed again."""
        shutil.rmtree(self._runs / run_id, ignore_errors=True)

    def _write_weights(self, record: BaselineRecord) -> None:
        """Of a baseline; those of PPE are with its levels."""
        file = self._weights_file(record.config.id)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_bytes(save({name: np.ascontiguousarray(values) for name, values in record.weights.items()}))
        draft.replace(file)

    def _weights(self, run_id: str) -> dict[str, np.ndarray]:
        return load(self._weights_file(run_id).read_bytes())

    def _weights_file(self, run_id: str) -> Path:
        return self._runs / run_id / "weights.safetensors"

    def _set_aside(self, run_id: str, damaged: Path, error: Exception) -> Damaged:
        """Move what cannot be read out of the way, and what rests on it: the run is unfinished again."""
        reason = f"{damaged.name}: {error or type(error).__name__}"
        try:
            self._damaged.mkdir(exist_ok=True)
            place = Path(tempfile.mkdtemp(prefix=f"{run_id}-", dir=self._damaged))
            for file in {damaged, self._record_file(run_id)}:
                if file.exists():
                    file.rename(place / file.name)
        except OSError:
            return Damaged(f"the stored run {run_id} cannot be read ({reason})")
        return Damaged(f"the stored run {run_id} was damaged ({reason}); the damaged part is now in {place}")

    def _level_folder(self, run_id: str, h: int) -> Path:
        return self._runs / run_id / f"level-{h:03d}"

    def _record_file(self, run_id: str) -> Path:
        return self._runs / run_id / "record.json"

    def _stop_file(self, run_id: str) -> Path:
        return self._runs / run_id / "stop"


def _write_text(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_text(text)
        draft.replace(file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
