"""Small latent dynamics that several counter-examples share; a latent state is s · |Ξ| + ξ."""

from dataclasses import dataclass

import numpy as np

from ppe_core.config import Settings, option

Array = np.ndarray


@dataclass(frozen=True)
class RingWithBits(Settings):
    """The knobs of a ring of states with exogenous bits."""

    states: int = option(3, "number of endogenous states |S|", 1, 6)
    bits: int = option(4, "number of exogenous bits d", 0, 5)
    flip: float = option(0.1, "probability that a bit flips at a step, in hundredths", 0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "flip", round(self.flip, 2))  # nearer to ½ it would be lost in rounding errors

    def transitions(self, bits: int) -> Array:
        """T(z' | z, a) with so many bits: [latent states, actions, latent states]."""
        return with_exogenous(ring(self.states), flipping_bits(bits, self.flip))


def ring(states: int) -> Array:
    """States in a circle; action 0 stays, action 1 goes on: [states, actions, states]."""
    stay = np.eye(states)
    return np.stack([stay, np.roll(stay, 1, axis=1)], axis=1)


def flipping_bits(bits: int, flip: float) -> Array:
    """T(ξ' | ξ) of independent bits, each flipped with the same probability: [2^bits, 2^bits]."""
    one = np.array([[1 - flip, flip], [flip, 1 - flip]])
    whole = np.ones((1, 1))
    for _ in range(bits):
        whole = np.kron(whole, one)
    return whole


def with_exogenous(endogenous: Array, exogenous: Array) -> Array:
    """T(s', ξ' | s, ξ, a) = T(s' | s, a) T(ξ' | ξ): [latent states, actions, latent states]."""
    states, actions, _ = endogenous.shape
    size = states * len(exogenous)
    return np.einsum("sat,xy->sxaty", endogenous, exogenous).reshape(size, actions, size)
