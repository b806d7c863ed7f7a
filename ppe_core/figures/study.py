"""A study at a glance: one measure over two axes, as a grid of cells and as lines with intervals over seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.palette import FAINT, ON_COLOUR

Array = np.ndarray
CELL, HEADER = 56, 96  # pixels: the height of a row of cells, and of all that is around them
LINES_HEIGHT = 380
BAD, MIDDLING, GOOD = "#b8460e", "#656d7b", "#2165c4"  # white text is legible on each and between them
LINE_COLOURS = ("#2f7de1", "#e0702a", "#12a37a", "#b0629f", "#8f7a3a", "#7d8592", "#4aa3b8", "#6a6fd0")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "triangle-down")
NEVER = "∞"
UNKNOWN = "rgba(128,136,150,0.14)"  # the ground of cells without a number
SIDESTEP = 0.012  # of the width of the picture, from line to line


@dataclass(frozen=True)
class Axis:
    label: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Cells:
    """What was measured, summed up over the seeds of each combination."""

    measure: str
    x: Axis
    y: Axis
    middle: Array  # [y, x], median or share; nan: nothing is finished, inf: never
    low: Array  # [y, x]
    high: Array  # [y, x]
    finished: Array  # [y, x], runs
    seeds: int
    high_is_good: bool
    is_share: bool  # of the seeds


def study_grid(cells: Cells) -> go.Figure:
    """A cell a combination, its number in it; blue is good, orange is bad, empty is not finished."""
    rows, columns = cells.middle.shape
    figure = go.Figure(
        go.Heatmap(
            z=_goodness(cells), zmin=0, zmax=1, colorscale=[[0, BAD], [0.5, MIDDLING], [1, GOOD]],
            showscale=False, xgap=3, ygap=3, hoverinfo="skip",
        )
    )  # fmt: skip
    y, x = (index.ravel() for index in np.mgrid[:rows, :columns])
    is_known = ~np.isnan(cells.middle[y, x])
    # Clicks on a heatmap do not reach Python: markers that nobody sees, over the cells, do.
    figure.add_scatter(
        x=x, y=y, mode="markers+text", name="cells",
        marker={"symbol": "square", "size": CELL, "opacity": 0.0},
        text=[_cell_text(cells, i, j) for i, j in zip(y, x)],
        textfont={"color": np.where(is_known, ON_COLOUR, "#7d8592"), "size": 14},
        hovertext=[_hover(cells, i, j) for i, j in zip(y, x)], hoverinfo="text",
        selected={"marker": {"opacity": 0.0}}, unselected={"marker": {"opacity": 0.0}},
    )  # fmt: skip
    _plain_layout(figure, HEADER + CELL * rows)
    figure.update_layout(plot_bgcolor=UNKNOWN)
    for update, axis, last in ((figure.update_xaxes, cells.x, columns), (figure.update_yaxes, cells.y, rows)):
        update(title=axis.label, tickvals=list(range(last)), ticktext=[_value(v) for v in axis.values],
               range=[-0.5, last - 0.5], showgrid=False, zeroline=False, fixedrange=True)  # fmt: skip
    figure.update_yaxes(automargin=True)
    return figure


def study_lines(cells: Cells) -> go.Figure:
    """The measure along the first axis, a line for each value of the second, with intervals over seeds."""
    figure = go.Figure()
    positions, is_log = _positions(cells.x.values)
    lines = len(cells.y.values)
    for i, value in enumerate(cells.y.values):
        known = np.isfinite(cells.middle[i])
        middle, low, high = (np.where(known, x[i], np.nan) for x in (cells.middle, cells.low, cells.high))
        colour = LINE_COLOURS[i % len(LINE_COLOURS)]
        figure.add_scatter(
            x=_beside(positions, is_log, i - (lines - 1) / 2), y=middle,
            mode="lines+markers", name=_value(value), line={"color": colour, "width": 2},
            marker={"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 9, "color": colour}, connectgaps=False,
            error_y={"type": "data", "symmetric": False, "array": _finite(high - middle),
                     "arrayminus": _finite(middle - low), "thickness": 1.2, "width": 4, "color": colour},
            hovertext=[_hover(cells, i, j) for j in range(len(positions))], hoverinfo="text",
        )  # fmt: skip
    _plain_layout(figure, LINES_HEIGHT)
    figure.update_layout(
        showlegend=len(cells.y.values) > 1,
        legend={"title": cells.y.label, "orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(
        title=cells.x.label, tickvals=positions, ticktext=[_value(v) for v in cells.x.values],
        type="log" if is_log else "linear", gridcolor=FAINT, zeroline=False, fixedrange=True,
    )  # fmt: skip
    figure.update_yaxes(title=cells.measure, gridcolor=FAINT, zeroline=False, fixedrange=True, rangemode="tozero")
    if cells.is_share:
        figure.update_yaxes(range=[-0.03, 1.03], tickformat=".0%")
    return figure


def describe(cells: Cells) -> str:
    """The grid in words, for those who do not see it."""
    known = int(np.sum(~np.isnan(cells.middle)))
    return (
        f"{cells.measure} for {len(cells.x.values)} values of {cells.x.label} across and {len(cells.y.values)} of "
        f"{cells.y.label} down; {known} of {cells.middle.size} cells have results."
    )


def _goodness(cells: Cells) -> Array:
    """From 0, the worst, to 1, the best: shares and accuracies as they are, counts on a logarithmic scale."""
    if cells.high_is_good:
        return np.clip(cells.middle, 0, 1)
    finite = cells.middle[np.isfinite(cells.middle)]
    largest = max(finite.max(initial=0), 1)
    return 1 - np.log1p(np.minimum(cells.middle, largest)) / np.log1p(largest) * np.where(
        np.isinf(cells.middle), 1.0, 0.9
    )


def _cell_text(cells: Cells, i: int, j: int) -> str:
    finished, middle = int(cells.finished[i, j]), cells.middle[i, j]
    if not finished:
        return "–"
    text = f"{round(middle * finished)}/{finished}" if cells.is_share else number_text(middle)
    return text if finished == cells.seeds else f"{text} …"


def _hover(cells: Cells, i: int, j: int) -> str:
    place = f"{cells.x.label} {_value(cells.x.values[j])}, {cells.y.label} {_value(cells.y.values[i])}"
    finished = int(cells.finished[i, j])
    if not finished:
        return f"{place}<br>nothing finished yet"
    low, middle, high = (number_text(x[i, j]) for x in (cells.low, cells.middle, cells.high))
    return f"{place}<br>{cells.measure}: {middle} ({low} to {high})<br>{finished} of {cells.seeds} seeds"


def number_text(value: float) -> str:
    """As short as it can be read: 0.93, 12, 1,340, ∞."""
    if math.isinf(value):
        return NEVER
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 100 else f"{value:.3g}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def _positions(values: Sequence[Any]) -> tuple[list[float], bool]:
    """Where values stand on an axis: to scale where they are numbers, side by side where they are not."""
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return [float(i) for i in range(len(values))], False
    numbers = [float(value) for value in values]
    return numbers, min(numbers) > 0 and max(numbers) / min(numbers) >= 8


def _beside(positions: Sequence[float], is_log: bool, steps: float) -> list[float]:
    """A little to the side, so that the intervals of several lines do not cover each other."""
    spread = max(positions) / min(positions) if is_log else max(positions) - min(positions)
    if is_log:
        return [x * spread ** (SIDESTEP * steps) for x in positions]
    return [x + SIDESTEP * steps * spread for x in positions]


def _finite(lengths: Array) -> Array:
    return np.where(np.isfinite(lengths), np.maximum(lengths, 0), 0)


def _plain_layout(figure: go.Figure, height: int) -> None:
    figure.update_layout(
        height=height, margin={"l": 10, "r": 10, "t": 16, "b": 10}, dragmode=False, showlegend=False,
        hovermode="closest", plot_bgcolor="rgba(0,0,0,0)", paper_bgcolor="rgba(0,0,0,0)",
    )  # fmt: skip
