"""The visual gridworld (section 6 and appendix F of the paper) over MiniGrid's objects and pictures.

Description: an agent in a small grid of walls, lava and a goal, seen from above as an image in
which something else moves too (see `distractors`). The endogenous state is (x, y, direction).
Actions: F forward, L and R turn, LF and RF turn and then go forward. Walls block.
Observation: MiniGrid's picture of the grid and the agent with the distractor drawn into it:
(8 · height, 8 · width, 3), uint8, as Gymnasium and picture libraries want it.
Reward: 1 for an action that moves the agent onto a goal, -1 onto lava, -0.01 for any other. The
paper pays for *reaching* them, as MiniGrid does: turning there or bumping into a wall pays -0.01.
Start: the layout's start, facing right. Episodes end after H actions. With `absorbing`, goal and
lava keep the agent and every later reward is 0; without, it can walk on, and be paid again for
coming back.
"""

from typing import NamedTuple

import numpy as np
from minigrid.core.constants import DIR_TO_VEC
from minigrid.core.grid import Grid
from minigrid.core.world_object import Goal, Lava, Wall

from ppe_core.config import GridSettings
from ppe_core.envs.base import Array, Endogenous, Environment, Latent
from ppe_core.envs.distractors import Distractor, make_distractor
from ppe_core.layouts import GOAL, LAVA, WALL, Layout, read_layout
from ppe_core.seeding import Seeds

TILE = 8  # pixels along the side of a cell
DARK = 100  # floor is below this in every channel; walls, goal, lava and agent are not
CHUNK = 256  # frames drawn at once: they stay in the processor's cache

ACTIONS = {"F": (0, True), "L": (-1, False), "R": (1, False), "LF": (-1, True), "RF": (1, True)}
"""Name of each action, in order: by how much it turns to the right, whether it goes forward."""

DIRECTIONS = ("right", "down", "left", "up")
GOAL_REWARD, LAVA_REWARD, STEP_REWARD = 1.0, -1.0, -0.01


class Pose(NamedTuple):
    """An endogenous state; the direction is an index into DIRECTIONS."""

    x: int
    y: int
    direction: int


class VisualGridworld(Environment):
    observation_dtype = np.uint8

    def __init__(self, settings: GridSettings, horizon: int, seeds: Seeds) -> None:
        self.settings = settings
        self.horizon = horizon
        self.layout = read_layout(settings.layout)
        self.grid = make_grid(self.layout)
        self.poses, self.endogenous = _dynamics(self.grid, Pose(*self.layout.start, 0), settings.absorbing)
        self.exogenous: Distractor = make_distractor(settings, self.layout, TILE, seeds.generator("layout"))
        self.base_frames = np.array([self.grid.render(TILE, pose[:2], pose.direction) for pose in self.poses])
        self._floor = self.base_frames.max(-1) < DARK  # [states, height, width]
        self.observation_shape = self.base_frames.shape[1:]

    def observe(self, latent: Latent, rng: np.random.Generator) -> Array:
        """Prerendered states with distractors drawn into them; nothing is left to chance here."""
        frames = np.empty((len(latent.endogenous), *self.observation_shape), np.uint8)
        for first in range(0, len(frames), CHUNK):
            chunk = slice(first, first + CHUNK)
            states = latent.endogenous[chunk]
            frames[chunk] = self.base_frames[states]
            self.exogenous.draw(frames[chunk], self._floor[states], latent.exogenous[chunk])
        return frames

    def state_name(self, state: int) -> str:
        pose = self.poses[state]
        return f"({pose.x}, {pose.y}) {DIRECTIONS[pose.direction]}"


def make_grid(layout: Layout) -> Grid:
    """The layout built of MiniGrid's objects."""
    grid = Grid(layout.width, layout.height)
    for kind, thing in ((WALL, Wall), (GOAL, Goal), (LAVA, Lava)):
        for x, y in layout.cells(kind):
            grid.set(x, y, thing())
    return grid


def _dynamics(grid: Grid, start: Pose, absorbing: bool) -> tuple[list[Pose], Endogenous]:
    """Every pose that can be reached, in the order a breadth-first search finds them, and the tables."""
    number = {start: 0}
    poses, arrivals, rewards = [start], [], []
    for pose in poses:  # grows while it is read
        stuck = absorbing and _kind(grid, pose) in ("goal", "lava")
        moves = [(pose, 0.0) if stuck else _move(grid, pose, *action) for action in ACTIONS.values()]
        for arrival, _ in moves:
            if arrival not in number:
                number[arrival] = len(poses)
                poses.append(arrival)
        arrivals.append([number[arrival] for arrival, _ in moves])
        rewards.append([reward for _, reward in moves])
    certain = np.eye(len(poses))
    return poses, Endogenous(certain[0], certain[np.array([arrivals])], np.array([rewards]))


def _move(grid: Grid, pose: Pose, turn: int, forward: bool) -> tuple[Pose, float]:
    """Where an action leads and what it pays."""
    turned = pose._replace(direction=(pose.direction + turn) % 4)
    x, y = (int(z) for z in pose[:2] + DIR_TO_VEC[turned.direction])
    ahead = Pose(x, y, turned.direction)
    thing = grid.get(x, y)
    if not forward or (thing is not None and not thing.can_overlap()):
        return turned, STEP_REWARD
    return ahead, {"goal": GOAL_REWARD, "lava": LAVA_REWARD}.get(_kind(grid, ahead), STEP_REWARD)


def _kind(grid: Grid, pose: Pose) -> str:
    thing = grid.get(pose.x, pose.y)
    return "floor" if thing is None else thing.type
