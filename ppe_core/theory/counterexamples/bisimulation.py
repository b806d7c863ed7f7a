"""Bisimulation merges everything until a reward is seen (appendix A, "Failure of Bisimulation Metric").

A d-restricted bisimulation asks of states in the support of d alone that merged ones have the same
rewards and go to the same classes with the same probabilities. On a combination lock, whose last action alone
pays, exploration that has not come to the end finds one class, which is no help in exploring.
Once all is seen, bisimulation leaves the exogenous bits out, as it should.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.config import RunConfig, Settings, option
from ppe_core.envs.registry import make_environment
from ppe_core.theory.counterexamples.worlds import flipping_bits, with_exogenous

Array = np.ndarray
DECIMALS = 9  # to which rewards and probabilities must agree
FLIP = 0.1
TYPES = "abc"


@dataclass(frozen=True)
class Bisimulation(Settings):
    horizon: int = option(4, "number of time steps H of the lock", 2, 6)
    seen: int = option(3, "time steps that exploration has come to; from H on, all", 1, 6)
    actions: int = option(4, "number of actions A", 3, 10)
    bits: int = option(1, "number of exogenous bits", 0, 3)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """The endogenous states: level and type; at the last level the episode is over."""
        return [(0, 0)] + [(level, kind) for level in range(1, self.horizon + 1) for kind in range(3)]

    @property
    def names(self) -> list[str]:
        return [f"{TYPES[kind]}{level + 1}" for level, kind in self.places]

    @cached_property
    def support(self) -> Array:
        """Whether d is positive there: [latent states]."""
        levels = np.repeat([level for level, _ in self.places], 2**self.bits)
        return (levels < self.seen) | (self.seen >= self.horizon)

    @cached_property
    def blocks(self) -> Array:
        """The coarsest d-restricted bisimulation: [latent states]."""
        transitions, rewards = self._dynamics
        latent = with_exogenous(transitions, flipping_bits(self.bits, FLIP))
        return coarsest_bisimulation(latent, np.repeat(rewards, 2**self.bits, axis=0), self.support)

    @property
    def num_blocks(self) -> int:
        return int(self.blocks.max()) + 1

    @property
    def blocks_of_places(self) -> Array:
        """Blocks by endogenous state and exogenous state: [endogenous states, 2^bits]."""
        return self.blocks.reshape(len(self.places), -1)

    @cached_property
    def _dynamics(self) -> tuple[Array, Array]:
        """The lock unrolled in time: T [endogenous states, actions, endogenous states], R [.., actions]."""
        lock = make_environment(RunConfig.from_flat({"horizon": self.horizon, "actions": self.actions})).endogenous
        number = {place: i for i, place in enumerate(self.places)}
        transitions = np.zeros((len(number), self.actions, len(number)))
        rewards = np.zeros((len(number), self.actions))
        for (level, kind), i in number.items():
            if level == self.horizon:
                transitions[i, :, i] = 1
                continue
            rewards[i] = lock.rewards_at(level)[kind]
            for action, arrival in enumerate(lock.likely_next_at(level)[kind]):
                transitions[i, action, number[level + 1, int(arrival)]] = 1
        return transitions, rewards


def coarsest_bisimulation(transitions: Array, rewards: Array, support: Array) -> Array:
    """Partition refinement: blocks are split until merged states of the support agree in all: [states].

    Nothing is asked of states outside the support; they stay in the first block.
    """
    blocks = _alike(rewards, support)
    while True:
        arrivals = transitions @ np.eye(int(blocks.max()) + 1)[blocks]  # P(G | s, a): [states, actions, blocks]
        finer = _alike(np.column_stack([blocks, arrivals.reshape(len(blocks), -1)]), support)
        if finer.max() == blocks.max():
            return blocks
        blocks = finer


def _alike(rows: Array, support: Array) -> Array:
    """Equal rows of the support have equal numbers."""
    numbers = np.zeros(len(rows), int)
    numbers[support] = np.unique(rows[support].round(DECIMALS), axis=0, return_inverse=True)[1].reshape(-1)
    return numbers
