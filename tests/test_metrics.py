import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppe_core.metrics import (
    confusion,
    coverage,
    decoding_accuracy,
    half_regret_episodes,
    learning_curve,
    median_interval,
    pair_errors,
    share_interval,
)

labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@given(labels)
def test_pair_errors_count_pairs_one_by_one(pairs: list[tuple[int, int]]) -> None:
    true, found = (np.array(x) for x in zip(*pairs))
    type1 = sum(a[0] != b[0] and a[1] == b[1] for a, b in itertools.combinations(pairs, 2))
    type2 = sum(a[0] == b[0] and a[1] != b[1] for a, b in itertools.combinations(pairs, 2))
    assert pair_errors(true, found) == (type1, type2)


def test_confusion_counts_combinations() -> None:
    table = confusion(np.array([0, 0, 1]), np.array([2, 2, 0]), 2, 3)
    assert table.tolist() == [[0, 0, 2], [1, 0, 0]]


def test_coverage_is_the_share_of_reached_states() -> None:
    assert coverage(np.array([3, 5, 3]), np.array([3, 4, 5, 6])) == 0.5


def pairs_of(*counts: int) -> tuple[np.ndarray, ...]:
    """All pairs of combinations of numbers below the counts, once each: arrays of which rows 2i and 2i+1 are a pair."""
    combinations = list(itertools.product(*map(range, counts)))
    return tuple(np.array(list(itertools.product(combinations, repeat=2))).reshape(-1, len(counts)).T)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8))
def test_random_labels_score_their_closed_form(states: int, labels: int) -> None:
    """Closed form 7: 1/(KM) + (1 - 1/K)(1 - 1/M), the mean over all pairs of state and label."""
    true, found = pairs_of(states, labels)
    expected = 1 / (states * labels) + (1 - 1 / states) * (1 - 1 / labels)
    assert decoding_accuracy(true, found) == pytest.approx(expected)


@given(st.integers(1, 20), st.integers(0, 10**6))
def test_one_label_all_distinct_and_right_labels_score_their_closed_forms(states: int, seed: int) -> None:
    """Closed form 7: 1/K, 1 - 1/K, and 1 whatever the labels are called."""
    (true,) = pairs_of(states)
    assert decoding_accuracy(true, np.zeros_like(true)) == pytest.approx(1 / states)
    assert decoding_accuracy(true, np.arange(len(true))) == pytest.approx(1 - 1 / states)
    assert decoding_accuracy(true, np.random.default_rng(seed).permutation(states)[true]) == 1.0


@pytest.mark.parametrize(("count", "score"), [(3, 5 / 9), (13, 145 / 169)])
def test_random_labels_of_the_papers_sizes(count: int, score: float) -> None:
    assert decoding_accuracy(*pairs_of(count, count)) == pytest.approx(score)


def replayed(training: np.ndarray, plan_value: float, optimal_value: float, limit: int) -> int | None:
    total = 0.0
    for episode in range(1, limit + 1):
        total += training[episode - 1] if episode <= len(training) else plan_value
        if total >= episode * optimal_value / 2 - 1e-9:
            return episode
    return None


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 1.0]), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.5, 0.6, 0.75, 1.0]),
    st.sampled_from([0.5, 1.0]),
)
def test_half_regret_is_what_a_replay_finds(training: list[float], plan: float, best: float) -> None:
    returns = np.array(training)
    assert half_regret_episodes(returns, plan, best, limit=400) == replayed(returns, plan, best, 400)


@pytest.mark.parametrize(("horizon", "episodes"), [(5, 4805), (10, 9605), (20, 19205), (40, 38405)])
def test_half_regret_of_exact_elimination_has_its_closed_form(horizon: int, episodes: int) -> None:
    """Closed form 6: N = 500 split evenly, the last level earns 1 and 0.1 on one path each."""
    last = np.repeat([1.0, 0.1, 0.0], [16, 16, 16 * 28])
    training = np.concatenate([np.zeros(500 + 480 * (horizon - 2)), last])
    assert half_regret_episodes(training, 1.0, 1.0) == episodes


def test_a_plan_of_half_the_value_never_gets_there() -> None:
    assert half_regret_episodes(np.zeros(10), 0.5, 1.0) is None


@pytest.mark.parametrize(
    ("count", "low", "high"), [(1, 0, 0), (5, 0, 4), (6, 0, 5), (9, 1, 7), (20, 5, 14)], ids=lambda n: str(n)
)
def test_the_interval_of_a_median_lies_between_order_statistics(count: int, low: int, high: int) -> None:
    values = list(range(count))[::-1]
    assert median_interval(values) == (low, (count - 1) / 2, high)


def test_the_interval_of_a_median_holds_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    for count in (6, 10, 15):
        intervals = [median_interval(rng.exponential(size=count).tolist()) for _ in range(2000)]
        assert np.mean([low <= np.log(2) <= high for low, _, high in intervals]) > 0.95


def test_never_counts_as_more_than_any_number_in_a_median() -> None:
    inf = float("inf")
    assert median_interval([1, inf, 2]) == (1, 2, inf)
    assert median_interval([1, inf, inf, 2])[1] == inf


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert share_interval(5, 5) == pytest.approx((0.5655, 1.0, 1.0), abs=1e-4)
    assert share_interval(3, 10) == pytest.approx((0.1078, 0.3, 0.6032), abs=1e-4)


def test_a_learning_curve_has_the_mean_return_since_the_last_point() -> None:
    returns = np.arange(10.0)
    assert learning_curve(returns, points=3) == [(4, 1.5), (7, 5.0), (10, 8.0)]
    assert learning_curve(returns[:2], points=3) == [(1, 0.0), (2, 1.0)]
