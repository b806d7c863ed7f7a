"""From settings to an environment; the one place that knows all of them."""

from ppe_core.config import ExoLockSettings, GridSettings, RunConfig, TabularSettings
from ppe_core.envs.base import Environment
from ppe_core.envs.exo_lock import ExogenousLock
from ppe_core.envs.lock import CombinationLock
from ppe_core.envs.tabular import TabularWorld
from ppe_core.seeding import Seeds

DESCRIPTIONS = {
    "lock": "combination lock with exogenous bits (section 6 of the paper)",
    "exo-lock": "combination lock whose reward depends on an exogenous light, for planning with PSDP",
    "grid": "visual gridworld with distractors (section 6 of the paper)",
    "tabular": "any small EX-BMDP from tables (section 2 of the paper)",
}


def make_environment(config: RunConfig) -> Environment:
    seeds = Seeds(config.seed)
    if isinstance(config.environment, GridSettings):
        from ppe_core.envs.gridworld import VisualGridworld  # MiniGrid takes half a second to import

        return VisualGridworld(config.environment, config.horizon, seeds)
    if isinstance(config.environment, TabularSettings):
        return TabularWorld(config.environment, config.horizon, seeds)
    kind = ExogenousLock if isinstance(config.environment, ExoLockSettings) else CombinationLock
    return kind(config.environment, config.horizon, seeds)
