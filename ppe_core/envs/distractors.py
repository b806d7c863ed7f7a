"""What moves by itself in the visual gridworld: exogenous processes that draw themselves.

A `Distractor` is a Markov process that no action touches, together with the way its state looks in
an image. Frames are [n, height, width, 3] and uint8; `floor` says which pixels are dark in every
channel (floor, not wall, goal, lava or agent), for whoever may not hide the rest.
"""

from abc import abstractmethod

import numpy as np
from minigrid.core.constants import DIR_TO_VEC
from minigrid.core.grid import Grid

from ppe_core.config import GridSettings
from ppe_core.envs.base import Array, Exogenous
from ppe_core.envs.ellipses import ellipse_table
from ppe_core.envs.lock import FlippingBits
from ppe_core.layouts import FLOOR, START, Layout

COLOURS = 8


class Distractor(Exogenous):
    @abstractmethod
    def draw(self, frames: Array, floor: Array, state: Array) -> None:
        """Draw each state onto its (contiguous) frame, in place."""


class Nothing(Distractor):
    """No distractor: one state, which looks like nothing."""

    def start(self, n: int, rng: np.random.Generator) -> Array:
        return np.zeros(n, np.uint8)

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return state

    def draw(self, frames: Array, floor: Array, state: Array) -> None:
        pass


