import itertools

import numpy as np
import pytest

from ppe_core.planning.latent_model import LatentModel, latent_model
from ppe_core.planning.value_iteration import plan


def returns(model: LatentModel, actions: tuple[int, ...]) -> float:
    state, total = 0, 0.0
    for arrival, reward, action in zip(model.transitions, model.rewards, actions):
        total += reward[state, action]
        state = arrival[state, action]
    return total


@pytest.mark.parametrize("seed", range(20))
def test_the_plan_is_the_best_of_all_action_sequences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [1, *rng.integers(1, 4, size=4)]
    model = LatentModel(
        [rng.integers(sizes[h + 1], size=(sizes[h], 3)) for h in range(4)],
        [rng.normal(size=(sizes[h], 3)) for h in range(4)],
    )
    actions, promise = plan(model)
    best = max(returns(model, choice) for choice in itertools.product(range(3), repeat=4))
    assert promise == pytest.approx(best)
    assert returns(model, tuple(actions)) == pytest.approx(best)


def test_model_is_read_off_the_merges() -> None:
    """Two actions; both first paths survive, then three of four second paths merge."""
    model = latent_model([np.array([0, 1]), np.array([0, 1, 0, 0])], [np.zeros(2), np.array([0, 5, 0, 0])], 2)
    assert [x.tolist() for x in model.transitions] == [[[0, 1]], [[0, 1], [0, 0]]]
    assert plan(model)[0].tolist() == [0, 1]
