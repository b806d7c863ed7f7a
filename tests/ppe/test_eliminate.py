import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ppe_core.ppe.eliminate import eliminate


def test_paths_to_the_same_state_merge() -> None:
    states = np.array([2, 0, 2, 1, 0])
    gaps = (states[:, None] != states).astype(float)
    assert eliminate(gaps, 0.5).tolist() == [0, 1, 0, 3, 1]


def test_a_gap_of_exactly_the_threshold_merges() -> None:
    assert eliminate(np.array([[0, 0.25], [0.25, 0]]), 0.25).tolist() == [0, 0]


def test_an_eliminated_path_eliminates_nobody() -> None:
    """1 is within reach of 0, 2 within reach of 1 only: 2 survives."""
    gaps = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]], float)
    assert eliminate(gaps, 1.0).tolist() == [0, 0, 2]


@given(st.integers(1, 12), st.integers(0, 1000), st.floats(0, 1))
def test_survivors_name_themselves_and_are_apart(count: int, seed: int, threshold: float) -> None:
    gaps = np.random.default_rng(seed).random((count, count))
    gaps = (gaps + gaps.T) / 2
    np.fill_diagonal(gaps, 0)
    survivor = eliminate(gaps, threshold)
    states = np.unique(survivor)
    assert (survivor[states] == states).all() and (survivor <= np.arange(count)).all()
    apart = gaps[np.ix_(states, states)] > threshold
    assert (apart | np.eye(len(states), dtype=bool)).all()
