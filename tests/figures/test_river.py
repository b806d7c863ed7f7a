"""The river of paths, on real runs and on records made by hand."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.figures.palette import MISSED, PLAN, WRONG
from ppe_core.figures.river import describe, river

JSON_LIMIT = 1_500_000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(RunConfig.from_flat({"horizon": 4, "samples": 500}))


class Maker:
    """Makes levels with given merges out of a real one."""

    def __init__(self, template: LevelRecord) -> None:
        self.template = template

    def level(self, paths: np.ndarray, true: np.ndarray, survivor: np.ndarray) -> LevelRecord:
        found = replace(self.template.found, h=paths.shape[1], paths=paths, survivor=survivor)
        return LevelRecord(found, replace(self.template.truth, states=true, reachable=np.unique(true)))

    def first_level(self, true: list[int], survivor: list[int]) -> LevelRecord:
        return self.level(np.arange(len(true))[:, None], np.array(true), np.array(survivor))


@pytest.fixture
def make(record: RunRecord) -> Maker:
    return Maker(record.levels[0])


def trace(figure: go.Figure, name: str) -> go.Scatter | None:
    return next((t for t in figure.data if t.name == name), None)


def draw(record: RunRecord, levels: int | None = None) -> go.Figure:
    return river("lock", record.config.horizon, record.levels[:levels], record.plan.tolist())


def counts(figure: go.Figure, h: int) -> list[int]:
    """The numbers in the nodes of one time step."""
    traces = [t for t in (trace(figure, "states"), trace(figure, "missed merges")) if t]
    return [int(count) for t in traces for x, count in zip(t.x, t.customdata) if x == h]


def test_every_path_is_counted_in_exactly_one_state(record: RunRecord) -> None:
    figure = draw(record)
    for level in record.levels:
        assert sorted(counts(figure, level.found.h)) == sorted(np.unique_counts(level.found.survivor).counts)


def test_headers_say_how_many_paths_became_how_many_states(record: RunRecord) -> None:
    assert draw(record).layout.xaxis.ticktext[1] == "<b>h = 2</b><br>30 paths<br>→ 3 states"


def test_a_growing_run_keeps_its_axes(record: RunRecord) -> None:
    figures = [river("lock", 4, record.levels[:k]) for k in range(5)]
    assert len({(f.layout.xaxis.range, f.layout.yaxis.range, f.layout.height) for f in figures}) == 1
    assert [sum(counts(f, h) != [] for h in range(1, 5)) for f in figures] == [0, 1, 2, 3, 4]


def test_a_state_keeps_its_row_over_time(record: RunRecord) -> None:
    states = trace(draw(record), "states")
    rows = {(colour, round(float(y), 3)) for colour, x, y in zip(states.marker.color, states.x, states.y) if x > 0}
    assert len(rows) == 3


def test_without_errors_nothing_is_marked_as_one(record: RunRecord) -> None:
    figure = draw(record)
    assert record.errors == (0, 0)
    assert trace(figure, "wrong merges") is None
    assert trace(figure, "missed merges") is None
    assert not {t.line.color for t in figure.data} & {WRONG, MISSED}


def test_a_wrong_merge_has_a_colour_and_a_symbol(make: Maker) -> None:
    figure = river("lock", 1, [make.first_level([0, 1, 2, 2], [0, 1, 1, 1])])
    crosses = trace(figure, "wrong merges")
    assert (len(crosses.x), crosses.marker.symbol, crosses.marker.color) == (1, "x", WRONG)
    assert "wrongly merged into c" in crosses.text[0]
    assert WRONG in {t.line.color for t in figure.data}


def test_a_missed_merge_has_another_colour_and_symbol(make: Maker) -> None:
    figure = river("lock", 1, [make.first_level([0, 1, 2, 2, 2], [0, 1, 2, 2, 4])])
    diamonds = trace(figure, "missed merges")
    assert (len(diamonds.x), diamonds.marker.symbol, diamonds.marker.line.color) == (1, "diamond", MISSED)
    assert counts(figure, 1) == [1, 1, 2, 1]


def test_a_state_that_was_not_recovered_is_named_as_missing(make: Maker) -> None:
    figure = river("lock", 1, [make.first_level([0, 1, 2, 2], [0, 0, 0, 0])])
    texts = [note.text for note in figure.layout.annotations]
    assert sum("not recovered" in text for text in texts) == 2


def test_the_plan_runs_from_the_start_through_its_actions_to_its_state(record: RunRecord) -> None:
    figure = draw(record)
    line = next(t for t in figure.data if t.mode == "lines" and t.line.color == PLAN)
    states = trace(figure, "states")
    last = [y for x, y, count in zip(states.x, states.y, states.customdata) if x == 4 and count == 1]
    assert (line.x[0], line.y[0]) == (0, 0.5)
    assert np.nanmax(line.x) == 4
    assert line.y[~np.isnan(line.y)][-1] == pytest.approx(max(last))  # the top row: the state that pays 1
    assert list(trace(figure, "plan").text) == [str(action) for action in record.plan]


@pytest.mark.parametrize("horizon", [1, 12, 13, 40])
def test_any_horizon_can_be_drawn(horizon: int) -> None:
    record = run(RunConfig.from_flat({"horizon": horizon, "samples": 500}))
    figure = draw(record)
    assert sum(counts(figure, horizon)) == len(record.levels[-1].found.paths)
    assert len(plotly.io.to_json(figure)) < JSON_LIMIT / 5


@pytest.mark.parametrize("states", [8, 100, 300])
def test_a_run_that_goes_wrong_everywhere_stays_small(make: Maker, states: int) -> None:
    rng = np.random.default_rng(0)
    levels, previous = [], 1
    for h in range(1, 41):
        size = previous * 10
        survivor = np.where(np.arange(size) < states, np.arange(size), rng.integers(min(states, size), size=size))
        paths = np.column_stack([np.zeros((size, h - 1), int), np.tile(np.arange(10), previous)])
        levels.append(make.level(paths, rng.integers(3, size=size), survivor))
        previous = len(np.unique(survivor))
    figure = river("lock", 40, levels)
    assert sum(counts(figure, 40)) == len(levels[-1].found.paths)
    assert len(plotly.io.to_json(figure)) < JSON_LIMIT


def test_the_picture_can_be_read_aloud(record: RunRecord) -> None:
    text = describe(4, record.levels)
    assert "h = 2: 30 paths merged into 3 states, 0 wrong and 0 missed merges" in text
