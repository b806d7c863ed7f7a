import numpy as np
import pytest
import torch

from ppe_core.nets.regression import fit_action_values, loss_derivative


def test_the_derivative_is_that_of_the_weighted_squared_error() -> None:
    generator = torch.Generator().manual_seed(0)
    said = torch.randn(2, 6, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    tried = torch.randint(4, (2, 6), generator=generator)
    targets = torch.randn(2, 6, generator=generator, dtype=torch.float64)
    known = said.gather(-1, tried.unsqueeze(-1)).squeeze(-1)
    (4 * (known - targets) ** 2 / 2).mean(1).sum().backward()
    assert torch.allclose(loss_derivative(said.detach(), tried, targets), said.grad)


def test_one_tried_action_in_a_counts_for_all() -> None:
    """Averaged over which action was tried, the derivative is that of the error of all actions."""
    said, returns = torch.randn(1, 1, 5), torch.randn(5)
    each = [loss_derivative(said, torch.tensor([[a]]), returns[a].view(1, 1)) for a in range(5)]
    assert torch.allclose(torch.stack(each).mean(0), said - returns, atol=1e-6)


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1000.0, -500.0), (0.001, 7.0)])
def test_the_better_action_of_each_half_of_space_is_found(scale: float, shift: float) -> None:
    rng = np.random.default_rng(0)
    seen = rng.normal(size=(2000, 6)).astype(np.float32)
    tried = rng.integers(4, size=2000)
    best = np.where(seen[:, 0] > 0, 1, 3)
    values = fit_action_values(seen, tried, shift + scale * (tried == best), 4, seed=1)
    fresh = rng.normal(size=(500, 6)).astype(np.float32)
    clear = np.abs(fresh[:, 0]) > 0.3
    assert (values(fresh).argmax(1) == np.where(fresh[:, 0] > 0, 1, 3))[clear].mean() > 0.99


def test_equal_returns_do_no_harm() -> None:
    seen = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    assert np.isfinite(fit_action_values(seen, np.zeros(50, int), np.full(50, 2.0), 3, seed=0)(seen)).all()


def test_same_seed_same_values() -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(100, 3)).astype(np.float32), rng.integers(3, size=100), rng.normal(size=100), 3
    first, again, other = (fit_action_values(*data, seed)(data[0]) for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
