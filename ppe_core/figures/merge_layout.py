"""Where the paths of a time step are while they merge: with the path they extend, in slots of their own, merged.

A dot is one path of Υ_h. Where a run has more paths than can be told apart, a dot is all paths of a
time step that extend the same place, reach the same true state and end in the same place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.layout import START, Array, Column, Places, columns

MOST_PLACES, MOST_PLACES_WHEN_LONG = 24, 8
LONG = 12  # time steps
MOST_DOTS, FEW_DOTS = 3000, 60  # in a run; in a time step that is never bundled
SLOT_PIXELS = 9  # a dot and the gap to the next
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
    def place(self) -> Array:
        return self.column.place[self.first]

    @property
    def true(self) -> Array:
        return self.column.true[self.first]

    @property
    def wrong(self) -> Array:
        return self.column.wrong[self.first]


def flow(horizon: int, levels: Sequence[LevelRecord]) -> list[Column]:
    """The columns of places; a state has a place of its own unless far too many were recovered."""
    most = MOST_PLACES_WHEN_LONG if horizon > LONG else MOST_PLACES
    true = max((len(level.truth.reachable) for level in levels), default=0)
    return columns(levels, max(most, 3 * true // 2))


def fans(levels: Sequence[LevelRecord], flow: Sequence[Column], pixels: float) -> list[Fan]:
    """The dots of all time steps, for a figure whose rows share so many pixels."""
    is_crowded = sum(len(column.place) for column in flow) > MOST_DOTS
    befores = [START, *(column.places for column in flow)]
    return [
        _fan(level, column, before, pixels, is_crowded and len(column.place) > FEW_DOTS)
        for level, column, before in zip(levels, flow, befores)
    ]


def _fan(level: LevelRecord, column: Column, before: Places, pixels: float, bundled: bool) -> Fan:
    dot_of_path, first, size = _dots(column, bundled)
    origin = column.origin[first]
    slot = _slots(origin, before, pixels) + (column.h - 1, 0)
    return Fan(
        column=column,
        at_parent=_points(column.h - 1, before.y[origin]),
        in_slot=slot,
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
