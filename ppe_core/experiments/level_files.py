"""One finished level as files: arrays .npz without pickle, weights safetensors, the rest JSON."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors.numpy import load_file, save

from ppe_core.experiments.records import LevelRecord, Truth
from ppe_core.ppe.level import Level

Part = TypeVar("Part", Level, Truth)


def write_level(folder: Path, record: LevelRecord) -> None:
    arrays: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for part in (record.found, record.truth):
        for item in fields(part):
            value = getattr(part, item.name)
            if item.name != "weights":
                target = arrays if isinstance(value, np.ndarray) else numbers
                target[_key(type(part), item.name)] = value
    np.savez(folder / "arrays.npz", **arrays)
    # Not by save_file, which wraps what goes wrong with the disk into an error of its own.
    weights = save({name: np.atleast_1d(x) for name, x in record.found.weights.items()})
    (folder / "weights.safetensors").write_bytes(weights)
    (folder / "numbers.json").write_text(json.dumps(numbers))


def read_level(folder: Path) -> LevelRecord:
    with (folder / "arrays.npz").open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        values: dict[str, Any] = dict(arrays) | json.loads((folder / "numbers.json").read_text())
    values["Level.weights"] = load_file(folder / "weights.safetensors")
    return LevelRecord(_part(Level, values), _part(Truth, values))


def _part(part: type[Part], values: dict[str, Any]) -> Part:
    return part(**{item.name: values[_key(part, item.name)] for item in fields(part)})


def _key(part: type, name: str) -> str:
    return f"{part.__name__}.{name}"
