"""Policy search by dynamic programming: a trivial world first, then locks with either reward."""

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.base import Array, Endogenous, Environment, Exogenous, Interaction, Latent
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.psdp import PSDPSettings, covers_of, plan_by_psdp
from ppe_core.experiments.run import run
from ppe_core.planning.psdp import psdp
from ppe_core.seeding import Seeds


class Coin(Exogenous):
    def start(self, n: int, rng: np.random.Generator) -> Array:
        return rng.integers(2, size=n)

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return self.start(len(state), rng)


class Guess(Environment):
    """At every step a coin is thrown and shown; naming it pays 1. There is one endogenous state."""

    def __init__(self, horizon: int) -> None:
        self.horizon, self.observation_shape = horizon, (1,)
        self.endogenous = Endogenous(np.ones(1), np.ones((1, 1, 2, 1)), np.full((1, 1, 2), 0.5))
        self.exogenous = Coin()
        self._process = Endogenous(np.full(2, 0.5), np.full((1, 2, 2, 2), 0.5), np.eye(2)[None])

    @property
    def decision_process(self) -> Endogenous:
        return self._process

    def decision_state(self, latent: Latent) -> Array:
        return latent.exogenous

    def observe(self, latent: Latent, rng: np.random.Generator) -> Array:
        return latent.exogenous[:, None].astype(np.float32)


def trivial(samples: int = 200) -> tuple[Interaction, np.ndarray]:
    """PSDP on coins: what it used, and what it would do with either coin at each of three steps."""
    interaction = Interaction(Guess(3), Seeds(0))
    covers = {h: np.zeros((1, h), np.int64) for h in range(3)}
    policy = psdp(interaction, covers, samples, np.random.default_rng(0))
    coins = np.array([[0.0], [1.0]], np.float32)
    return interaction, np.array([policy(step, coins) for step in range(3)])


def test_a_shown_coin_is_named_at_every_step() -> None:
    interaction, actions = trivial()
    assert actions.tolist() == [[0, 1]] * 3
    assert interaction.episodes == 600 and interaction.steps == 1800


def test_actions_are_tried_after_the_cover_and_before_the_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """At step 1 of 3 the return of a tried action is its own reward and what the policy earns after it."""
    fitted = []
    from ppe_core.planning import psdp as module

    real = module.fit_action_values
    monkeypatch.setattr(module, "fit_action_values", lambda *data: fitted.append(data) or real(*data))
    trivial()
    for known, (seen, tried, returns, num_actions, _) in enumerate(fitted):
        assert num_actions == 2 and np.array_equal(returns, (seen[:, 0] == tried) + known)
        assert tried.mean() == pytest.approx(0.5, abs=0.15)


def planned(seed: int, env: str = "exo-lock", **settings) -> tuple[float, float, float]:
    found = plan_by_psdp(run(RunConfig.from_flat({"env": env, "horizon": 5, "seed": seed} | settings)))
    return found.value, found.plan_value, found.optimal_value


@pytest.mark.parametrize("seed", range(5))
def test_with_an_exogenous_reward_looking_is_worth_twice_as_much(seed: int) -> None:
    value, plan_value, optimal_value = planned(seed)
    assert value >= 0.95 * optimal_value == pytest.approx(0.95)
    assert plan_value == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(2))
def test_with_an_endogenous_reward_it_agrees_with_value_iteration(seed: int) -> None:
    assert planned(seed, "lock") == (1.0, 1.0, 1.0)


def test_the_same_config_gives_the_same_policy() -> None:
    record = run(RunConfig.from_flat({"env": "exo-lock", "horizon": 3}))
    first, again = (plan_by_psdp(record, PSDPSettings(300)) for _ in range(2))
    for step in range(3):
        assert np.array_equal(first.policy.values[step].net.parameters, again.policy.values[step].net.parameters)
    assert {**first.summary(), "seconds": 0} == {**again.summary(), "seconds": 0}


def test_the_cover_is_what_makes_it_reach_the_reward() -> None:
    """With the path to lost states alone as its cover, nothing is ever paid and nothing is learned."""
    config = RunConfig.from_flat({"env": "exo-lock", "horizon": 5})
    world = make_environment(config)
    lost = np.array([next(a for a in range(10) if a not in (world.good_a[0], world.good_b[0]))] * 5)
    interaction = Interaction(world, Seeds(0))
    psdp(interaction, {h: lost[None, :h] for h in range(5)}, 500, np.random.default_rng(0))
    assert interaction.returns[:2000].max() == 0


def test_it_needs_a_cover_of_every_time_step() -> None:
    config = RunConfig.from_flat({"horizon": 3, "gap": "paper", "samples": 100, "max_paths": 30, "threshold": 0})
    with pytest.raises(Unusable, match="the run stopped early"):
        covers_of(run(config))


def test_bad_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="psdp_samples: 0 is outside the allowed range 1 to"):
        PSDPSettings(0)
