"""Runs on disk: one folder a run, one folder a finished level, nothing half written.

A level is written beside its place and moved there in one step, so what a crash leaves behind is
a shorter run, never a broken one. The store is the only channel between a worker and the page
that watches it. Arrays are .npz without pickle, weights safetensors, the rest JSON.
"""

import json
import os
import shutil
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors.numpy import load_file, save_file

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord, Truth
from ppe_core.ppe.level import Level

Part = TypeVar("Part", Level, Truth)


def default_home() -> Path:
    """PPE_HOME, or the user's data directory."""
    if "PPE_HOME" in os.environ:
        return Path(os.environ["PPE_HOME"])
    data = os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")
    return Path(data) / "ppe-lab"


class Store:
    def __init__(self, home: Path) -> None:
        self._runs = home / "runs"

    def levels(self, run_id: str, known: int = 0) -> list[LevelRecord]:
        """The finished levels of a run after the first `known` ones, in order and without a hole."""
        found: list[LevelRecord] = []
        while (folder := self._level_folder(run_id, known + len(found) + 1)).is_dir():
            found.append(_read_level(folder))
        return found

    def record(self, config: RunConfig) -> RunRecord | None:
        """The record of a finished run."""
        if not self.is_finished(config.id):
            return None
        values = json.loads(self._record_file(config.id).read_text())
        values["plan"] = np.array(values["plan"], np.int64)
        return RunRecord(config=config, levels=self.levels(config.id), **values)

    def is_finished(self, run_id: str) -> bool:
        return self._record_file(run_id).exists()

    def write_level(self, config: RunConfig, record: LevelRecord) -> None:
        folder = self._level_folder(config.id, record.found.h)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            return
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=folder.parent))
        _write_level(draft, record)
        try:
            draft.rename(folder)
        except OSError:  # another worker finished the same level first, with the same content
            shutil.rmtree(draft)

    def write_record(self, record: RunRecord) -> None:
        values = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in ("config", "levels")}
        values["plan"] = record.plan.tolist()
        _write_text(self._record_file(record.config.id), json.dumps(values))

    def write_failure(self, run_id: str, message: str) -> None:
        _write_text(self._runs / run_id / "failure.txt", message)

    def failure(self, run_id: str) -> str | None:
        file = self._runs / run_id / "failure.txt"
        return file.read_text() if file.exists() else None

    def forget(self, run_id: str) -> None:
        """Remove a run, so that it can be computed again."""
        shutil.rmtree(self._runs / run_id, ignore_errors=True)

    def _level_folder(self, run_id: str, h: int) -> Path:
        return self._runs / run_id / f"level-{h:03d}"

    def _record_file(self, run_id: str) -> Path:
        return self._runs / run_id / "record.json"


def _write_level(folder: Path, record: LevelRecord) -> None:
    arrays: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for part in (record.found, record.truth):
        for item in fields(part):
            value = getattr(part, item.name)
            if item.name != "weights":
                target = arrays if isinstance(value, np.ndarray) else numbers
                target[_key(type(part), item.name)] = value
    np.savez_compressed(folder / "arrays.npz", **arrays)
    save_file({name: np.atleast_1d(x) for name, x in record.found.weights.items()}, folder / "weights.safetensors")
    (folder / "numbers.json").write_text(json.dumps(numbers))


def _read_level(folder: Path) -> LevelRecord:
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        values: dict[str, Any] = dict(arrays) | json.loads((folder / "numbers.json").read_text())
    values["Level.weights"] = load_file(folder / "weights.safetensors")
    return LevelRecord(_part(Level, values), _part(Truth, values))


def _part(part: type[Part], values: dict[str, Any]) -> Part:
    return part(**{item.name: values[_key(part, item.name)] for item in fields(part)})


def _key(part: type, name: str) -> str:
    return f"{part.__name__}.{name}"


def _write_text(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_text(text)
    draft.replace(file)
