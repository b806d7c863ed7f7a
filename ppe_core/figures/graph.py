"""The latent graph in layers, as plain data: what is true, what PPE recovered, and how they differ.

A layer is a time step, a node a state, an edge the actions that lead from one to the other. A
recovered state stands for the true state that most of its paths reach. It is *exact* when it holds
all paths to that state and no others, *mixed* when its paths reach several true states (wrong
merges), and *split* when paths to the same true state are elsewhere too (missed merges). A true
state without a recovered one is *missing*.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.layout import Column, columns, followed

Array = np.ndarray
Layers = Sequence[Sequence["Node"]]


class View(Enum):
    RECOVERED = "recovered"
    TRUTH = "truth"
    DIFFERENCE = "difference"


class Verdict(Enum):
    EXACT = "exact"
    MIXED = "mixed"
    SPLIT = "split"
    MISSING = "missing"


class Kind(Enum):
    """What is to be said about an edge."""

    PLAIN = "plain"
    WRONG = "wrong"  # its paths do not lead to the true state of the node they were merged into
    MISSING = "missing"  # a true transition into a state that was not recovered


@dataclass(frozen=True)
class Node:
    h: int
    true: int  # the true state it stands for
    y: float  # its height in the layer, 1 is the top
    states: tuple[int, ...]  # the recovered states drawn as this node, numbered by their surviving paths in order
    reaches: dict[int, int]  # true state -> how many of its paths reach it
    verdict: Verdict

    @property
    def paths(self) -> int:
        return sum(self.reaches.values())


@dataclass(frozen=True)
class Edge:
    h: int  # the layer it arrives in
    origin: int  # node of the layer before
    arrival: int  # node of layer h
    actions: tuple[int, ...]
    kind: Kind = Kind.PLAIN


@dataclass(frozen=True)
class Graph:
    layers: list[list[Node]]  # the start, then the finished time steps
    edges: list[Edge]
    plan: list[Node]  # the node of each layer that the plan passes; empty when it is not known


def latent_graph(
    view: View,
    levels: Sequence[LevelRecord],
    tables: Sequence[Array],
    plan: Sequence[int] | None,
    most_nodes: int,
) -> Graph:
    """The finished levels of a run in one of three views.

    `tables` holds the true dynamics of each time step, [states, actions] -> state. Where a time step
    has more than `most_nodes` recovered states, those of one true state are one node.
    """
    flow = columns(levels, most_nodes)
    recovered = [_recovered_layer(column, level) for column, level in zip(flow, levels)]
    if view is View.TRUTH:
        layers = [START, *(_true_layer(*parts) for parts in zip(flow, levels, recovered))]
        return Graph(layers, _true_edges(layers, tables), _true_route(layers, tables, plan))
    layers = [START, *recovered]
    edges = [edge for column in flow for edge in _recovered_edges(column, judged=view is View.DIFFERENCE)]
    if view is View.DIFFERENCE:
        missing = [_missing(column, level) for column, level in zip(flow, levels)]
        layers = [START, *(found + lost for found, lost in zip(recovered, missing))]
        edges += _missing_edges(layers, tables)
    return Graph(layers, edges, _recovered_route(layers, flow, levels, plan))


def find(layer: Sequence[Node], true: int, state: int | None = None) -> Node | None:
    """The node of a recovered state, or else the largest one of a true state."""
    if state is not None and (own := [node for node in layer if state in node.states]):
        return own[0]
    return max((node for node in layer if node.true == true), key=lambda node: node.paths, default=None)


def verdicts(layers: Layers) -> Counter[Verdict]:
    """How many nodes of the time steps have each verdict."""
    return Counter(node.verdict for layer in layers[1:] for node in layer)


START = [Node(h=0, true=0, y=0.5, states=(0,), reaches={0: 1}, verdict=Verdict.EXACT)]


def _recovered_layer(column: Column, level: LevelRecord) -> list[Node]:
    state = np.searchsorted(level.found.states, level.found.survivor)  # [paths]
    layer = []
    for place, (y, true) in enumerate(zip(column.places.y.tolist(), column.places.true.tolist())):
        members = column.place == place
        states = tuple(np.unique(state[members]).tolist())
        elsewhere = bool((column.true[~members] == true).any())
        verdict = (
            Verdict.MIXED if column.wrong[members].any()
            else Verdict.SPLIT if elsewhere or len(states) > 1
            else Verdict.EXACT
        )  # fmt: skip
        layer.append(Node(column.h, true, y, states, _counts(column.true[members]), verdict))
    return layer


def _missing(column: Column, level: LevelRecord) -> list[Node]:
    lost = np.setdiff1d(level.truth.reachable, column.places.true).tolist()
    return [Node(column.h, true, column.bands[true], (), {}, Verdict.MISSING) for true in lost]


def _true_layer(column: Column, level: LevelRecord, recovered: list[Node]) -> list[Node]:
    return [
        Node(
            h=column.h,
            true=true,
            y=column.bands[true],
            states=tuple(state for node in recovered if node.true == true for state in node.states),
            reaches=_counts(column.true[column.true == true]),
            verdict=Verdict.EXACT,
        )
        for true in level.truth.reachable.tolist()
    ]


def _counts(true: Array) -> dict[int, int]:
    """True states by how often they occur, the most frequent first."""
    return dict(Counter(true.tolist()).most_common())


def _recovered_edges(column: Column, judged: bool) -> list[Edge]:
    actions: dict[tuple[int, int, bool], set[int]] = {}
    for origin, place, wrong, action in zip(*(x.tolist() for x in (column.origin, column.place, column.wrong,
                                                                     column.action))):  # fmt: skip
        actions.setdefault((origin, place, wrong and judged), set()).add(action)
    return [
        Edge(column.h, origin, place, tuple(sorted(taken)), Kind.WRONG if wrong else Kind.PLAIN)
        for (origin, place, wrong), taken in actions.items()
    ]


def _true_edges(layers: list[list[Node]], tables: Sequence[Array]) -> list[Edge]:
    edges = []
    for h in range(1, len(layers)):
        node_of = {node.true: i for i, node in enumerate(layers[h])}
        for origin, node in enumerate(layers[h - 1]):
            arrivals = tables[h - 1][node.true]  # [actions]
            for true in np.unique(arrivals).tolist():
                taken = tuple(np.flatnonzero(arrivals == true).tolist())
                edges.append(Edge(h, origin, node_of[true], taken))
    return edges


def _missing_edges(layers: list[list[Node]], tables: Sequence[Array]) -> list[Edge]:
    """True transitions into missing states, from whatever stands for the state they start in."""
    edges = []
    for h in range(1, len(layers)):
        origins = {node.true: i for i, node in reversed(list(enumerate(layers[h - 1])))}
        for arrival, node in enumerate(layers[h]):
            if node.verdict is Verdict.MISSING:
                for true, origin in origins.items():
                    taken = tuple(np.flatnonzero(tables[h - 1][true] == node.true).tolist())
                    if taken:
                        edges.append(Edge(h, origin, arrival, taken, Kind.MISSING))
    return edges


def _recovered_route(
    layers: list[list[Node]], flow: list[Column], levels: Sequence[LevelRecord], plan: Sequence[int] | None
) -> list[Node]:
    if plan is None or not flow:
        return []
    places = [0, *(int(column.place[path]) for column, path in zip(flow, followed(levels, plan)))]
    return [layer[place] for layer, place in zip(layers, places)]


def _true_route(layers: list[list[Node]], tables: Sequence[Array], plan: Sequence[int] | None) -> list[Node]:
    """Where the plan really leads."""
    if plan is None:
        return []
    route = [layers[0][0]]
    for layer, table, action in zip(layers[1:], tables, plan):
        true = table[route[-1].true, action]
        route.append(next(node for node in layer if node.true == true))
    return route
