import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppe_core.ppe.gaps import l1_distances, losses, paper_gap, signature_gap, signatures, tied_losses


def random_predictions(n: int, paths: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(paths), size=n), rng.integers(paths, size=n)


@given(st.integers(1, 30), st.integers(2, 8), st.integers(0, 1000))
def test_paper_gap_is_its_definition(n: int, paths: int, seed: int) -> None:
    predictions, _ = random_predictions(n, paths, seed)
    gaps = paper_gap(predictions)
    for i in range(paths):
        for j in range(paths):
            assert gaps[i, j] == pytest.approx(np.abs(predictions[:, i] - predictions[:, j]).mean())


@given(st.integers(20, 40), st.integers(2, 6), st.integers(0, 1000))
def test_signature_gap_without_pooling_is_its_definition(n: int, paths: int, seed: int) -> None:
    predictions, labels = random_predictions(n, paths, seed)
    gaps = signature_gap(signatures(predictions, labels), threshold=0.0)
    for i in range(paths):
        for j in range(paths):
            if i != j and (labels == i).any() and (labels == j).any():
                means = predictions[labels == i].mean(0), predictions[labels == j].mean(0)
                assert gaps[i, j] == pytest.approx(np.abs(means[0] - means[1]).sum() / paths)


@given(st.integers(20, 60), st.integers(3, 8), st.integers(0, 1000))
def test_pooling_never_widens_a_gap(n: int, paths: int, seed: int) -> None:
    predictions, labels = random_predictions(n, paths, seed)
    pooled = signature_gap(signatures(predictions, labels), threshold=0.625 / paths)
    plain = signature_gap(signatures(predictions, labels), threshold=0.0)
    finite = np.isfinite(plain)
    assert (pooled[finite] <= plain[finite] + 1e-9).all()


def test_pooling_keeps_states_apart_and_quiets_paths_to_the_same_one() -> None:
    """Thirty paths, the first alone in its state: a noisy classifier that tells the two states apart."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(30), 16)
    ideal = np.where(labels[:, None] == 0, np.eye(30)[0], np.r_[0, np.full(29, 1 / 29)])
    noisy = 0.6 * ideal + 0.4 * rng.dirichlet(np.full(30, 0.1), size=len(labels))
    plain, pooled = signature_gap(signatures(noisy, labels), 0.0), signature_gap(signatures(noisy, labels), 0.625 / 30)
    same, apart = np.s_[1:, 1:], np.s_[0, 1:]
    assert pooled[same].max() < 0.4 * plain[same].max()
    assert pooled[apart].min() > 0.9 * plain[apart].min()


def test_a_path_without_observations_is_infinitely_far() -> None:
    predictions, labels = np.full((4, 3), 1 / 3), np.array([0, 0, 1, 1])
    gaps = signature_gap(signatures(predictions, labels), 0.2)
    assert gaps[0, 1] == 0 and np.isinf(gaps[2, :2]).all() and gaps[2, 2] == 0


def test_tied_loss_of_the_bayes_classifier_is_the_bayes_loss() -> None:
    """Paths 0 and 1 share a state, path 2 has its own: ln 2 for the first two, 0 for the last."""
    predictions = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    labels = np.arange(3)
    assert tied_losses(predictions, labels, 0.2) == pytest.approx([np.log(2), np.log(2), 0])
    assert losses(predictions, labels) == pytest.approx([np.log(2), np.log(2), 0])


def test_tying_repairs_a_classifier_that_prefers_one_of_two_equal_paths() -> None:
    predictions = np.array([[0.9, 0.1, 0], [0.9, 0.1, 0], [0, 0, 1]])
    labels = np.arange(3)
    assert tied_losses(predictions, labels, 0.2).mean() < losses(predictions, labels).mean()
    assert tied_losses(predictions, labels, 0.2) == pytest.approx([np.log(2), np.log(2), 0])


def test_distances_do_not_depend_on_how_the_work_is_cut() -> None:
    rows = np.random.default_rng(0).random((300, 500))
    direct = np.abs(rows[:, None] - rows[None, :5]).sum(-1)
    assert np.allclose(l1_distances(rows)[:, :5], direct)
