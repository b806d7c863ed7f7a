"""Learners beside each other: how well they decode, how long until they earn, what they merged and split."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ppe_core.figures.palette import FAINT, INK, ON_COLOUR

Array = np.ndarray
COLOURS = ("#2f7de1", "#e0702a", "#12a37a", "#b0629f", "#8f7a3a", "#7d8592", "#4aa3b8", "#6a6fd0")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "cross", "hexagon", "triangle-down")
ROW, ROW_OF_TWO, AROUND = 34, 48, 90  # pixels a learner, one in two worlds, and around all of them
HEIGHT = 380
SCALE = [[0, "rgba(128,136,150,0.10)"], [0.02, "rgba(47,125,225,0.25)"], [1, "#1f62c4"]]
MOST_WRITTEN = 12  # true states up to which shares are written into the cells
STRONG = 0.55  # from here on a cell is so dark that its number is white
NEVER_AT = 1.7  # of the largest number of episodes, where "never" is drawn


@dataclass(frozen=True)
class Score:
    """A measure of one learner in one world: the median over seeds and its interval; infinite is never."""

    learner: str  # its title
    samples: int
    quiet: bool  # without exogenous noise
    low: float
    middle: float
    high: float
    runs: int


def style(learners: Sequence[str], learner: str) -> tuple[str, str]:
    """The colour and the symbol of a learner, by its place among all."""
    place = list(learners).index(learner)
    return COLOURS[place % len(COLOURS)], SYMBOLS[place % len(SYMBOLS)]


def accuracy_lines(scores: Sequence[Score], learners: Sequence[str]) -> go.Figure:
    """Decoding accuracy against N; dotted and hollow without exogenous noise."""
    figure = go.Figure()
    for learner in learners:
        for quiet in (False, True):
            chosen = sorted((s for s in scores if (s.learner, s.quiet) == (learner, quiet)), key=lambda s: s.samples)
            if chosen:
                figure.add_scatter(**_line(chosen, learner, learners, quiet))
    sizes = sorted({score.samples for score in scores})
    _plain(figure, HEIGHT)
    figure.update_xaxes(type="log", title="samples N a time step", tickvals=sizes, ticktext=[f"{n:,}" for n in sizes])
    figure.update_yaxes(title="decoding accuracy", tickformat=".0%", range=[0.28, 1.03])
    return figure


def _line(chosen: Sequence[Score], learner: str, learners: Sequence[str], quiet: bool) -> dict:
    colour, symbol = style(learners, learner)
    middle = np.array([score.middle for score in chosen])
    return {
        "x": [score.samples for score in chosen], "y": middle, "mode": "lines+markers",
        "name": f"{learner}, no exogenous noise" if quiet else learner, "showlegend": not quiet,
        "line": {"color": colour, "width": 2, "dash": "dot" if quiet else "solid"},
        "marker": {"symbol": f"{symbol}-open" if quiet else symbol, "size": 10, "color": colour},
        "error_y": {"type": "data", "symmetric": False, "array": [s.high - s.middle for s in chosen],
                    "arrayminus": [s.middle - s.low for s in chosen], "thickness": 1.2, "width": 4, "color": colour},
        "hovertemplate": "%{fullData.name}<br>N = %{x:,}: %{y:.1%}<extra></extra>",
    }  # fmt: skip


def rows(scores: Sequence[Score], learners: Sequence[str], title: str, share: bool = False) -> go.Figure:
    """A measure as a row of each learner: the median, its interval, and a cross for never."""
    figure = go.Figure()
    finite = [score.middle for score in scores if math.isfinite(score.middle)]
    never = NEVER_AT * max([*finite, *(s.high for s in scores if math.isfinite(s.high)), 1.0])
    for score in scores:
        colour, symbol = style(learners, score.learner)
        is_never = math.isinf(score.middle)
        middle, high = (never if math.isinf(x) else x for x in (score.middle, score.high))
        offset = 0.16 if score.quiet else -0.16 if any(s.quiet for s in scores) else 0
        figure.add_scatter(
            x=[middle], y=[learners.index(score.learner) + offset], mode="markers+text", showlegend=False,
            marker={"symbol": "x" if is_never else f"{symbol}-open" if score.quiet else symbol, "size": 11,
                    "color": colour},
            text=" never" if is_never else "", textposition="middle right", textfont={"color": colour},
            cliponaxis=False,
            error_x={"type": "data", "symmetric": False, "array": [high - middle],
                     "arrayminus": [middle - min(score.low, middle)], "thickness": 1.4, "width": 5, "color": colour},
            hovertext=_row_text(score, share), hoverinfo="text",
        )  # fmt: skip
    _plain(figure, AROUND + (ROW_OF_TWO if any(s.quiet for s in scores) else ROW) * len(learners))
    figure.update_yaxes(tickvals=list(range(len(learners))), ticktext=list(learners), showgrid=True, automargin=True,
                        range=[len(learners) - 0.5, -0.5])  # fmt: skip
    if share:
        figure.update_xaxes(title=title, tickformat=".0%", range=[0.28, 1.03])
    else:
        figure.update_xaxes(title=title, type="log", nticks=5, tickangle=0)
        figure.update_layout(margin={"r": 60})
    return figure


def _row_text(score: Score, share: bool) -> str:
    def text(value: float) -> str:
        return "never" if math.isinf(value) else f"{value:.1%}" if share else f"{value:,.3g}"

    world = "without exogenous noise" if score.quiet else "with exogenous noise"
    return (
        f"{score.learner}, {world}, N = {score.samples:,}<br>median of {score.runs} seeds: {text(score.middle)}"
        f"<br>from {text(score.low)} to {text(score.high)}"
    )


def learning_curves(curves: Mapping[str, Sequence[Sequence[tuple[int, float]]]], learners: Sequence[str]) -> go.Figure:
    """The mean return while learning, a line a seed."""
    figure = go.Figure()
    for learner, runs in curves.items():
        colour, _ = style(learners, learner)
        for i, curve in enumerate(runs):
            episodes, means = zip(*curve)
            figure.add_scatter(
                x=episodes, y=means, mode="lines", name=learner, legendgroup=learner, showlegend=i == 0,
                line={"color": colour, "width": 1.6, "dash": DASHES[learners.index(learner) % len(DASHES)]},
                hovertemplate=f"{learner}<br>%{{x:,}} episodes: %{{y:.3f}}<extra></extra>",
            )  # fmt: skip
    _plain(figure, HEIGHT)
    figure.update_xaxes(title="episodes")
    figure.update_yaxes(title="mean return", rangemode="tozero")
    return figure


DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def partitions(shares: Mapping[str, Array], names: Sequence[str]) -> go.Figure:
    """Each decoder's labels for each true state, side by side; a row with one dark cell of its own is right."""
    figure = make_subplots(1, len(shares), subplot_titles=list(shares), shared_yaxes=True, horizontal_spacing=0.03)
    for column, table in enumerate(shares.values(), 1):
        figure.add_heatmap(
            z=table, zmin=0, zmax=1, colorscale=SCALE, showscale=False, xgap=2, ygap=2, row=1, col=column,
            hovertemplate="%{customdata}<br>label %{x}: %{z:.1%}<extra></extra>",
            customdata=[[name] * table.shape[1] for name in names],
        )  # fmt: skip
        if len(names) <= MOST_WRITTEN:
            for chosen, colour in ((table > STRONG, ON_COLOUR), ((table >= 0.005) & (table <= STRONG), INK)):
                y, x = np.nonzero(chosen)
                figure.add_scatter(
                    x=x, y=y, mode="text", text=[f"{share:.0%}" for share in table[chosen]], showlegend=False,
                    hoverinfo="skip", textfont={"color": colour}, row=1, col=column,
                )  # fmt: skip
    _plain(figure, 110 + max(44 * min(len(names), 8), 3 * len(names)))
    figure.update_xaxes(showticklabels=False, title="labels", showgrid=False)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    if len(names) <= 20:
        figure.update_yaxes(tickvals=list(range(len(names))), ticktext=list(names), automargin=True, col=1)
    return figure


def _plain(figure: go.Figure, height: int) -> None:
    figure.update_layout(
        height=height, margin={"l": 10, "r": 10, "t": 40, "b": 10}, dragmode=False, hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)", paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )  # fmt: skip
    figure.update_xaxes(gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_yaxes(gridcolor=FAINT, zeroline=False, fixedrange=True)
