"""The paper's bounds: closed forms 4, 5 and 13, and that constants follow from the steps they come from."""

from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppe_core.theory import bounds

counts = st.integers(1, 60)
paths = st.integers(2, 1000)
chances = st.floats(1e-6, 0.5)
logs = st.floats(0, 1e5)


@given(paths)
def test_the_threshold_is_half_way_between_the_bands(paths: int) -> None:
    assert bounds.exact_bands(paths) == pytest.approx((0.25 / paths, 1 / paths))
    assert bounds.estimated_bands(paths) == pytest.approx((0.375 / paths, 0.875 / paths))
    assert sum(bounds.estimated_bands(paths)) / 2 == pytest.approx(bounds.threshold(paths))


@given(counts, counts, st.floats(0, 1), paths, st.data())
def test_up_to_the_largest_eta_the_margin_lies_in_the_bands(
    states: int, horizon: int, share: float, paths: int, data: st.DataObject
) -> None:
    """Closed form 4."""
    eta = share * bounds.largest_eta(states, horizon)
    h = data.draw(st.integers(1, horizon))
    margin, bands = bounds.exact_margin(eta, h, states, paths), bounds.exact_bands(paths)
    assert margin.same_at_most <= bands.same_at_most * (1 + 1e-12)
    assert margin.different_at_least >= bands.different_at_least * (1 - 1e-12)


def test_the_margin_of_a_small_example() -> None:
    """η = 0.01, h = 5, |S_h| = 3, |Υ| = 30: 0.15/30 and 2 · 0.9/30."""
    assert bounds.exact_margin(0.01, 5, 3, 30) == pytest.approx((0.005, 0.06))


def test_sample_sizes_of_a_small_example() -> None:
    """Closed form 5 on the lock, |Υ| = 30, H = 5, |F| = e^10, δ = 0.1."""
    assert bounds.sample_size(30, 5, 10, 0.1) == pytest.approx(16 * 900 * (10 + log(3 * 10 * 5 / 0.1)))
    assert bounds.sample_size(30, 5, 10, 0.1, bounds.PROOF_CONSTANT) == pytest.approx(
        1152 / 16 * bounds.sample_size(30, 5, 10, 0.1)
    )
    assert bounds.total_episodes(3, 10, 5, 10, 0.1) == pytest.approx(5 * bounds.sample_size(30, 5, 10, 0.1))


@given(paths, counts, logs, chances)
def test_the_constant_of_the_proof_is_what_its_steps_need(
    paths: int, horizon: int, log_functions: float, delta: float
) -> None:
    """The MLE theorem gives 1/(24|Υ|) with chance 1 - δ/(|Υ|H), Hoeffding all pairs and functions with what is left."""
    n = bounds.sample_size(paths, horizon, log_functions, delta, bounds.PROOF_CONSTANT)
    unlikely = delta / (paths * horizon)
    accuracy = 1 / (24 * paths)
    assert sqrt(2 / n * (log_functions - log(unlikely))) == pytest.approx(accuracy)
    pairs = paths * (paths - 1) / 2
    averaging_fails = 2 * pairs * exp(log_functions - 2 * n * accuracy**2)
    assert unlikely + averaging_fails <= delta / horizon
    assert 3 * accuracy == pytest.approx(bounds.estimation_error(paths))


@given(paths, counts, logs, chances)
def test_with_the_printed_constant_the_classifier_may_be_further_off(
    paths: int, horizon: int, log_functions: float, delta: float
) -> None:
    """Six √2 times: that is why the two constants are told apart."""
    n = bounds.sample_size(paths, horizon, log_functions, delta)
    error = sqrt(2 / n * (log_functions + log(paths * horizon / delta)))
    assert error == pytest.approx(6 * sqrt(2) / (24 * paths))


@given(counts, counts, counts, logs, chances, st.floats(0.01, 0.5), st.floats(0, 0.01))
def test_psdp_reaches_its_accuracy_with_its_samples(
    states: int, actions: int, horizon: int, log_policies: float, delta: float, accuracy: float, eta: float
) -> None:
    n = bounds.psdp_samples(states, actions, horizon, log_policies, delta, accuracy)
    error = bounds.bandit_error(n, actions, horizon, log_policies, delta / horizon)
    assert bounds.psdp_loss(states, horizon, eta, error) == pytest.approx(accuracy + horizon**3 * eta)


@given(counts, counts, counts, chances, st.floats(0.01, 0.9))
def test_value_iteration_knows_all_rewards_with_its_samples(
    states: int, actions: int, horizon: int, delta: float, accuracy: float
) -> None:
    each = bounds.vi_samples(states, actions, horizon, delta, accuracy) / (states * actions)
    one_is_off = 2 * exp(-2 * each * (accuracy / (2 * horizon)) ** 2)
    assert states * actions * horizon * one_is_off == pytest.approx(delta)


def test_value_iteration_needs_its_episodes_for_every_state_and_action() -> None:
    """The lock, H = 5: 40,032 for each of 30 rewards."""
    assert bounds.vi_samples(3, 10, 5, 0.1, 0.1) == pytest.approx(30 * 2 * 25 * log(3000) / 0.01)
    assert round(bounds.vi_samples(3, 10, 5, 0.1, 0.1)) == 1_200_955


def test_the_loss_of_value_iteration_is_printed_twice() -> None:
    """Closed form 13."""
    assert [bounds.vi_loss(10, 0.001, 0.1, exponent) for exponent in (2, 3)] == pytest.approx([0.7, 6.1])
    with pytest.raises(ValueError, match="exponent: 4"):
        bounds.vi_loss(10, 0.001, 0.1, 4)


@pytest.mark.parametrize("delta", [0, 1, -0.1])
def test_a_chance_must_be_one(delta: float) -> None:
    with pytest.raises(ValueError, match=f"delta: {delta}"):
        bounds.sample_size(30, 5, 10, delta)
