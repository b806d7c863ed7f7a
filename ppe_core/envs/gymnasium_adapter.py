"""Every environment as an ordinary Gymnasium one, under the PPE/ namespace.

`gymnasium.make("PPE/CombinationLock-v0", horizon=5, noise=0.2)` takes the settings of the command
line by their names; `seed` chooses the instance, `reset(seed=…)` the episode.
"""

from typing import Any

import gymnasium
import numpy as np

from ppe_core.config import RunConfig
from ppe_core.envs.base import Array, Latent
from ppe_core.envs.registry import make_environment

GYMNASIUM_IDS = {
    "lock": "PPE/CombinationLock-v0",
    "exo-lock": "PPE/ExogenousLock-v0",
    "grid": "PPE/VisualGridworld-v0",
    "tabular": "PPE/Tabular-v0",
}


class GymnasiumEnvironment(gymnasium.Env):
    """One episode at a time over the vectorised simulator."""

    def __init__(self, env: str, render_mode: None = None, **settings: Any) -> None:
        if render_mode is not None:
            raise TypeError(f"render_mode: {render_mode!r} is not possible; what there is to see is the observation")
        self._environment = make_environment(RunConfig.from_flat({"env": env} | settings))
        dtype = self._environment.observation_dtype
        low, high = (0, 255) if dtype is np.uint8 else (-np.inf, np.inf)
        self.observation_space = gymnasium.spaces.Box(low, high, self._environment.observation_shape, dtype)
        self.action_space = gymnasium.spaces.Discrete(self._environment.num_actions)
        self._latent: Latent | None = None

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Array, dict]:
        super().reset(seed=seed)
        self._latent = self._environment.reset(1, self.np_random)
        return self._observation(), {}

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict]:
        if self._latent is None or self._latent.level == self._environment.horizon:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() first")
        self._latent, rewards = self._environment.step(self._latent, np.array([action]), self.np_random)
        over = self._latent.level == self._environment.horizon
        return self._observation(), float(rewards[0]), over, False, {}

    def _observation(self) -> Array:
        assert self._latent is not None
        return self._environment.observe(self._latent, self.np_random)[0]


def register_all() -> None:
    """Make every environment known to `gymnasium.make`; harmless when repeated."""
    for env, gymnasium_id in GYMNASIUM_IDS.items():
        if gymnasium_id not in gymnasium.registry:
            entry_point = f"{__name__}:{GymnasiumEnvironment.__name__}"
            gymnasium.register(gymnasium_id, entry_point=entry_point, kwargs={"env": env})
