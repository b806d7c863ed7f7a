"""The decoder on fresh observations: which recovered state it names for each true one.

Recovered states have no names of their own, so each is matched with the true state it is named for
most often, one to one, and stands in the column of its row.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.palette import INK, ON_COLOUR

Array = np.ndarray

SCALE = [[0, "rgba(128,136,150,0.10)"], [0.02, "rgba(47,125,225,0.25)"], [1, "#1f62c4"]]
MOST_NAMES = 20  # rows that are named at the axis
MOST_NUMBERS = 12  # columns whose shares are written into the cells
STRONG = 0.55  # from here on a cell is so dark that its number is white
LEAST_WRITTEN = 0.005
HEIGHT, ROW_PIXELS = 330, 44


@dataclass(frozen=True)
class Confusion:
    shares: Array  # [true states, recovered states], rows add up to 1; columns in the order of their matches
    states: Array  # [recovered states], which one each column is
    matched: Array  # [recovered states], the row it is matched with, or -1

    @property
    def accuracy(self) -> float:
        """Share of observations that are given the state matched with theirs, each true state counting the same."""
        columns = np.flatnonzero(self.matched >= 0)
        return float(self.shares[self.matched[columns], columns].sum() / len(self.shares))


def confusion_of(level: LevelRecord) -> Confusion:
    """Decoded paths summed up to the recovered states they belong to, and these matched with true states."""
    state_of_path = np.searchsorted(level.found.states, level.found.survivor)
    counts = np.zeros((len(level.truth.reachable), len(level.found.states)))
    np.add.at(counts.T, state_of_path, level.truth.confusion.T)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    matched = match(shares)
    home = np.where(matched >= 0, matched, shares.argmax(0))
    order = np.lexsort((home, shares.sum(0) == 0, matched < 0))  # matched ones first, those never named last
    return Confusion(shares[:, order], order, matched[order])


def match(shares: Array) -> Array:
    """For each column its row, one to one, the largest entries first; -1 for none: [columns]."""
    matched = np.full(shares.shape[1], -1)
    rows_left = np.ones(len(shares), bool)
    for entry in np.argsort(-shares, axis=None, kind="stable"):
        row, column = divmod(int(entry), shares.shape[1])
        if shares[row, column] > 0 and rows_left[row] and matched[column] < 0:
            matched[column], rows_left[row] = row, False
    return matched


def confusion_figure(level: LevelRecord, name: Callable[[int], str]) -> go.Figure:
    """Rows: true states; columns: recovered states; the share of each row that is decoded as the column."""
    table = confusion_of(level)
    names = [name(true) for true in level.truth.reachable.tolist()]
    rows, columns = table.shares.shape
    figure = go.Figure(
        go.Heatmap(
            z=table.shares.astype(np.float32), zmin=0, zmax=1, colorscale=SCALE, showscale=False, xgap=2, ygap=2,
            text=[[f"{true}<br>decoded as recovered state {state + 1}" for state in table.states] for true in names],
            hovertemplate="%{text}<br>%{z:.1%}<extra></extra>",
        )
    )  # fmt: skip
    if columns <= MOST_NUMBERS and rows <= MOST_NAMES:
        figure.add_traces([_numbers(table, strong) for strong in (True, False)])
    _lay_out(figure, table, names)
    return figure


def describe(level: LevelRecord) -> str:
    """The picture in words, for whoever cannot see it."""
    table = confusion_of(level)
    rows, columns = table.shares.shape
    return (
        f"Decoder confusion at h = {level.found.h}: {rows} true states against {columns} recovered ones; "
        f"{table.accuracy:.1%} of fresh observations are given the matching state."
    )


def _numbers(table: Confusion, strong: bool) -> go.Scatter:
    """Shares in the cells: white on strong ones, in the colour of the theme on the others."""
    chosen = (table.shares >= STRONG) == strong
    y, x = np.nonzero(chosen & (table.shares >= LEAST_WRITTEN))
    return go.Scatter(
        x=x, y=y, mode="text", text=[f"{share:.0%}" for share in table.shares[y, x]], hoverinfo="skip",
        textfont={"size": 13, "color": ON_COLOUR if strong else INK}, name="strong" if strong else "weak",
    )  # fmt: skip


def _lay_out(figure: go.Figure, table: Confusion, names: list[str]) -> None:
    rows, columns = table.shares.shape
    named = rows <= MOST_NAMES
    figure.update_layout(
        height=max(HEIGHT, min(HEIGHT + 120, ROW_PIXELS * rows + 60)),
        showlegend=False,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        dragmode=False,
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    shared = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": ""}
    figure.update_xaxes(
        title="recovered state", range=[-0.5, columns - 0.5], tickvals=list(range(columns)),
        ticktext=[str(state + 1) for state in table.states], showticklabels=columns <= MOST_NUMBERS, **shared,
    )  # fmt: skip
    figure.update_yaxes(
        title=None if named else f"true state ({rows})", range=[rows - 0.5, -0.5], tickvals=list(range(rows)),
        ticktext=names, showticklabels=named, automargin=True, **shared,
    )  # fmt: skip
