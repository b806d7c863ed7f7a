"""The exact quantities of an EX-BMDP with a transition table.

With P(s | path) known, the Bayes classifier f*, both exact gaps, the Bayes cross-entropy and the
optimal value follow without a single sample (sections 4 and 5 of the paper). Running PPE on the
exact gaps is "PPE with infinite data".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.envs.base import Array, Endogenous
from ppe_core.ppe.eliminate import eliminate
from ppe_core.ppe.gaps import l1_distances
from ppe_core.ppe.paths import empty_cover, extend


@dataclass(frozen=True)
class ExactLevel:
    """The exact answer for the paths of one time step."""

    paths: Array  # [paths, h]
    distributions: Array  # [paths, states], P(s | path)
    true_states: Array  # [paths], where each path leads under the nearest deterministic model

    @property
    def h(self) -> int:
        return self.paths.shape[1]

    @property
    def num_paths(self) -> int:
        return len(self.paths)

    @cached_property
    def bayes_classifier(self) -> Array:
        """f*(path | s) = P(s | path) / sum over paths: [states, paths]; unreachable states are 0."""
        weight = self.distributions.sum(0)
        return np.divide(self.distributions, weight, out=np.zeros_like(self.distributions), where=weight > 0).T

    @cached_property
    def gap(self) -> Array:
        """Δ*: E|f*(i|s) - f*(j|s)| under uniform paths, by its definition."""
        weight = self.distributions.mean(0)  # [states]
        return l1_distances(self.bayes_classifier.T * weight)

    @cached_property
    def signature_gap(self) -> Array:
        """S*: L1 distance of the expected predictions of two paths, over |paths|."""
        return l1_distances(self.distributions @ self.bayes_classifier) / self.num_paths

    @property
    def bayes_cross_entropy(self) -> float:
        """The least expected loss a classifier of paths can have."""
        joint = self.distributions / self.num_paths  # [paths, states]
        classifier = self.bayes_classifier.T
        return float(-(joint * np.log(np.where(joint > 0, classifier, 1.0))).sum())

    def extremes(self, gap: Array) -> tuple[float | None, float | None]:
        """The largest gap between paths to the same state, the smallest between different ones."""
        same = self.true_states[:, None] == self.true_states
        apart = ~np.eye(self.num_paths, dtype=bool)
        return (
            float(gap[same & apart].max()) if (same & apart).any() else None,
            float(gap[~same].min()) if (~same).any() else None,
        )


@dataclass(frozen=True)
class Recovery:
    """One time step of PPE with infinite data: the exact quantities and the merges they lead to."""

    level: ExactLevel
    survivor: Array  # [paths], index of the surviving path each was merged with

    @cached_property
    def cover(self) -> Array:
        """Ψ_h: [recovered states, h]."""
        return self.level.paths[np.unique(self.survivor)]

    @cached_property
    def is_exact(self) -> bool:
        """Whether paths were merged just when they reach the same state: each block of one partition is one of both."""
        true = self.level.true_states
        return len(set(zip(true, self.survivor))) == len(set(true)) == len(self.cover)


def exact_ppe(
    endogenous: Endogenous, horizon: int, threshold: float = 0.625, gap: str = "paper", max_paths: int = 1000
) -> Iterator[Recovery]:
    """PPE with infinite data: time step by time step, merging by an exact gap."""
    cover = empty_cover()
    for _ in range(horizon):
        paths = extend(cover, endogenous.num_actions)
        if len(paths) > max_paths:
            raise ValueError(f"max_paths: time step {paths.shape[1]} has {len(paths)} paths, more than {max_paths}")
        level = exact_level(endogenous, paths)
        gaps = level.gap if gap == "paper" else level.signature_gap
        step = Recovery(level, eliminate(gaps, threshold / level.num_paths))
        yield step
        cover = step.cover


def exact_levels(
    endogenous: Endogenous, horizon: int, threshold: float = 0.625, max_paths: int = 1000
) -> Iterator[ExactLevel]:
    """The exact quantities at each time step of PPE with infinite data."""
    return (step.level for step in exact_ppe(endogenous, horizon, threshold, max_paths=max_paths))


def exact_level(endogenous: Endogenous, paths: Array) -> ExactLevel:
    return ExactLevel(paths, _distributions(endogenous, paths), true_states(endogenous, paths))


def true_states(endogenous: Endogenous, paths: Array) -> Array:
    """The state each path reaches under the nearest deterministic model: [paths]."""
    states = np.full(len(paths), endogenous.likely_start)
    for step in range(paths.shape[1]):
        states = endogenous.likely_next_at(step)[states, paths[:, step]]
    return states


def reachable_states(endogenous: Endogenous, horizon: int) -> list[Array]:
    """The states that paths of length 1, …, horizon reach under the nearest deterministic model."""
    states, levels = np.array([endogenous.likely_start]), []
    for step in range(horizon):
        states = np.unique(endogenous.likely_next_at(step)[states])
        levels.append(states)
    return levels


def possible_states(endogenous: Endogenous, horizon: int) -> list[Array]:
    """The states that paths of length 1, …, horizon reach with any probability at all."""
    states, levels = np.flatnonzero(endogenous.start), []
    for step in range(horizon):
        states = np.flatnonzero(endogenous.transitions_at(step)[states].sum((0, 1)))
        levels.append(states)
    return levels


def distance_from_deterministic(endogenous: Endogenous) -> float:
    """η: the largest L1 distance of the start or a transition from a certain one (section 5, assumption 1)."""
    return 2 * (1 - float(min(endogenous.start.max(), endogenous.transitions.max(-1).min())))


def cover_slack(endogenous: Endogenous, cover: Array) -> float:
    """The least α with which paths are an α-policy cover of their time step (definition 2 of the paper)."""
    reached = _distributions(endogenous, cover).max(0)  # [states]
    chance = np.eye(len(endogenous.start))  # of ending in a state, by the best policy for it: [states, targets]
    for step in reversed(range(cover.shape[1])):
        chance = (endogenous.transitions_at(step) @ chance).max(1)
    return float((endogenous.start @ chance - reached).max())


def optimal_value(endogenous: Endogenous, horizon: int) -> float:
    """The best expected return of any policy that sees the endogenous state."""
    value = np.zeros(len(endogenous.start))
    for step in reversed(range(horizon)):
        value = (endogenous.rewards_at(step) + endogenous.transitions_at(step) @ value).max(1)
    return float(endogenous.start @ value)


def plan_value(endogenous: Endogenous, actions: Array) -> float:
    """The expected return of an open-loop plan."""
    states, total = endogenous.start, 0.0
    for step, action in enumerate(actions):
        total += float(states @ endogenous.rewards_at(step)[:, action])
        states = states @ endogenous.transitions_at(step)[:, action]
    return total


def _distributions(endogenous: Endogenous, paths: Array) -> Array:
    """P(s | path): [paths, states]."""
    states = np.tile(endogenous.start, (len(paths), 1))
    for step in range(paths.shape[1]):
        for action, moves in enumerate(endogenous.transitions_at(step).swapaxes(0, 1)):  # [states, states]
            taken = paths[:, step] == action
            states[taken] = states[taken] @ moves
    return states
