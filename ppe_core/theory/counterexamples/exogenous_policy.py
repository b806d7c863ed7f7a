"""A policy that looks at the exogenous state mixes it with the endogenous one: two examples with two bits.

The endogenous bit is 1 at first, the exogenous bit ξ stays as it is drawn, and π(a = 1 | ξ) may depend on it.

`Factorization` (appendix B, proposition "Consequence of Endogenous Policy", second claim): action 1 switches
the endogenous bit off, and P(s, ξ) is not P(s) P(ξ).

`InverseModel` (appendix C, lemma "Inverse Dynamics Filters Exogenous State", second statement): action 1 leaves
the bit on with probability 1 − α, action 0 with α, and P(a | s', ξ) depends on ξ. The paper prints the ratio
of P(a=1|s'=1,ξ=1) and P(a=1|s'=1,ξ=0) as α/(1−α); with its deterministic policy they are 1 and 0 (ours): given the
action, ξ is known, so P(s'=1, ξ | a=1) is not the same for both ξ.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.config import Settings, option

Array = np.ndarray


@dataclass(frozen=True)
class _TwoBits(Settings, ABC):
    exo_probability: float = option(0.5, "P(ξ = 1)", 0, 1)
    act_if_one: float = option(1.0, "π(a = 1 | ξ = 1)", 0, 1)
    act_if_zero: float = option(0.0, "π(a = 1 | ξ = 0)", 0, 1)

    @property
    @abstractmethod
    def transitions(self) -> Array:
        """T(s' | s = 1, a): [actions, s']."""

    @cached_property
    def joint_with_action(self) -> Array:
        """P(ξ, a, s'): [2, 2, 2]."""
        exogenous = np.array([1 - self.exo_probability, self.exo_probability])
        policy = np.array([[1 - p, p] for p in (self.act_if_zero, self.act_if_one)])  # [ξ, a]
        return exogenous[:, None, None] * policy[:, :, None] * self.transitions

    @cached_property
    def joint(self) -> Array:
        """P(s', ξ) at the second time step: [s', ξ]."""
        return self.joint_with_action.sum(1).T

    @cached_property
    def product(self) -> Array:
        """P(s') P(ξ): [s', ξ]."""
        return np.outer(self.joint.sum(1), self.joint.sum(0))

    @property
    def total_variation(self) -> float:
        """Between the joint distribution and the product."""
        return float(np.abs(self.joint - self.product).sum() / 2)


@dataclass(frozen=True)
class Factorization(_TwoBits):
    @property
    def transitions(self) -> Array:
        return np.array([[0.0, 1.0], [1.0, 0.0]])


@dataclass(frozen=True)
class InverseModel(_TwoBits):
    alpha: float = option(0.2, "α: how often action 0 leaves the bit on, and action 1 does not", 0, 1)

    @property
    def transitions(self) -> Array:
        return np.array([[1 - self.alpha, self.alpha], [self.alpha, 1 - self.alpha]])

    @cached_property
    def inverse(self) -> Array:
        """P(a = 1 | s', ξ): [s', ξ]; NaN where that is never seen."""
        seen = self.joint
        return np.divide(self.joint_with_action[:, 1].T, seen, out=np.full_like(seen, np.nan), where=seen > 0)

    @cached_property
    def inverse_without_exogenous(self) -> Array:
        """P(a = 1 | s'): [s'], what an inverse model says that cannot see ξ; NaN where s' is never seen."""
        seen = self.joint.sum(1)
        return np.divide(
            self.joint_with_action[:, 1].sum(0), seen, out=np.full_like(seen, np.nan), where=seen > 0
        )  # fmt: skip
