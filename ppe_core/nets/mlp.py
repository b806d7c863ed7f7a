"""A group of equal multilayer perceptrons, trained side by side with hand-written gradients.

The training step of this net is the hot path of the whole product on the lock. All parameters of
all members live in one flat tensor and so do their gradients, so an optimiser step is a handful of
calls whatever the architecture, and the members (one a cross-fitting fold) share every call.
"""

from itertools import pairwise

import torch
from torch import Tensor

LEAK = 0.01  # slope of LeakyReLU below zero


class MLPGroup:
    """`members` independent nets input-hidden-hidden-output with LeakyReLU."""

    def __init__(self, members: int, sizes: tuple[int, ...], generator: torch.Generator) -> None:
        self.members = members
        self.sizes = sizes
        count = sum((fan_in + 1) * fan_out for fan_in, fan_out in pairwise(sizes))
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
        hidden = sum((fan_in + 1) * fan_out for fan_in, fan_out in pairwise(self.sizes[:-1]))
        self.parameters[:, :hidden] = parameters[:, :hidden]
        self.parameters[:, hidden:] = 0

    def logits(self, inputs: Tensor) -> Tensor:
        """[members, batch, input] -> [members, batch, output]; remembers what `backward` needs."""
        self._inputs = [inputs]
        for weights, biases in zip(self._weights[:-1], self._biases[:-1]):
            hidden = torch.baddbmm(biases, self._inputs[-1], weights)
            self._inputs.append(torch.nn.functional.leaky_relu_(hidden, LEAK))
        return torch.baddbmm(self._biases[-1], self._inputs[-1], self._weights[-1])

    def backward(self, error: Tensor) -> None:
        """Fill `gradients` from the loss's derivative by the logits: [members, batch, output]."""
        for layer in reversed(range(len(self._weights))):
            inputs = self._inputs[layer]
            torch.bmm(inputs.transpose(1, 2), error, out=self._weight_gradients[layer])
            torch.sum(error, 1, keepdim=True, out=self._bias_gradients[layer])
            if layer > 0:
                error = torch.bmm(error, self._weights[layer].transpose(1, 2))
                # A leaky unit's output has the sign of its input, so the output serves as the mask.
                error = torch.ops.aten.leaky_relu_backward(error, inputs, LEAK, True)

    def _views(self, flat: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        weights, biases, start = [], [], 0
        for fan_in, fan_out in pairwise(self.sizes):
            weights.append(flat[:, start : start + fan_in * fan_out].view(-1, fan_in, fan_out))
            start += fan_in * fan_out
            biases.append(flat[:, start : start + fan_out].view(-1, 1, fan_out))
            start += fan_out
        return weights, biases
