"""The latent model by counting, for dynamics that are not quite deterministic.

Section 4 of the paper calls it the direct way: decode the states of episodes and count which follows
which. Its appendix F recommends it, with value iteration, where transitions are near-deterministic and
rewards endogenous. Other than the plan on the merged paths, the policy that comes of it looks where it is
at every time step (closed loop), and can find its way back after an action has led astray.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ppe_core.envs.base import Array, Interaction

Decoder = Callable[[Array], Array]  # observations of one time step -> numbers of recovered states


@dataclass(frozen=True)
class CountedModel:
    """T̂ and R̂ step by step; a time step has its own states, the start has one."""

    transitions: list[Array]  # a step: [states, actions, states of the next time step], distributions
    rewards: list[Array]  # a step: [states, actions], means


@dataclass(frozen=True)
class LatentPolicy:
    """An action for every recovered state of every time step."""

    choices: list[Array]  # a step: [states] -> action
    decoders: Sequence[Decoder]  # of the time steps after the start

    def act(self, step: int, observations: Array) -> Array:
        """Actions after so many steps: [n]."""
        states = self.decoders[step - 1](observations) if step else np.zeros(len(observations), int)
        return self.choices[step][states]


def count_model(
    interaction: Interaction, paths: Sequence[Array], decoders: Sequence[Decoder], sizes: Sequence[int], samples: int
) -> CountedModel:
    """From N episodes at each time step, evenly over its paths Υ_h; `sizes` are numbers of recovered states.

    What is counted are the decoded states before and after the last action, wherever chance has led.
    """
    transitions, rewards = [], []
    for h, (extended, size) in enumerate(zip(paths, sizes), 1):
        followed = np.repeat(extended, max(1, samples // len(extended)), axis=0)
        (seen_before, seen_after), earned = interaction.watch(followed, (h - 1, h))
        before = decoders[h - 2](seen_before) if h > 1 else np.zeros(len(followed), int)
        counts = np.zeros((sizes[h - 2] if h > 1 else 1, interaction.num_actions, size))
        totals = np.zeros(counts.shape[:2])
        np.add.at(counts, (before, followed[:, -1], decoders[h - 1](seen_after)), 1)
        np.add.at(totals, (before, followed[:, -1]), earned[:, -1])
        visits = counts.sum(-1)
        transitions.append(np.where(visits[..., None] > 0, counts, 1 / size) / np.maximum(visits, 1)[..., None])
        rewards.append(totals / np.maximum(visits, 1))
    return CountedModel(transitions, rewards)


def best_choices(model: CountedModel) -> tuple[list[Array], float]:
    """Value iteration: the best action in every state, a step each, and the return the model promises."""
    value = np.zeros(model.transitions[-1].shape[-1])
    choices: list[Array] = []
    for transitions, rewards in zip(reversed(model.transitions), reversed(model.rewards)):
        quality = rewards + transitions @ value  # [states, actions]
        choices.insert(0, quality.argmax(1))
        value = quality.max(1)
    return choices, float(value[0])


def follow(interaction: Interaction, policy: LatentPolicy, episodes: int) -> Array:
    """Let a policy act: the return of each episode."""
    under_way = interaction.begin(episodes)
    total = np.zeros(episodes)
    while not under_way.over:
        total += under_way.act(policy.act(under_way.step, under_way.observations))
    return total
