"""The latent graph in layers, on real runs: one that is exact, one with too few samples, a long one."""

import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.run import run
from ppe_core.experiments.samples import true_transitions
from ppe_core.figures.graph import Graph, Node, Verdict, View, latent_graph, verdicts
from ppe_core.figures.latent_graph import MOST_NODES, describe, layered_graph
from ppe_core.figures.palette import MISSED, PLAN, WRONG, state_name
from ppe_core.figures.verdicts import COLOURS, MARKS, SYMBOLS

JSON_LIMIT = 1_500_000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(RunConfig.from_flat({"horizon": 4, "samples": 500}))


@pytest.fixture(scope="module")
def poor() -> RunRecord:
    found = run(RunConfig.from_flat({"samples": 60}))
    assert min(found.errors) > 0
    return found


def graph_of(record: RunRecord, view: View, levels: int | None = None) -> Graph:
    tables = true_transitions(record.config)
    return latent_graph(view, record.levels[:levels], tables, record.plan.tolist(), MOST_NODES)


def name(true: int) -> str:
    return state_name("lock", true)


def draw(record: RunRecord, view: View, levels: int | None = None, selected: Node | None = None) -> go.Figure:
    graph = graph_of(record, view, levels)
    return layered_graph(graph, view, record.config.horizon, name, record.plan.tolist(), selected)


def trace(figure: go.Figure, name: str) -> go.Scatter | None:
    return next((t for t in figure.data if t.name == name), None)


def labels_at(figure: go.Figure, h: int) -> list[str]:
    states = trace(figure, "states")
    return [text for x, text in zip(states.x, states.text) if x == h]


def test_recovered_states_say_how_many_paths_they_hold_and_true_ones_their_names(record: RunRecord) -> None:
    assert sorted(labels_at(draw(record, View.RECOVERED), 2)) == ["1", "1", "28"]
    assert sorted(labels_at(draw(record, View.TRUTH), 2)) == ["a", "b", "c"]


def test_lines_are_thicker_for_more_actions(record: RunRecord) -> None:
    widths = {t.line.width for t in draw(record, View.RECOVERED).data if t.name == "plain edges"}
    assert len(widths) == 2  # one action, and nine or ten
    labels = trace(draw(record, View.TRUTH), "actions").text
    assert list(labels).count("all 10") == 3
    assert list(labels).count("9 actions") == 6


def test_a_point_knows_its_time_step_and_its_states(record: RunRecord) -> None:
    points = trace(draw(record, View.RECOVERED), "states").customdata
    assert {(h, true) for h, true, _ in points} == {(0, 0)} | {(h, true) for h in range(1, 5) for true in range(3)}
    level = record.levels[2]
    for h, true, state in points:
        if h == 3:
            assert level.truth.states[level.found.states[state]] == true


def test_verdicts_differ_in_symbol_and_in_colour(poor: RunRecord) -> None:
    for styles in (COLOURS, SYMBOLS, MARKS):
        assert len(set(styles.values())) == len(Verdict)
    figure, counts = draw(poor, View.DIFFERENCE), verdicts(graph_of(poor, View.DIFFERENCE).layers)
    assert counts[Verdict.MIXED] and counts[Verdict.SPLIT] and counts[Verdict.MISSING]
    for verdict, colour, symbol in ((Verdict.MIXED, WRONG, "x"), (Verdict.SPLIT, MISSED, "diamond")):
        points = trace(figure, verdict.value)
        assert len(points.x) == counts[verdict]
        assert (set(points.marker.color), set(points.marker.symbol)) == ({colour}, {symbol})
    assert len(trace(figure, "missing").x) == counts[Verdict.MISSING] == len(figure.layout.shapes)
    assert {shape.line.dash for shape in figure.layout.shapes} == {"dot"}
    assert trace(figure, "wrong edges").line.color == WRONG
    assert trace(figure, "missing edges").line.dash == "dash"


def test_without_errors_the_difference_shows_none(record: RunRecord) -> None:
    figure = draw(record, View.DIFFERENCE)
    assert {t.name for t in figure.data} <= {"plain edges", "plan", "plan actions", "actions", "exact"}
    assert not figure.layout.shapes


def test_the_plan_is_drawn_over_the_graph_with_its_actions(record: RunRecord) -> None:
    for view in View:
        figure = draw(record, view)
        assert trace(figure, "plan").line.color == PLAN
        assert list(trace(figure, "plan actions").text) == [str(action) for action in record.plan]


def test_the_chosen_state_is_framed_in_every_view(record: RunRecord) -> None:
    chosen = graph_of(record, View.DIFFERENCE).layers[2][1]
    for view in View:
        frame = trace(draw(record, view, selected=chosen), "selected")
        assert (frame.x, frame.y) == ((2,), (chosen.y,))


def test_a_growing_run_keeps_its_axes(record: RunRecord) -> None:
    figures = [draw(record, View.DIFFERENCE, levels) for levels in range(5)]
    assert len({(f.layout.xaxis.range, f.layout.yaxis.range, f.layout.height) for f in figures}) == 1


@pytest.mark.parametrize("settings", [{"horizon": 1}, {"horizon": 40}, {"gap": "paper"}], ids=str)
def test_any_run_can_be_drawn_and_stays_small(settings: dict) -> None:
    record = run(RunConfig.from_flat({"samples": 500} | settings))
    for view in View:
        assert len(plotly.io.to_json(draw(record, view))) < JSON_LIMIT / 10


def test_the_picture_can_be_read_aloud(record: RunRecord, poor: RunRecord) -> None:
    assert "h = 2: 3 states" in describe(graph_of(record, View.TRUTH), View.TRUTH)
    assert "h = 2: 3 of 3 exact" in describe(graph_of(record, View.DIFFERENCE), View.DIFFERENCE)
    assert "wrong merge" in describe(graph_of(poor, View.DIFFERENCE), View.DIFFERENCE)
