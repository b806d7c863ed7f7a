"""An autoencoder remembers the noise rather than the state (appendix A, "Failure of auto-encoding approaches").

An observation is one bit that matters (the state, of some size and probability) and some fair bits of
noise. A code keeps so many of these coordinates, and is judged by the squared error of the best reconstruction.
What is worth keeping is what varies most: a rare state is left out. (A code of
several bits that mixes coordinates can do better, and reveal the state.) The paper says so in words; this world
is ours.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.config import Settings, option

Array = np.ndarray
STATE = 0  # which coordinate of an observation it is
TIE = 1e-12


@dataclass(frozen=True)
class Autoencoding(Settings):
    state_probability: float = option(0.1, "probability that the state bit is 1", 0, 0.5)
    state_size: float = option(1.0, "size of the state bit in the observation; noise bits have 1", 0, 4)
    noise_bits: int = option(3, "number of fair noise bits", 1, 3)
    code_bits: int = option(1, "coordinates that the code may keep", 0, 3)

    @cached_property
    def observations(self) -> Array:
        """All that can be seen: [observations, 1 + noise bits]."""
        bits = np.array(list(itertools.product((0.0, 1.0), repeat=1 + self.noise_bits)))
        return bits * np.array([self.state_size] + [1.0] * self.noise_bits)

    @cached_property
    def probabilities(self) -> Array:
        """Of each observation: [observations]."""
        state = np.repeat([1 - self.state_probability, self.state_probability], 2**self.noise_bits)
        return state / 2**self.noise_bits

    @property
    def keep_state(self) -> float:
        """The error of keeping the state, and noise with what is left of the budget."""
        return self.error_of_keeping(tuple(range(min(self.code_bits, 1 + self.noise_bits))))

    @property
    def keep_noise(self) -> float:
        """The error of keeping noise alone."""
        return self.error_of_keeping(tuple(range(1, 1 + min(self.code_bits, self.noise_bits))))

    @cached_property
    def best_kept(self) -> tuple[int, ...]:
        """The coordinates worth keeping; where it makes no difference, the state is among them."""
        coordinates = range(1 + self.noise_bits)
        choices = list(itertools.combinations(coordinates, min(self.code_bits, len(coordinates))))
        errors = [self.error_of_keeping(kept) for kept in choices]
        return next(kept for kept, error in zip(choices, errors) if error <= min(errors) + TIE)

    @property
    def state_is_kept(self) -> bool:
        return STATE in self.best_kept

    @cached_property
    def best_two_labels(self) -> Array:
        """Of all ways to give observations one of two labels the one with the least error: [observations]."""
        count = len(self.observations)
        ways = np.arange(2 ** (count - 1))[:, None] >> np.arange(count) & 1  # the last always has 0: [ways, count]
        explained = np.zeros(len(ways))
        for labelled in (ways, 1 - ways):
            mass = labelled @ self.probabilities
            sums = labelled @ (self.probabilities[:, None] * self.observations)  # [ways, coordinates]
            explained += np.divide((sums**2).sum(1), mass, out=np.zeros(len(ways)), where=mass > 0)
        return ways[explained.argmax()]

    def error_of_keeping(self, kept: tuple[int, ...]) -> float:
        """Of the code that consists of some coordinates."""
        bits = np.indices((2,) * (1 + self.noise_bits)).reshape(1 + self.noise_bits, -1)  # [coordinates, observations]
        return self.error((bits[list(kept)] << np.arange(len(kept))[:, None]).sum(0))

    def error(self, labels: Array) -> float:
        """The expected squared error when each label [observations] is reconstructed as well as possible."""
        total = 0.0
        for label in np.unique(labels):
            weights = np.where(labels == label, self.probabilities, 0)
            if (mass := weights.sum()) > 0:
                centre = weights @ self.observations / mass
                total += float(weights @ ((self.observations - centre) ** 2).sum(1))
        return total

    def state_guessed(self, labels: Array) -> float:
        """How often the state is guessed right by who sees the label alone."""
        state = np.arange(len(labels)) >= len(labels) // 2
        return sum(
            max(self.probabilities[(labels == label) & (state == value)].sum() for value in (False, True))
            for label in np.unique(labels)
        )
