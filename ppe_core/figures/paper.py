"""The paper's figures 2b, 2c, 3c and 3d from our runs: points over seeds in, plotly figures out."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ppe_core.experiments.paper.points import Accuracy, Best, Errors, chosen
from ppe_core.figures.compare import style
from ppe_core.figures.palette import FAINT, INK, MISSED

HEIGHT, TALL = 400, 480  # pixels
NEVER_AT = 1.6e6  # episodes, where "never" is drawn
LIMIT = 500_000  # episodes, past which an algorithm has failed
DODGE = 0.1  # of a horizon, from algorithm to algorithm
MARK = 10  # pixels
DECADES = (2000, 20_000, 200_000)  # samples that are named in figure 3c
GUESS = "a decoder that guesses"


def half_regret(lines: Mapping[str, Sequence[Best]]) -> go.Figure:
    """Figure 2b: episodes to half regret against H, a line an algorithm, hollow above the limit for never."""
    figure = go.Figure()
    horizons = sorted({x.horizon for points in lines.values() for x in points})
    for place, (name, points) in enumerate(lines.items()):
        colour, symbol = style(list(lines), name)
        shift = DODGE * (place - (len(lines) - 1) / 2)
        at = [horizons.index(x.horizon) + shift for x in points]
        solved = [math.isfinite(x.episodes) for x in points]
        figure.add_scatter(
            x=at, y=[min(x.episodes, NEVER_AT) for x in points], name=name, mode="markers",
            marker={"symbol": [symbol if ok else f"{symbol}-open" for ok in solved], "size": MARK, "color": colour,
                    "line": {"color": colour, "width": 2}},
            error_y={"type": "data", "symmetric": False, "color": colour, "thickness": 1.3, "width": 4,
                     "array": [min(x.high, NEVER_AT) - min(x.episodes, NEVER_AT) for x in points],
                     "arrayminus": [min(x.episodes, NEVER_AT) - min(x.low, NEVER_AT) for x in points]},
            customdata=[_best_text(name, x) for x in points], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
        figure.add_scatter(
            x=[a for a, ok in zip(at, solved) if ok], y=[x.episodes for x, ok in zip(points, solved) if ok],
            mode="lines", line={"color": colour, "width": 1.6}, showlegend=False, hoverinfo="skip",
        )  # fmt: skip
    figure.add_hline(y=LIMIT, line={"color": FAINT, "dash": "dash", "width": 1.5}, layer="below")
    _plain(figure, TALL)
    figure.update_layout(legend={"entrywidth": 125})
    figure.update_xaxes(title="horizon H", tickvals=list(range(len(horizons))), ticktext=[str(h) for h in horizons],
                        range=[-0.5, len(horizons) - 0.5], showgrid=False)  # fmt: skip
    ticks, top = [5000, 20_000, 100_000, LIMIT], math.log10(NEVER_AT) + 0.15
    figure.update_yaxes(title="episodes n", type="log", tickvals=[*ticks, NEVER_AT],
                        ticktext=[*(f"{n:,}" for n in ticks), "∞"], range=[3.5, top])  # fmt: skip
    return figure


def accuracy(
    solid: Mapping[str, Sequence[Accuracy]], dashed: Mapping[str, Sequence[Accuracy]], guess: float | None = None
) -> go.Figure:
    """Figures 2c and 3d: mean decoding accuracy against N, bars of one standard deviation."""
    figure = go.Figure()
    names = list(dict.fromkeys([*solid, *dashed]))
    for curves, is_dashed in ((solid, False), (dashed, True)):
        for name, points in curves.items():
            if points:
                figure.add_trace(_accuracy_line(name, points, names, is_dashed, both=name in solid))
    sizes = sorted({x.samples for curves in (solid, dashed) for points in curves.values() for x in points})
    if guess is not None:
        figure.add_hline(y=guess, line={"color": INK, "dash": "dot", "width": 1.5}, layer="below")
        figure.add_annotation(x=1, xref="paper", y=guess, text=f"{GUESS}: {guess:.0%}", showarrow=False,
                              yanchor="bottom", xanchor="right", font={"size": 12, "color": INK})  # fmt: skip
    _plain(figure)
    figure.update_xaxes(title="samples N a time step", type="log", tickvals=sizes, ticktext=[_short(n) for n in sizes])
    figure.update_yaxes(title="decoding accuracy", tickformat=".0%", range=[0.25, 1.04])
    return figure


def errors(lines: Mapping[str, Sequence[Errors]], paper: Mapping[str, tuple[int, int]]) -> go.Figure:
    """Figure 3c: type 1 and type 2 errors against N; hollow where a run stopped early; stars are the paper's."""
    figure = make_subplots(1, 2, subplot_titles=("type 1: wrongly merged", "type 2: kept apart"), shared_yaxes=True,
                           horizontal_spacing=0.04)  # fmt: skip
    for column, kind in enumerate(("type1", "type2"), 1):
        for name, points in lines.items():
            colour, symbol = style(list(lines), name)
            figure.add_scatter(
                x=[x.samples for x in points], y=[_squeezed(getattr(x, kind)) for x in points], name=name,
                mode="lines+markers", line={"color": colour, "width": 2}, showlegend=column == 1, cliponaxis=False,
                marker={"symbol": [symbol if x.whole else f"{symbol}-open" for x in points], "size": MARK,
                        "color": colour, "line": {"color": colour, "width": 2}},
                customdata=[_errors_text(name, x) for x in points], hovertemplate="%{customdata}<extra></extra>",
                row=1, col=column,
            )  # fmt: skip
        if kind in paper:
            samples, count = paper[kind]
            figure.add_scatter(
                x=[samples], y=[_squeezed(count)], name="the paper", mode="markers", showlegend=column == 1,
                marker={"symbol": "star", "size": 15, "color": MISSED}, cliponaxis=False,
                hovertemplate=f"the paper<br>N = {samples:,}: {count:,}<extra></extra>", row=1, col=column,
            )  # fmt: skip
    _plain(figure)
    figure.update_layout(margin={"t": 70}, legend={"y": 1.12})
    figure.update_xaxes(title="samples N a time step", type="log", tickvals=DECADES, tickangle=0,
                        ticktext=[_short(n) for n in DECADES])  # fmt: skip
    counts = (0, 1, 10, 100, 1000, 10_000, 100_000)
    figure.update_yaxes(tickvals=[_squeezed(n) for n in counts], ticktext=[f"{n:,}" for n in counts])
    figure.update_yaxes(title="errors over all pairs", col=1)
    return figure


