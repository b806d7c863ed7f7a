import pytest
import torch

from ppe_core.nets.mlp import LEAK, MLPGroup
from ppe_core.nets.training import Adam, training_step


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
    net = MLPGroup(members, (7, 11, 9, 5), generator)
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
    net = MLPGroup(2, (128, 56, 56, 30), generator)
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
    net = MLPGroup(1, (4, 6, 3), generator)
    inputs, targets = torch.randn(1, 8, 4, generator=generator), torch.randint(3, (1, 8), generator=generator)
    expected = torch.nn.functional.cross_entropy(net.logits(inputs)[0], targets[0], reduction="sum")
    total = training_step(net, Adam(net, 1e-3, 10.0), inputs, targets)
    assert -float(total) == pytest.approx(float(expected), rel=1e-5)
