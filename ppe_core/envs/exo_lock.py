"""The combination lock whose reward looks at the exogenous state (the appendix on planning, "General
Observation Based Reward").

Description: the combination lock with a light, one exogenous bit more; like the others it is fair
and flips by itself. No action touches it, and where actions lead does not depend on it.
Reward: in type a, the last good action pays 1 while the light is on; while it is off, another one
pays instead (the next, counted modulo A). In type b the last good action pays 0.1, light or not.
All else is the combination lock's.

An open-loop plan cannot know the light at the end, so it earns 1/2; whoever looks earns 1.
"""

from dataclasses import replace

import numpy as np

from ppe_core.config import ExoLockSettings
from ppe_core.envs.base import Array, Endogenous, Latent
from ppe_core.envs.lock import REWARD_A, TYPE_A, CombinationLock
from ppe_core.seeding import Seeds

OFF, ON = range(2)
LIGHT = 0  # which exogenous bit it is


class ExogenousLock(CombinationLock):
    def __init__(self, settings: ExoLockSettings, horizon: int, seeds: Seeds) -> None:
        super().__init__(settings, horizon, seeds)
        self.good_when_off = (int(self.good_a[-1]) + 1) % settings.actions
        rewards = self._rewards()  # [steps, types, light, actions]
        self._decision_process = _with_light(self.endogenous, rewards, settings.flip)
        self.endogenous = replace(self.endogenous, rewards=rewards.mean(2))  # the light is fair at all times

    @property
    def decision_process(self) -> Endogenous:
        """The types and the light together: state 2 · type + light."""
        return self._decision_process

    def decision_state(self, latent: Latent) -> Array:
        return 2 * latent.endogenous + latent.exogenous[:, LIGHT]

    def _rewards(self) -> Array:
        rewards = np.stack([self.endogenous.rewards] * 2, axis=2)
        rewards[-1, TYPE_A, OFF, self.good_a[-1]] = 0
        rewards[-1, TYPE_A, OFF, self.good_when_off] = REWARD_A
        return rewards


def _with_light(types: Endogenous, rewards: Array, flip: float) -> Endogenous:
    light = np.array([[1 - flip, flip], [flip, 1 - flip]])
    steps, count, actions, _ = types.transitions.shape
    transitions = np.einsum("hsat,lm->hslatm", types.transitions, light)
    return Endogenous(
        start=np.kron(types.start, [0.5, 0.5]),
        transitions=transitions.reshape(steps, 2 * count, actions, 2 * count),
        rewards=rewards.reshape(steps, 2 * count, actions),
    )
