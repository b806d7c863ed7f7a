"""What every environment must do, whatever it is about."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from ppe_core.config import ENVIRONMENTS, RunConfig
from ppe_core.envs.base import Environment
from ppe_core.envs.gymnasium_adapter import GYMNASIUM_IDS, register_all
from ppe_core.envs.registry import DESCRIPTIONS, make_environment
from ppe_core.theory.oracle import plan_value

HORIZON = 4


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> Environment:
    return make_environment(RunConfig.from_flat({"env": request.param, "horizon": HORIZON}))


def test_every_environment_is_described_and_registered() -> None:
    assert set(ENVIRONMENTS) == set(DESCRIPTIONS) == set(GYMNASIUM_IDS)


def test_tables_are_distributions(environment: Environment) -> None:
    tables = environment.endogenous
    assert tables.start.sum() == pytest.approx(1)
    assert np.allclose(tables.transitions.sum(-1), 1) and (tables.transitions >= 0).all()
    assert tables.rewards.shape[1:] == tables.transitions.shape[1:3]


def test_a_plan_is_worth_as_much_in_the_decision_process(environment: Environment) -> None:
    """A plan does not look, so what a reward sees beside the endogenous state counts by its mean (factorization)."""
    process = environment.decision_process
    assert np.allclose(process.transitions.sum(-1), 1) and process.start.sum() == pytest.approx(1)
    rng = np.random.default_rng(4)
    paths = rng.integers(environment.num_actions, size=(50, HORIZON))
    for actions in paths:
        assert plan_value(process, actions) == pytest.approx(plan_value(environment.endogenous, actions))


def test_stepping_and_observing_have_the_promised_shapes(environment: Environment) -> None:
    rng = np.random.default_rng(0)
    latent = environment.reset(6, rng)
    for level in range(HORIZON):
        assert latent.level == level
        observations = environment.observe(latent, rng)
        assert observations.shape == (6, *environment.observation_shape)
        assert observations.dtype == environment.observation_dtype
        latent, rewards = environment.step(latent, rng.integers(environment.num_actions, size=6), rng)
        assert rewards.shape == (6,)


def test_a_rollout_goes_where_steps_go(environment: Environment) -> None:
    """Same endogenous states, and rewards where these decide them; the exogenous part has the same law."""
    rng = np.random.default_rng(1)
    paths = rng.integers(environment.num_actions, size=(200, HORIZON))
    rolled, rewards = environment.rollout(paths, rng)
    latent = environment.reset(len(paths), rng)
    for step in range(HORIZON):
        latent, reward = environment.step(latent, paths[:, step], rng)
        if environment.decision_process is environment.endogenous:
            assert np.array_equal(reward, rewards[:, step])
    assert np.array_equal(rolled.endogenous, latent.endogenous)
    assert rolled.exogenous.shape == latent.exogenous.shape


def test_actions_do_not_touch_the_exogenous_state(environment: Environment) -> None:
    ends = []
    for actions in (0, environment.num_actions - 1):
        rng = np.random.default_rng(2)
        latent = environment.reset(50, rng)
        for _ in range(HORIZON):
            latent, _ = environment.step(latent, np.full(50, actions), rng)
        ends.append(latent.exogenous)
    assert np.array_equal(*ends)


def test_same_generator_same_world(environment: Environment) -> None:
    paths = np.zeros((5, HORIZON), int)
    seen = []
    for _ in range(2):
        rng = np.random.default_rng(3)
        latent, _ = environment.rollout(paths, rng)
        seen.append(environment.observe(latent, rng))
    assert np.array_equal(*seen)


@pytest.mark.filterwarnings("ignore:.*infinity.*:UserWarning")  # Gaussian noise has no bounds
@pytest.mark.parametrize("env", GYMNASIUM_IDS)
def test_gymnasium_accepts_it(env: str) -> None:
    register_all()
    register_all()
    environment = gymnasium.make(GYMNASIUM_IDS[env], horizon=HORIZON, seed=1)
    check_env(environment.unwrapped)


@pytest.mark.parametrize("env", GYMNASIUM_IDS)
def test_a_gymnasium_episode_ends_after_the_horizon(env: str) -> None:
    register_all()
    environment = gymnasium.make(GYMNASIUM_IDS[env], horizon=HORIZON).unwrapped
    environment.reset(seed=0)
    ends = [environment.step(0)[2] for _ in range(HORIZON)]
    assert ends == [False] * (HORIZON - 1) + [True]
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.step(0)
