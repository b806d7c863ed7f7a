"""How good the decoder is at each time step, on fresh observations, beside one that guesses."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.confusion import confusion_of
from ppe_core.figures.verdicts import LOST, RIGHT

HEIGHT = 330
PAIRS = "#2f7de1"
SIZES = {"circle": 7, "square-open": 12, "x-thin": 8}  # pixels: lines that agree can both be seen
MOST_MARKED = 15  # time steps; of more the marks are small
LEAST_SPAN = 0.1  # of the vertical axis, so that tiny differences do not look large


def random_decoder(states: int) -> float:
    """Pairs judged right by a decoder that draws one of as many labels as there are (uniform) states."""
    return 1 / states**2 + (1 - 1 / states) ** 2


def accuracy_figure(levels: Sequence[LevelRecord], horizon: int, chosen: int) -> go.Figure:
    """The finished levels of a run with `horizon` time steps; the chosen one has a line."""
    steps = [level.found.h for level in levels]
    lines = {
        "pairs judged right": ([level.truth.decoding_accuracy for level in levels], PAIRS, "circle", "solid"),
        "states named right": ([confusion_of(level).accuracy for level in levels], RIGHT, "square-open", "dash"),
        "pairs, random decoder": ([random_decoder(len(x.truth.reachable)) for x in levels], LOST, "x-thin", "dot"),
    }
    figure = go.Figure([_line(name, steps, *style, small=horizon > MOST_MARKED) for name, style in lines.items()])
    lowest = min(min(values) for values, *_ in lines.values())
    _lay_out(figure, horizon, chosen, min(lowest, 1 - LEAST_SPAN))
    return figure


def describe(levels: Sequence[LevelRecord]) -> str:
    """The picture in words, for whoever cannot see it."""
    steps = "; ".join(f"h = {level.found.h}: {level.truth.decoding_accuracy:.1%}" for level in levels)
    return f"Share of pairs of fresh observations that the decoder judges right, over the time steps. {steps}"


def _line(
    name: str, steps: list[int], values: list[float], colour: str, symbol: str, dash: str, small: bool
) -> go.Scatter:
    size = 4 if small else SIZES[symbol]
    return go.Scatter(
        x=steps, y=values, name=name, mode="lines+markers", cliponaxis=False,
        line={"color": colour, "width": 2, "dash": dash},
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"color": colour, "width": 1.5}},
        hovertemplate=f"h = %{{x}}<br>{name}: %{{y:.1%}}<extra></extra>",
    )  # fmt: skip


def _lay_out(figure: go.Figure, horizon: int, chosen: int, lowest: float) -> None:
    margin = 0.08 * (1 - lowest)
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 10, "r": 16, "t": 10, "b": 10},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )
    stride = -(-horizon // 10)
    shown = sorted({1, *np.arange(stride, horizon + 1, stride).tolist()})
    figure.update_xaxes(
        title="time step h", range=[0.6, horizon + 0.4], tickvals=shown, showgrid=False, zeroline=False, fixedrange=True
    )
    figure.update_yaxes(
        range=[max(-0.02, lowest - margin), 1 + margin], tickformat=".0%", zeroline=False, fixedrange=True,
        gridcolor="rgba(128,136,150,0.25)",
    )  # fmt: skip
    figure.add_vline(x=chosen, line={"color": LOST, "width": 1, "dash": "dash"}, layer="below")
