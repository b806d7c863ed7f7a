"""The gap matrix: every two paths of a time step, and whether they look alike.

Rows and columns are paths, cluster by cluster, clusters of one true state side by side; a square on
the diagonal is a cluster, that is a recovered state. Inside a square a cross is a wrong merge; outside,
a diamond is a missed one. Gaps are in units of 1/|Υ|.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.palette import MISSED, ON_COLOUR, WRONG

Array = np.ndarray

HEIGHT = 430
ALIKE = ("#1a57b5", "#a6cbf9")  # gap 0, gap just within the threshold
DIFFERENT = ("#e8d9ae", "#a58d4b")  # just over the threshold, and the largest
LARGEST = 2.5  # gaps from here on have one colour
PARTS = 100  # a gap is coloured to a hundredth
LEFT = 58  # pixels for the names of clusters
INK = "#0b1220"
MOST_TARGETS = 30  # along a side: what can be clicked has to stay few
MOST_MARKED = 1600  # errors with a symbol each; more of them tint their cells
TINT = 0.6
SMALL_SYMBOL = 5  # pixels
MOST_LABELS = 16
TARGETS = "pairs"


@dataclass(frozen=True)
class Clusters:
    """The order in which paths are drawn."""

    order: Array  # [paths], path at each position
    start: Array  # [clusters], first position
    size: Array  # [clusters]


def gap_matrix(
    gaps: Array,
    survivor: Array,
    true: Array,
    threshold: float,
    names: Sequence[str],
    state_names: Sequence[str],
    chosen: tuple[int, int] | None = None,
) -> go.Figure:
    """All pairs of paths; `names` are of paths, `state_names` of the true state of each, `chosen` a pair to mark."""
    clusters = cluster_order(survivor, true)
    order = clusters.order
    square = np.ix_(order, order)
    together = survivor[order][:, None] == survivor[order]
    same = true[order][:, None] == true[order]
    figure = go.Figure([_cells(gaps[square], threshold)])
    figure.add_traces(_errors(together & ~same, "wrong merges", "x", WRONG))
    figure.add_traces(_errors(~together & same, "missed merges", "diamond", MISSED))
    figure.add_traces([_outlines(clusters), _targets(gaps[square], threshold, order)])
    if chosen:
        figure.add_trace(_chosen(order, chosen))
    _lay_out(figure, clusters, names, state_names)
    return figure


def cluster_order(survivor: Array, true: Array) -> Clusters:
    """Clusters by the true state of their representative, so that what should be one is side by side."""
    order = np.lexsort((np.arange(len(survivor)), survivor, true[survivor]))
    start = np.flatnonzero(np.diff(survivor[order], prepend=-1))
    return Clusters(order, start, np.diff(np.append(start, len(order))))


def describe(gaps: Array, survivor: Array, threshold: float) -> str:
    """The picture in words, for whoever cannot see it."""
    count = len(gaps)
    pairs = gaps[np.triu_indices(count, 1)]
    return (
        f"The gap of every two of {count} paths, as a matrix ordered by cluster: "
        f"{int((pairs <= threshold).sum())} of {len(pairs)} pairs are within the threshold {threshold:g}, "
        f"and merging gives {len(np.unique(survivor))} clusters, squares on the diagonal."
    )


def _cells(gaps: Array, threshold: float) -> go.Heatmap:
    """Hundredths in a byte each, rounded away from the threshold, so that its side is always right."""
    limit = int(np.floor(PARTS * threshold))
    hundredths = PARTS * np.minimum(gaps, LARGEST)
    within = gaps <= threshold
    values = np.where(within, np.minimum(hundredths.round(), limit), np.maximum(hundredths.round(), limit + 1))
    top = PARTS * LARGEST
    edge = (limit + 0.5) / top
    return go.Heatmap(
        z=values.astype(np.uint8), zmin=0, zmax=top, hoverinfo="skip",
        colorscale=[[0, ALIKE[0]], [edge, ALIKE[1]], [edge, DIFFERENT[0]], [1, DIFFERENT[1]]],
        colorbar={
            "orientation": "h", "thickness": 10, "len": 1, "y": 1, "yanchor": "bottom", "ypad": 4, "xpad": 0,
            "ticklabeloverflow": "allow",
            "tickvals": [1, limit + 0.5, top - 1],
            "ticktext": ["0", f"threshold {threshold:g}", f"{LARGEST:g}"],
        },
    )  # fmt: skip


def _errors(where: Array, name: str, symbol: str, colour: str) -> list[go.Scatter | go.Heatmap]:
    """A symbol a pair, or when there are too many to see one, its cell in the colour of the error."""
    rows, columns = np.nonzero(where)
    if not len(rows):
        return []
    if len(rows) > MOST_MARKED:
        cells = np.where(where, np.uint8(1), np.uint8(0))
        return [go.Heatmap(z=cells, zmin=0, zmax=1, colorscale=[[0, "rgba(0,0,0,0)"], [1, colour]], opacity=TINT,
                           showscale=False, hoverinfo="skip", name=name)]  # fmt: skip
    size = float(np.clip(190 / len(where), SMALL_SYMBOL, 12))
    return [
        go.Scatter(
            x=_small(columns), y=_small(rows), name=name, mode="markers", hoverinfo="skip",
            marker={"symbol": symbol, "size": size, "color": colour, "opacity": 1,
                    "line": {"color": ON_COLOUR, "width": 1} if size > SMALL_SYMBOL else {"color": INK, "width": 0.3}},
        )
    ]  # fmt: skip


def _outlines(clusters: Clusters) -> go.Scatter:
    low, high = clusters.start - 0.5, clusters.start + clusters.size - 0.5
    gap = np.full(len(low), np.nan)
    x = np.column_stack([low, high, high, low, low, gap]).ravel()
    y = np.column_stack([low, low, high, high, low, gap]).ravel()
    width = 2 if len(low) <= MOST_LABELS else 1
    return go.Scatter(
        x=x.astype(np.float32), y=y.astype(np.float32), name="clusters", mode="lines", hoverinfo="skip",
        line={"color": INK, "width": width},
    )  # fmt: skip


def _targets(gaps: Array, threshold: float, order: Array) -> go.Scatter:
    """What answers to the pointer: every cell, or in each block of a large matrix the most doubtful one."""
    rows, columns = _doubtful_cells(np.abs(gaps - threshold))
    values = gaps[rows, columns]
    hidden = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=_small(columns), y=_small(rows), name=TARGETS, mode="markers",
        customdata=np.minimum(values, 99).astype(np.float32),
        hovertemplate="%{y}<br>%{x}<br>gap %{customdata:.2f}<extra></extra>",
        marker={"symbol": "square", "size": 4, "opacity": 0}, selected=hidden, unselected=hidden,
    )  # fmt: skip


def _doubtful_cells(doubt: Array) -> tuple[Array, Array]:
    """In each block the cell with the least value off the diagonal; blocks are single cells when these are few."""
    count = len(doubt)
    side = -(-count // MOST_TARGETS)
    blocks = -(-count // side)
    if side == 1:
        rows, columns = np.indices(doubt.shape).reshape(2, -1)
    else:
        padded = np.full((blocks * side,) * 2, np.inf)
        padded[:count, :count] = doubt
        np.fill_diagonal(padded, np.inf)
        tiles = padded.reshape(blocks, side, blocks, side).swapaxes(1, 2).reshape(blocks, blocks, -1)
        inner = tiles.argmin(-1)
        corner = side * np.arange(blocks)
        rows, columns = (corner[:, None] + inner // side).ravel(), (corner + inner % side).ravel()
    off = (rows != columns) & (rows < count) & (columns < count)
    return rows[off], columns[off]


def _chosen(order: Array, pair: tuple[int, int]) -> go.Scatter:
    position = np.argsort(order)[list(pair)]
    return go.Scatter(
        x=_small(position), y=_small(position[::-1]), name="chosen", mode="markers", hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 16, "color": ON_COLOUR, "opacity": 1,
                "line": {"width": 3}},
    )  # fmt: skip


def _small(positions: Array) -> Array:
    return positions.astype(np.int16)


def _lay_out(figure: go.Figure, clusters: Clusters, names: Sequence[str], state_names: Sequence[str]) -> None:
    figure.update_layout(
        height=HEIGHT,
        showlegend=False,
        margin={"l": LEFT, "r": 12, "t": 44, "b": 2},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    aliases = {str(i): names[path] for i, path in enumerate(clusters.order.tolist())}
    shared = {
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "constrain": "domain",
        "labelalias": aliases,
    }
    edges = [-0.5, len(clusters.order) - 0.5]
    figure.update_xaxes(range=edges, showticklabels=False, **shared)
    figure.update_yaxes(
        range=edges[::-1],
        scaleanchor="x",
        scaleratio=1,
        constraintoward="top",
        automargin=False,
        **shared,
        **_ticks(clusters, state_names),
    )


def _ticks(clusters: Clusters, state_names: Sequence[str]) -> dict:
    """The clusters by the true state of their representative, unless there are too many to read."""
    if len(clusters.start) > MOST_LABELS:
        return {"showticklabels": False}
    first = [state_names[clusters.order[start]] for start in clusters.start]
    text = [f"{name} ({size})" if size > 1 else name for name, size in zip(first, clusters.size.tolist())]
    return {"tickvals": (clusters.start + (clusters.size - 1) / 2).tolist(), "ticktext": text}
