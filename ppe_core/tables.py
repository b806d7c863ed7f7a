"""Small EX-BMDPs as text: the named worlds, random ones, and how one that somebody wrote is read.

A world is written as JSON, states, actions and exogenous states by their numbers from 0:

    {"transitions": [[1, 0], [[0.1, 0.9], 0]], "rewards": [[0, 0], [1, 0]], "start": 0,
     "exogenous": {"start": [0.5, 0.5], "transitions": [[0.9, 0.1], [0.1, 0.9]]},
     "states": ["gate", "bridge"], "actions": ["on", "back"]}

`transitions[s][a]` is the next endogenous state or a distribution over all of them. Only the
transitions are needed: rewards are 0 without the others, the start is state 0, there is one exogenous
state, and states and actions have no names.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

MOST_STATES, MOST_EXOGENOUS = 200, 64
FEWEST_ACTIONS, MOST_ACTIONS = 2, 20
MOST_CHARACTERS = 20_000  # a link has to carry them
LARGEST_REWARD = 100
ROUNDING = 1e-6  # how far the sum of a distribution may be from 1
NAME = re.compile(r"[^\W_]([^\W_]|[ -]){0,23}")  # letters, digits, spaces and hyphens
RANDOM = re.compile(r"random-(\d{1,3})-(\d{1,2})-(\d{1,2})")

Row = int | tuple[float, ...]  # a certain outcome or a distribution


class Sizes(NamedTuple):
    """Numbers of endogenous states, actions and exogenous states: all that is said of a random world."""

    states: int
    actions: int
    exogenous: int


@dataclass(frozen=True)
class World:
    """The tables of an EX-BMDP; whatever happens for sure is a number, not a distribution."""

    transitions: tuple[tuple[Row, ...], ...]  # [states][actions]
    rewards: tuple[tuple[float, ...], ...]  # [states][actions]
    start: Row = 0
    exogenous_start: Row = 0
    exogenous_transitions: tuple[Row, ...] = (0,)  # [exogenous states]
    states: tuple[str, ...] = ()  # names, if they have any
    actions: tuple[str, ...] = ()

    @property
    def sizes(self) -> Sizes:
        return Sizes(len(self.transitions), len(self.transitions[0]), len(self.exogenous_transitions))


def read_world(text: str) -> World | Sizes:
    """The world of a name or of JSON; of a random one the sizes."""
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not a text; allowed is {ALLOWED}")
    return _read(text.strip())


def canonical_world(text: str) -> str:
    """The one way to write a world: by its name if it has one, otherwise as JSON without spaces."""
    world = read_world(text)
    if isinstance(world, Sizes):
        return "random-" + "-".join(map(str, world))
    return next((name for name, known in NAMED.items() if known == world), _write(world))


def quiet_world(text: str) -> str:
    """The same endogenous world with nothing exogenous."""
    world = read_world(text)
    if isinstance(world, Sizes):
        return canonical_world(f"random-{world.states}-{world.actions}-1")
    return _write(World(world.transitions, world.rewards, world.start, states=world.states, actions=world.actions))


def sizes(text: str) -> Sizes:
    world = read_world(text)
    return world if isinstance(world, Sizes) else world.sizes


def names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the states and the actions of a world are called; empty where they have no names."""
    world = read_world(text)
    return ((), ()) if isinstance(world, Sizes) else (world.states, world.actions)


@lru_cache(maxsize=64)
def _read(text: str) -> World | Sizes:
    if text in NAMED:
        return NAMED[text]
    if found := RANDOM.fullmatch(text):
        return _checked_sizes(Sizes(*map(int, found.groups())))
    if not text.startswith("{"):
        raise ValueError(f"{text[:80]!r} is not {ALLOWED}")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"{len(text)} characters are more than the allowed {MOST_CHARACTERS}")
    try:
        written = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    return _world(written)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number")


