"""One run of a baseline from config to record: learn, judge its decoders and its policy on fresh data."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from ppe_core.baselines.ac_state import ACState
from ppe_core.baselines.autoencoder import Autoencoder
from ppe_core.baselines.bisim import Bisim
from ppe_core.baselines.homer import Homer
from ppe_core.baselines.inverse_dynamics import InverseDynamics
from ppe_core.baselines.learned import Decode, Learned, Learner, Progress
from ppe_core.baselines.ppo import PPO
from ppe_core.baselines.ppo_rnd import PPOWithRND
from ppe_core.config import RunConfig
from ppe_core.envs.base import Environment, Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.baseline_record import BaselineLevel, BaselineRecord
from ppe_core.experiments.records import versions
from ppe_core.experiments.trials import policy_value
from ppe_core.metrics import confusion, coverage, decoding_accuracy, half_regret_episodes, learning_curve
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import optimal_value, plan_value, reachable_states, true_states

DECODING_PAIRS = 5000  # the paper's m

BY_TIME_STEP = {"homer": Homer, "id": InverseDynamics, "autoencoder": Autoencoder, "ac-state": ACState}
BY_EPISODE = {"ppo": PPO, "ppo-rnd": PPOWithRND, "bisim": Bisim}


def run_baseline(config: RunConfig, on_event: Callable[[Progress], None]) -> BaselineRecord:
    """The record depends on the config alone. A run that is stopped starts anew."""
    start = perf_counter()
    seeds = Seeds(config.seed)
    environment = make_environment(config)
    interaction = Interaction(environment, seeds)
    learned = make_learner(config, seeds).learn(interaction, on_event)
    learning = perf_counter() - start
    judge = _Judge(environment, seeds)
    value = judge.value(learned)
    best = optimal_value(environment.decision_process, config.horizon)
    levels = [judge.level(h, decode, learned) for h, decode in sorted(learned.decoders.items())]
    total = perf_counter() - start
    return BaselineRecord(
        config=config,
        levels=levels,
        plan=learned.plan,
        value=value,
        optimal_value=best,
        episodes=interaction.episodes,
        half_regret_episodes=half_regret_episodes(interaction.returns, value, best),
        curve=learning_curve(interaction.returns),
        numbers=learned.numbers,
        seconds={"collect": None, "train": learning, "eliminate": None, "evaluate": total - learning, "total": total},
        versions=versions(config),
        weights=learned.weights,
    )


def make_learner(config: RunConfig, seeds: Seeds) -> Learner:
    """The baseline that a config names; N is the episodes of a time step, so N·H are those of a run."""
    name, settings = config.learner.name, config.learner
    if name in BY_TIME_STEP:
        kind: Any = BY_TIME_STEP[name]
        return kind(settings, config.samples, seeds)
    kind = BY_EPISODE[name]
    return kind(settings, config.samples * config.horizon, seeds)


class _Judge:
    """Holds what was learned against the truth, on fresh data the learner never sees."""

    def __init__(self, environment: Environment, seeds: Seeds) -> None:
        self._environment = environment
        self._seeds = seeds
        self._reachable = reachable_states(environment.endogenous, environment.horizon)

    def level(self, h: int, decode: Decode, learned: Learned) -> BaselineLevel:
        reachable = self._reachable[h - 1]
        rng = self._seeds.generator("evaluation", h)
        true = rng.integers(len(reachable), size=2 * DECODING_PAIRS)  # uniform over the states, as in figure 2c
        labels = decode(self._environment.observe_states(reachable[true], h, rng))
        cover = learned.covers.get(h)
        reached = None if cover is None else coverage(true_states(self._environment.endogenous, cover), reachable)
        return BaselineLevel(
            h, confusion(true, labels, len(reachable), int(labels.max()) + 1), decoding_accuracy(true, labels), reached
        )

    def value(self, learned: Learned) -> float:
        """Exact for a plan; for a policy that looks, the mean of fresh episodes."""
        if learned.act is None:
            assert learned.plan is not None
            return plan_value(self._environment.decision_process, learned.plan)
        return policy_value(self._environment, learned.act, self._seeds)
