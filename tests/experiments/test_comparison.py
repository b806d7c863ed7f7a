"""Which runs a comparison takes, and what is said of them."""

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.comparison import (
    CONTENDERS,
    Comparison,
    for_learner,
    in_words,
    is_quiet,
    last_states,
    over_seeds,
    quiet,
    result,
)
from ppe_core.experiments.run import run

BASE = RunConfig.from_flat({"horizon": 2, "samples": 300})


def test_all_learners_meet_the_same_worlds_and_seeds() -> None:
    comparison = Comparison(BASE, tuple(CONTENDERS), (300, 600), (0, 1), quiet_too=True)
    configs = comparison.configs()
    assert len(set(configs)) == len(configs) == len(CONTENDERS) * 2 * 2 * 2
    for learner in CONTENDERS:
        worlds = {(c.environment, c.horizon, c.samples, c.seed) for c in configs if c.learner.name == learner}
        assert len(worlds) == 8
    assert sum(map(is_quiet, configs)) == len(configs) / 2


def test_a_world_that_is_quiet_is_not_compared_twice() -> None:
    assert len(Comparison(quiet(BASE), ("ppe",), (300,), (0,), quiet_too=True).configs()) == 1


@pytest.mark.parametrize("world", ["park", "random-6-3-4"])
def test_a_world_of_tables_is_quiet_with_one_exogenous_state(world: str) -> None:
    noisy = RunConfig.from_flat({"env": "tabular", "world": world, "horizon": 3})
    silent = quiet(noisy)
    assert is_quiet(silent) and not is_quiet(noisy) and quiet(silent) == silent
    assert last_states(silent) == last_states(noisy)
    configs = Comparison(noisy, tuple(CONTENDERS), (300,), (0,), quiet_too=True).configs()
    assert {config.learner.name for config in configs} == set(CONTENDERS)


def test_rows_of_a_confusion_are_the_states_that_can_be_reached() -> None:
    diamond = RunConfig.from_flat({"env": "tabular", "world": "diamond", "horizon": 2})
    assert last_states(diamond) == [3]
    assert len(result(run(diamond)).confusions[-1]) == 1


def test_on_pictures_only_those_that_read_them_take_part_with_as_many_states_as_there_are() -> None:
    grid = RunConfig.from_flat({"env": "grid", "horizon": 2, "samples": 300})
    configs = Comparison(grid, tuple(CONTENDERS), (300,), (0,), quiet_too=False).configs()
    assert {config.learner.name for config in configs} == {"ppe", "homer", "id", "ac-state", "autoencoder"}
    assert for_learner(grid, "homer").learner.budget == 13


@pytest.mark.parametrize("learner", ["ppe", "id", "ppo"])
def test_a_result_says_the_same_of_every_kind_of_record(learner: str) -> None:
    record = run(for_learner(BASE, learner))
    found = result(record)
    assert (found.learner, found.value, found.episodes) == (learner, record.value, record.episodes)
    assert found.curve[-1][0] == record.episodes
    assert len(found.confusions) == (0 if learner == "ppo" else 2)
    for shares in found.confusions:
        assert np.allclose(shares.sum(1), 1)


def test_scores_are_medians_with_intervals_and_never_is_infinite() -> None:
    found = [result(run(for_learner(BASE.replace(seed=seed), "ppe"))) for seed in range(3)]
    (group,) = over_seeds(found, lambda x: x.accuracy)
    assert (group.learner, group.samples, group.quiet, group.runs) == ("ppe", 300, False, 3)
    assert group.low <= group.middle <= group.high <= 1
    assert over_seeds(found, lambda x: None) == []


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], "tells all states apart"),
        ([[1, 0], [1, 0], [0, 1]], "merges a and b"),
        ([[0.5, 0.5, 0], [0, 0, 1], [0, 0, 1]], "merges b and c; splits a"),
    ],
)
def test_what_was_merged_and_split_is_said(shares: list, words: str) -> None:
    assert in_words(np.array(shares, float), "abc") == words