def _world(written: dict[str, Any]) -> World:
    keys = ("transitions", "rewards", "start", "exogenous", "states", "actions")
    _check_keys("the world", written, keys)
    rows = _list("transitions", written.get("transitions"), MOST_STATES, "states")
    count = len(_list("transitions[0]", rows[0], MOST_ACTIONS, "actions"))
    size = _checked_sizes(Sizes(len(rows), count, 1))
    exogenous = written.get("exogenous", {"start": 0, "transitions": [0]})
    _check_keys("exogenous", exogenous, ("start", "transitions"))
    chain = _list("exogenous.transitions", exogenous.get("transitions"), MOST_EXOGENOUS, "exogenous states")
    rewards = written.get("rewards", [[0] * size.actions] * size.states)
    return World(
        transitions=tuple(
            tuple(_row(f"transitions[{s}][{a}]", row, size.states) for a, row in enumerate(moves))
            for s, moves in enumerate(_table("transitions", rows, size))
        ),
        rewards=tuple(
            tuple(_number(f"rewards[{s}][{a}]", x, -LARGEST_REWARD, LARGEST_REWARD) for a, x in enumerate(line))
            for s, line in enumerate(_table("rewards", rewards, size))
        ),
        start=_row("start", written.get("start", 0), size.states),
        exogenous_start=_row("exogenous.start", exogenous.get("start", 0), len(chain)),
        exogenous_transitions=tuple(
            _row(f"exogenous.transitions[{x}]", row, len(chain)) for x, row in enumerate(chain)
        ),
        states=_names("states", written.get("states", []), size.states),
        actions=_names("actions", written.get("actions", []), size.actions),
    )


