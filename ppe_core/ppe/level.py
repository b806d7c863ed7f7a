"""What PPE knows after one time step, as plain arrays."""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Level:
    """One pass of the algorithm's loop: the paths of Υ_h and what became of them."""

    h: int
    paths: Array  # [paths, h], actions
    survivor: Array  # [paths], index of the surviving path each was merged with
    paper_gap: Array  # [paths, paths]
    signature_gap: Array  # [paths, paths]
    signatures: Array  # [paths, paths], mean prediction on the observations that each path produced
    threshold: float
    rewards: Array  # [paths], mean reward of the last action
    returns: Array  # [episodes], in the order they were collected
    curve: Array  # [epochs, 2], training and held-out loss
    held_out_losses: Array  # [held-out observations], under the classifier that was kept
    weights: dict[str, Array]  # the classifier
    seconds: dict[str, float]  # collect, train, eliminate

    @property
    def states(self) -> Array:
        """Indices of the surviving paths: a recovered state each."""
        return np.unique(self.survivor)

    @property
    def cover(self) -> Array:
        """Ψ_h: [states, h]."""
        return self.paths[self.states]
