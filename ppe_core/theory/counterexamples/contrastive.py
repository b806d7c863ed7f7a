"""Contrastive learning splits states by their exogenous part (appendix A, "Failure of Contrastive
Learning"; Homer learns backward kinematic inseparability).

Two latent states are backward kinematically inseparable when no distribution u of what came before
tells them apart: T(z'₁|z,a) u(z,a) / Σ T(z'₁|·) u is the same function of (z, a) as that of z'₂. (In the
paper's definition the denominator on the right repeats s'₁, ξ'₁; it should read s'₂, ξ'₂.)

The world is a ring of states and some exogenous bits. While these can be predicted at all (flip ≠ ½), each of
their 2^d values is a class of its own; only bits that are thrown anew at every step disappear.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.theory.counterexamples.worlds import RingWithBits

Array = np.ndarray
DECIMALS = 12  # to which backward distributions must agree


@dataclass(frozen=True)
class ContrastiveLearning(RingWithBits):
    @cached_property
    def classes(self) -> Array:
        """The class of each latent state s · 2^d + ξ: [latent states]."""
        return inseparable_classes(self.transitions(self.bits))

    @property
    def num_classes(self) -> int:
        return int(self.classes.max()) + 1

    @cached_property
    def growth(self) -> Array:
        """The number of classes with 0, 1, …, d bits: [d + 1]."""
        fewer = [inseparable_classes(self.transitions(bits)).max() + 1 for bits in range(self.bits)]
        return np.array([*fewer, self.num_classes])


def backward_distributions(transitions: Array, before: Array) -> Array:
    """P(z, a | z') when what came before has the distribution u: [latent states z', latent states z, actions]."""
    joint = (transitions * before[:, :, None]).transpose(2, 0, 1)
    return joint / joint.sum((1, 2), keepdims=True)


def inseparable_classes(transitions: Array) -> Array:
    """Classes of backward kinematic inseparability: [latent states].

    The uniform u is enough: with it the backward distributions of two states agree if and only if
    T(z'₁|·) and T(z'₂|·) are proportional, and then they agree for every u.
    """
    size, actions, _ = transitions.shape
    backward = backward_distributions(transitions, np.full((size, actions), 1 / (size * actions)))
    return np.unique(backward.reshape(size, -1).round(DECIMALS), axis=0, return_inverse=True)[1].reshape(-1)
