"""Encoders of observations for the baselines: linear for vectors, one shared layer on patches before it for images.

`members` nets that differ in their first weights alone read the same batches side by side.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from ppe_core.nets.architectures import PATCH, Architecture
from ppe_core.nets.inputs import Inputs, Standard
from ppe_core.nets.recipes import recipe_for

Array = np.ndarray
Batch = TypeVar("Batch")
Size = tuple[int, int]  # fan_in and fan_out of a layer
HIDDEN = 56  # units of the layer that reads codes
PATCH_FEATURES = 16
CHUNK = 1 << 22  # entries of rows that are read at once


class Linear(NamedTuple):
    """A linear map for each member."""

    weights: Tensor  # [members, fan_in, fan_out]
    biases: Tensor  # [members, 1, fan_out]

    def __call__(self, inputs: Tensor) -> Tensor:
        """[members, n, fan_in] -> [members, n, fan_out]"""
        return torch.baddbmm(self.biases, inputs, self.weights)

    def of_all(self, inputs: Tensor) -> Tensor:
        """What every member makes of the same inputs, in one product: [n, fan_in] -> [members, n, fan_out]."""
        members, _, fan_out = self.weights.shape
        outputs = inputs @ self.weights.transpose(0, 1).flatten(1)  # [n, members * fan_out]
        return outputs.view(-1, members, fan_out).transpose(0, 1) + self.biases


class LinearGroup:
    """The linear layers of `members` nets, all in one flat tensor."""

    def __init__(self, members: int, sizes: list[Size], generator: torch.Generator) -> None:
        self.sizes = sizes
        parts = []
        for fan_in, fan_out in sizes:
            bound = fan_in**-0.5  # PyTorch's default initialisation
            parts.append(torch.empty(members, (fan_in + 1) * fan_out).uniform_(-bound, bound, generator=generator))
        self.parameters = torch.cat(parts, 1)
        self.gradients = torch.zeros_like(self.parameters)

    def layers(self, parameters: Tensor) -> list[Linear]:
        """Views of a flat tensor like `parameters`."""
        lengths = [length for fan_in, fan_out in self.sizes for length in (fan_in * fan_out, fan_out)]
        views = iter(parameters.split(lengths, 1))
        return [
            Linear(next(views).view(-1, fan_in, fan_out), next(views).view(-1, 1, fan_out))
            for fan_in, fan_out in self.sizes
        ]

    def differentiate(self, losses: Callable[[list[Linear], Batch], Tensor], batch: Batch) -> None:
        """Fill `gradients` with those of each member's loss on a batch."""
        leaf = self.parameters.detach().requires_grad_()
        (gradients,) = torch.autograd.grad(losses(self.layers(leaf), batch).sum(), leaf)
        self.gradients.copy_(gradients)


def encoder_sizes(observation_shape: tuple[int, ...], width: int) -> list[Size]:
    """The layers that make a code of `width` numbers of an observation."""
    entries = int(np.prod(observation_shape))
    if len(observation_shape) == 1:
        return [(entries, width)]
    patches = observation_shape[0] * observation_shape[1] // PATCH**2
    return [(entries // patches, PATCH_FEATURES), (patches * PATCH_FEATURES, width)]


def encode(layers: list[Linear], rows: Tensor) -> Tensor:
    """[n, entries] -> [members, n, width]; the layer before the last, where there is one, reads each patch alone."""
    if len(layers) == 1:
        return layers[0].of_all(rows)
    patched, last = layers
    features = leaky_relu(patched.of_all(rows.view(-1, patched.weights.shape[1])))
    return last(features.reshape(len(features), len(rows), -1))


def encode_rows(layers: list[Linear], inputs: Inputs, rows: Tensor) -> Tensor:
    """The codes of rows [n] of a dataset, each of which is read once however often it is named."""
    distinct, place = rows.unique(return_inverse=True)
    return encode(layers, inputs.take(distinct))[:, place]


def read_inputs(observations: Array) -> Inputs:
    """A dataset [n, ...] as standardised rows; images are cut into patches."""
    return Inputs(observations, _architecture(observations))


def read_like(observations: Array, standard: Standard) -> Iterator[Tensor]:
    """Other observations, standardised as those of a dataset were, some rows at a time."""
    rows = torch.from_numpy(_architecture(observations).rows(observations))
    for part in rows.split(max(1, CHUNK // rows.shape[1])):
        yield standard(part)


def _architecture(observations: Array) -> Architecture:
    shape = observations.shape[1:]
    return Architecture(recipe_for("fast", shape), shape)


def encoder_weights(layers: list[Linear], standard: Standard) -> dict[str, Array]:
    """All that is needed to build an encoder again, by name."""
    named = {f"{name}{depth}": tensor for depth, layer in enumerate(layers) for name, tensor in layer._asdict().items()}
    return {name: tensor[0].numpy().copy() for name, tensor in named.items()} | {
        "centre": standard.centre.numpy().copy(),
        "scale": np.array(standard.scale, np.float32),
    }
