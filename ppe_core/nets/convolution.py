"""The paper's classifier of images: two convolutions and a linear layer (appendix F).

16 kernels of 8×8 with stride 4, then 32 of 2×2 with stride 2, ReLU after each. Gradients come from
autograd: this net reproduces, it is not the hot path.
"""

import torch
from torch import Tensor
from torch.nn.functional import conv2d, relu

FIRST, FIRST_KERNEL, FIRST_STRIDE = 16, 8, 4
SECOND, SECOND_KERNEL, SECOND_STRIDE = 32, 2, 2


class ConvolutionGroup:
    """`members` independent nets on images of `shape` (channels, height, width)."""

    def __init__(self, members: int, shape: tuple[int, int, int], num_labels: int, generator: torch.Generator) -> None:
        self.members = members
        self._shape = shape
        channels = shape[0]
        height, width = (
            _side(_side(side, FIRST_KERNEL, FIRST_STRIDE), SECOND_KERNEL, SECOND_STRIDE) for side in shape[1:]
        )
        self._sizes = [
            (FIRST, channels, FIRST_KERNEL, FIRST_KERNEL),
            (SECOND, FIRST, SECOND_KERNEL, SECOND_KERNEL),
            (num_labels, SECOND * height * width),
        ]
        parts = []
        for size in self._sizes:
            fan_in = torch.Size(size[1:]).numel()
            bound = fan_in**-0.5  # PyTorch's default initialisation
            parts.append(torch.empty(members, size[0] * (fan_in + 1)).uniform_(-bound, bound, generator=generator))
        self.parameters = torch.cat(parts, dim=1)
        self.gradients = torch.zeros_like(self.parameters)
        self._leaf = self._logits = self.parameters

    def start_from(self, parameters: Tensor) -> None:
        """Take over the convolutions of a group that differs in its outputs only; those start at zero."""
        hidden = self.parameters.shape[1] - self._sizes[-1][0] * (self._sizes[-1][1] + 1)
        self.parameters[:, :hidden] = parameters[:, :hidden]
        self.parameters[:, hidden:] = 0

    def logits(self, inputs: Tensor) -> Tensor:
        """[members, batch, channels * height * width] -> [members, batch, labels]"""
        batch = inputs.shape[1]
        images = inputs.view(self.members, batch, *self._shape).transpose(0, 1).reshape(batch, -1, *self._shape[1:])
        self._leaf = self.parameters.detach().requires_grad_()
        (first, first_bias), (second, second_bias), (last, last_bias) = self._views(self._leaf)
        hidden = relu(conv2d(images, first.flatten(0, 1), first_bias.flatten(), FIRST_STRIDE, groups=self.members))
        hidden = relu(conv2d(hidden, second.flatten(0, 1), second_bias.flatten(), SECOND_STRIDE, groups=self.members))
        features = hidden.view(batch, self.members, -1).transpose(0, 1)
        self._logits = torch.baddbmm(last_bias.unsqueeze(1), features, last.transpose(1, 2))
        return self._logits.detach()

    def backward(self, error: Tensor) -> None:
        """Fill `gradients` from the loss's derivative by the logits: [members, batch, labels]."""
        (gradients,) = torch.autograd.grad(self._logits, self._leaf, error)
        self.gradients.copy_(gradients)

    def _views(self, flat: Tensor) -> list[tuple[Tensor, Tensor]]:
        views, start = [], 0
        for size in self._sizes:
            count = torch.Size(size).numel()
            weights = flat[:, start : start + count].view(self.members, *size)
            views.append((weights, flat[:, start + count : start + count + size[0]]))
            start += count + size[0]
        return views


def _side(side: int, kernel: int, stride: int) -> int:
    return (side - kernel) // stride + 1
