"""A group of equal feed-forward nets, trained side by side with hand-written gradients.

The training step of this net is the hot path of the whole product. All parameters of all members
live in one flat tensor and so do their gradients, so an optimiser step is a handful of calls
whatever the architecture, and the members (one a cross-fitting fold) share every call.
"""

from typing import NamedTuple

import torch
from torch import Tensor

LEAK = 0.01  # slope of LeakyReLU below zero


class Layer(NamedTuple):
    """A linear map, applied to each of `tokens` equal pieces of its input."""

    tokens: int
    fan_in: int
    fan_out: int


class MLPGroup:
    """`members` independent nets of the same layers with LeakyReLU between them."""

    def __init__(self, members: int, layers: list[Layer], generator: torch.Generator) -> None:
        self.members = members
        self.layers = layers
        count = sum((layer.fan_in + 1) * layer.fan_out for layer in layers)
        self.parameters = torch.empty(members, count)
        self.gradients = torch.zeros(members, count)
        self._weights, self._biases = self._views(self.parameters)
        self._weight_gradients, self._bias_gradients = self._views(self.gradients)
        self._inputs: list[Tensor] = []
        for weights, biases in zip(self._weights, self._biases):
            bound = weights.shape[1] ** -0.5  # PyTorch's default initialisation
            weights.uniform_(-bound, bound, generator=generator)
            biases.uniform_(-bound, bound, generator=generator)

    def start_from(self, parameters: Tensor) -> None:
        """Take over the hidden layers of a group that differs in its outputs only; those start at zero."""
        hidden = sum((layer.fan_in + 1) * layer.fan_out for layer in self.layers[:-1])
        self.parameters[:, :hidden] = parameters[:, :hidden]
        self.parameters[:, hidden:] = 0

    def logits(self, inputs: Tensor) -> Tensor:
        """[members, batch, input] -> [members, batch, output]; remembers what `backward` needs."""
        self._inputs = []
        for layer, weights, biases in zip(self.layers, self._weights, self._biases):
            if self._inputs:
                inputs = torch.nn.functional.leaky_relu_(inputs, LEAK)
            self._inputs.append(inputs.view(self.members, -1, layer.fan_in))
            inputs = torch.baddbmm(biases, self._inputs[-1], weights)
        return inputs

    def backward(self, error: Tensor) -> None:
        """Fill `gradients` from the loss's derivative by the logits: [members, batch, output]."""
        for index in reversed(range(len(self.layers))):
            inputs = self._inputs[index]
            error = error.view(self.members, -1, self.layers[index].fan_out)
            torch.bmm(inputs.transpose(1, 2), error, out=self._weight_gradients[index])
            torch.sum(error, 1, keepdim=True, out=self._bias_gradients[index])
            if index > 0:
                error = torch.bmm(error, self._weights[index].transpose(1, 2))
                # A leaky unit's output has the sign of its input, so the output serves as the mask.
                error = torch.ops.aten.leaky_relu_backward(error, inputs, LEAK, True)

    def _views(self, flat: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        weights, biases, start = [], [], 0
        for _, fan_in, fan_out in self.layers:
            weights.append(flat[:, start : start + fan_in * fan_out].view(-1, fan_in, fan_out))
            start += fan_in * fan_out
            biases.append(flat[:, start : start + fan_out].view(-1, 1, fan_out))
            start += fan_out
        return weights, biases
