"""One run from config to record: learn, judge each time step against the oracle, plan."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np
import torch

from ppe_core.config import PPESettings, RunConfig
from ppe_core.envs.base import Array, Environment, Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.events import EpochDone, Event, LevelDone
from ppe_core.experiments.records import LevelRecord, RunRecord, Truth, recovered_model, versions
from ppe_core.metrics import confusion, coverage, decoding_accuracy
from ppe_core.nets.training import Classifier
from ppe_core.planning.value_iteration import plan
from ppe_core.ppe.learner import PPE, TooManyPaths
from ppe_core.ppe.level import Level
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import exact_level, optimal_value, plan_value, reachable_states

DECODING_PAIRS = 5000  # the paper's m, at the last time step
DECODING_PAIRS_BEFORE = 250  # at the time steps before it


def run(
    config: RunConfig,
    on_event: Callable[[Event], None] | None = None,
    done: Sequence[LevelRecord] = (),
) -> Any:
    """Run a config, whatever its learner: a RunRecord of PPE, or a BaselineRecord.

    The record depends on the config alone, down to the last bit.
    """
    report = on_event or (lambda event: None)
    if config.learner.name == PPESettings.name:
        return run_ppe(config, report, done)

    from ppe_core.experiments.run_baseline import run_baseline

    with one_thread():
        return run_baseline(config, report)


def run_ppe(config: RunConfig, report: Callable[[Event], None], done: Sequence[LevelRecord] = ()) -> RunRecord:
    """Run PPE; time steps in `done` (of an interrupted run) are not computed again."""
    start = perf_counter()
    seeds = Seeds(config.seed)
    environment = make_environment(config)
    learner = PPE(config.learner, config.samples, seeds)
    judge = _Judge(environment, learner, seeds)
    levels, stopped = list(done), None
    with one_thread():
        progress = learner.learn(
            Interaction(environment, seeds),
            [record.found for record in done],
            lambda h, epoch, losses: report(EpochDone(h, epoch, *losses)),
        )
        try:
            for level, classifier in progress:
                levels.append(LevelRecord(level, judge(level, classifier)))
                report(LevelDone(levels[-1]))
        except TooManyPaths as error:
            stopped = str(error)
    actions, promise = _plan([record.found for record in levels], config.horizon)
    return RunRecord(
        config=config,
        levels=levels,
        plan=actions,
        plan_promise=promise,
        value=plan_value(environment.decision_process, actions),
        optimal_value=optimal_value(environment.decision_process, config.horizon),
        stopped=stopped,
        seconds=perf_counter() - start + sum(record.seconds for record in done),
        versions=versions(config),
    )


class _Judge:
    """Holds a level against the truth, on fresh data the learner never sees."""

    def __init__(self, environment: Environment, learner: PPE, seeds: Seeds) -> None:
        self._environment = environment
        self._learner = learner
        self._seeds = seeds
        self._reachable = reachable_states(environment.endogenous, environment.horizon)

    def __call__(self, level: Level, classifier: Classifier) -> Truth:
        start = perf_counter()
        reachable = self._reachable[level.h - 1]
        pairs = DECODING_PAIRS if level.h == self._environment.horizon else DECODING_PAIRS_BEFORE
        rng = self._seeds.generator("evaluation", level.h)
        true = rng.integers(len(reachable), size=2 * pairs)  # uniform over the states, as in figure 2c
        observations = self._environment.observe_states(reachable[true], level.h, rng)
        decoded = self._learner.decode(classifier, level, observations)
        exact = exact_level(self._environment.endogenous, level.paths)
        return Truth(
            states=exact.true_states,
            reachable=reachable,
            coverage=coverage(exact.true_states[level.states], reachable),
            bayes_cross_entropy=exact.bayes_cross_entropy,
            confusion=confusion(true, decoded, len(reachable), len(level.paths)),
            decoding_accuracy=decoding_accuracy(true, decoded),
            seconds=perf_counter() - start,
        )


def _plan(levels: list[Level], horizon: int) -> tuple[Array, float]:
    """The recovered model's best plan; where a stopped run has no model, action 0."""
    actions, promise = plan(recovered_model(levels))
    return np.pad(actions, (0, horizon - len(actions))), promise


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread of torch: faster for small nets, and sums always add up in the same order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
