"""Several learners on the same world and seeds: which runs that takes, and what each of them came to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ppe_core import tables
from ppe_core.config import LEARNERS, PPESettings, RunConfig, option_fields
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.baseline_record import BaselineRecord
from ppe_core.experiments.records import RunRecord
from ppe_core.metrics import learning_curve, median_interval
from ppe_core.theory.oracle import reachable_states

Array = np.ndarray


class Contender(NamedTuple):
    title: str
    idea: str
    tuning: str


CONTENDERS = {
    "ppe": Contender("PPE", "merges paths that a classifier cannot tell apart",
                     "its recipe was chosen once, on other seeds of the lock"),
    "homer": Contender("Homer", "an abstraction that tells real transitions from imposters",
                       "the appendix's nets; learning rate, restarts and epochs tried on the lock without noise"),
    "id": Contender("ID", "an abstraction that tells the last action",
                    "as Homer, in smaller steps and one stage; a price on abstract states makes it the coarsest one"),
    "ac-state": Contender("AC-State", "an abstraction that tells the first of several actions",
                          "as Homer, in smaller steps and one stage; twice the epochs"),
    "autoencoder": Contender("Autoencoder", "clusters of a code that remembers the observation",
                             "not tuned; a code of as many numbers as abstract states, the best of 10 clusterings"),
    "ppo": Contender("PPO", "policy gradients on what it sees",
                     "the appendix's values, entropy 0.01 of its two; the policy of its best batch is kept"),
    "ppo-rnd": Contender("PPO + RND", "PPO with a bonus for what is new",
                         "as PPO; of the appendix's bonuses 100 and 500 the one that solves H = 5"),
    "bisim": Contender("Bisim", "actor-critic whose latents measure how rewards differ",
                       "the appendix's weight and sizes; actions by softmax; batches of 32 and 64 episodes tried"),
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Every learner on every world, each with every N and seed."""

    base: RunConfig  # of PPE
    learners: tuple[str, ...]
    samples: tuple[int, ...]
    seeds: tuple[int, ...]
    quiet_too: bool  # the same world without exogenous noise as well

    def configs(self) -> list[RunConfig]:
        return [
            for_learner(world.replace(samples=samples, seed=seed), learner)
            for seed, samples, world, learner in product(self.seeds, self.samples, self.worlds(), self.learners)
            if world.environment.name in LEARNERS[learner].environments  # type: ignore[attr-defined]
        ]

    def worlds(self) -> list[RunConfig]:
        return [self.base, quiet(self.base)] if self.quiet_too and quiet(self.base) != self.base else [self.base]


def quiet(config: RunConfig) -> RunConfig:
    """The same world without its exogenous part."""
    world = config.environment
    if world.name == "tabular":
        return config.replace(world=tables.quiet_world(world.world))
    return config.replace(**({"exo_dim": 0} if "exo_dim" in config.flat() else {"distractor": "none"}))


def is_quiet(config: RunConfig) -> bool:
    world = config.environment
    if world.name == "tabular":
        return tables.sizes(world.world).exogenous == 1
    return world.exo_dim == 0 if "exo_dim" in config.flat() else world.distractor == "none"


def for_learner(config: RunConfig, learner: str) -> RunConfig:
    """The config of another learner in the same world; an abstraction may have as many states as there are."""
    if learner == PPESettings.name:
        return config
    known = {"env", *(f.name for part in (config, config.environment) for f in option_fields(type(part)))}
    values = {name: value for name, value in config.flat().items() if name in known} | {"learner": learner}
    own = {f.name for f in option_fields(LEARNERS[learner])}
    if "coarseness" in own and config.environment.name == "grid":
        values["coarseness"] = 0  # many states are worth their price there
    if "budget" in own:
        endogenous = make_environment(config).endogenous
        values["budget"] = max(2, *(len(states) for states in reachable_states(endogenous, config.horizon)))
    return RunConfig.from_flat(values)


def last_states(config: RunConfig) -> list[int]:
    """The true states of the last time step, in the order of the rows of a confusion."""
    return reachable_states(make_environment(config).endogenous, config.horizon)[-1].tolist()


@dataclass(frozen=True)
class Result:
    """What one run came to, whatever learned it."""

    config: RunConfig
    accuracy: float | None  # of the decoder at the last time step
    value: float
    optimal_value: float
    episodes: int
    half_regret_episodes: int | None
    seconds: float
    confusions: list[Array]  # by time step, [true states, labels], shares of each true state
    curve: list[tuple[int, float]]  # episodes so far, and the mean return of those since the last point

    @property
    def learner(self) -> str:
        return self.config.learner.name


def result(record: RunRecord | BaselineRecord) -> Result:
    summary = record.summary()
    names = ("value", "optimal_value", "episodes", "half_regret_episodes")
    return Result(
        config=record.config,
        accuracy=summary["decoding_accuracy"],
        seconds=summary["seconds"]["total"],
        confusions=[_shares(counts) for counts in _counts(record)],
        curve=learning_curve(record.returns) if isinstance(record, RunRecord) else record.curve,
        **{name: summary[name] for name in names},
    )


def as_row(x: Result) -> dict[str, Any]:
    """A run in one flat row: the world, then what it came to."""
    parts = (x.config, x.config.environment)
    shared = {"learner", "env", *(f.name for part in parts for f in option_fields(type(part)))}
    settings = {name: value for name, value in x.config.flat().items() if name in shared}
    names = ("accuracy", "value", "optimal_value", "episodes", "half_regret_episodes", "seconds")
    return settings | {name: getattr(x, name) for name in names} | {"id": x.config.id}


def _counts(record: RunRecord | BaselineRecord) -> list[Array]:
    """[true states, labels]; a label of PPE is a recovered state."""
    if isinstance(record, BaselineRecord):
        return [level.confusion for level in record.levels]
    found = []
    for level in record.levels:
        of_path = np.searchsorted(level.found.states, level.found.survivor)
        counts = np.zeros((len(level.truth.reachable), len(level.found.states)), int)
        np.add.at(counts.T, of_path, level.truth.confusion.T)
        found.append(counts)
    return found


def _shares(counts: Array) -> Array:
    """Of each true state, in the order in which labels are first named for one; labels never named are left out."""
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    shares = shares[:, shares.any(0)]
    return shares[:, np.argsort(shares.argmax(0), kind="stable")]


class Group(NamedTuple):
    """A measure over the seeds of one learner, N and world: its median and the interval of that."""

    learner: str
    samples: int
    quiet: bool
    low: float
    middle: float
    high: float
    runs: int


def over_seeds(found: Sequence[Result], measure: Callable[[Result], float | None]) -> list[Group]:
    """Runs that cannot say are left out."""
    groups: dict[tuple[str, int, bool], list[float]] = {}
    for x in found:
        if (value := measure(x)) is not None:
            groups.setdefault((x.learner, x.config.samples, is_quiet(x.config)), []).append(value)
    return [Group(*key, *median_interval(values), len(values)) for key, values in groups.items()]


def in_words(shares: Array, names: Sequence[str], least: float = 0.2) -> str:
    """What a decoder merged and what it split: states that share a label, and states with several."""
    said: list[str] = []
    for label in range(shares.shape[1]):
        inside = np.flatnonzero(shares[:, label] >= least).tolist()
        if len(inside) > 1:
            said.append(f"merges {_listed([names[i] for i in inside])}")
    split = [names[i] for i, row in enumerate(shares) if (row >= least).sum() > 1]
    if split:
        said.append(f"splits {_listed(split)}")
    return "; ".join(dict.fromkeys(said)) or "tells all states apart"


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
