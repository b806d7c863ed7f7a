"""The latent graph of a gridworld over its grid, in three views: recovered, truth, and their difference.

All time steps are drawn into one picture: a triangle is a place and a direction. In the difference
its mark is the worst verdict of any time step.
"""

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.graph import Graph, Kind, Node, Verdict, View
from ppe_core.figures.grid_graph import (
    EDGE,
    SYMBOLS,
    lay_out,
    marker_size,
    places_of,
    plan_ends,
    plan_line,
    pose_text,
    states_by_step,
)
from ppe_core.figures.palette import MISSED, ON_COLOUR, SELECTED, WRONG
from ppe_core.figures.verdicts import LOST, MARKS, explain

Array = np.ndarray
Pairs = set[tuple[int, int]]

FOUND, OUTLINE = "#3fc79a", {"color": "#10151d", "width": 1}  # of a triangle, on the dark grid
WORST_FIRST = (Verdict.MIXED, Verdict.SPLIT, Verdict.MISSING, Verdict.EXACT)
MOST_LINES = 4  # of a hover text


def grid_model(
    background: Array,
    tile: int,
    poses: Array,
    horizon: int,
    graph: Graph,
    truth: Graph,
    view: View,
    selected: Node | None = None,
) -> go.Figure:
    """One view of a run over a picture of the empty grid; a point's customdata is its true state.

    `graph` is the view itself, `truth` the true graph of the same time steps. The picture has `tile`
    pixels along the side of a cell; `poses` [states, 3] holds x, y and direction of each true state.
    """
    places, size = places_of(poses), marker_size(poses)
    route = [node.true for node in graph.plan]
    visits = _visits(graph)
    if view is View.DIFFERENCE:
        edges = _edge_differences(transitions(graph), transitions(truth), places)
        states = _judged_states(visits, poses, places, size)
    else:
        edges = [_edges("transitions", transitions(graph), places, EDGE, 1)]
        states = [states_by_step({true: nodes[0].h for true, nodes in visits.items()}, poses, places, size, horizon)]
        states[0].update(customdata=[[true] for true in visits])
    overlay = [plan_ends(route, places, 1.6 * size), _frame(selected, places, 2.1 * size)]
    figure = go.Figure([*edges, plan_line(route, places), *states, *overlay])
    figure.data = [trace for trace in figure.data if len(trace.x)]
    figure.update_traces(selected_marker_opacity=1, unselected_marker_opacity=1, selector={"mode": "markers"})
    lay_out(figure, background, tile)
    if view is View.DIFFERENCE:
        figure.update_layout(shapes=[_dashed_circle(places[true], size) for true in _missing(visits)])
    return figure


def transitions(graph: Graph) -> Pairs:
    """Pairs of different true states that an action joins, at any time step and in either direction."""
    there = [edge for edge in graph.edges if edge.kind is not Kind.MISSING]
    pairs = ((graph.layers[e.h - 1][e.origin].true, graph.layers[e.h][e.arrival].true) for e in there)
    return {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}


def describe(graph: Graph, view: View) -> str:
    """The picture in words, for whoever cannot see it."""
    visits = _visits(graph)
    if view is not View.DIFFERENCE:
        kind = "true" if view is View.TRUTH else "recovered"
        return f"{len(visits)} {kind} states drawn over the grid, a triangle for each place and direction."
    worst = [_worst(nodes) for nodes in visits.values()]
    counts = ", ".join(f"{worst.count(verdict)} {verdict.value}" for verdict in WORST_FIRST)
    return f"The states over the grid, each with the worst verdict of any time step: {counts}."


def _visits(graph: Graph) -> dict[int, list[Node]]:
    """The nodes of each true state, in the order of the time steps."""
    visits: dict[int, list[Node]] = {}
    for layer in graph.layers:
        for node in layer:
            visits.setdefault(node.true, []).append(node)
    return visits


def _worst(nodes: list[Node]) -> Verdict:
    return next(verdict for verdict in WORST_FIRST if any(node.verdict is verdict for node in nodes))


