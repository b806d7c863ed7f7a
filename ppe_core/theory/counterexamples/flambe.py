"""A factored model of all that is observed grows with the exogenous state (appendix A, "Failure of FLAMBE").

FLAMBE learns features φ(z, a) and μ(z') with T(z'|z,a) = φ(z,a)·μ(z'); the least dimension they can have is the
rank of T as a matrix. The paper says in words that it can scale with |Ξ|; the world in which it is
computed here (a ring of states and flipping bits) is ours.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.theory.counterexamples.worlds import RingWithBits

Array = np.ndarray


@dataclass(frozen=True)
class FactoredModel(RingWithBits):
    @cached_property
    def growth(self) -> Array:
        """The least dimension of the features with 0, 1, …, d bits: [d + 1]."""
        return np.array([self._rank(bits) for bits in range(self.bits + 1)])

    @property
    def dimension(self) -> int:
        return int(self.growth[-1])

    @cached_property
    def endogenous_dimension(self) -> int:
        """Of a model of the endogenous state alone."""
        return self._rank(0)

    def _rank(self, bits: int) -> int:
        transitions = self.transitions(bits)
        return int(np.linalg.matrix_rank(transitions.reshape(-1, transitions.shape[-1])))