def _accuracy_line(
    name: str, points: Sequence[Accuracy], names: Sequence[str], is_dashed: bool, both: bool
) -> go.Scatter:
    colour, symbol = style(names, name)
    return go.Scatter(
        x=[x.samples for x in points], y=[x.mean for x in points], mode="lines+markers", legendgroup=name,
        name=f"{name}, with noise" if is_dashed else name, showlegend=not (is_dashed and both),
        line={"color": colour, "width": 2, "dash": "dash" if is_dashed else "solid"},
        marker={"symbol": f"{symbol}-open" if is_dashed else symbol, "size": 9, "color": colour},
        error_y={"type": "data", "array": [x.deviation for x in points], "color": colour, "thickness": 1.1, "width": 3},
        hovertemplate="%{fullData.name}<br>N = %{x:,}: %{y:.1%}<extra></extra>",
    )  # fmt: skip


def _best_text(name: str, x: Best) -> str:
    number = f"{x.episodes:,.0f}" if math.isfinite(x.episodes) else "never"
    settings = chosen(x)
    return (
        f"{name}, H = {x.horizon}<br>median: {number}<br>{x.solved} of {x.seeds} seeds reach half regret"
        + (f"<br>best of its grid: {settings}" if settings else "")
    )  # fmt: skip


def _errors_text(name: str, x: Errors) -> str:
    ended = "" if x.whole else f"<br>stopped after {x.levels} time steps"
    return (
        f"{name}, N = {x.samples:,}<br>type 1: {x.type1:,.0f}, type 2: {x.type2:,.0f} of {x.pairs:,} pairs"
        f"<br>{x.exact} of {x.seeds} seeds without an error{ended}"
    )


def _squeezed(count: float) -> float:
    """Logarithmic, with a place for zero."""
    return float(np.log10(1 + count))


def _short(number: int) -> str:
    return f"{number // 1000}k" if number >= 1000 and number % 1000 == 0 else f"{number:,}"


def _plain(figure: go.Figure, height: int = HEIGHT) -> None:
    figure.update_layout(
        height=height, margin={"l": 10, "r": 14, "t": 40, "b": 10}, dragmode=False, hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)", paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )  # fmt: skip
    figure.update_xaxes(gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_yaxes(gridcolor=FAINT, zeroline=False, fixedrange=True)
