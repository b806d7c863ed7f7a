"""A study: a base config, axes along which it varies, and seeds; runs in any order, one flat table out.

As JSON, for the command line and for taking away:

    {"base": {"env": "lock", "horizon": 5}, "axes": {"noise": [0.1, 0.5], "samples": [250, 500]}, "seeds": 5}
"""

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ppe_core.config import RunConfig
from ppe_core.metrics import median_interval, share_interval

MOST_RUNS = 10_000
MEASURES = ("type1", "type2", "exact_recovery", "decoding_accuracy", "value", "optimal_value", "episodes",
            "half_regret_episodes")  # fmt: skip
"""What a row says of a run, beside its config."""

Summaries = Callable[[RunConfig], dict[str, Any] | None]
"""Looks a finished run up: its record in short."""


@dataclass(frozen=True)
class Study:
    base: RunConfig
    axes: Mapping[str, tuple[Any, ...]]
    seeds: tuple[int, ...]

    @classmethod
    def from_json(cls, text: str) -> "Study":
        try:
            values = json.loads(text)
        except ValueError as error:
            raise ValueError(f"study: this is not JSON: {error}") from None
        if not isinstance(values, dict) or set(values) - {"base", "axes", "seeds"}:
            raise ValueError("study: it must be an object with base, axes and seeds, and nothing else")
        base, axes, seeds = values.get("base", {}), values.get("axes", {}), values.get("seeds", [0])
        if not isinstance(base, dict) or not isinstance(axes, dict):
            raise ValueError("study: base and axes must be objects: names of settings and their values")
        if isinstance(seeds, int) and not isinstance(seeds, bool):
            seeds = list(range(seeds))
        return cls.make(RunConfig.from_flat(base), axes, seeds)

    @classmethod
    def make(cls, base: RunConfig, axes: Mapping[str, Sequence[Any]], seeds: Sequence[int]) -> "Study":
        """A study whose every run is a valid config."""
        for name, choices in axes.items():
            if name == "seed":
                raise ValueError("axes: seed is not an axis; the seeds are given as seeds")
            if not isinstance(choices, (list, tuple)) or not choices:
                raise ValueError(f"axes: {name} needs a list of at least one value")
        if not isinstance(seeds, (list, tuple)) or not seeds:
            raise ValueError("seeds: a number of seeds of at least 1, or a list of them, is needed")
        count = len(seeds) * math.prod(map(len, axes.values()))
        if count > MOST_RUNS:
            raise ValueError(f"study: {count} runs are more than the {MOST_RUNS} allowed")
        study = cls(base, {name: tuple(choices) for name, choices in axes.items()}, tuple(seeds))
        cells = [config.flat() for config in study.configs()]
        checked = {name: tuple(dict.fromkeys(flat[name] for flat in cells)) for name in axes}
        return cls(base, checked, tuple(dict.fromkeys(flat["seed"] for flat in cells)))

    @property
    def canonical_json(self) -> str:
        values = {"base": self.base.flat(), "axes": dict(self.axes), "seeds": list(self.seeds)}
        return json.dumps(values, separators=(",", ":"))

    @property
    def id(self) -> str:
        return f"study-{hashlib.sha256(self.canonical_json.encode()).hexdigest()[:12]}"

    def cells(self) -> list[dict[str, Any]]:
        """Every combination of the axes' values."""
        return [dict(zip(self.axes, values)) for values in product(*self.axes.values())]

    def runs(self, cell: Mapping[str, Any]) -> list[RunConfig]:
        """The runs of a combination, one a seed."""
        return [self.base.replace(**cell, seed=seed) for seed in self.seeds]

    def configs(self) -> list[RunConfig]:
        """Every run, once."""
        return list(dict.fromkeys(config for cell in self.cells() for config in self.runs(cell)))


def table(study: Study, summaries: Summaries) -> list[dict[str, Any]]:
    """One row a finished run: its id, its whole config, its measures. The same rows whoever computed them."""
    rows = []
    for config in study.configs():
        if summary := summaries(config):
            measures = {name: summary[name] for name in MEASURES}
            rows.append({"id": config.id} | config.flat() | measures | {"stopped": summary["stopped"]})
    return rows


def summary_table(study: Study, summaries: Summaries) -> list[dict[str, Any]]:
    """One row a combination: over its seeds, each measure's median (or share) and a 95% interval for it."""
    rows = []
    for cell in study.cells():
        found = [summary for config in study.runs(cell) if (summary := summaries(config))]
        row: dict[str, Any] = dict(cell) | {"seeds": len(study.seeds), "finished": len(found)}
        if found:
            for name in MEASURES:
                low, middle, high = _over_seeds([x[name] for x in found])
                row |= {name: middle, f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return rows


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(study: Study, summaries: Summaries) -> str:
    """The study, its rows and its summary in one."""
    values = {
        "study": json.loads(study.canonical_json),
        "rows": table(study, summaries),
        "summary": [_without_infinity(row) for row in summary_table(study, summaries)],
    }
    return json.dumps(values, indent=1) + "\n"


def _over_seeds(values: Sequence[Any]) -> tuple[float, float, float]:
    """Low end, middle and high end: of a share where values say yes or no, of a median otherwise."""
    if all(isinstance(value, bool) for value in values):
        return share_interval(sum(values), len(values))
    return median_interval([_number(value) for value in values])


def _number(value: float | None) -> float:
    """None stands for never."""
    return math.inf if value is None else value


def _without_infinity(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if value == math.inf else value for name, value in row.items()}
