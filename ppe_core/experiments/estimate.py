"""How long a run will take: a rough formula, corrected by what earlier runs like it took here."""

from collections.abc import Iterable
from math import log
from statistics import median
from typing import NamedTuple

from ppe_core.config import RunConfig

NEIGHBOURS = 7  # earlier runs that count
REMEMBERED = 200  # earlier runs, the newest

# Seconds a time step takes, and more a sample, on one core of two thousand-and-twenties hardware.
_RATES = {
    ("lock", "fast"): (0.011, 2e-6),
    ("lock", "paper"): (0.03, 3e-5),
    ("exo-lock", "fast"): (0.011, 2e-6),
    ("exo-lock", "paper"): (0.03, 3e-5),
    ("tabular", "fast"): (0.011, 2e-6),
    ("tabular", "paper"): (0.03, 3e-5),
    ("grid", "fast"): (0.25, 4e-4),
    ("grid", "paper"): (1.0, 2.7e-3),
    ("lock", "homer"): (1.2, 1e-5),
    ("lock", "id"): (0.6, 1e-5),
    ("lock", "ac-state"): (1.0, 1e-5),
    ("grid", "homer"): (12, 5e-4),
    ("lock", "ppo"): (0.02, 5e-6),
    ("lock", "ppo-rnd"): (0.02, 8e-6),
    ("lock", "bisim"): (0.02, 1.2e-5),
}
_BASELINE_RATE = (0.5, 1e-4)  # of any other; runs made here soon correct it


class _Size(NamedTuple):
    """What the time of a run depends on."""

    kind: tuple[str, str]  # environment, and recipe of PPE or name of a baseline
    horizon: int
    samples: int
    steps: int  # that an episode goes on at each time step: all, where whole episodes are played

    def formula(self) -> float:
        step, sample = _RATES.get(self.kind, _BASELINE_RATE)
        return self.horizon * (step + sample * self.samples * self.steps)

    def distance(self, other: "_Size") -> float:
        return abs(log(self.horizon / other.horizon)) + abs(log(self.samples / other.samples))


class Estimates:
    """Seconds of a config, given other configs and what they took, the newest first."""

    def __init__(self, earlier: Iterable[tuple[RunConfig, float]] = ()) -> None:
        self._earlier = [(_size(config), spent) for config, spent in earlier]
        self._known: dict[_Size, float] = {}

    def add(self, config: RunConfig, spent: float) -> None:
        self._earlier = [(_size(config), spent), *self._earlier[: REMEMBERED - 1]]
        self._known = {}

    def seconds(self, config: RunConfig) -> float:
        size = _size(config)
        if size not in self._known:
            self._known[size] = self._estimate(size)
        return self._known[size]

    def _estimate(self, size: _Size) -> float:
        alike = [(other, spent) for other, spent in self._earlier if other.kind == size.kind]
        alike.sort(key=lambda run: run[0].distance(size))
        corrections = [spent / other.formula() for other, spent in alike[:NEIGHBOURS]]
        return size.formula() * median([1.0, *corrections])  # the formula has a say, too: a single run may be odd


def in_words(seconds: float) -> str:
    """About how long: ≈ 0.3 s, ≈ 40 s, ≈ 3 min, ≈ 2 h."""
    if seconds < 1:
        return f"≈ {max(seconds, 0.1):.1f} s"
    if seconds < 100:
        return f"≈ {seconds:.0f} s"
    return f"≈ {seconds / 60:.0f} min" if seconds < 6000 else f"≈ {seconds / 3600:.1f} h"


def _size(config: RunConfig) -> _Size:
    kind = getattr(config.learner, "recipe", config.learner.name)
    steps = config.horizon if config.learner.by_episode else 1
    return _Size((config.environment.name, kind), config.horizon, config.samples, steps)
