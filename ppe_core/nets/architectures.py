"""From observations to rows that a net reads, and the net that reads them."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from ppe_core.nets.convolution import ConvolutionGroup
from ppe_core.nets.mlp import Layer, MLPGroup
from ppe_core.nets.recipes import Recipe

Array = np.ndarray
PATCH = 8  # pixels along the side of the squares an image is cut into

Net = MLPGroup | ConvolutionGroup


@dataclass(frozen=True)
class Architecture:
    """What kind of net a recipe wants for observations of a shape."""

    recipe: Recipe
    observation_shape: tuple[int, ...]

    def rows(self, observations: Array) -> Array:
        """Observations in the order of entries that the net wants: [n, entries]."""
        count = len(observations)
        if self.recipe.architecture == "convolution":
            return observations.transpose(0, 3, 1, 2).reshape(count, -1)
        if self.recipe.architecture == "patches":
            down, across = self._patches
            cut = observations.reshape(count, down, PATCH, across, PATCH, -1)
            return cut.transpose(0, 1, 3, 2, 4, 5).reshape(count, -1)
        return observations

    def build(self, members: int, num_labels: int, generator: torch.Generator) -> Net:
        if self.recipe.architecture == "convolution":
            height, width, channels = self.observation_shape
            return ConvolutionGroup(members, (channels, height, width), num_labels, generator)
        entries = int(np.prod(self.observation_shape))
        if self.recipe.architecture == "patches":
            tokens = self._patches[0] * self._patches[1]
            first, *hidden = self.recipe.hidden
            layers = [Layer(tokens, entries // tokens, first)]
            sizes = [tokens * first, *hidden, num_labels]
        else:
            layers, sizes = [], [entries, *self.recipe.hidden, num_labels]
        return MLPGroup(members, layers + [Layer(1, *pair) for pair in pairwise(sizes)], generator)

    @property
    def _patches(self) -> tuple[int, int]:
        height, width, _ = self.observation_shape
        if height % PATCH or width % PATCH:
            raise ValueError(f"an image of {height}×{width} pixels cannot be cut into squares of {PATCH}×{PATCH}")
        return height // PATCH, width // PATCH
