from itertools import pairwise

import pytest
import torch

from ppe_core.nets.mlp import LEAK, Layer, MLPGroup
from ppe_core.nets.training import Adam, training_step


def dense(*sizes: int) -> list[Layer]:
    return [Layer(1, *pair) for pair in pairwise(sizes)]


def twin(net: MLPGroup, member: int) -> torch.nn.Sequential:
    """The same net in plain PyTorch."""
    layers: list[torch.nn.Module] = []
    for weights, biases in zip(net._weights, net._biases):
        linear = torch.nn.Linear(weights.shape[1], weights.shape[2])
        linear.weight.data = weights[member].T.clone()
        linear.bias.data = biases[member, 0].clone()
        layers += [linear, torch.nn.LeakyReLU(LEAK)]
    return torch.nn.Sequential(*layers[:-1])


@pytest.mark.parametrize("members", [1, 3])
def test_hand_written_gradients_are_autograds(members: int) -> None:
    generator = torch.Generator().manual_seed(0)
    net = MLPGroup(members, dense(7, 11, 9, 5), generator)
    inputs = torch.randn(members, 13, 7, generator=generator)
    error = torch.randn(members, 13, 5, generator=generator)
    logits = net.logits(inputs)
    net.backward(error)
    for member in range(members):
        plain = twin(net, member)
        output = plain(inputs[member])
        assert torch.allclose(logits[member], output, atol=1e-6)
        output.backward(error[member])
        linears = [layer for layer in plain if isinstance(layer, torch.nn.Linear)]
        for layer, linear in enumerate(linears):
            assert torch.allclose(net._weight_gradients[layer][member], linear.weight.grad.T, atol=1e-5)
            assert torch.allclose(net._bias_gradients[layer][member, 0], linear.bias.grad, atol=1e-5)


@pytest.mark.parametrize("clip", [10.0, 0.05])
def test_a_hundred_steps_are_those_of_plain_pytorch(clip: float) -> None:
    """Same nets, same batches: softmax regression, gradient clipping and Adam agree to 1e-5."""
    generator = torch.Generator().manual_seed(1)
    net = MLPGroup(2, dense(128, 56, 56, 30), generator)
    plains = [twin(net, member) for member in range(2)]
    optimisers = [torch.optim.Adam(plain.parameters(), 1e-3) for plain in plains]
    adam = Adam(net, 1e-3, clip)
    for _ in range(100):
        inputs = torch.randn(2, 64, 128, generator=generator)
        targets = torch.randint(30, (2, 64), generator=generator)
        training_step(net, adam, inputs, targets)
        for member, (plain, optimiser) in enumerate(zip(plains, optimisers)):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(plain(inputs[member]), targets[member]).backward()
            torch.nn.utils.clip_grad_norm_(plain.parameters(), clip)
            optimiser.step()
    for member, plain in enumerate(plains):
        again = torch.cat([torch.cat([p[0].weight.T.reshape(-1), p[0].bias]) for p in _linears(plain)])
        assert (again - net.parameters[member]).abs().max() < 1e-5


def _linears(plain: torch.nn.Sequential) -> list[tuple[torch.nn.Linear]]:
    return [(layer,) for layer in plain if isinstance(layer, torch.nn.Linear)]


def test_training_step_reports_the_loss_of_its_batch() -> None:
    generator = torch.Generator().manual_seed(2)
    net = MLPGroup(1, dense(4, 6, 3), generator)
    inputs, targets = torch.randn(1, 8, 4, generator=generator), torch.randint(3, (1, 8), generator=generator)
    expected = torch.nn.functional.cross_entropy(net.logits(inputs)[0], targets[0], reduction="sum")
    total = training_step(net, Adam(net, 1e-3, 10.0), inputs, targets)
    assert -float(total) == pytest.approx(float(expected), rel=1e-5)


def test_a_layer_over_tokens_is_a_convolution_without_overlap() -> None:
    """Patches through a shared map, then a dense layer: the same as Conv2d with stride = kernel."""
    generator = torch.Generator().manual_seed(3)
    net = MLPGroup(1, [Layer(6, 16, 5), Layer(1, 30, 4)], generator)
    images = torch.randn(7, 1, 8, 12, generator=generator)
    patches = images.reshape(7, 2, 4, 3, 4).transpose(2, 3).reshape(1, 7, 96)
    error = torch.randn(1, 7, 4, generator=generator)
    logits = net.logits(patches)
    net.backward(error)

    kernel = net._weights[0][0].T.reshape(5, 1, 4, 4).clone().requires_grad_()
    features = torch.nn.functional.conv2d(images, kernel, net._biases[0][0, 0], stride=4).flatten(2).transpose(1, 2)
    expected = torch.nn.functional.leaky_relu(features, LEAK).flatten(1) @ net._weights[1][0] + net._biases[1][0]
    assert torch.allclose(logits[0], expected, atol=1e-5)
    expected.backward(error[0])
    assert torch.allclose(net._weight_gradients[0][0].T, kernel.grad.flatten(1), atol=1e-4)


def test_a_warm_start_keeps_hidden_layers_and_forgets_the_outputs() -> None:
    generator = torch.Generator().manual_seed(4)
    before, after = (MLPGroup(2, dense(5, 6, outputs), generator) for outputs in (3, 4))
    after.start_from(before.parameters)
    hidden = (5 + 1) * 6
    assert torch.equal(after.parameters[:, :hidden], before.parameters[:, :hidden])
    assert (after.parameters[:, hidden:] == 0).all()
