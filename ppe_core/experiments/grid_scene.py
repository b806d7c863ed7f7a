"""What a gridworld looks like to a figure: plain arrays, no environment."""

from dataclasses import dataclass

import numpy as np

from ppe_core.config import GridSettings, RunConfig

Array = np.ndarray
TILE = 48  # pixels along the side of a cell
NOWHERE = (-1, -1)


@dataclass(frozen=True)
class GridScene:
    """The empty grid and what the numbers of states and actions stand for."""

    background: Array  # [height, width, 3], uint8
    poses: Array  # [states, 3]: x, y, direction (right, down, left, up) of each endogenous state
    actions: tuple[str, ...]


def grid_scene(settings: GridSettings) -> GridScene:
    from ppe_core.envs.gridworld import ACTIONS, VisualGridworld  # MiniGrid takes half a second to import
    from ppe_core.seeding import Seeds

    world = VisualGridworld(settings, RunConfig().horizon, Seeds(0))
    return GridScene(world.grid.render(TILE, NOWHERE), np.array(world.poses), tuple(ACTIONS))
