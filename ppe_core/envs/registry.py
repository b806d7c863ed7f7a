"""From settings to an environment; the one place that knows all of them."""

from ppe_core.config import LockSettings, RunConfig
from ppe_core.envs.base import Environment
from ppe_core.envs.lock import CombinationLock
from ppe_core.seeding import Seeds

_CLASSES = {LockSettings: CombinationLock}

DESCRIPTIONS = {"lock": "combination lock with exogenous bits (section 6 of the paper)"}


def make_environment(config: RunConfig) -> Environment:
    build = _CLASSES[type(config.environment)]
    return build(config.environment, config.horizon, Seeds(config.seed))
