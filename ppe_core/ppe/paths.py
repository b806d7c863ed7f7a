"""Paths: open-loop policies as rows of actions (Υ_h = Ψ_{h-1} ∘ A, section 4 of the paper)."""

import numpy as np

Array = np.ndarray


def empty_cover() -> Array:
    """Ψ with the empty path alone: [1, 0]."""
    return np.empty((1, 0), np.int64)


def extend(cover: Array, num_actions: int) -> Array:
    """Every path of the cover followed by every action: [paths * actions, level].

    Child `p * num_actions + a` is path p followed by action a.
    """
    parents = np.repeat(cover, num_actions, axis=0)
    actions = np.tile(np.arange(num_actions), len(cover))
    return np.column_stack([parents, actions])
