"""Policy search by dynamic programming (algorithm PSDP of the paper's appendix on planning).

A reward may depend on all of an observation, its exogenous part too. PPE's cover still reaches every
state: from the last time step back to the first, follow a path of the cover, try an action, go on with the
policies already found, and learn which action at that observation was worth most.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ppe_core.envs.base import Array, Interaction
from ppe_core.nets.regression import ActionValues, fit_action_values


@dataclass(frozen=True)
class Policy:
    """A greedy policy of each time step."""

    values: Mapping[int, ActionValues]  # by the number of actions taken before

    def __call__(self, step: int, observations: Array) -> Array:
        """[n, ...] -> actions [n]"""
        return self.values[step](observations).argmax(1)


def psdp(interaction: Interaction, covers: Mapping[int, Array], samples: int, rng: np.random.Generator) -> Policy:
    """The policy learned from N episodes a time step; `covers` are Ψ_h by h, [states, h], from the empty path on."""
    values: dict[int, ActionValues] = {}
    for step in reversed(range(interaction.horizon)):
        paths = covers[step][rng.integers(len(covers[step]), size=samples)]
        tried = rng.integers(interaction.num_actions, size=samples)
        observations, returns = _try(interaction, paths, tried, Policy(values))
        seed = int(rng.integers(2**63))
        values[step] = fit_action_values(observations, tried, returns, interaction.num_actions, seed)
    return Policy(values)


def _try(interaction: Interaction, paths: Array, actions: Array, policy: Policy) -> tuple[Array, Array]:
    """Follow a path, take an action, then the policy: what was seen before the action, and the return from it on."""
    episodes = interaction.begin(len(paths))
    for column in paths.T:
        episodes.act(column)
    observations = episodes.observations
    returns = episodes.act(actions)
    while not episodes.over:
        returns = returns + episodes.act(policy(episodes.step, episodes.observations))
    return observations, returns
