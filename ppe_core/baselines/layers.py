"""Exploration layer by layer (Homer's loop): collect from the cover, abstract, cover every abstract state.

The cover and the plan are found by open-loop search, as in the paper's appendix F: of all paths that
extend the cover, the one with the highest mean of what is wanted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from ppe_core.baselines.learned import Decode, Learned, Progress
from ppe_core.envs.base import Interaction
from ppe_core.seeding import Seeds

Array = np.ndarray


class Episodes(NamedTuple):
    """N episodes of h actions, all seen at the same time steps, the last of them h."""

    observations: Array  # [time steps, n, ...]
    actions: Array  # [n, h]
    num_actions: int


class Phi(Protocol):
    """A state abstraction: observations [n, ...] -> abstract states [n]."""

    def __call__(self, observations: Array) -> Array: ...

    @property
    def weights(self) -> dict[str, Array]: ...


OnEpoch = Callable[[float], None]  # hears the loss
Fit = Callable[[Episodes, int, OnEpoch], Phi]  # with a seed


@dataclass(frozen=True)
class LayerByLayer:
    """What the baselines have in common; `fit` is what they differ in."""

    fit: Fit
    budget: int  # abstract states at each time step
    samples: int  # episodes at each time step
    seeds: Seeds
    history: int = 1  # time steps before the last one that an episode is seen at
    given: Mapping[int, Array] = field(default_factory=dict)  # covers to use instead of those found

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        decoders: dict[int, Decode] = {}
        covers: dict[int, Array] = {}
        weights: dict[str, Array] = {}
        cover = plan = np.empty((1, 0), np.int64)
        for h in range(1, interaction.horizon + 1):
            paths = _extend(cover, interaction.num_actions)
            labels = self.seeds.generator("collection", h).integers(len(paths), size=self.samples)
            seen, rewards = interaction.watch(paths[labels], range(max(0, h - self.history), h + 1))
            returns = rewards.sum(1)
            phi = self.fit(
                Episodes(seen, paths[labels], interaction.num_actions),
                self.seeds.integer("training", h),
                partial(_tell, report, interaction.episodes, float(returns.mean())),
            )
            arrived = phi(seen[-1])[:, None] == np.arange(self.budget)  # [n, abstract states]
            covers[h] = paths[_best_path(arrived, labels, len(paths))]
            plan = paths[_best_path(returns[:, None], labels, len(paths))]
            cover = np.unique(self.given.get(h, covers[h]), axis=0)
            decoders[h] = phi
            weights |= {f"h{h}.{name}": value for name, value in phi.weights.items()}
        return Learned(plan=plan[0], decoders=decoders, covers=covers, weights=weights)


def _tell(report: Callable[[Progress], None], episodes: int, mean_return: float, loss: float) -> None:
    report(Progress(episodes, loss, mean_return))


def _extend(cover: Array, num_actions: int) -> Array:
    """Every path followed by every action: [paths * actions, h]."""
    return np.column_stack([np.repeat(cover, num_actions, axis=0), np.tile(np.arange(num_actions), len(cover))])


def _best_path(wanted: Array, labels: Array, num_paths: int) -> Array:
    """For each column of what is wanted [n, columns] the path [n] with its highest mean; one nobody took has none."""
    means = np.full((num_paths, wanted.shape[1]), -np.inf)
    for path in np.unique(labels):
        means[path] = wanted[labels == path].mean(0)
    return means.argmax(0)
