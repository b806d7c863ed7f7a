"""Where the paths of a time step are while they merge: with the path they extend, in slots of their own, merged.

A dot is one path of Υ_h. Where a run has more paths than can be told apart, a dot is all paths of a
time step that extend the same place, reach the same true state and end in the same place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.layout import START, Array, Column, Places, columns
from ppe_core.figures.merge_words import Step
from ppe_core.figures.palette import STATE_NAMES

MOST_PLACES, MOST_PLACES_WHEN_LONG = 24, 5
LONG = 12  # time steps
MOST_DOTS, FEW_DOTS = 2300, 40  # in a run; in a time step that is never bundled
SLOT_PIXELS = 9  # a dot and the gap to the next
LOW, HIGH = 440, 560  # of the figure, pixels
ROW_PIXELS = 8
HEADROOM = 1.16  # rows are between 0 and 1, headers above them
LEFT, RIGHT, TOP, BOTTOM = 20, 12, 8, 12  # margins
NAMES = 130  # the right margin, when the names of states are in it
MARGIN = 0.042  # of what is in view, to its left and right
FEW_ROWS = 12  # time steps with no more are seen side by side
WIDE_VIEW, NARROW_VIEW = 6.0, 1.25  # time steps seen at once
LEVEL_PIXELS, BRIEF_PIXELS = 116, 64  # what the header of a time step needs, and a brief one
MOST_HEADERS = 10
SLOTS_FROM, SLOTS_TO = 0.3, 0.66  # where between two time steps the slots may be


@dataclass(frozen=True)
class Fan:
    """The dots of one time step, and where each is in the course of it: [dots, x and y]."""

    column: Column
    at_parent: Array
    in_slot: Array
    merged: Array
    first: Array  # [dots], the first of its paths
    size: Array  # [dots], how many paths it stands for
    representative: Array  # [dots], the dot of the path it is merged with

    @property
    def h(self) -> int:
        return self.column.h

    @property
    def true(self) -> Array:
        """The true states they reach: [dots]."""
        return self.column.true[self.first]

    @property
    def found(self) -> Array:
        """The true states that the places they are merged into stand for: [dots]."""
        return self.column.places.true[self.column.place[self.first]]

    @property
    def wrong(self) -> Array:
        return self.column.wrong[self.first]


@dataclass(frozen=True)
class Scene:
    """The finished levels of a run, laid out."""

    environment: str
    horizon: int
    levels: Sequence[LevelRecord]

    @cached_property
    def flow(self) -> list[Column]:
        """The columns of places; a state has a place of its own unless far too many were recovered."""
        most = MOST_PLACES_WHEN_LONG if self.is_long else MOST_PLACES
        true = max((len(level.truth.reachable) for level in self.levels), default=0)
        return columns(self.levels, max(most, 3 * true // 2))

    @cached_property
    def fans(self) -> list[Fan]:
        is_crowded = sum(len(column.place) for column in self.flow) > MOST_DOTS
        befores = [START, *(column.places for column in self.flow)]
        return [
            _fan(level, column, before, self.row_pixels, is_crowded and len(column.place) > FEW_DOTS)
            for level, column, before in zip(self.levels, self.flow, befores)
        ]

    @property
    def height(self) -> int:
        return min(max(LOW, int(HEADROOM * ROW_PIXELS * self._rows) + TOP + BOTTOM), HIGH)

    @property
    def row_pixels(self) -> float:
        """What all rows have together."""
        return (self.height - TOP - BOTTOM) / HEADROOM

    @property
    def minimum_width(self) -> int:
        """Pixels below which a time step would be too narrow; the figure has to scroll."""
        all_in_brief = BRIEF_PIXELS * min(self.horizon, MOST_HEADERS)
        return LEFT + self.right + int(max(LEVEL_PIXELS * max(2, self.view), all_in_brief))

    @property
    def has_names(self) -> bool:
        """Whether the states have names worth a place in the figure."""
        return self.environment in STATE_NAMES

    @property
    def right(self) -> int:
        return NAMES if self.has_names else RIGHT

    @property
    def view(self) -> float:
        """How many time steps are seen at once."""
        return min(self.horizon, NARROW_VIEW if self._rows > FEW_ROWS else WIDE_VIEW)

    @property
    def is_long(self) -> bool:
        """Whether the whole run, seen at once, has no room for details."""
        return self.horizon > LONG

    @property
    def _rows(self) -> int:
        return max((len(column.places.y) for column in self.flow), default=0)

    def steps(self, has_plan: bool) -> list[Step]:
        """What the frames show, in their order; with the plan the whole run is seen at the end."""
        found = [Step(0, "start")]
        for h in range(1, len(self.levels) + 1):
            found += [Step(h, "look")] if h > self.view else []
            found += [Step(h, "extend"), Step(h, "compare"), Step(h, "merge")]
        return [*found, Step(len(self.levels), "end")] if has_plan else found

    def camera(self, step: Step) -> list[float]:
        """The time steps in view, from and to: the last ones, or at the end all."""
        last = self.horizon if step.phase == "end" else max(step.h, self.view)
        first = 0 if step.phase == "end" else last - self.view
        margin = MARGIN * (last - first)
        return [round(first - margin, 3), round(last + margin, 3)]

    def focus(self, step: Step) -> float:
        """How far right in the figure what matters is: 0 is the left edge, 1 the right."""
        return 1.0 if step.phase == "end" else min(step.h / self.view, 1.0)


def _fan(level: LevelRecord, column: Column, before: Places, pixels: float, bundled: bool) -> Fan:
    dot_of_path, first, size = _dots(column, bundled)
    origin = column.origin[first]
    slots = _slots(origin, before, pixels)
    slots[:, 0] += column.h - 1
    return Fan(
        column=column,
        at_parent=_points(column.h - 1, before.y[origin]),
        in_slot=slots,
        merged=_points(column.h, column.places.y[column.place[first]]),
        first=first,
        size=size,
        representative=dot_of_path[level.found.survivor[first]],
    )


def _dots(column: Column, bundled: bool) -> tuple[Array, Array, Array]:
    """The dot of each path, and the first path and the number of paths of each dot."""
    count = len(column.place)
    if not bundled:
        return np.arange(count), np.arange(count), np.ones(count, int)
    kinds = np.column_stack([column.origin, column.place, column.true])
    _, first, dot_of_path, size = np.unique(kinds, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return dot_of_path.ravel(), first, size


def _slots(origin: Array, before: Places, pixels: float) -> Array:
    """A slot for each dot in the room of the place it comes from, side by side where the room is low."""
    slots = np.empty((len(origin), 2))
    for place in np.unique(origin):
        members = np.flatnonzero(origin == place)
        room = 0.86 * before.room[place]
        side_by_side = min(len(members), int(np.ceil(len(members) * SLOT_PIXELS / (room * pixels))))
        row, across = np.divmod(np.arange(len(members)), side_by_side)
        rows = row[-1] + 1
        slots[members, 0] = SLOTS_FROM + (SLOTS_TO - SLOTS_FROM) * (across + 0.5) / side_by_side
        slots[members, 1] = before.y[place] + room * (0.5 - (row + 0.5) / rows)
    return slots


def _points(x: float, y: Array) -> Array:
    return np.column_stack([np.full(len(y), x), y])