def _missing(visits: dict[int, list[Node]]) -> list[int]:
    return [true for true, nodes in visits.items() if _worst(nodes) is Verdict.MISSING]


def _edge_differences(recovered: Pairs, true: Pairs, places: Array) -> list[go.Scatter]:
    return [
        _edges("transitions", recovered & true, places, EDGE, 1),
        _edges("missing transitions", true - recovered, places, LOST, 1.5, dash="dot"),
        _edges("wrong transitions", recovered - true, places, WRONG, 2),
    ]


def _edges(name: str, pairs: Pairs, places: Array, colour: str, width: float, dash: str = "solid") -> go.Scatter:
    ends = places[np.array(sorted(pairs), int).reshape(-1, 2)]  # [pairs, 2 ends, x and y]
    x, y = np.pad(ends, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 2).T
    line = {"color": colour, "width": width, "dash": dash}
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=line, hoverinfo="skip")


def _judged_states(visits: dict[int, list[Node]], poses: Array, places: Array, size: float) -> list[go.Scatter]:
    """Triangles for all that was found at some time step, and a mark over each that is not exact at every one."""
    marked: dict[Verdict, list[int]] = {verdict: [] for verdict in Verdict}
    for true, nodes in visits.items():
        marked[_worst(nodes)].append(true)
    found = [true for true, nodes in visits.items() if any(node.states for node in nodes)]
    styles = {
        "exact": (found, {"symbol": SYMBOLS[poses[found, 2]], "size": size, "color": FOUND, "line": OUTLINE}),
        "split": (marked[Verdict.SPLIT], {"symbol": "diamond-open", "size": 1.4 * size, "color": MISSED,
                                          "line": {"width": 2.5}}),
        "mixed": (marked[Verdict.MIXED], {"symbol": "x", "size": size, "color": WRONG,
                                          "line": {"color": ON_COLOUR, "width": 1}}),
        "missing": (marked[Verdict.MISSING], {"symbol": "circle-open", "size": 1.3 * size, "color": LOST,
                                              "line": {"width": 0}}),
    }  # fmt: skip
    return [
        go.Scatter(
            x=places[chosen, 0], y=places[chosen, 1], name=name, mode="markers", customdata=[[s] for s in chosen],
            text=[_text(visits[s], poses) for s in chosen], hoverinfo="text", marker={"opacity": 1, **marker},
        )
        for name, (chosen, marker) in styles.items()
    ]  # fmt: skip


def _text(nodes: list[Node], poses: Array) -> str:
    """Where it is, and what is wrong at which time step."""

    def name(true: int) -> str:
        return pose_text(poses[true])

    wrong = [node for node in nodes if node.verdict is not Verdict.EXACT]
    lines = [f"h = {node.h}: {MARKS[node.verdict]} {explain(node, name)}" for node in wrong[:MOST_LINES]]
    if len(wrong) > MOST_LINES:
        lines.append("and at other time steps")
    return "<br>".join([name(nodes[0].true), *(lines or ["recovered exactly at every time step"])])


def _frame(selected: Node | None, places: Array, size: float) -> go.Scatter:
    """A square around the state whose details are shown."""
    x, y = places[[selected.true]].T if selected else ((), ())
    marker = {"symbol": "square-open", "size": size, "color": SELECTED, "opacity": 1, "line": {"width": 3}}
    return go.Scatter(x=x, y=y, name="selected", mode="markers", hoverinfo="skip", marker=marker)


def _dashed_circle(place: Array, size: float) -> dict:
    x, y, radius = float(place[0]), float(place[1]), 0.65 * size
    return {
        "type": "circle", "xref": "x", "yref": "y", "xsizemode": "pixel", "ysizemode": "pixel", "xanchor": x,
        "yanchor": y, "x0": -radius, "x1": radius, "y0": -radius, "y1": radius,
        "line": {"color": "#a9b1bd", "width": 2, "dash": "dot"},
    }  # fmt: skip
