"""The latent graph in layers: time runs to the right, a node is a state, a line the actions between two.

The lines are as thick as they have actions. Recovered states and true states show their meaning by
colour; in the difference colour and symbol are the verdict. Levels of a running job may still be
missing: the horizon fixes the axes, so the picture grows without jumping.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.graph import Edge, Graph, Kind, Node, Verdict, View, verdicts
from ppe_core.figures.palette import FAINT, INK, ON_COLOUR, PLAN, SELECTED, START, WRONG, state_colour
from ppe_core.figures.verdicts import COLOURS, LOST, MARKS, MEANINGS, SYMBOLS, counted, explain

Array = np.ndarray
Name = Callable[[int], str]

MOST_NODES = 16  # of a time step; more are drawn as one for each true state
HEIGHT, NODE_PIXELS = 380, 34
STEP_PIXELS = 104  # what a time step needs
LEFT, RIGHT, TOP = 56, 150, 50  # margins, with room for the start, the names of the rows, and the headers
LARGEST, SMALLEST = 38, 14  # pixels across a node
MOST_LABELS = 9  # edges of a time step that are labelled
MOST_LABELS_OF_A_NODE = 3
LABEL_AT, WRONG_LABEL_AT = 0.38, 0.6  # where on its edge a label is
CURVE = np.linspace(0, 1, 14, dtype=np.float32)
OUTSIDE = np.linspace(0.1, 0.9, 12, dtype=np.float32)  # of hollow nodes


def layered_graph(
    graph: Graph, view: View, horizon: int, name: Name, plan: Sequence[int] | None = None, selected: Node | None = None
) -> go.Figure:
    """A graph of a run with `horizon` time steps, one node framed; a point's customdata is h, true state, state."""
    traces = [*_edge_traces(graph, view), _plan_line(graph), _edge_labels(graph), _plan_actions(graph, plan)]
    figure = go.Figure([*traces, *_node_traces(graph, view, name), _frame(graph, view, selected)])
    figure.data = [trace for trace in figure.data if len(trace.x)]
    _lay_out(figure, graph, view, horizon)
    _name_rows(figure, graph, name)
    return figure


def minimum_width(horizon: int) -> int:
    """Pixels below which labels would overlap."""
    return STEP_PIXELS * horizon + LEFT + RIGHT


def height(graph: Graph) -> int:
    return max(HEIGHT, TOP + NODE_PIXELS * max(len(layer) for layer in graph.layers))


def describe(graph: Graph, view: View) -> str:
    """The picture in words, for whoever cannot see it."""
    steps = "; ".join(f"h = {h}: {_header(layer, view)}" for h, layer in enumerate(graph.layers) if h)
    kind = {View.TRUTH: "true states", View.RECOVERED: "recovered states"}.get(view, "recovered states, judged,")
    text = f"The {kind} of each time step and the actions that lead from one to the next. {steps}"
    if view is not View.DIFFERENCE:
        return text
    return f"{text}. " + "; ".join(f"{n} {MEANINGS[verdict]}" for verdict, n in verdicts(graph.layers).items())


def _ends(graph: Graph, edge: Edge) -> tuple[Node, Node]:
    return graph.layers[edge.h - 1][edge.origin], graph.layers[edge.h][edge.arrival]


def _curve(start: Node, end: Node, t: Array = CURVE) -> Array:
    """Points on the line between two nodes: [x and y, points]."""
    ease = t * t * (3 - 2 * t)
    return np.stack([start.h + (end.h - start.h) * t, start.y + (end.y - start.y) * ease]).astype(np.float32)


def _joined(curves: Sequence[Array]) -> Array:
    """One trace of several lines, a gap after each."""
    gap = np.full((2, 1), np.nan, np.float32)
    return np.concatenate([part for curve in curves for part in (curve, gap)], axis=1)


def _edge_traces(graph: Graph, view: View) -> list[go.Scatter]:
    """A trace for each style of line."""
    curves: dict[tuple[str, float, Kind], list[Array]] = defaultdict(list)
    for edge in graph.edges:
        start, end = _ends(graph, edge)
        plain = FAINT if view is View.DIFFERENCE else state_colour(end.true)
        colour = {Kind.WRONG: WRONG, Kind.MISSING: LOST}.get(edge.kind, plain)
        width = 1.5 if edge.kind is Kind.MISSING else _width(len(edge.actions))
        t = OUTSIDE if edge.kind is Kind.MISSING else CURVE
        curves[colour, width, edge.kind].append(_curve(start, end, t))
    return [_edge_trace(*style, _joined(lines)) for style, lines in curves.items()]


def _edge_trace(colour: str, width: float, kind: Kind, points: Array) -> go.Scatter:
    return go.Scatter(
        x=points[0], y=points[1], name=f"{kind.value} edges", mode="lines", hoverinfo="skip",
        line={"color": colour, "width": width, "dash": "dash" if kind is Kind.MISSING else "solid"},
        opacity=0.5 if kind is Kind.PLAIN else 0.85,
    )  # fmt: skip


