"""The exogenous block MDP (section 2 of the paper) as a vectorised simulator.

A latent state is an endogenous part, which actions move through a table, and an exogenous part,
which moves by itself; an observation is emitted from both. An `Environment` is functional: a batch
of latent states in, a batch of latent states out, all randomness from the generator it is given.

A learner never holds an environment. It holds an `Interaction`, which hides the latent state and
counts what was used. Whoever holds the environment itself (metrics, theory, tests) has the oracle.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ppe_core.seeding import Seeds

Array = np.ndarray
CLOSED_LOOP = 0  # the level whose generator closed-loop episodes draw from; paths have at least one action


class Latent(NamedTuple):
    """A batch of latent states after `level` actions."""

    level: int
    endogenous: Array  # [n]
    exogenous: Array  # [n, ...]


@dataclass(frozen=True)
class Endogenous:
    """Endogenous dynamics as tables; the first axis is the time step, or 1 if all are alike."""

    start: Array  # [states], a distribution
    transitions: Array  # [steps or 1, states, actions, states], distributions
    rewards: Array  # [steps or 1, states, actions]

    @property
    def num_actions(self) -> int:
        return self.transitions.shape[2]

    @cached_property
    def likely_next(self) -> Array:
        """The deterministic model that the dynamics are close to: [steps or 1, states, actions]."""
        return self.transitions.argmax(-1)

    @property
    def likely_start(self) -> int:
        return int(self.start.argmax())

    @cached_property
    def is_deterministic(self) -> bool:
        return bool(self.transitions.max(-1).min() == 1.0)

    @cached_property
    def _cumulative(self) -> Array:
        return self.transitions.cumsum(-1)[..., :-1]

    def transitions_at(self, step: int) -> Array:  # [states, actions, states]
        return self.transitions[step % len(self.transitions)]

    def rewards_at(self, step: int) -> Array:  # [states, actions]
        return self.rewards[step % len(self.rewards)]

    def likely_next_at(self, step: int) -> Array:  # [states, actions]
        return self.likely_next[step % len(self.likely_next)]

    def sample_start(self, n: int, rng: np.random.Generator) -> Array:
        if self.start.max() == 1.0:
            return np.full(n, self.likely_start)
        return rng.choice(len(self.start), size=n, p=self.start)

    def move(self, step: int, states: Array, actions: Array, rng: np.random.Generator) -> Array:
        """The next states after one action each."""
        if self.is_deterministic:
            return self.likely_next_at(step).reshape(-1).take(self._pairs(states, actions))
        cumulative = self._cumulative[step % len(self._cumulative)][states, actions]  # [n, states - 1]
        return (rng.random((len(states), 1)) >= cumulative).sum(-1)

    def pay(self, step: int, states: Array, actions: Array) -> Array:
        """The rewards of one action each."""
        return self.rewards_at(step).reshape(-1).take(self._pairs(states, actions))

    def _pairs(self, states: Array, actions: Array) -> Array:
        return states * self.num_actions + actions  # one index into flat tables is faster than two


class Exogenous(ABC):
    """A Markov process that no action touches."""

    @abstractmethod
    def start(self, n: int, rng: np.random.Generator) -> Array: ...

    @abstractmethod
    def step(self, state: Array, rng: np.random.Generator) -> Array: ...

    def advance(self, state: Array, steps: int, rng: np.random.Generator) -> Array:
        """Several steps at once; a process that knows a shortcut overrides this."""
        for _ in range(steps):
            state = self.step(state, rng)
        return state


class Environment(ABC):
    """An EX-BMDP: endogenous tables, an exogenous process, and an emission."""

    endogenous: Endogenous
    exogenous: Exogenous
    horizon: int
    observation_shape: tuple[int, ...]
    observation_dtype: type = np.float32

    @property
    def num_actions(self) -> int:
        return self.endogenous.num_actions

    @property
    def decision_process(self) -> Endogenous:
        """Tables over all that rewards depend on: the endogenous state, and more where a reward looks at more."""
        return self.endogenous

    def decision_state(self, latent: Latent) -> Array:
        """Which state of the decision process each latent state is: [n]."""
        return latent.endogenous

    @abstractmethod
    def observe(self, latent: Latent, rng: np.random.Generator) -> Array:
        """Emit an observation of each latent state: [n, *observation_shape]."""

    def state_name(self, state: int) -> str:
        """What a person calls an endogenous state."""
        return str(state)

    def reset(self, n: int, rng: np.random.Generator) -> Latent:
        return Latent(0, self.endogenous.sample_start(n, rng), self.exogenous.start(n, rng))

    def step(self, latent: Latent, actions: Array, rng: np.random.Generator) -> tuple[Latent, Array]:
        rewards = self.reward(latent, actions)
        states = self.endogenous.move(latent.level, latent.endogenous, actions, rng)
        return Latent(latent.level + 1, states, self.exogenous.step(latent.exogenous, rng)), rewards

    def reward(self, latent: Latent, actions: Array) -> Array:
        """What one action each pays: [n]."""
        return self.decision_process.pay(latent.level, self.decision_state(latent), actions)

    def rollout(self, paths: Array, rng: np.random.Generator) -> tuple[Latent, Array]:
        """Follow one path a row, open loop: the last latent states and all rewards.

        Where no reward looks at the exogenous state on the way, it advances in one go: actions do
        not touch it.
        """
        n, length = paths.shape
        rewards = np.empty((length, n))
        if self.decision_process is not self.endogenous:
            latent = self.reset(n, rng)
            for step, actions in enumerate(paths.T):
                latent, rewards[step] = self.step(latent, actions, rng)
            return latent, rewards.T
        states = self.endogenous.sample_start(n, rng)
        for step, actions in enumerate(paths.T):
            rewards[step] = self.endogenous.pay(step, states, actions)
            states = self.endogenous.move(step, states, actions, rng)
        return Latent(length, states, self._exogenous_at(length, n, rng)), rewards.T

    def observe_states(self, states: Array, level: int, rng: np.random.Generator) -> Array:
        """Observations of given endogenous states at a level, distractors drawn afresh.

        By the factorization lemma this is how they look to any open-loop policy that reaches them.
        """
        return self.observe(Latent(level, states, self._exogenous_at(level, len(states), rng)), rng)

    def _exogenous_at(self, level: int, n: int, rng: np.random.Generator) -> Array:
        return self.exogenous.advance(self.exogenous.start(n, rng), level, rng)


class Interaction:
    """What a learner may do with an environment: follow paths, see observations and rewards."""

    def __init__(self, environment: Environment, seeds: Seeds) -> None:
        self._environment = environment
        self._seeds = seeds
        self._generators: dict[int, np.random.Generator] = {}
        self._returns: list[Array] = []
        self.episodes = 0
        self.steps = 0

    @property
    def num_actions(self) -> int:
        return self._environment.num_actions

    @property
    def horizon(self) -> int:
        return self._environment.horizon

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return self._environment.observation_shape

    @property
    def returns(self) -> Array:
        """The return of every episode so far, in order."""
        return np.concatenate(self._returns) if self._returns else np.empty(0)

    def follow(self, paths: Array) -> tuple[Array, Array]:
        """An episode a row: the last observation of each and the reward of its last action."""
        rng = self._generator(paths.shape[1])
        latent, rewards = self._environment.rollout(paths, rng)
        self.record(rewards.sum(1), paths.size)
        return self._environment.observe(latent, rng), rewards[:, -1]

    def begin(self, n: int) -> "Episodes":
        """Episodes in which each action may depend on what was seen; they count when they end."""
        return Episodes(self._environment, n, self._generator(CLOSED_LOOP), self.record)

    def watch(self, paths: Array, steps: Container[int]) -> tuple[Array, Array]:
        """An episode a row: its observations after these numbers of actions, and the reward of every action.

        All of one episode see the same exogenous process: [steps, n, ...] in the order of time, and [n, length].
        """
        rng, world = self._generator(paths.shape[1]), self._environment
        latent, rewards = world.reset(len(paths), rng), np.empty(paths.shape)
        seen = [world.observe(latent, rng)] if 0 in steps else []
        for step, actions in enumerate(paths.T):
            latent, rewards[:, step] = world.step(latent, actions, rng)
            if step + 1 in steps:
                seen.append(world.observe(latent, rng))
        self.record(rewards.sum(1), paths.size)
        return np.array(seen), rewards

    def record(self, returns: Array, steps: int) -> None:
        """Count episodes (a resumed run counts those of its stored levels this way)."""
        self._returns.append(returns)
        self.episodes += len(returns)
        self.steps += steps

    def _generator(self, level: int) -> np.random.Generator:
        if level not in self._generators:
            self._generators[level] = self._seeds.generator("exogenous", level)
        return self._generators[level]


class Episodes:
    """Episodes side by side, one action at a time; the latent state stays out of sight."""

    def __init__(
        self, environment: Environment, n: int, rng: np.random.Generator, record: Callable[[Array, int], None]
    ) -> None:
        self._environment = environment
        self._rng = rng
        self._record = record
        self._latent = environment.reset(n, rng)
        self._returns = np.zeros(n)
        self._observations: Array | None = None

    @property
    def step(self) -> int:
        """How many actions were taken."""
        return self._latent.level

    @property
    def over(self) -> bool:
        return self.step == self._environment.horizon

    @property
    def observations(self) -> Array:
        """What is seen now, [n, ...]; emitted at the first look."""
        if self._observations is None:
            self._observations = self._environment.observe(self._latent, self._rng)
        return self._observations

    def act(self, actions: Array) -> Array:
        """Take an action in each episode: the rewards [n]."""
        if self.over:
            raise ValueError(f"the episodes are over after {self.step} actions; begin new ones")
        self._latent, rewards = self._environment.step(self._latent, actions, self._rng)
        self._returns += rewards
        self._observations = None
        if self.over:
            self._record(self._returns, self._returns.size * self.step)
        return rewards
