"""The latent graph of a gridworld drawn over its grid: what PPE found, where it is.

A triangle is a recovered state, at the cell and in the direction that most of its paths reach;
its colour says at which time step it was first reached. Levels of a running job may still be
missing: the grid fixes the axes, so the picture grows without jumping.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.layout import Column, columns, followed
from ppe_core.figures.palette import MISSED, ON_COLOUR, PLAN, WRONG

Array = np.ndarray

HEIGHT = 500
SYMBOLS = np.array(["triangle-right", "triangle-down", "triangle-left", "triangle-up"])
DIRECTIONS = ("right", "down", "left", "up")
AHEAD = np.array([(1, 0), (0, -1), (-1, 0), (0, 1)])  # of each direction; y points up
OFFSET = 0.28  # of a triangle from the middle of its cell
EARLY_TO_LATE = ("#fff4c2", "#7fd6c2", "#2f7de1")
EDGE = "rgba(190,198,210,0.38)"
DIM = 0.75  # of the background, so that the graph stands out
BORDER = 0.35  # of the outer walls that is shown, in cells
EVERY_STATE = 10**9


def grid_graph(
    background: Array,
    tile: int,
    poses: Array,
    horizon: int,
    levels: Sequence[LevelRecord],
    plan: Sequence[int] | None = None,
) -> go.Figure:
    """The finished levels of a run over a picture of the empty grid, with the plan if it is known.

    The picture has `tile` pixels along the side of a cell; `poses` [states, 3] holds x, y and
    direction of each true state, of which 0 is the start.
    """
    flow = columns(levels, EVERY_STATE)
    places = places_of(poses)
    size = marker_size(poses)
    route = _route(flow, followed(levels, plan)) if flow and plan is not None else []
    traces = [
        _edges(flow, places),
        plan_line(route, places),
        states_by_step(_first_steps(flow), poses, places, size, horizon),
        plan_ends(route, places, 1.6 * size),
        _missed(flow, poses, places, 1.3 * size),
        _wrong(flow, poses, places, 0.8 * size),
    ]
    figure = go.Figure([trace for trace in traces if len(trace.x)])
    lay_out(figure, background, tile)
    return figure


def describe(levels: Sequence[LevelRecord]) -> str:
    """The picture in words, for whoever cannot see it."""
    steps = "; ".join(f"h = {x['h']}: {x['states_found']} states" for x in (level.summary() for level in levels))
    return f"The recovered states drawn over the grid, a triangle for each place and direction. {steps}"


def places_of(poses: Array) -> Array:
    """Where each true state is drawn: [states, 2]."""
    return poses[:, :2] * (1, -1) + OFFSET * AHEAD[poses[:, 2]]


def pose_text(pose: Array) -> str:
    return f"column {pose[0]}, row {pose[1]}, facing {DIRECTIONS[pose[2]]}"


def _transitions(flow: list[Column]) -> Array:
    """Pairs of true states that a recovered transition joins: [pairs, 2]."""
    pairs, before = [np.empty((0, 2), int)], np.array([0])
    for column in flow:
        pairs.append(np.column_stack([before[column.origin], column.places.true[column.place]]))
        before = column.places.true
    joined = np.sort(np.concatenate(pairs), axis=1)
    return np.unique(joined[joined[:, 0] != joined[:, 1]], axis=0)


def _route(flow: list[Column], paths: list[int]) -> list[int]:
    """The true states of the recovered states that the plan passes, from the start on."""
    return [0] + [int(column.places.true[column.place[path]]) for column, path in zip(flow, paths)]


def _edges(flow: list[Column], places: Array) -> go.Scatter:
    ends = places[_transitions(flow)]  # [pairs, 2 ends, x and y]
    x, y = np.pad(ends, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 2).T
    return go.Scatter(x=x, y=y, name="transitions", mode="lines", line={"color": EDGE, "width": 1}, hoverinfo="skip")


def _first_steps(flow: list[Column]) -> dict[int, int]:
    first = {0: 0}
    for column in flow:
        for state in column.places.true.tolist():
            first.setdefault(state, column.h)
    return first


def states_by_step(first: dict[int, int], poses: Array, places: Array, size: float, horizon: int) -> go.Scatter:
    """Triangles where states are, coloured by the time step at which each was first reached."""
    states, steps = np.array(list(first)), list(first.values())
    return go.Scatter(
        x=places[states, 0], y=places[states, 1], name="states", mode="markers",
        text=[f"{pose_text(poses[s])}<br>first reached at h = {h}" for s, h in first.items()], hoverinfo="text",
        marker={
            "symbol": SYMBOLS[poses[states, 2]], "size": size, "opacity": 1, "color": steps,
            "cmin": 0, "cmax": horizon, "colorscale": list(zip((0, 0.5, 1), EARLY_TO_LATE)),
            "line": {"color": "#10151d", "width": 1}, "showscale": True,
            "colorbar": {
                "title": {"text": "first reached at h", "side": "top"}, "orientation": "h", "thickness": 10,
                "len": 0.8, "y": 1.01, "yanchor": "bottom", "tickmode": "array",
                "tickvals": list(range(horizon + 1)), "ticktext": [str(h) for h in range(horizon + 1)],
            },
        },
    )  # fmt: skip


def plan_line(route: list[int], places: Array) -> go.Scatter:
    x, y = places[route].T if route else ((), ())
    return go.Scatter(x=x, y=y, name="plan", mode="lines", line={"color": PLAN, "width": 6}, hoverinfo="skip")


def plan_ends(route: list[int], places: Array, size: float) -> go.Scatter:
    """The first and the last state of the plan, ringed; a plan that stays has them in one place."""
    x, y = places[[route[0], route[-1]]].T if route else ((), ())
    return go.Scatter(
        x=x, y=y, name="plan ends", mode="markers+text", text=["start", "end"], hoverinfo="skip",
        textposition=["top center", "bottom center"], textfont={"color": ON_COLOUR, "size": 13, "weight": "bold"},
        marker={"symbol": "circle-open", "size": size, "color": PLAN, "opacity": 1,
                "line": {"width": 3}},
    )  # fmt: skip


def _missed(flow: list[Column], poses: Array, places: Array, size: float) -> go.Scatter:
    """A diamond where paths to the same place stayed apart."""
    steps: dict[int, list[int]] = {}
    for column in flow:
        for state in np.unique(column.places.true[column.places.missed]).tolist():
            steps.setdefault(state, []).append(column.h)
    text = [f"missed merges at h = {_listed(hs)}<br>{pose_text(poses[s])}, found more than once"
            for s, hs in steps.items()]  # fmt: skip
    return go.Scatter(
        x=places[list(steps), 0], y=places[list(steps), 1], name="missed merges", mode="markers", text=text,
        hoverinfo="text",
        marker={"symbol": "diamond-open", "size": size, "color": MISSED, "opacity": 1, "line": {"width": 2.5}},
    )  # fmt: skip


def _wrong(flow: list[Column], poses: Array, places: Array, size: float) -> go.Scatter:
    """A cross on a state some of whose paths were merged into another."""
    merged: dict[int, list[str]] = {}
    for column in flow:
        into = column.places.true[column.place]
        for state, other in np.unique(np.column_stack([column.true, into])[column.wrong], axis=0).tolist():
            merged.setdefault(state, []).append(f"h = {column.h}: merged into {pose_text(poses[other])}")
    text = ["<br>".join([f"wrong merges of {pose_text(poses[s])}", *lines]) for s, lines in merged.items()]
    return go.Scatter(
        x=places[list(merged), 0], y=places[list(merged), 1], name="wrong merges", mode="markers", text=text,
        hoverinfo="text",
        marker={"symbol": "x", "size": size, "color": WRONG, "opacity": 1, "line": {"color": ON_COLOUR, "width": 1}},
    )  # fmt: skip


def _listed(steps: list[int]) -> str:
    return ", ".join(map(str, steps))


def marker_size(poses: Array) -> int:
    """Pixels: smaller triangles in a larger grid."""
    return max(9, 70 // int(poses[:, :2].max()))


def lay_out(figure: go.Figure, background: Array, tile: int) -> None:
    height, width = (side // tile for side in background.shape[:2])
    figure.add_layout_image(
        source=Image.fromarray((DIM * background).astype(np.uint8)), sizing="stretch", layer="below",
        xref="x", yref="y", x=-0.5, y=0.5, sizex=width, sizey=height,
    )  # fmt: skip
    figure.update_layout(
        height=HEIGHT,
        showlegend=False,
        margin={"l": 0, "r": 0, "t": 20, "b": 4},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    hidden = {"visible": False, "fixedrange": True, "constrain": "domain"}
    figure.update_xaxes(range=[0.5 - BORDER, width - 1.5 + BORDER], **hidden)
    figure.update_yaxes(
        range=[1.5 - height - BORDER, BORDER - 0.5], scaleanchor="x", scaleratio=1, constraintoward="top", **hidden
    )