def _width(actions: int) -> float:
    return 2.0 if actions <= 1 else 4.0 if actions <= 4 else 7.0


def _plan_line(graph: Graph) -> go.Scatter:
    pairs = list(zip(graph.plan, graph.plan[1:]))
    points = _joined([_curve(*pair) for pair in pairs]) if pairs else np.empty((2, 0))
    return go.Scatter(
        x=points[0], y=points[1], name="plan", mode="lines", line={"color": PLAN, "width": 4}, hoverinfo="skip"
    )


def _plan_actions(graph: Graph, plan: Sequence[int] | None) -> go.Scatter:
    """The actions of the plan, in discs on its line."""
    pairs = list(zip(graph.plan, graph.plan[1:]))
    points = np.array([_label_point(*pair) for pair in pairs]).reshape(-1, 2)
    return go.Scatter(
        x=points[:, 0], y=points[:, 1], name="plan actions", mode="markers+text",
        text=[str(action) for action in plan or ()][: len(pairs)], textfont={"color": ON_COLOUR, "size": 12},
        marker={"size": 20, "color": PLAN, "opacity": 1}, hoverinfo="skip",
    )  # fmt: skip


def _edge_labels(graph: Graph) -> go.Scatter:
    """The actions of each edge, beside it; they are written out where there is room to read them."""
    readable = _readable(graph)
    total = len({action for edge in graph.edges if edge.h == 1 for action in edge.actions})
    points, labels, positions, texts = [], [], [], []
    for edge in graph.edges:
        start, end = _ends(graph, edge)
        wrong = edge.kind is Kind.WRONG
        points.append(_label_point(start, end, WRONG_LABEL_AT if wrong else LABEL_AT))
        labels.append(_actions(edge, total) if edge in readable else "")
        positions.append("top center" if start.y == end.y else "middle right" if wrong else "middle left")
        texts.append(f"action{'s' * (len(edge.actions) > 1)} {', '.join(map(str, edge.actions))}")
    x, y = np.array(points, np.float32).reshape(-1, 2).T
    return go.Scatter(
        x=x, y=y, name="actions", mode="markers+text", text=labels, textposition=positions,
        textfont={"size": 12, "color": INK},
        marker={"size": 12, "opacity": 0}, hovertext=texts, hoverinfo="text",
    )  # fmt: skip


def _readable(graph: Graph) -> set[Edge]:
    """Edges that are neither crowded nor labelled by the plan already."""
    of_step = Counter(edge.h for edge in graph.edges)
    of_node = Counter((edge.h, edge.origin) for edge in graph.edges)
    followed = {(start.h, start.y, end.y) for start, end in zip(graph.plan, graph.plan[1:])}

    def is_readable(edge: Edge) -> bool:
        start, end = _ends(graph, edge)
        said = len(edge.actions) == 1 and (start.h, start.y, end.y) in followed
        crowded = of_step[edge.h] > MOST_LABELS or of_node[edge.h, edge.origin] > MOST_LABELS_OF_A_NODE
        return not said and not crowded

    return set(filter(is_readable, graph.edges))


def _label_point(start: Node, end: Node, t: float = LABEL_AT) -> Array:
    return _curve(start, end, np.array([t], np.float32))[:, 0]


def _actions(edge: Edge, total: int) -> str:
    if len(edge.actions) <= 2:
        return ", ".join(map(str, edge.actions))
    return f"all {total}" if len(edge.actions) == total else f"{len(edge.actions)} actions"


def _node_traces(graph: Graph, view: View, name: Name) -> list[go.Scatter]:
    """One trace; in the difference one for each verdict, and hollow ones are drawn dashed by shapes."""
    nodes = [node for layer in graph.layers for node in layer]
    if view is not View.DIFFERENCE:
        return [_node_trace("states", nodes, graph, view, name)]
    return [
        _node_trace(verdict.value, [node for node in nodes if node.verdict is verdict], graph, view, name)
        for verdict in Verdict
    ]


def _node_trace(title: str, nodes: list[Node], graph: Graph, view: View, name: Name) -> go.Scatter:
    judged = view is View.DIFFERENCE
    return go.Scatter(
        x=[node.h for node in nodes], y=[node.y for node in nodes], name=title, mode="markers+text",
        text=[_node_label(node, view, name) for node in nodes], textfont={"color": ON_COLOUR, "size": 13},
        hovertext=[_node_text(node, view, name) for node in nodes], hoverinfo="text",
        customdata=[[node.h, node.true, node.states[0] if node.states else -1] for node in nodes],
        marker={
            "size": [_diameter(node, graph, view) for node in nodes], "opacity": 1,
            "color": [_colour(node, judged) for node in nodes],
            "symbol": [SYMBOLS[node.verdict] if judged else "circle" for node in nodes],
            "line": {"color": ON_COLOUR, "width": [0 if node.verdict is Verdict.MISSING else 1 for node in nodes]},
        },
        selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 1}}, cliponaxis=False,
    )  # fmt: skip


