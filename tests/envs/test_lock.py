import numpy as np
import pytest

from ppe_core.config import LockSettings, RunConfig
from ppe_core.envs.base import Interaction, Latent
from ppe_core.envs.lock import TYPE_A, TYPE_B, TYPE_C, CombinationLock, FlippingBits, hadamard_transform
from ppe_core.envs.registry import make_environment
from ppe_core.seeding import Seeds


def lock(horizon: int = 5, seed: int = 0, **settings) -> CombinationLock:
    return CombinationLock(LockSettings(**settings), horizon, Seeds(seed))


def sylvester(size: int) -> np.ndarray:
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("actions", [3, 4, 10])
def test_good_actions_keep_their_type_and_all_others_are_lost(actions: int, seed: int) -> None:
    world = lock(seed=seed, actions=actions)
    assert (world.good_a != world.good_b).all()
    for step, (a, b) in enumerate(zip(world.good_a, world.good_b)):
        table = world.endogenous.likely_next_at(step)
        from_a = np.full(actions, TYPE_C)
        from_a[a] = TYPE_A
        if step == 0:
            from_a[b] = TYPE_B
        assert np.array_equal(table[TYPE_A], from_a)
        assert np.array_equal(np.flatnonzero(table[TYPE_B] == TYPE_B), [b])
        assert (table[TYPE_C] == TYPE_C).all()


def test_only_the_last_good_actions_pay() -> None:
    world = lock(horizon=4)
    rewards = world.endogenous.rewards
    assert (rewards[:-1] == 0).all()
    assert rewards[-1, TYPE_A, world.good_a[-1]] == 1.0
    assert rewards[-1, TYPE_B, world.good_b[-1]] == 0.1
    assert rewards[-1].sum() == pytest.approx(1.1)


def test_one_step_lock_pays_both_types() -> None:
    world = lock(horizon=1)
    assert sorted(world.endogenous.rewards[0, TYPE_A])[-2:] == [0.1, 1.0]


@pytest.mark.parametrize(("horizon", "entries"), [(5, 16), (10, 32), (20, 64), (40, 128)])
def test_observation_lengths_are_the_papers(horizon: int, entries: int) -> None:
    assert lock(horizon).observation_shape == (entries,)


def test_observation_is_the_code_times_the_hadamard_matrix() -> None:
    world = lock(horizon=5, noise=0.0)
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (7, 5), np.uint8)
    types = rng.integers(3, size=7)
    code = np.concatenate([np.eye(3)[types], np.tile(np.eye(6)[2], (7, 1)), bits], axis=1)
    expected = code @ sylvester(16)[:, :14].T
    assert np.array_equal(world.observe(Latent(2, types, bits), rng), expected)


@pytest.mark.parametrize("size", [1, 2, 16, 128])
def test_butterflies_are_the_sylvester_matrix(size: int) -> None:
    columns = np.random.default_rng(0).integers(-9, 9, (size, 6)).astype(np.float32)
    assert np.array_equal(hadamard_transform(columns.copy()), sylvester(size) @ columns)


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_gaussian_emission_has_the_noise_it_says(noise: float) -> None:
    world = lock(noise=noise, emission="gaussian", exo_dim=3)
    states = np.zeros(20_000, int)
    seen = world.observe_states(states, 2, np.random.default_rng(0))
    assert seen.shape[1] == 3 + 6 + 3
    assert seen[:, 0].mean() == pytest.approx(1, abs=5 * noise / 140)
    assert seen[:, 1].std() == pytest.approx(noise, rel=0.05)


def test_bernoulli_emission_adds_fresh_bits_and_no_noise() -> None:
    world = lock(horizon=5, emission="bernoulli", exo_dim=2, noise=0.5)
    seen = world.observe_states(np.ones(4000, int), 1, np.random.default_rng(0))
    assert seen.shape[1] == 3 + 6 + 2 + 5
    assert set(np.unique(seen)) == {0.0, 1.0}
    assert seen[:, -5:].mean() == pytest.approx(0.5, abs=0.02)


def test_no_exogenous_bits_is_fine() -> None:
    world = lock(horizon=3, exo_dim=0)
    assert world.observe_states(np.arange(3), 1, np.random.default_rng(0)).shape == (3, 8)


def test_k_steps_of_flipping_are_one_flip_with_the_closed_form_probability() -> None:
    process = FlippingBits(bits=20, flip=0.1)
    start = np.zeros((20_000, 20), np.uint8)
    rng = np.random.default_rng(0)
    stepped = start
    for _ in range(4):
        stepped = process.step(stepped, rng)
    jumped = process.advance(start, 4, rng)
    expected = (1 - 0.8**4) / 2
    assert stepped.mean() == pytest.approx(expected, abs=0.004)
    assert jumped.mean() == pytest.approx(expected, abs=0.004)


def test_neighbouring_bits_of_time_are_correlated_as_the_flip_says() -> None:
    process = FlippingBits(bits=50, flip=0.1)
    rng = np.random.default_rng(1)
    first = process.start(4000, rng)
    assert first.mean() == pytest.approx(0.5, abs=0.01)
    assert (process.step(first, rng) != first).mean() == pytest.approx(0.1, abs=0.005)


@pytest.mark.parametrize("eta", [0.0, 1 / 60, 0.4])
def test_transitions_are_eta_from_deterministic(eta: float) -> None:
    endogenous = lock(eta=eta, start_eta=eta).endogenous
    certain = np.eye(3)[endogenous.likely_next]
    assert np.allclose(np.abs(endogenous.transitions - certain).sum(-1), eta)
    assert np.abs(endogenous.start - np.eye(3)[TYPE_A]).sum() == pytest.approx(eta)


def test_stochastic_steps_follow_their_table() -> None:
    world = lock(eta=0.6, start_eta=0.2)
    rng = np.random.default_rng(0)
    states = np.full(60_000, TYPE_A)
    arrived = world.endogenous.move(1, states, np.full(60_000, world.good_a[1]), rng)
    assert np.bincount(arrived, minlength=3) / 60_000 == pytest.approx([0.7, 0.15, 0.15], abs=0.01)
    starts = world.endogenous.sample_start(60_000, rng)
    assert np.bincount(starts, minlength=3) / 60_000 == pytest.approx([0.9, 0.05, 0.05], abs=0.01)


def test_interaction_counts_and_hides() -> None:
    config = RunConfig.from_flat({"horizon": 3})
    world = make_environment(config)
    interaction = Interaction(world, Seeds(0))
    best = np.tile(world.good_a, (4, 1))
    observations, rewards = interaction.follow(best)
    interaction.follow(best[:, :2])
    assert observations.shape == (4, *world.observation_shape)
    assert rewards.tolist() == [1.0] * 4
    assert (interaction.episodes, interaction.steps) == (8, 4 * 3 + 4 * 2)
    assert interaction.returns.tolist() == [1.0] * 4 + [0.0] * 4
    public = [name for name in dir(interaction) if not name.startswith("_")]
    assert not any(word in name for name in public for word in ("latent", "state", "environment"))


def test_an_observation_does_not_depend_on_what_other_levels_drew() -> None:
    """Resuming at a level must show what an undisturbed run would have shown."""
    world = lock(horizon=3)
    paths = np.zeros((5, 2), int)
    after_level_one, fresh = Interaction(world, Seeds(0)), Interaction(world, Seeds(0))
    after_level_one.follow(paths[:, :1])
    assert np.array_equal(after_level_one.follow(paths)[0], fresh.follow(paths)[0])
