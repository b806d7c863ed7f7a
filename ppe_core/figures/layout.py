"""Where the river of paths runs: the levels of a run as columns of places, and flows between them.

A place is a recovered state, coloured by the true state that most of its paths reach. When a time
step has more recovered states than a reader can tell apart, a place is all recovered states of one
true state. The vertical order is that of the true states, so a state keeps its row over time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppe_core.experiments.records import LevelRecord

Array = np.ndarray


@dataclass(frozen=True)
class Places:
    """Where the paths of one time step end up, from top to bottom."""

    y: Array  # [places], 1 is the top
    room: Array  # [places], vertical space each has to itself
    paths: Array  # [places], how many were merged there
    states: Array  # [places], how many recovered states it stands for
    true: Array  # [places], the true state of most of its paths
    missed: Array  # [places], another place has the same true state and more paths, or it is several states


@dataclass(frozen=True)
class Column:
    """One time step."""

    h: int
    origin: Array  # [paths], the place in the column before that a path extends
    action: Array  # [paths], its last action
    place: Array  # [paths], the place it was merged into
    true: Array  # [paths], the true state it reaches
    wrong: Array  # [paths], merged with paths most of which reach another true state
    bands: dict[int, float]  # true state -> height of the middle of its row
    places: Places


# The one place before the first time step.
START = Places(*(np.array([x]) for x in (0.5, 0.5, 1, 1, 0, False)))


def columns(levels: Sequence[LevelRecord], most_places: int) -> list[Column]:
    found: list[Column] = []
    place_of_state = np.array([0])
    for level in levels:
        column, place_of_state = _column(level, place_of_state, most_places)
        found.append(column)
    return found


def followed(levels: Sequence[LevelRecord], plan: Sequence[int]) -> list[int]:
    """The path that a plan takes at each level; path p * A + a extends recovered state p."""
    num_actions, state, paths = len(levels[0].found.paths), 0, []
    for level, action in zip(levels, plan):
        paths.append(state * num_actions + action)
        state = int(np.searchsorted(level.found.states, level.found.survivor[paths[-1]]))
    return paths


def _column(level: LevelRecord, previous: Array, most_places: int) -> tuple[Column, Array]:
    """A level's column, and the place of each of its recovered states."""
    true = level.truth.states
    states, state = np.unique(level.found.survivor, return_inverse=True)
    main = _main_true_state(true, state, own=true[states])
    size = np.bincount(state)
    if len(states) <= most_places:
        order = np.lexsort((-size, main))
        place_of_state = np.argsort(order)
    else:
        place_of_state = np.unique(main, return_inverse=True)[1]
    place = place_of_state[state]
    bands, places = _places(level.truth.reachable, place_of_state, main, np.bincount(place))
    num_actions = len(true) // len(previous)
    column = Column(
        h=level.found.h,
        origin=np.repeat(previous, num_actions),
        action=level.found.paths[:, -1],
        place=place,
        true=true,
        wrong=main[state] != true,
        bands=bands,
        places=places,
    )
    return column, place_of_state


def _main_true_state(true: Array, state: Array, own: Array) -> Array:
    """The true state of most paths of each recovered state; on a tie that of the surviving path."""
    votes = np.zeros((len(own), true.max() + 1))
    np.add.at(votes, (state, true), 1)
    votes[np.arange(len(own)), own] += 0.5
    return votes.argmax(1)


def _places(reachable: Array, place_of_state: Array, main: Array, paths: Array) -> tuple[dict[int, float], Places]:
    """A row for each true state, as high as it has places, and empty if nothing was recovered there."""
    true = np.empty(len(paths), np.int64)
    true[place_of_state] = main
    rows = np.unique(np.concatenate([reachable, true]))
    heights = np.array([max(1, np.sum(true == row)) for row in rows], float)
    heights /= heights.sum()
    tops = 1 - np.concatenate([[0], heights.cumsum()])
    y, room, missed = np.empty(len(paths)), np.empty(len(paths)), np.zeros(len(paths), bool)
    states = np.bincount(place_of_state)
    for top, height, row in zip(tops, heights, rows):
        members = np.flatnonzero(true == row)
        y[members] = top - height * (np.arange(len(members)) + 0.5) / max(1, len(members))
        room[members] = height / max(1, len(members))
        missed[members[1:]] = True
    bands = dict(zip(rows.tolist(), (tops[:-1] - heights / 2).tolist()))
    return bands, Places(y, room, paths, states, true, missed | (states > 1))
