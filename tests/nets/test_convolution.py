import torch

from ppe_core.nets.convolution import ConvolutionGroup


def test_it_is_the_papers_two_layers() -> None:
    """16 kernels of 8×8 with stride 4, 32 of 2×2 with stride 2, then linear; members are independent."""
    generator = torch.Generator().manual_seed(0)
    net = ConvolutionGroup(2, (3, 56, 56), 10, generator)
    inputs = torch.rand(2, 4, 3 * 56 * 56, generator=generator)
    error = torch.randn(2, 4, 10, generator=generator)
    logits = net.logits(inputs)
    net.backward(error)
    for member in range(2):
        plain = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 8, 4), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 2, 2), torch.nn.ReLU(),
            torch.nn.Flatten(), torch.nn.Linear(32 * 6 * 6, 10),
        )  # fmt: skip
        torch.nn.utils.vector_to_parameters(net.parameters[member].clone(), plain.parameters())
        output = plain(inputs[member].view(4, 3, 56, 56))
        assert torch.allclose(logits[member], output, atol=1e-5)
        output.backward(error[member])
        expected = torch.cat([parameter.grad.flatten() for parameter in plain.parameters()])
        assert torch.allclose(net.gradients[member], expected, atol=1e-4)
