"""Inverse dynamics merges states without a common parent (appendix A, "Failure of Inverse Dynamics").

On the lock with H = 2 the states s3a and s3b have no common parent, so no question of the kind
"which action led from s to s'?" is ever asked about both: a consistent abstraction may merge them, and a
policy for the merged state reaches only one of them. (Section 6 calls this under-abstraction in one
place; by the paper's own definition it is over-abstraction.) The first of two actions, asked for over both
steps, tells them apart. As soon as dynamics are not quite deterministic, all states have common parents.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.config import RunConfig, Settings, option
from ppe_core.envs.base import Endogenous
from ppe_core.envs.lock import TYPE_A, CombinationLock
from ppe_core.envs.registry import make_environment
from ppe_core.theory.oracle import exact_level

Array = np.ndarray
TOLERANCE = 1e-12


@dataclass(frozen=True)
class InverseDynamics(Settings):
    actions: int = option(10, "number of actions A", 3, 50)
    eta: float = option(0.0, "L1 distance of the transitions from deterministic ones", 0, 0.5)

    @cached_property
    def one_step(self) -> Array:
        """P(a | s2, s3) with s2 drawn by the cover of its time step, a uniform: [s2, actions, s3], NaN if undefined."""
        return _inverse(self._before_last[:, None, None] * self._lock.transitions_at(1) / self.actions)

    @cached_property
    def two_steps(self) -> Array:
        """P(a₁ | s1, s3) under uniform actions: [actions, s3]."""
        first, second = (self._lock.transitions_at(step) for step in range(2))
        arrivals = first[TYPE_A] @ second.mean(1)  # [actions, s3]
        return _inverse(arrivals[None] / self.actions)[0]

    @property
    def two_steps_good(self) -> Array:
        """P(a₁ = the good action of type a | s1, s3): [s3]."""
        return self.two_steps[self._world.good_a[0]]

    @cached_property
    def consistent(self) -> Array:
        """Whether two states s3 agree under inverse dynamics: [s3, s3]."""
        return consistent_pairs(self.one_step)

    @cached_property
    def partition(self) -> Array:
        """The coarsest consistent abstraction at the last time step: [s3]."""
        return coarsest_partition(self.consistent)

    @cached_property
    def two_step_partition(self) -> Array:
        """The same for the question that looks two steps back: [s3]."""
        return coarsest_partition(consistent_pairs(self.two_steps[None]))

    @property
    def decoding_accuracy(self) -> float:
        """Pairs of uniform states for which "same label" is "same state"."""
        same_label = self.partition[:, None] == self.partition
        return float((same_label == np.eye(len(self.partition), dtype=bool)).mean())

    @cached_property
    def coverage(self) -> float:
        """Share of the states that some policy of the returned cover reaches as surely as any path does."""
        paths = np.array(list(itertools.product(range(self.actions), repeat=2)))
        reached = exact_level(self._lock, paths).distributions  # [paths, s3]
        blocks = np.eye(int(self.partition.max()) + 1)[self.partition]  # [s3, blocks]
        cover = reached[(reached @ blocks).argmax(0)]  # of each block the first best path: [blocks, s3]
        return float((cover.max(0) >= reached.max(0) - TOLERANCE).mean())

    @cached_property
    def _world(self) -> CombinationLock:
        config = RunConfig.from_flat({"horizon": 2, "actions": self.actions, "eta": self.eta})
        world = make_environment(config)
        assert isinstance(world, CombinationLock)
        return world

    @property
    def _lock(self) -> Endogenous:
        return self._world.endogenous

    @cached_property
    def _before_last(self) -> Array:
        """The distribution of s2 when paths are drawn from a cover of its time step: [s2]."""
        reached = self._lock.transitions_at(0)[TYPE_A]  # [actions, s2]
        return reached[reached.argmax(0)].mean(0)


def _inverse(joint: Array) -> Array:
    """P(a | s, s') from P(s, a, s'): [s, actions, s']; NaN where no action leads there."""
    total = np.broadcast_to(joint.sum(1, keepdims=True), joint.shape)
    return np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0)


def consistent_pairs(inverse: Array) -> Array:
    """Definition "Inverse Dynamics Consistency": for every parent the same answers, or not a parent of both."""
    one, other = inverse[..., :, None], inverse[..., None, :]  # [s, actions, s', 1] and [s, actions, 1, s']
    undefined = np.isnan(one) | np.isnan(other)
    return (undefined | (np.abs(one - other) <= TOLERANCE)).all((0, 1))


def coarsest_partition(consistent: Array) -> Array:
    """Of all partitions whose blocks are pairwise consistent, the first with the fewest blocks: [states].

    Consistency is not transitive, so merging greedily would not do.
    """
    allowed = (labels for labels in _partitions(len(consistent))
               if (consistent | (labels[:, None] != labels)).all())  # fmt: skip
    return min(allowed, key=lambda labels: int(labels.max()))


def _partitions(count: int) -> Iterator[Array]:
    """Every partition once, as labels in the order of their first use."""
    for labels in itertools.product(range(count), repeat=count):
        if all(label <= max(labels[:i], default=-1) + 1 for i, label in enumerate(labels)):
            yield np.array(labels)
