"""The recovered tabular MDP (algorithm 5, lines 15 to 17)."""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class LatentModel:
    """T̂ and R̂ step by step; the states of a level are numbered by their surviving paths in order."""

    transitions: list[Array]  # a step: [states, actions] -> state of the next level
    rewards: list[Array]  # a step: [states, actions]

    @property
    def num_actions(self) -> int:
        return self.transitions[0].shape[1]


def latent_model(survivors: list[Array], rewards: list[Array], num_actions: int) -> LatentModel:
    """From each level's merges [paths] and mean rewards [paths]; path p * A + a extends state p."""
    transitions = [np.unique(merged, return_inverse=True)[1] for merged in survivors]
    return LatentModel(
        transitions=[arrival.reshape(-1, num_actions) for arrival in transitions],
        rewards=[np.asarray(mean).reshape(-1, num_actions) for mean in rewards],
    )