def _colour(node: Node, judged: bool) -> str:
    return START if not node.h else COLOURS[node.verdict] if judged else state_colour(node.true)


def _node_label(node: Node, view: View, name: Name) -> str:
    """Numbers of paths; the short name of a true state; a tick where the symbol does not say it."""
    if not node.h:
        return ""
    if view is View.TRUTH:
        return name(node.true).partition(":")[0]
    if view is View.RECOVERED:
        return str(node.paths)
    return MARKS[node.verdict] if node.verdict is Verdict.EXACT else ""


def _node_text(node: Node, view: View, name: Name) -> str:
    if not node.h:
        return "the start"
    lines = [f"h = {node.h}", name(node.true)]
    if view is View.TRUTH:
        lines.append(f"{counted(node.paths, 'path')} of those tried lead here")
    elif view is View.RECOVERED:
        lines.append(f"{counted(node.paths, 'path')} merged")
    else:
        lines.append(explain(node, name))
    return "<br>".join(lines)


def _diameter(node: Node, graph: Graph, view: View) -> float:
    """Pixels: larger for more paths, as far as there is room."""
    if not node.h:
        return 24
    wanted = min(20 + 3 * np.sqrt(node.paths), LARGEST) if view is View.RECOVERED else 26
    room = 0.7 * (height(graph) - TOP) / len(graph.layers[node.h])
    return float(max(SMALLEST, min(wanted, room)))


def _frame(graph: Graph, view: View, selected: Node | None) -> go.Scatter:
    """A square around the state whose details are shown."""
    shown = [node for layer in graph.layers for node in layer if selected and _same(node, selected)]
    sizes = [_diameter(node, graph, view) + 12 for node in shown]
    return go.Scatter(
        x=[node.h for node in shown], y=[node.y for node in shown], name="selected", mode="markers",
        marker={"symbol": "square-open", "size": sizes, "color": SELECTED, "opacity": 1, "line": {"width": 3}},
        hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip


def _same(node: Node, selected: Node) -> bool:
    if node.h != selected.h or not node.h:
        return False
    common = set(node.states) & set(selected.states)
    return bool(common) or (not selected.states and node.true == selected.true)


def _lay_out(figure: go.Figure, graph: Graph, view: View, horizon: int) -> None:
    figure.update_layout(
        height=height(graph),
        showlegend=False,
        margin={"l": LEFT, "r": RIGHT, "t": TOP, "b": 10},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    steps = range(1, horizon + 1)
    headers = [f"<b>h = {h}</b><br>{_header(graph.layers[h], view) if h < len(graph.layers) else ' '}" for h in steps]
    figure.update_xaxes(
        range=[-0.15, horizon + 0.2], tickvals=list(steps), ticktext=headers,
        side="top", tickangle=0, showgrid=False, zeroline=False, showline=False, fixedrange=True,
    )  # fmt: skip
    figure.update_yaxes(range=[-0.04, 1.04], visible=False, fixedrange=True)
    figure.update_layout(shapes=[_dashed_circle(n) for layer in graph.layers for n in layer if not n.paths and n.h])


def _dashed_circle(node: Node) -> dict:
    return {
        "type": "circle", "xref": "x", "yref": "y", "xsizemode": "pixel", "ysizemode": "pixel",
        "xanchor": node.h, "yanchor": node.y, "x0": -13, "x1": 13, "y0": -13, "y1": 13,
        "line": {"color": LOST, "width": 2, "dash": "dot"},
    }  # fmt: skip


def _header(layer: list[Node], view: View) -> str:
    if view is not View.DIFFERENCE:
        return counted(sum(max(1, len(node.states)) if view is View.RECOVERED else 1 for node in layer), "state")
    exact = sum(node.verdict is Verdict.EXACT for node in layer)
    return f"{exact} of {len({node.true for node in layer})} exact"


def _name_rows(figure: go.Figure, graph: Graph, name: Name) -> None:
    """What the start and the states at the right end are called."""
    figure.add_annotation(
        x=0, y=0.5, xanchor="right", xshift=-16, text="start", showarrow=False, font={"color": START, "size": 13}
    )
    last = graph.layers[-1] if len(graph.layers) > 1 else []
    for true in {node.true: None for node in last}:
        y = float(np.mean([node.y for node in last if node.true == true]))
        figure.add_annotation(
            x=last[0].h, y=y, xanchor="left", xshift=28, text=name(true), showarrow=False, align="left",
            font={"color": state_colour(true), "size": 13},
        )  # fmt: skip
