"""What if the threshold were another? One time step merged again from its stored gaps, without training.

Thresholds and gaps are in units of 1/|Υ|, where the paper's threshold (algorithm 1, line 8) is 5/8. For
the time step itself the answer is exact: it is what these predictions give. It says nothing about later
time steps, where other paths would have been extended. (A recipe that ties paths within the threshold
also judges by it when to stop training, so a run with another threshold may keep another classifier.)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.experiments.records import LevelRecord
from ppe_core.metrics import pair_errors
from ppe_core.ppe.eliminate import eliminate
from ppe_core.ppe.gaps import plain_gap, pooled_gap

Array = np.ndarray

GAPS = ("signature", "paper")
LARGEST_THRESHOLD = 2.0  # the exact gap of two paths to different states
FINE_STEP, COARSE_STEP = 0.025, 0.1  # between the thresholds of a curve
MOST_PATHS_IN_FINE_STEPS = 400


@dataclass(frozen=True)
class Partition:
    """What one threshold makes of the paths of a time step."""

    threshold: float
    gaps: Array  # [paths, paths], what the threshold was compared with
    survivor: Array  # [paths], the path each was merged with
    true: Array  # [paths], the endogenous state each reaches

    @property
    def states(self) -> int:
        return len(np.unique(self.survivor))

    @cached_property
    def errors(self) -> tuple[int, int]:
        """Type 1 and type 2 errors."""
        return pair_errors(self.true, self.survivor)


@dataclass(frozen=True)
class Curve:
    """What every threshold would make of them."""

    thresholds: Array
    states: Array
    type1: Array
    type2: Array

    @property
    def without_error(self) -> tuple[float, float] | None:
        """The widest interval of thresholds of the curve without an error: the margin."""
        good = np.flatnonzero((self.type1 == 0) & (self.type2 == 0))
        if not len(good):
            return None
        widest = max(np.split(good, np.flatnonzero(np.diff(good) > 1) + 1), key=len)
        return float(self.thresholds[widest[0]]), float(self.thresholds[widest[-1]])


@dataclass(frozen=True)
class Comparison:
    """A path held against a representative."""

    representative: int
    path: int
    gap: float


@dataclass(frozen=True)
class Verdict:
    """Why two paths were merged, or were not."""

    merged: bool
    same_state: bool
    comparisons: tuple[Comparison, ...]  # those that decided


class WhatIf:
    """One time step, seen through one of the two gaps."""

    def __init__(self, level: LevelRecord, gap: str) -> None:
        if gap not in GAPS:
            raise ValueError(f"gap: {gap!r} is not one of {', '.join(GAPS)}")
        self.gap = gap
        self._found, self._true = level.found, level.truth.states
        self._count = len(level.found.paths)
        self._last_pooled = np.empty(0), np.empty((0, 0))  # groups and gaps: the next threshold often has the same

    def at(self, threshold: float) -> Partition:
        """The paths merged again: greedily by index against the representative, as in a run."""
        gaps = self._gaps(threshold)
        survivor = eliminate(gaps, threshold / self._count)
        return Partition(threshold, gaps * self._count, survivor, self._true)

    @cached_property
    def curve(self) -> Curve:
        step = FINE_STEP if self._count <= MOST_PATHS_IN_FINE_STEPS else COARSE_STEP
        thresholds = np.linspace(0, LARGEST_THRESHOLD, round(LARGEST_THRESHOLD / step) + 1)
        found = [self.at(threshold) for threshold in thresholds.tolist()]
        type1, type2 = np.array([x.errors for x in found]).T
        return Curve(thresholds, np.array([x.states for x in found]), type1, type2)

    def _gaps(self, threshold: float) -> Array:
        """The signature gap pools outputs of paths within the threshold, so it depends on it."""
        if self.gap == "paper":
            return self._found.paper_gap
        groups = eliminate(self._plain_gap, threshold / self._count)
        last_groups, gaps = self._last_pooled
        if not np.array_equal(groups, last_groups):
            gaps = pooled_gap(self._found.signatures, groups)
            self._last_pooled = groups, gaps
        return gaps

    @cached_property
    def _plain_gap(self) -> Array:
        return plain_gap(self._found.signatures)


def verdict(partition: Partition, first: int, second: int) -> Verdict:
    """Why two paths are in one cluster or in two.

    Representatives take their turns by index. Paths of one cluster were both within the threshold of
    its representative; of two clusters, the later one's path was not, when the earlier had its turn.
    """
    survivor = partition.survivor
    if survivor[first] > survivor[second]:
        first, second = second, first
    judge = int(survivor[first])
    merged = bool(survivor[second] == judge)
    asked = (first, second) if merged else (second,)
    return Verdict(
        merged,
        bool(partition.true[first] == partition.true[second]),
        tuple(Comparison(judge, path, float(partition.gaps[judge, path])) for path in asked if path != judge),
    )


@dataclass(frozen=True)
class Move:
    """Paths that were merged with one path and are now merged with another."""

    before: int
    after: int
    paths: Array


@dataclass(frozen=True)
class Changes:
    """Where two partitions of the same paths differ."""

    moves: list[Move]
    joined: int  # pairs of paths that were apart
    parted: int  # pairs of paths that were together

    @property
    def paths(self) -> int:
        return sum(len(move.paths) for move in self.moves)


def changes(before: Array, after: Array) -> Changes:
    """From one partition to another, each given by the path that every path was merged with."""
    changed = np.flatnonzero(before != after)
    ways, way = np.unique(np.column_stack([before, after])[changed], axis=0, return_inverse=True)
    moves = [Move(int(old), int(new), changed[way == i]) for i, (old, new) in enumerate(ways)]
    return Changes(moves, *pair_errors(before, after))