def _write(world: World) -> str:
    written: dict[str, Any] = {
        "transitions": world.transitions, "rewards": world.rewards, "start": world.start,
        "exogenous": {"start": world.exogenous_start, "transitions": world.exogenous_transitions},
    }  # fmt: skip
    written |= {key: names for key, names in (("states", world.states), ("actions", world.actions)) if names}
    return json.dumps(written, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _checked_sizes(size: Sizes) -> Sizes:
    limits = ((1, MOST_STATES), (FEWEST_ACTIONS, MOST_ACTIONS), (1, MOST_EXOGENOUS))
    for number, noun, (low, high) in zip(size, ("states", "actions", "exogenous states"), limits):
        if not low <= number <= high:
            raise ValueError(f"{number} {noun} are outside the allowed range {low} to {high}")
    return size


def _check_keys(place: str, written: Any, allowed: Sequence[str]) -> None:
    if not isinstance(written, dict):
        raise ValueError(f"{place}: {_short(written)} is not an object with {', '.join(allowed)}")
    if unknown := [key for key in written if key not in allowed]:
        raise ValueError(f"{place}: {_short(unknown[0])} is not one of {', '.join(allowed)}")


def _list(place: str, written: Any, most: int, noun: str) -> list[Any]:
    if not isinstance(written, list) or not 1 <= len(written) <= most:
        raise ValueError(f"{place}: {_short(written)} is not a list of 1 to {most} {noun}")
    return written


def _table(place: str, written: Any, size: Sizes) -> list[list[Any]]:
    """A list for each state with an entry for each action."""
    if not isinstance(written, list) or len(written) != size.states:
        raise ValueError(f"{place}: {_short(written)} is not a list of {size.states} states")
    for state, line in enumerate(written):
        if not isinstance(line, list) or len(line) != size.actions:
            raise ValueError(f"{place}[{state}]: {_short(line)} is not a list of {size.actions} actions")
    return written


def _row(place: str, written: Any, count: int) -> Row:
    """An outcome, or a distribution over all of them."""
    if isinstance(written, int) and not isinstance(written, bool) and 0 <= written < count:
        return written
    if not isinstance(written, list) or len(written) != count:
        raise ValueError(
            f"{place}: {_short(written)} is neither a number from 0 to {count - 1} nor a list of {count} probabilities"
        )
    chances = tuple(_number(f"{place}[{i}]", chance, 0, 1) for i, chance in enumerate(written))
    if abs(sum(chances) - 1) > ROUNDING:
        raise ValueError(f"{place}: the probabilities add up to {sum(chances):.6g}, not to 1")
    return chances.index(1) if 1 in chances else chances


def _number(place: str, written: Any, low: float, high: float) -> float:
    if isinstance(written, bool) or not isinstance(written, int | float) or not low <= written <= high:
        raise ValueError(f"{place}: {_short(written)} is not a number in the allowed range {low} to {high}")
    return int(written) if written == int(written) else written


def _names(place: str, written: Any, count: int) -> tuple[str, ...]:
    if written == []:
        return ()
    if not isinstance(written, list) or len(written) != count or len(set(map(str, written))) != count:
        raise ValueError(f"{place}: {_short(written)} is not a list of {count} different names")
    for name in written:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(f"{place}: {_short(name)} is not a name of up to 24 letters, digits, spaces and hyphens")
    return tuple(written)


def _short(written: Any) -> str:
    text = "nothing" if written is None else repr(written)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _side_by_side(*chains: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """Independent Markov chains as one: its states are all combinations of theirs."""
    combinations = list(product(*(range(len(chain)) for chain in chains)))
    return tuple(tuple(_chance(chains, now, then) for then in combinations) for now in combinations)


def _chance(chains: Sequence[Sequence[Sequence[float]]], now: Sequence[int], then: Sequence[int]) -> float:
    chance = 1.0
    for chain, i, j in zip(chains, now, then):
        chance *= chain[i][j]
    return round(chance, 12)


def _uniform(count: int) -> tuple[float, ...]:
    return (1 / count,) * count


DUCKS = ((0.8, 0.2, 0.0), (0.1, 0.8, 0.1), (0.0, 0.2, 0.8))  # left, middle and right of the pond
PEOPLE = ((0.9, 0.1), (0.3, 0.7))  # nobody, somebody in the background
LIGHT = ((0.95, 0.05), (0.1, 0.9))  # sun, clouds

NAMED = {
    # The paper's introduction: a lonely sidewalk next to a pond; ducks, people and light come and go.
    "park": World(
        transitions=((1, 0, 0), (2, 0, 1), (3, 1, 2), (4, 2, 3), (5, 3, 4), (5, 5, 5)),
        rewards=((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0), (0, 0, 0)),
        exogenous_start=_uniform(12),
        exogenous_transitions=_side_by_side(DUCKS, PEOPLE, LIGHT),
        states=("gate", "oak", "bench", "pond", "bridge", "home"),
        actions=("on", "back", "wait"),
    ),
    # The smallest world in which paths part and meet again.
    "diamond": World(
        transitions=((1, 2), (3, 3), (3, 3), (0, 3)),
        rewards=((0, 0), (0, 0), (0, 1), (0, 0)),
        exogenous_start=_uniform(2),
        exogenous_transitions=((0.9, 0.1), (0.1, 0.9)),
        states=("top", "left", "right", "bottom"),
        actions=("left", "right"),
    ),
    # A walk around a lake, there and back; beside it the light goes round by itself.
    "ring": World(
        transitions=tuple(((place + 1) % 8, (place - 1) % 8, place) for place in range(8)),
        rewards=tuple((int(place == 3), int(place == 5), 0) for place in range(8)),
        exogenous_start=_uniform(4),
        exogenous_transitions=(1, 2, 3, 0),
    ),
}
ALLOWED = (
    f"one of {', '.join(NAMED)}, random-S-A-X with numbers of states (1 to {MOST_STATES}), actions "
    f"({FEWEST_ACTIONS} to {MOST_ACTIONS}) and exogenous states (1 to {MOST_EXOGENOUS}), or a world written in JSON"
)
