"""A whole record as one file: a zip of run.json and a level-001.npz for each time step, all without pickle."""

import io
import json
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord, Truth
from ppe_core.ppe.level import Level

Part = TypeVar("Part", Level, Truth)
RUN, NUMBERS, WEIGHT = "run.json", "numbers", "weights/"


def write_record(file: BinaryIO | Path, record: RunRecord) -> None:
    """The same record gives the same bytes."""
    values = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in ("config", "levels")}
    values |= {"plan": record.plan.tolist(), "config": record.config.flat(), "summary": record.summary()}
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        _add(archive, RUN, json.dumps(values, indent=1).encode())
        for level in record.levels:
            _add(archive, _level_name(level.found.h), _level_bytes(level))


def record_bytes(record: RunRecord) -> bytes:
    file = io.BytesIO()
    write_record(file, record)
    return file.getvalue()


def read_record(file: BinaryIO | Path) -> RunRecord:
    with ZipFile(file) as archive:
        values = json.loads(archive.read(RUN))
        count = len(values.pop("summary")["levels"])
        levels = [_read_level(archive.read(_level_name(h))) for h in range(1, count + 1)]
    config = RunConfig.from_flat(values.pop("config"))
    return RunRecord(config=config, levels=levels, plan=np.array(values.pop("plan"), np.int64), **values)


def read_level(file: BinaryIO | Path, h: int) -> LevelRecord:
    """One time step alone."""
    with ZipFile(file) as archive:
        return _read_level(archive.read(_level_name(h)))


def _level_bytes(level: LevelRecord) -> bytes:
    arrays: dict[str, Any] = {f"{WEIGHT}{name}": np.asarray(x) for name, x in level.found.weights.items()}
    numbers: dict[str, Any] = {}
    for part in (level.found, level.truth):
        for item in fields(part):
            if item.name != "weights":
                value = getattr(part, item.name)
                (arrays if isinstance(value, np.ndarray) else numbers)[_key(type(part), item.name)] = value
    arrays[NUMBERS] = np.array(json.dumps(numbers))  # as text: numbers of JSON are exact
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _read_level(data: bytes) -> LevelRecord:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        values: dict[str, Any] = dict(arrays)
    values |= json.loads(str(values.pop(NUMBERS)))
    weights = {name.removeprefix(WEIGHT): values.pop(name) for name in list(values) if name.startswith(WEIGHT)}
    return LevelRecord(_part(Level, values | {_key(Level, "weights"): weights}), _part(Truth, values))


def _part(part: type[Part], values: dict[str, Any]) -> Part:
    return part(**{item.name: values[_key(part, item.name)] for item in fields(part)})


def _key(part: type, name: str) -> str:
    return f"{part.__name__}.{name}"


def _level_name(h: int) -> str:
    return f"level-{h:03d}.npz"


def _add(archive: ZipFile, name: str, data: bytes) -> None:
    info = ZipInfo(name)  # without the time of day
    info.compress_type = ZIP_DEFLATED
    archive.writestr(info, data)
