"""The latent graph over the grid, on a small real run and on records made by hand."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.grid_scene import TILE, GridScene, grid_scene
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.figures.grid_graph import describe, grid_graph
from ppe_core.figures.palette import MISSED, PLAN, WRONG

CONFIG = RunConfig.from_flat({"env": "grid", "horizon": 2, "samples": 300})
JSON_LIMIT = 100_000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(CONFIG)


@pytest.fixture(scope="module")
def scene() -> GridScene:
    return grid_scene(CONFIG.environment)


def draw(scene: GridScene, levels: list[LevelRecord], plan: list[int] | None = None) -> go.Figure:
    return grid_graph(scene.background, TILE, scene.poses, 2, levels, plan)


def trace(figure: go.Figure, name: str) -> go.Scatter | None:
    return next((t for t in figure.data if t.name == name), None)


def merged(template: LevelRecord, survivor: list[int]) -> LevelRecord:
    """A first level with these merges."""
    return LevelRecord(replace(template.found, survivor=np.array(survivor)), template.truth)


def test_every_recovered_state_is_drawn_once_and_where_it_is(record: RunRecord, scene: GridScene) -> None:
    assert record.errors == (0, 0)
    states = trace(draw(scene, record.levels), "states")
    true = {0}.union(*(level.truth.states.tolist() for level in record.levels))
    assert len(states.x) == len(true)
    cells = {
        (round(float(x)), -round(float(y)), symbol) for x, y, symbol in zip(states.x, states.y, states.marker.symbol)
    }
    symbols = ("triangle-right", "triangle-down", "triangle-left", "triangle-up")
    assert cells == {(x, y, symbols[direction]) for x, y, direction in scene.poses[list(true)].tolist()}


def test_the_colour_is_the_time_step_of_the_first_visit(record: RunRecord, scene: GridScene) -> None:
    colours = trace(draw(scene, record.levels), "states").marker.color
    new = set(record.levels[0].truth.states.tolist()) - {0}
    assert list(colours).count(0) == 1
    assert list(colours).count(1) == len(new)


def test_a_growing_run_keeps_its_axes_and_its_colours(record: RunRecord, scene: GridScene) -> None:
    figures = [draw(scene, record.levels[:k]) for k in range(3)]
    assert len({(f.layout.xaxis.range, f.layout.yaxis.range, trace(f, "states").marker.cmax) for f in figures}) == 1
    sizes = [len(trace(f, "states").x) for f in figures]
    assert sizes[0] == 1 < sizes[1] < sizes[2]


def test_the_plan_runs_through_the_cells_it_visits(record: RunRecord, scene: GridScene) -> None:
    line = trace(draw(scene, record.levels, [0, 4]), "plan")  # forward, then right and forward
    assert line.line.color == PLAN
    assert [(round(x), -round(y)) for x, y in zip(line.x.tolist(), line.y.tolist())] == [(1, 1), (2, 1), (2, 2)]


def test_without_errors_nothing_is_marked_as_one(record: RunRecord, scene: GridScene) -> None:
    figure = draw(scene, record.levels, record.plan.tolist())
    assert trace(figure, "wrong merges") is None
    assert trace(figure, "missed merges") is None
    assert len(plotly.io.to_json(figure)) < JSON_LIMIT


def test_a_wrong_merge_is_a_red_cross(record: RunRecord, scene: GridScene) -> None:
    first = record.levels[0]  # F, L, R, LF (into the wall: as L) and RF
    crosses = trace(draw(scene, [merged(first, [0, 1, 1, 1, 4])]), "wrong merges")
    assert (len(crosses.x), crosses.marker.symbol, crosses.marker.color) == (1, "x", WRONG)
    assert "h = 1: merged into column 1, row 1, facing up" in crosses.text[0]


def test_a_missed_merge_is_an_orange_diamond(record: RunRecord, scene: GridScene) -> None:
    diamonds = trace(draw(scene, [merged(record.levels[0], [0, 1, 2, 3, 4])]), "missed merges")
    assert (len(diamonds.x), diamonds.marker.symbol, diamonds.marker.color) == (1, "diamond-open", MISSED)


def test_the_picture_can_be_read_aloud(record: RunRecord) -> None:
    assert "h = 1: 4 states; h = 2: 13 states" in describe(record.levels)
