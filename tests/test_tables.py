"""Worlds as text: what is read, what is refused, and the one way to write each."""

import json

import pytest

from ppe_core.config import RunConfig, TabularSettings
from ppe_core.tables import NAMED, Sizes, World, canonical_world, quiet_world, read_world, sizes

WRITTEN = {
    "transitions": [[1, 0], [[0.1, 0.9], 0]],
    "rewards": [[0, 0], [1, 0.5]],
    "start": [0.25, 0.75],
    "exogenous": {"start": [0.5, 0.5], "transitions": [[0.9, 0.1], [0, 1]]},
    "states": ["gate", "bridge"],
    "actions": ["on", "back"],
}


def test_a_written_world_is_read() -> None:
    world = read_world(json.dumps(WRITTEN))
    assert isinstance(world, World)
    assert world.transitions == ((1, 0), ((0.1, 0.9), 0))
    assert world.exogenous_transitions == ((0.9, 0.1), 1)
    assert world.states == ("gate", "bridge") and world.sizes == (2, 2, 2)


def test_only_the_transitions_are_needed() -> None:
    assert read_world('{"transitions": [[0, 0]]}') == World(((0, 0),), ((0, 0),))


@pytest.mark.parametrize("name", NAMED)
def test_named_worlds_keep_their_rules_and_their_names(name: str) -> None:
    text = quiet_world(name)
    assert sizes(text) == sizes(name)._replace(exogenous=1)
    named = NAMED[name]
    written = json.loads(text) | {
        "exogenous": {"start": named.exogenous_start, "transitions": named.exogenous_transitions}
    }
    assert canonical_world(json.dumps(written)) == name


def test_there_is_one_way_to_write_a_world() -> None:
    spaced = json.dumps(WRITTEN, indent=4)
    turned = json.dumps(dict(reversed(WRITTEN.items())))
    certain = json.dumps(WRITTEN | {"transitions": [[[0, 1], [1.0, 0.0]], [[0.1, 0.9], 0]]})
    assert canonical_world(spaced) == canonical_world(turned) == canonical_world(certain)
    assert canonical_world(canonical_world(spaced)) == canonical_world(spaced)
    assert canonical_world(" random-012-4-08 ") == "random-12-4-8"
    assert RunConfig.from_flat({"env": "tabular", "world": spaced}).id == RunConfig.from_flat(
        {"env": "tabular", "world": turned}
    ).id  # fmt: skip


def test_a_random_world_is_its_sizes() -> None:
    assert read_world("random-12-4-8") == Sizes(12, 4, 8)
    assert quiet_world("random-12-4-8") == "random-12-4-1"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"transitions": [[1, 2], [0, 0]]}, ["transitions[0][1]", "2", "0 to 1"]),
        ({"transitions": [[1, -1], [0, 0]]}, ["transitions[0][1]", "-1", "0 to 1"]),
        ({"transitions": [[1, True], [0, 0]]}, ["transitions[0][1]", "True"]),
        ({"transitions": [[1, [0.5, 0.4]], [0, 0]]}, ["transitions[0][1]", "0.9", "1"]),
        ({"transitions": [[1, [0.5, 0.5, 0]], [0, 0]]}, ["transitions[0][1]", "2 probabilities"]),
        ({"transitions": [[1, [1.5, -0.5]], [0, 0]]}, ["transitions[0][1][0]", "1.5", "0 to 1"]),
        ({"transitions": [[1, 0], [0]]}, ["transitions[1]", "2 actions"]),
        ({"transitions": [[0], [0]]}, ["1 actions", "2 to 20"]),
        ({"transitions": [[0] * 21]}, ["transitions[0]", "1 to 20 actions"]),
        ({"transitions": [[0, 0]] * 201}, ["transitions", "1 to 200 states"]),
        ({"transitions": []}, ["transitions", "1 to 200 states"]),
        ({"transitions": None}, ["transitions", "nothing"]),
        ({"rewards": [[0, 0]]}, ["rewards", "2 states"]),
        ({"rewards": [[0, 0], [0, "much"]]}, ["rewards[1][1]", "'much'", "-100 to 100"]),
        ({"rewards": [[0, 0], [0, 1e9]]}, ["rewards[1][1]", "-100 to 100"]),
        ({"start": 2}, ["start", "2", "0 to 1"]),
        ({"exogenous": {"start": 0, "transitions": [0] * 65}}, ["exogenous.transitions", "1 to 64"]),
        ({"exogenous": {"start": [1], "transitions": [0, 1]}}, ["exogenous.start", "2 probabilities"]),
        ({"exogenous": {"start": 0, "transitions": [0, [0.5, 0.6]]}}, ["exogenous.transitions[1]", "1.1"]),
        ({"exogenous": 3}, ["exogenous", "3", "start, transitions"]),
        ({"states": ["one"]}, ["states", "2 different names"]),
        ({"states": ["one", "one"]}, ["states", "2 different names"]),
        ({"states": ["one", "<b>two</b>"]}, ["states", "'<b>two</b>'", "letters"]),
        ({"actions": ["on", 3]}, ["actions", "3", "letters"]),
        ({"emission": 1}, ["'emission'", "transitions, rewards"]),
    ],
)
def test_a_wrong_world_is_refused_with_place_value_and_range(changes: dict, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        TabularSettings(world=json.dumps(WRITTEN | changes))
    for word in ["world: ", *words]:
        assert word in str(error.value)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("atlantis", "park, diamond, ring"),
        ("random-201-4-8", "201 states are outside the allowed range 1 to 200"),
        ("random-20-1-8", "1 actions"),
        ("random-20-4-65", "65 exogenous states"),
        ("random-20-4", "random-S-A-X"),
        ('{"transitions": [[0, NaN]]}', "NaN is not a number"),
        ('{"transitions": ', "not JSON"),
        ('{"transitions": ' + "[" * 15_000, "nested too deeply"),
        ('{"transitions": ' + "[[0, 0]," * 5_000, "more than the allowed 20000"),
        ('{"rewards": ' + "1" * 5_000 + "}", "world: "),
        (7, "7 is not a text"),
        ("[]", "'[]' is not one of"),
    ],
)  # fmt: skip
def test_what_is_no_world_is_refused(text: str, word: str) -> None:
    with pytest.raises(ValueError) as error:
        TabularSettings(world=text)
    assert word in str(error.value)