class Ellipses(Distractor):
    """The paper's noise: ellipses whose position, size and colour are drawn for each episode.

    A state holds for each ellipse x and y of the top left corner of its box, the same of the bottom
    right one, and its colour. The corners start anywhere in the top left and the bottom right
    quarter of the image; at each step every coordinate moves by the speed, up or down. At the ends
    of its range it turns back, so that ellipses neither leave the image nor turn inside out, and
    look alike at every time step. The palette belongs to the instance.
    """

    def __init__(self, settings: GridSettings, height: int, width: int, rng: np.random.Generator) -> None:
        self._ellipses = settings.ellipses
        self._speed = settings.speed
        self._occluding = settings.ellipse_style == "occluding"
        self._width = width
        self._low = np.array([0, 0, width // 2, height // 2], np.int16)
        self._high = np.array([width // 2, height // 2, width, height], np.int16)
        self._palette = rng.integers(0, 256, (COLOURS, 3), np.uint8)
        thickness = settings.thickness if settings.ellipse_style == "outline" else None
        self._table = ellipse_table(height, width, thickness)

    def start(self, n: int, rng: np.random.Generator) -> Array:
        corners = rng.integers(self._low, self._high, (n, self._ellipses, 4), np.int16, endpoint=True)
        colours = rng.integers(0, COLOURS, (n, self._ellipses, 1), np.int16)
        return np.concatenate([corners, colours], axis=-1)  # [n, ellipses, 5]

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return self.advance(state, 1, rng)

    def advance(self, state: Array, steps: int, rng: np.random.Generator) -> Array:
        moved = state.copy()
        moved[..., :4] = wander(state[..., :4], self._low, self._high, self._speed, steps, rng)
        return moved

    def draw(self, frames: Array, floor: Array, state: Array) -> None:
        """Ellipse by ellipse in all frames at once, so that later ones lie on top of earlier ones."""
        values, floor = frames.reshape(-1), floor.reshape(len(floor), -1)
        corners = np.arange(len(floor)) * floor.shape[1]  # of each frame in the batch
        for left, top, right, bottom, colour in state.astype(np.intp).transpose(1, 2, 0):  # each [n]
            size = (bottom - top) * (self._width + 1) + right - left
            length = self._table.length[size]
            before = length.cumsum() - length  # how many points the frames before have
            point = np.repeat(self._table.first[size] - before, length)
            point += np.arange(len(point))
            pixel = np.repeat(corners + top * self._width + left, length)  # [points of all frames]
            pixel += self._table.pixels[point]
            colour = np.repeat(colour.astype(np.uint8), length)
            if not self._occluding:
                visible = floor.reshape(-1)[pixel]
                pixel, colour = pixel[visible], colour[visible]
            pixel *= 3
            for channel in range(3):
                values[pixel + channel] = self._palette[colour, channel]


class Flicker(FlippingBits, Distractor):
    """Pixels that light up and go out by themselves, each in a colour of its own, the agent's too."""

    def __init__(self, height: int, width: int, rng: np.random.Generator) -> None:
        super().__init__(bits=height * width // 10, flip=0.3)
        self._pixels = rng.choice(height * width, self.bits, replace=False)
        self._colours = rng.integers(0, 256, (self.bits, 3), np.uint8)

    def draw(self, frames: Array, floor: Array, state: Array) -> None:
        frame, bit = state.nonzero()
        frames.reshape(len(frames), -1, 3)[frame, self._pixels[bit]] = self._colours[bit]


class ColourCast(Distractor):
    """A tint of the whole image: each channel is shifted by an amount that drifts."""

    LARGEST, DRIFT = 60, 10

    def start(self, n: int, rng: np.random.Generator) -> Array:
        return rng.integers(-self.LARGEST, self.LARGEST, (n, 3), np.int16, endpoint=True)

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return self.advance(state, 1, rng)

    def advance(self, state: Array, steps: int, rng: np.random.Generator) -> Array:
        low, high = np.array([-self.LARGEST]), np.array([self.LARGEST])
        return wander(state, low, high, self.DRIFT, steps, rng).astype(np.int16)

    def draw(self, frames: Array, floor: Array, state: Array) -> None:
        frames[...] = np.clip(frames + state[:, None, None], 0, 255)


class Ghost(Distractor):
    """A second agent, blue, that turns and walks at random over the floor: the noisy television.

    A state is 4 · cell + direction. The ghost goes behind the agent.
    """

    def __init__(self, layout: Layout, tile: int) -> None:
        cells = layout.cells(FLOOR + START)
        ahead = {(*cell, way): (*(cell + DIR_TO_VEC[way]), way) for cell in cells for way in range(4)}
        number = {state: index for index, state in enumerate(ahead)}
        self._moves = np.array(  # [states, 3]: forward unless something is in the way, left, right
            [(number.get(ahead[x, y, way], index), number[x, y, (way - 1) % 4], number[x, y, (way + 1) % 4])
             for (x, y, way), index in number.items()]
        )  # fmt: skip
        width = layout.width * tile
        self._corners = np.array([(y * width + x) * tile for x, y in cells])
        self._tile_pixels = (np.arange(tile)[:, None] * width + np.arange(tile)).ravel()
        tiles = [Grid.render_tile(None, way, tile_size=tile) for way in range(4)]
        self._tiles = np.array(tiles)[..., ::-1].reshape(4, -1, 3)  # the agent's red turned to blue

    def start(self, n: int, rng: np.random.Generator) -> Array:
        return rng.integers(len(self._moves), size=n)

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return self._moves[state, rng.integers(3, size=len(state))]

    def draw(self, frames: Array, floor: Array, state: Array) -> None:
        cell, way = np.divmod(state, 4)
        place = np.arange(len(state)) * floor[0].size + self._corners[cell]
        pixel = place[:, None] + self._tile_pixels  # [n, pixels of a tile]
        visible = floor.reshape(-1)[pixel]
        frames.reshape(-1, 3)[pixel[visible]] = self._tiles[way][visible]


def make_distractor(settings: GridSettings, layout: Layout, tile: int, rng: np.random.Generator) -> Distractor:
    height, width = layout.height * tile, layout.width * tile
    match settings.distractor:
        case "ellipses":
            return Ellipses(settings, height, width, rng)
        case "flicker":
            return Flicker(height, width, rng)
        case "cast":
            return ColourCast()
        case "ghost":
            return Ghost(layout, tile)
        case _:
            return Nothing()


def wander(values: Array, low: Array, high: Array, stride: int, steps: int, rng: np.random.Generator) -> Array:
    """Several steps at once of walks by ± stride that turn back at both ends of their range.

    Turning back folds the line of whole numbers onto the range, …, 1, 0, 0, 1, …, and a symmetric
    walk folded once at the end is the same process as one folded at every step. So k steps are one
    binomial draw, and values that start uniform stay uniform.
    """
    count = high.astype(np.int64) - low + 1
    ups = rng.binomial(steps, 0.5, values.shape)
    unfolded = (values - low + stride * (2 * ups - steps)) % (2 * count)
    return low + np.minimum(unfolded, 2 * count - 1 - unfolded)
