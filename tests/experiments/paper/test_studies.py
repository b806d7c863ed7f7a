"""What each figure takes: the paper's grids and seeds."""

import pytest

from ppe_core.experiments.limits import Limits
from ppe_core.experiments.paper.studies import (
    BISIM,
    FIGURES,
    HOMER,
    HORIZONS,
    ID,
    PPO,
    PRINTED,
    RND,
    SIGNATURE,
)
from ppe_core.metrics import HALF_REGRET_LIMIT


def configs(figure: str, line: str) -> list:
    (found,) = [x for x in FIGURES[figure].lines("full") if x.name == line]
    return [config for study in found.studies for config in study.configs()]


@pytest.mark.parametrize(
    ("line", "grid"),
    [
        (PRINTED, {"samples": {500, 2000, 5000}}),
        (SIGNATURE, {"samples": {500, 2000, 5000}}),
        (HOMER, {"samples": {2000, 5000, 10_000}}),
        (ID, {"samples": {2000, 5000, 10_000}}),
        (PPO, {"entropy": {0.1, 0.01}}),
        (RND, {"entropy": {0.1, 0.01}, "bonus": {100, 500}}),
        (BISIM, {}),
    ],
)
def test_figure_2b_has_the_grids_and_seeds_of_the_appendix(line: str, grid: dict) -> None:
    runs = [config.flat() for config in configs("fig2b", line)]
    assert {run["horizon"] for run in runs} == set(HORIZONS)
    assert {run["seed"] for run in runs} == set(range(5))
    for name, values in grid.items():
        assert {run[name] for run in runs} == values
    points = 1
    for values in grid.values():
        points *= len(values)
    assert len(runs) == len(HORIZONS) * 5 * points


def test_the_printed_algorithm_is_the_paper_to_the_letter() -> None:
    for config in configs("fig2b", PRINTED):
        assert (config.learner.gap, config.learner.recipe, config.learner.sampling) == ("paper", "paper", "iid")


@pytest.mark.parametrize("line", [PPO, RND, BISIM])
def test_whole_episodes_are_played_until_nothing_can_be_made_up_any_more(line: str) -> None:
    """After half of all episodes without a return, all others together earn just half of what is possible."""
    for config in configs("fig2b", line):
        episodes = config.samples * config.horizon
        assert HALF_REGRET_LIMIT / 2 <= episodes <= HALF_REGRET_LIMIT
        assert episodes == HALF_REGRET_LIMIT or config.horizon >= 20


def test_the_accuracy_of_figure_2c_is_over_ten_seeds_with_and_without_noise() -> None:
    runs = FIGURES["fig2c"].configs("full")
    assert {(c.horizon, c.environment.exo_dim) for c in runs} == {(2, 0), (2, 100)}
    assert {c.seed for c in runs} == set(range(10))


@pytest.mark.parametrize("name", FIGURES)
def test_quick_is_a_part_of_full_that_any_visitor_may_run(name: str) -> None:
    figure = FIGURES[name]
    assert set(figure.configs("quick")) <= set(figure.configs("full"))
    assert len(figure.configs("quick")) <= Limits().queued
    for config in figure.configs("quick"):
        Limits().check(config, seconds=0)
    assert figure.reduced["quick"] or not figure.configs("quick")
