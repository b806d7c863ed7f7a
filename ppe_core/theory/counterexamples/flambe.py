"""A factored model of all that is observed grows with the exogenous state (appendix A, "Failure of FLAMBE").

FLAMBE learns features φ(z, a) and μ(z') with T(z'|z,a) = φ(z,a)·μ(z'); the least dimension they can have is the
rank of T as a matrix. The paper says in words that it can scale with |Ξ|; the world in which it is
computed here (a ring of states and flipping bits) is ours.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.theory.counterexamples.worlds import RingWithBits, flipping_bits, ring

Array = np.ndarray
TOLERANCE = 1e-12  # of the largest singular value; with flips in hundredths none but zeros is as small


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
        """The singular values of T are the products of those of its factors, the ring and each bit.

        Each factor is small: the decomposition of T as a whole would start threads, which on a busy machine take
        a hundred times as long as the work.
        """
        endogenous = ring(self.states)
        values = np.linalg.svd(endogenous.reshape(-1, self.states), compute_uv=False)
        for _ in range(bits):
            values = np.outer(values, np.linalg.svd(flipping_bits(1, self.flip), compute_uv=False)).ravel()
        return int((values > TOLERANCE * values.max()).sum())
