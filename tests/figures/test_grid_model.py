"""The three views over the grid: PPE with infinite data at the paper's size, and the same with merges spoiled."""

from dataclasses import replace
from functools import cache

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.grid_scene import TILE, GridScene, grid_scene
from ppe_core.experiments.records import LevelRecord
from ppe_core.experiments.run import run
from ppe_core.experiments.samples import true_transitions
from ppe_core.figures.confusion import confusion_figure
from ppe_core.figures.graph import Graph, Node, View, latent_graph
from ppe_core.figures.grid_model import describe, grid_model, transitions
from ppe_core.figures.palette import MISSED, WRONG
from ppe_core.ppe.eliminate import eliminate
from ppe_core.theory.oracle import exact_levels, reachable_states

CONFIG = RunConfig.from_flat({"env": "grid", "horizon": 8, "samples": 2000})
PLAN = [0, 0, 0, 0, 4, 0, 0, 0]
JSON_LIMIT = 1_500_000
EVERY_STATE = 10**9


@pytest.fixture(scope="module")
def levels() -> list[LevelRecord]:
    """What PPE finds with infinite data, in records of a real run."""
    template = run(CONFIG.replace(horizon=1, samples=100)).levels[0]
    world = make_environment(CONFIG).endogenous
    reachable = reachable_states(world, CONFIG.horizon)
    found = []
    for exact, states in zip(exact_levels(world, CONFIG.horizon), reachable):
        survivor = eliminate(exact.gap, 0.625 / exact.num_paths)
        level = replace(template.found, h=exact.h, paths=exact.paths, survivor=survivor)
        counts = 5 * (states[:, None] == exact.true_states).astype(int)
        found.append(LevelRecord(level, replace(template.truth, states=exact.true_states, reachable=states,
                                                confusion=counts)))  # fmt: skip
    return found


@pytest.fixture(scope="module")
def scene() -> GridScene:
    return grid_scene(CONFIG.environment)


@cache
def tables() -> list[np.ndarray]:
    return true_transitions(CONFIG)


def graph_of(view: View, levels: list[LevelRecord]) -> Graph:
    return latent_graph(view, levels, tables(), PLAN, EVERY_STATE)


def draw(scene: GridScene, view: View, levels: list[LevelRecord], selected: Node | None = None) -> go.Figure:
    graph, truth = graph_of(view, levels), graph_of(View.TRUTH, levels)
    return grid_model(scene.background, TILE, scene.poses, CONFIG.horizon, graph, truth, view, selected)


def spoiled(level: LevelRecord, survivor: list[int]) -> LevelRecord:
    return LevelRecord(replace(level.found, survivor=np.array(survivor)), level.truth)


def trace(figure: go.Figure, name: str) -> go.Scatter | None:
    return next((t for t in figure.data if t.name == name), None)


def test_an_exact_run_looks_like_the_truth(levels: list[LevelRecord], scene: GridScene) -> None:
    found, true = (trace(draw(scene, view, levels), "states") for view in (View.RECOVERED, View.TRUTH))
    everywhere = {0}.union(*(level.truth.reachable.tolist() for level in levels))
    assert {state for (state,) in found.customdata} == {state for (state,) in true.customdata} == everywhere
    assert transitions(graph_of(View.RECOVERED, levels)) == transitions(graph_of(View.TRUTH, levels))
    difference = draw(scene, View.DIFFERENCE, levels)
    assert len(trace(difference, "exact").x) == len(everywhere)
    assert {trace(difference, name) for name in ("split", "mixed", "missing", "wrong transitions")} == {None}


def test_at_the_size_of_the_paper_no_figure_is_large(levels: list[LevelRecord], scene: GridScene) -> None:
    assert len(levels[-1].found.paths) == 360
    rng = np.random.default_rng(0)
    ruined = [spoiled(level, rng.integers(len(level.found.paths) // 5, size=len(level.found.paths)))
              for level in levels[-1:]]  # fmt: skip
    for chosen in (levels, [*levels[:-1], *ruined]):
        for view in View:
            assert len(plotly.io.to_json(draw(scene, view, chosen))) < JSON_LIMIT / 5
        assert len(plotly.io.to_json(confusion_figure(chosen[-1], str))) < JSON_LIMIT


def test_errors_have_symbols_and_colours_of_their_own(levels: list[LevelRecord], scene: GridScene) -> None:
    # Five paths: F, L, R, LF (into the wall: as L) and RF. R and RF are merged, L and LF are not, F is lost in R.
    figure = draw(scene, View.DIFFERENCE, [spoiled(levels[0], [2, 1, 2, 3, 2])])
    split, mixed, missing = (trace(figure, name) for name in ("split", "mixed", "missing"))
    assert (len(split.x), split.marker.symbol, split.marker.color) == (1, "diamond-open", MISSED)
    assert (len(mixed.x), mixed.marker.symbol, mixed.marker.color) == (1, "x", WRONG)
    assert "mixes 3 true states" in mixed.text[0]
    assert len(missing.x) == len(figure.layout.shapes) == 2
    assert {shape.line.dash for shape in figure.layout.shapes} == {"dot"}
    assert trace(figure, "missing transitions").line.dash == "dot"


def test_the_plan_ends_at_the_goal_in_every_view(levels: list[LevelRecord], scene: GridScene) -> None:
    for view in View:
        line = trace(draw(scene, view, levels), "plan")
        assert (round(line.x[0]), -round(line.y[0])) == (1, 1)
        assert (round(line.x[-1]), -round(line.y[-1])) == (5, 5)


def test_the_chosen_state_is_framed_where_it_is(levels: list[LevelRecord], scene: GridScene) -> None:
    chosen = graph_of(View.DIFFERENCE, levels).plan[-1]
    frame = trace(draw(scene, View.RECOVERED, levels, chosen), "selected")
    assert (round(frame.x[0]), -round(frame.y[0])) == (5, 5)


def test_the_picture_can_be_read_aloud(levels: list[LevelRecord]) -> None:
    assert describe(graph_of(View.TRUTH, levels), View.TRUTH).startswith("80 true states drawn over the grid")
    assert "0 mixed, 0 split, 0 missing" in describe(graph_of(View.DIFFERENCE, levels), View.DIFFERENCE)
