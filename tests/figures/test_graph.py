"""Recovered states matched with true ones, and judged: on a real run and on merges made by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.experiments.samples import true_transitions
from ppe_core.figures.graph import Graph, Kind, Node, Verdict, View, find, latent_graph, verdicts

CONFIG = RunConfig.from_flat({"horizon": 3, "samples": 500})
EVERY_STATE = 10**9
Merge = Callable[[list[int]], Graph]


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(CONFIG)


def graph_of(view: View, levels: list[LevelRecord], plan: list[int] | None = None, most: int = EVERY_STATE) -> Graph:
    return latent_graph(view, levels, true_transitions(CONFIG), plan, most)


@pytest.fixture
def difference(record: RunRecord) -> Merge:
    """The difference for a first level with these merges; its ten actions lead to a, b and eight times c."""

    def merge(survivor: list[int]) -> Graph:
        first = record.levels[0]
        return graph_of(View.DIFFERENCE, [LevelRecord(replace(first.found, survivor=np.array(survivor)), first.truth)])

    return merge


def paths_to(record: RunRecord, true: int) -> list[int]:
    return np.flatnonzero(record.levels[0].truth.states == true).tolist()


def transitions(graph: Graph) -> set[tuple[int, int, int, int]]:
    """Time step, true state, action, true state."""
    return {
        (edge.h, graph.layers[edge.h - 1][edge.origin].true, action, graph.layers[edge.h][edge.arrival].true)
        for edge in graph.edges
        for action in edge.actions
    }


def by_verdict(graph: Graph) -> dict[Verdict, list[Node]]:
    return {verdict: [n for n in graph.layers[1] if n.verdict is verdict] for verdict in Verdict}


def test_an_exact_run_recovers_the_true_graph(record: RunRecord) -> None:
    assert record.errors == (0, 0)
    found, true = (graph_of(view, record.levels) for view in (View.RECOVERED, View.TRUTH))
    assert transitions(found) == transitions(true)
    assert len(transitions(true)) == 10 + 30 + 30
    difference = graph_of(View.DIFFERENCE, record.levels)
    assert verdicts(difference.layers) == {Verdict.EXACT: 9}
    assert {edge.kind for edge in difference.edges} == {Kind.PLAIN}


def test_a_state_stays_where_it_is_from_view_to_view(record: RunRecord) -> None:
    places = [{(n.h, n.true, n.y) for layer in graph_of(v, record.levels).layers for n in layer} for v in View]
    assert places[0] == places[1] == places[2]


def test_a_state_that_holds_paths_to_several_true_states_is_mixed(record: RunRecord, difference: Merge) -> None:
    a, b, c = (paths_to(record, true) for true in range(3))
    survivor = np.full(10, min(b + c))
    survivor[a] = a[0]
    nodes = by_verdict(graph := difference(survivor.tolist()))
    assert [node.reaches for node in nodes[Verdict.MIXED]] == [{2: 8, 1: 1}]
    assert [node.true for node in nodes[Verdict.EXACT]] == [0]
    assert [node.true for node in nodes[Verdict.MISSING]] == [1]
    kinds = {edge.kind: edge.actions for edge in graph.edges}
    assert kinds[Kind.WRONG] == kinds[Kind.MISSING] == tuple(b)


def test_a_true_state_in_two_recovered_ones_is_split(record: RunRecord, difference: Merge) -> None:
    c = paths_to(record, 2)
    survivor = np.arange(10)
    survivor[c] = c[0]
    survivor[c[5:]] = c[5]
    nodes = by_verdict(difference(survivor.tolist()))
    assert [node.paths for node in nodes[Verdict.SPLIT]] == [5, 3]
    assert {node.true for node in nodes[Verdict.EXACT]} == {0, 1}
    assert not nodes[Verdict.MIXED] + nodes[Verdict.MISSING]


def test_too_many_states_are_drawn_as_one_for_each_true_state(record: RunRecord) -> None:
    first = record.levels[0]
    apart = LevelRecord(replace(first.found, survivor=np.arange(10)), first.truth)
    together = graph_of(View.DIFFERENCE, [apart], most=5).layers[1]
    assert sorted(len(node.states) for node in together) == [1, 1, 8]
    assert find(together, 2).verdict is Verdict.SPLIT
    assert len(graph_of(View.DIFFERENCE, [apart]).layers[1]) == 10


def test_the_plan_passes_the_states_it_leads_to(record: RunRecord) -> None:
    plan = record.plan.tolist()
    for view in View:
        assert [node.true for node in graph_of(view, record.levels, plan).plan] == [0, 0, 0, 0]
    lost = [*plan[:1], (plan[1] + 1) % 10, 0]
    assert [node.true for node in graph_of(View.TRUTH, record.levels, lost).plan][2:] == [2, 2]


def test_an_unfinished_run_has_the_layers_that_are_finished(record: RunRecord) -> None:
    for view in View:
        assert [len(graph_of(view, record.levels[:k]).layers) for k in range(4)] == [1, 2, 3, 4]
