"""Value iteration on the recovered model; dynamics are deterministic, so the plan is open loop."""

import numpy as np

from ppe_core.planning.latent_model import LatentModel

Array = np.ndarray


def plan(model: LatentModel) -> tuple[Array, float]:
    """The best action sequence from the start and the return the model promises for it."""
    value = np.zeros(1 + int(model.transitions[-1].max()))
    policy: list[Array] = []
    for arrival, reward in zip(reversed(model.transitions), reversed(model.rewards)):
        quality = reward + value[arrival]  # [states, actions]
        policy.insert(0, quality.argmax(1))
        value = quality.max(1)
    state, actions = 0, []
    for arrival, choice in zip(model.transitions, policy):
        actions.append(int(choice[state]))
        state = arrival[state, choice[state]]
    return np.array(actions), float(value[0])
