"""Any small EX-BMDP from plain tables (definition 1 of the paper; see `tables` for how one is written).

Description: endogenous states that actions move between, and a Markov chain that moves by itself.
Actions: those of the tables.
Observation: one-hot endogenous state and one-hot exogenous state, in entries and with signs drawn
per instance, with Gaussian noise, rotated by a Hadamard matrix. Different pairs have different codes, so
that without noise the block assumption holds.
Reward: that of the tables. Start: that of the tables. Episodes end after H actions.
"""

import numpy as np

from ppe_core.config import TabularSettings
from ppe_core.envs.base import Array, Endogenous, Environment, Exogenous, Latent
from ppe_core.envs.lock import hadamard_transform
from ppe_core.seeding import Seeds
from ppe_core.tables import Row, Sizes, World, read_world

DIFFERENT_REWARDS = 10  # of a random world, beside 0: 0.1, 0.2, …, 1


class TabularWorld(Environment):
    exogenous: "MarkovChain"

    def __init__(self, settings: TabularSettings, horizon: int, seeds: Seeds) -> None:
        self.settings = settings
        self.horizon = horizon
        rng = seeds.generator("layout")
        world = read_world(settings.world)
        certain, self.exogenous = _random(world, rng) if isinstance(world, Sizes) else _written(world)
        self.endogenous = Endogenous(certain.start, astray(certain.transitions, settings.eta), certain.rewards)
        self._names = () if isinstance(world, Sizes) else world.states
        states, exogenous_states = len(certain.start), len(self.exogenous.first)
        size = 1 << (states + exogenous_states - 1).bit_length()
        self._entries = rng.permutation(size)  # of the code: first those of endogenous, then of exogenous states
        self._signs = rng.choice(np.array([-1, 1], np.float32), size)
        self.observation_shape = (size,)

    def observe(self, latent: Latent, rng: np.random.Generator) -> Array:
        n = len(latent.endogenous)
        code = np.zeros((self.observation_shape[0], n), np.float32)  # entries first: rows are contiguous
        if self.settings.noise > 0:
            rng.standard_normal(out=code, dtype=np.float32)
            code *= np.float32(self.settings.noise)
        for bit in (latent.endogenous, len(self.endogenous.start) + latent.exogenous):
            code[self._entries[bit], np.arange(n)] += self._signs[bit]
        return np.ascontiguousarray(hadamard_transform(code).T)

    def state_name(self, state: int) -> str:
        return self._names[state] if self._names else super().state_name(state)


class MarkovChain(Exogenous):
    """A finite Markov chain."""

    def __init__(self, first: Array, transitions: Array) -> None:
        self.first = first  # [states], a distribution
        self.transitions = transitions  # [states, states], distributions
        self._cumulative = transitions.cumsum(-1)[:, :-1]

    def start(self, n: int, rng: np.random.Generator) -> Array:
        return rng.choice(len(self.first), size=n, p=self.first)

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return (rng.random((len(state), 1)) >= self._cumulative[state]).sum(-1)


def astray(transitions: Array, eta: float) -> Array:
    """Distributions at L1 distance eta from certain ones (at most, from others): half of it goes elsewhere."""
    others = transitions.shape[-1] - 1
    return (1 - eta / 2) * transitions + eta / 2 * (1 - transitions) / others if others else transitions


def _written(world: World) -> tuple[Endogenous, MarkovChain]:
    states, _, exogenous_states = world.sizes
    transitions = np.array([[_distribution(row, states) for row in moves] for moves in world.transitions])
    chain = np.array([_distribution(row, exogenous_states) for row in world.exogenous_transitions])
    return (
        Endogenous(_distribution(world.start, states), transitions[None], np.array([world.rewards], float)),
        MarkovChain(_distribution(world.exogenous_start, exogenous_states), chain),
    )


def _random(sizes: Sizes, rng: np.random.Generator) -> tuple[Endogenous, MarkovChain]:
    """Deterministic moves anywhere, rewards anywhere, and a chain that rather stays than goes."""
    states, actions, exogenous_states = sizes
    certain = np.eye(states)
    transitions = certain[rng.integers(states, size=(1, states, actions))]
    rewards = rng.integers(DIFFERENT_REWARDS + 1, size=(1, states, actions)) / DIFFERENT_REWARDS
    even = np.ones(exogenous_states)
    moves = (np.eye(exogenous_states) + rng.dirichlet(even, size=exogenous_states)) / 2
    return Endogenous(certain[0], transitions, rewards), MarkovChain(even / exogenous_states, moves)


def _distribution(row: Row, count: int) -> Array:
    if isinstance(row, int):
        return np.eye(count)[row]
    chances = np.array(row, float)
    return chances / chances.sum()
