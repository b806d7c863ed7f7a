"""From the runs of a figure to the numbers that it shows: pure functions."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ppe_core.envs.registry import make_environment
from ppe_core.experiments.paper.points import Accuracy, Best, Errors
from ppe_core.experiments.paper.results import Measured
from ppe_core.metrics import median_interval
from ppe_core.theory.oracle import reachable_states


def best_of_grid(runs: Sequence[Measured]) -> Best | None:
    """Of runs with the same horizon; ties go to the point with more solved seeds, then to the first."""
    groups = _by(runs, lambda run: run.config.replace(seed=0).id)
    points = [_point(group) for group in groups]
    varied = [name for name in points[0].settings if len({x.settings[name] for x in points}) > 1] if points else []
    best = min(points, key=lambda x: (x.episodes, -x.solved), default=None)
    return best and best._replace(settings={name: best.settings[name] for name in varied})


def by_horizon(runs: Sequence[Measured]) -> list[Best]:
    found = [best_of_grid(group) for group in _by(runs, lambda run: run.config.horizon)]
    return sorted(x for x in found if x)


def accuracies(runs: Sequence[Measured]) -> list[Accuracy]:
    """By N."""
    found = []
    for group in _by([run for run in runs if run.decoding_accuracy is not None], lambda run: run.config.samples):
        values = np.array([run.decoding_accuracy for run in group])
        found.append(Accuracy(group[0].config.samples, float(values.mean()), float(values.std()), len(values)))
    return sorted(found)


def errors(runs: Sequence[Measured]) -> list[Errors]:
    """By N, of runs of PPE."""
    found = []
    for group in _by([run for run in runs if run.type1 is not None], lambda run: run.config.samples):
        found.append(
            Errors(
                samples=group[0].config.samples,
                type1=median_interval([run.type1 or 0 for run in group])[1],
                type2=median_interval([run.type2 or 0 for run in group])[1],
                pairs=max(run.pairs or 0 for run in group),
                levels=min(run.levels for run in group),
                exact=sum(run.is_exact for run in group),
                seeds=len(group),
                whole=all(run.is_whole for run in group),
                seconds=median_interval([run.seconds for run in group])[1],
            )
        )
    return sorted(found)


def enough(points: Sequence[Accuracy], wanted: float) -> int | None:
    """The least N from which on the mean accuracy is as wanted."""
    least = None
    for point in reversed(points):
        if point.mean < wanted:
            break
        least = point.samples
    return least


def random_accuracy(run: Measured) -> float:
    """Of a decoder that draws one of as many labels as there are states at the last time step."""
    states = len(reachable_states(make_environment(run.config).endogenous, run.config.horizon)[-1])
    return 1 / states**2 + (1 - 1 / states) ** 2


def _point(group: Sequence[Measured]) -> Best:
    never = [math.inf if run.half_regret_episodes is None else run.half_regret_episodes for run in group]
    low, middle, high = median_interval(never)
    settings = {name: value for name, value in group[0].config.flat().items() if name != "seed"}
    seconds = median_interval([run.seconds for run in group])[1]
    solved = sum(math.isfinite(n) for n in never)
    return Best(group[0].config.horizon, low, middle, high, solved, len(group), seconds, settings)


def _by(runs: Iterable[Measured], key: Any) -> list[list[Measured]]:
    groups: dict[Any, list[Measured]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return list(groups.values())
