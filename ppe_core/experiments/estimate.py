"""How long a run will take: a rough formula, corrected by what earlier runs like it took here."""

from collections.abc import Sequence
from math import log
from statistics import median

from ppe_core.config import GridSettings, RunConfig

NEIGHBOURS = 7  # earlier runs that count

# Seconds a time step takes, and more a sample, on one core of two thousand-and-twenties hardware.
_RATES = {
    ("lock", "fast"): (0.011, 2e-6),
    ("lock", "paper"): (0.03, 3e-5),
    ("grid", "fast"): (0.25, 4e-4),
    ("grid", "paper"): (1.0, 2.7e-3),
}


def estimate_seconds(config: RunConfig, earlier: Sequence[tuple[RunConfig, float]] = ()) -> float:
    """Seconds of a config, given other configs and what they took."""
    alike = [(other, spent) for other, spent in earlier if _kind(other) == _kind(config)]
    alike.sort(key=lambda run: _distance(run[0], config))
    corrections = [spent / _formula(other) for other, spent in alike[:NEIGHBOURS]]
    return _formula(config) * (median(corrections) if corrections else 1.0)


def in_words(seconds: float) -> str:
    """About how long: ≈ 0.3 s, ≈ 40 s, ≈ 3 min, ≈ 2 h."""
    if seconds < 1:
        return f"≈ {max(seconds, 0.1):.1f} s"
    if seconds < 100:
        return f"≈ {seconds:.0f} s"
    return f"≈ {seconds / 60:.0f} min" if seconds < 6000 else f"≈ {seconds / 3600:.1f} h"


def _kind(config: RunConfig) -> tuple[str, str]:
    environment = "grid" if isinstance(config.environment, GridSettings) else "lock"
    return environment, config.learner.recipe


def _formula(config: RunConfig) -> float:
    step, sample = _RATES[_kind(config)]
    return config.horizon * (step + sample * config.samples)


def _distance(one: RunConfig, two: RunConfig) -> float:
    return abs(log(one.horizon / two.horizon)) + abs(log(one.samples / two.samples))
