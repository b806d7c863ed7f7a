"""Paths, states and verdicts in words, for whoever questions a merge."""

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord
from ppe_core.experiments.what_if import Partition, verdict
from ppe_core.figures.palette import state_name
from ui import results

Array = np.ndarray

GAP_NAMES = {"signature": "Signature gap", "paper": "Paper gap"}
ARROWS = "→↓←↑"  # right, down, left, up


class Words:
    """The names of one time step of a run."""

    def __init__(self, config: RunConfig, level: LevelRecord) -> None:
        self._environment = config.environment.name
        self._names, actions = results.names(config)
        self._poses = results.scene_of(config).poses if results.is_grid(config) else None
        self.paths = [" ".join(actions[a] if actions else str(a) for a in path) for path in level.found.paths.tolist()]
        self._true = level.truth.states

    @property
    def short_states(self) -> list[str]:
        """The true state of each path, short enough for an axis."""
        return [self._short_state(state) for state in self._true.tolist()]

    @property
    def hover_names(self) -> list[str]:
        return [f"{path} → {state}" for path, state in zip(self.paths, self.short_states)]

    def state(self, path: int) -> str:
        """Where a path ends."""
        return state_name(self._environment, int(self._true[path]), self._names)

    def _short_state(self, state: int) -> str:
        if self._poses is None:
            return state_name(self._environment, state, self._names).split(":")[0]
        x, y, direction = self._poses[state].tolist()
        return f"{x},{y} {ARROWS[direction]}"

    def why(self, partition: Partition, first: int, second: int) -> str:
        """Merged or not, whether that is right, and which comparison decided."""
        found = verdict(partition, first, second)
        outcome = {
            (True, True): "**merged**, rightly",
            (True, False): "**wrongly merged** :red[✖]",
            (False, True): "**kept apart: a missed merge** :orange[◆]",
            (False, False): "**kept apart**, rightly",
        }[found.merged, found.same_state]
        side = "within" if found.merged else "not within"
        decided = " and ".join(
            f"`{self.paths[x.path]}` is {side} the threshold of representative "
            f"`{self.paths[x.representative]}` ({number(x.gap)})"
            for x in found.comparisons
        )
        surprising = (partition.gaps[first, second] <= partition.threshold) != found.merged
        return f"{outcome}: {decided}." + (" Only representatives are compared, not every pair." if surprising else "")


def number(gap: float) -> str:
    return f"{gap:.3f}" if np.isfinite(gap) else "∞, no observations"
