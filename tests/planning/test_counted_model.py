"""Counting through a decoder that never errs: the counted model is the true one, and its policy the best."""

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.base import Environment, Interaction, Latent
from ppe_core.envs.registry import make_environment
from ppe_core.planning.counted_model import CountedModel, Decoder, LatentPolicy, best_choices, count_model, follow
from ppe_core.ppe.paths import empty_cover, extend
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import optimal_value

HORIZON = 4


@pytest.fixture
def world() -> Environment:
    """A ring without noise, so that a table of all observations decodes them."""
    return make_environment(
        RunConfig.from_flat({"env": "tabular", "world": "ring", "eta": 0.2, "noise": 0, "horizon": HORIZON})
    )


def perfect_decoder(world: Environment) -> Decoder:
    latent = Latent(0, *np.indices((8, 4)).reshape(2, -1))
    seen = world.observe(latent, np.random.default_rng(0))
    table = {row.tobytes(): state for row, state in zip(seen, latent.endogenous)}
    return lambda observations: np.array([table[row.tobytes()] for row in observations])


def all_paths(actions: int) -> list[np.ndarray]:
    paths = [extend(empty_cover(), actions)]
    while len(paths) < HORIZON:
        paths.append(extend(paths[-1], actions))
    return paths


def test_counts_approach_the_tables(world: Environment) -> None:
    decoders = [perfect_decoder(world)] * HORIZON
    interaction = Interaction(world, Seeds(5))
    model = count_model(interaction, all_paths(3), decoders, [8] * HORIZON, samples=20_000)
    assert interaction.episodes == sum(20_000 // 3**h * 3**h for h in range(1, HORIZON + 1))
    assert [table.shape for table in model.transitions] == [(1, 3, 8), *[(8, 3, 8)] * (HORIZON - 1)]
    assert np.abs(model.transitions[0][0] - world.endogenous.transitions[0, 0]).max() < 0.02
    assert np.abs(model.transitions[3] - world.endogenous.transitions[0]).max() < 0.08
    assert np.array_equal(model.rewards[3], world.endogenous.rewards[0])

    choices, promise = best_choices(model)
    best = optimal_value(world.endogenous, HORIZON)
    assert promise == pytest.approx(best, abs=0.03)
    returns = follow(interaction, LatentPolicy(choices, decoders), 20_000)
    assert returns.mean() == pytest.approx(best, abs=0.02)


def test_what_was_never_seen_leads_anywhere_and_pays_nothing(world: Environment) -> None:
    decoders = [lambda observations: np.zeros(len(observations), int)] * HORIZON
    model = count_model(Interaction(world, Seeds(0)), all_paths(3), decoders, [2] * HORIZON, samples=100)
    assert np.allclose(model.transitions[2][0], [1, 0])
    assert np.allclose(model.transitions[2][1], 0.5) and not model.rewards[2][1].any()


@pytest.mark.parametrize("seed", range(10))
def test_value_iteration_finds_the_best_of_all_policies(seed: int) -> None:
    """Two time steps, two states, two actions: every policy can be tried."""
    rng = np.random.default_rng(seed)
    model = CountedModel(
        [rng.dirichlet(np.ones(2), size=(1, 2)), rng.dirichlet(np.ones(2), size=(2, 2))],
        [rng.random((1, 2)), rng.random((2, 2))],
    )
    choices, promise = best_choices(model)
    values = {
        (first, low, high): model.rewards[0][0, first]
        + model.transitions[0][0, first] @ model.rewards[1][[0, 1], [low, high]]
        for first in range(2) for low in range(2) for high in range(2)
    }  # fmt: skip
    assert promise == pytest.approx(max(values.values()))
    assert values[choices[0][0], choices[1][0], choices[1][1]] == pytest.approx(promise)
