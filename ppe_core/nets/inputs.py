"""A dataset as nets read it: compact in memory, standardised when a batch is taken."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ppe_core.nets.architectures import Architecture

Array = np.ndarray
CENTRE_ROWS = 4096  # of a large dataset are enough to know its mean


@dataclass(frozen=True)
class Standard:
    """Inputs are shifted by their centre and divided by their overall deviation."""

    centre: Tensor  # [entries]
    scale: float

    def __call__(self, rows: Tensor) -> Tensor:
        return (rows - self.centre).div_(self.scale)


class Inputs:
    """The rows of a dataset. Images stay bytes until a batch is taken; vectors are standardised at once."""

    def __init__(self, observations: Array, architecture: Architecture) -> None:
        self._rows = torch.from_numpy(architecture.rows(observations))
        self.standard = _standard(self._rows, architecture.recipe.standardise)
        self._standardised = self._rows.dtype == torch.float32
        if self._standardised:
            self._rows = self.standard(self._rows)

    @property
    def entries(self) -> int:
        return self._rows.shape[1]

    def take(self, rows: Tensor) -> Tensor:
        """[members, batch] -> [members, batch, entries]; whole rows are copied, faster than indexing."""
        taken = self._rows.index_select(0, rows.reshape(-1)).view(*rows.shape, -1)
        return taken if self._standardised else self.standard(taken)


def _standard(rows: Tensor, wanted: bool) -> Standard:
    if not wanted:
        unit = 255.0 if rows.dtype == torch.uint8 else 1.0
        return Standard(torch.zeros(rows.shape[1]), unit)
    some = rows[:: -(-len(rows) // CENTRE_ROWS)].float()
    centre = some.mean(0)
    deviation = float(torch.linalg.vector_norm(some - centre)) / math.sqrt(some.numel())
    return Standard(centre, max(deviation, 1e-6))
