"""The hot path: one training step at 128-56-56-30 on a batch of 256.

Beside it, the eight matrix products that no implementation can do without, and the step as one
would write it down in PyTorch: nn.Sequential, autograd, clip_grad_norm_ and Adam.
"""

from itertools import pairwise

import torch

from benchmarks.timing import Row, best_times
from ppe_core.nets.mlp import LEAK, Layer, MLPGroup
from ppe_core.nets.training import Adam, training_step

SIZES, BATCH, RATE, CLIP = (128, 56, 56, 30), 256, 1e-3, 10.0
ROWS = 2048  # of the dataset that batches are drawn from


def measure() -> list[Row]:
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(ROWS, SIZES[0], generator=generator)
    targets = torch.randint(SIZES[-1], (ROWS,), generator=generator)
    batches = torch.randint(ROWS, (64, 1, BATCH), generator=generator)

    net = MLPGroup(1, [Layer(1, *pair) for pair in pairwise(SIZES)], generator)
    plain = _plain_net(net)
    ours, theirs = _Ours(net, inputs, targets, batches), _Plain(plain, inputs, targets, batches)
    for _ in range(100):
        ours()
        theirs()
    difference = max(
        float((mine[0] - layer.weight.detach().T).abs().max()) for mine, layer in zip(net._weights, _linears(plain))
    )
    best = best_times({"step": ours, "products": _Products(net), "plain": theirs}, turns=40, calls=50)
    products, faster = best["step"] / best["products"], best["plain"] / best["step"]
    return [
        Row("training step / its own matrix products", f"{products:.2f}×", "≤ 2.0× (further: 1.5×)", products <= 2.0),
        Row("plain PyTorch step / training step", f"{faster:.2f}×", "≥ 1.8×", faster >= 1.8),
        Row("largest difference of weights after 100 steps", f"{difference:.1e}", "≤ 1e-5", difference <= 1e-5),
    ]


class _Ours:
    def __init__(self, net: MLPGroup, inputs: torch.Tensor, targets: torch.Tensor, batches: torch.Tensor) -> None:
        self._net, self._inputs, self._targets, self._batches = net, inputs, targets, batches
        self._adam, self._count = Adam(net, RATE, CLIP), 0

    def __call__(self) -> None:
        batch = self._batches[self._count % len(self._batches)]
        inputs = self._inputs.index_select(0, batch[0])[None]
        training_step(self._net, self._adam, inputs, self._targets[batch])
        self._count += 1


class _Plain:
    def __init__(
        self, net: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor, batches: torch.Tensor
    ) -> None:
        self._net, self._inputs, self._targets, self._batches = net, inputs, targets, batches
        self._adam, self._count = torch.optim.Adam(net.parameters(), RATE), 0

    def __call__(self) -> None:
        batch = self._batches[self._count % len(self._batches), 0]
        self._adam.zero_grad()
        torch.nn.functional.cross_entropy(self._net(self._inputs[batch]), self._targets[batch]).backward()
        torch.nn.utils.clip_grad_norm_(self._net.parameters(), CLIP)
        self._adam.step()
        self._count += 1


class _Products:
    """The matrix products of a step and nothing else: three forward, three for weights, two for inputs."""

    def __init__(self, net: MLPGroup) -> None:
        self._weights = net._weights
        self._inputs = [torch.randn(1, BATCH, size) for size in SIZES[:-1]]
        self._errors = [torch.randn(1, BATCH, size) for size in SIZES[1:]]
        self._outputs = [torch.empty_like(error) for error in self._errors]
        self._gradients = [torch.empty_like(weights) for weights in self._weights]
        self._back = [torch.empty_like(inputs) for inputs in self._inputs]

    def __call__(self) -> None:
        for layer, weights in enumerate(self._weights):
            torch.bmm(self._inputs[layer], weights, out=self._outputs[layer])
        for layer in reversed(range(len(self._weights))):
            torch.bmm(self._inputs[layer].transpose(1, 2), self._errors[layer], out=self._gradients[layer])
            if layer:
                torch.bmm(self._errors[layer], self._weights[layer].transpose(1, 2), out=self._back[layer])


def _plain_net(net: MLPGroup) -> torch.nn.Sequential:
    """The same net, same weights, in plain PyTorch."""
    layers: list[torch.nn.Module] = []
    for weights, biases in zip(net._weights, net._biases):
        linear = torch.nn.Linear(*weights.shape[1:])
        linear.weight.data, linear.bias.data = weights[0].T.clone(), biases[0, 0].clone()
        layers += [linear, torch.nn.LeakyReLU(LEAK)]
    return torch.nn.Sequential(*layers[:-1])


def _linears(plain: torch.nn.Sequential) -> list[torch.nn.Linear]:
    return [layer for layer in plain if isinstance(layer, torch.nn.Linear)]
