"""How well a threshold tells paths apart: the gaps of one time step, and the errors of every threshold.

Upwards the pairs of paths that reach the same state, downwards those that do not, on a logarithmic
scale. A good gap has all of the first left of the threshold and all of the second right of it. Below, on
the same axis, the errors that each threshold would make. Gaps are in units of 1/|Υ|.
"""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.palette import MISSED, STATE_COLOURS, WRONG

Array = np.ndarray

HEIGHT = 470
SAME, DIFFERENT = STATE_COLOURS[0], "#a58d4b"
HATCH = "#3b3012"
THRESHOLD = "#c23fb0"
BAND = "rgba(128,136,150,0.20)"
GOOD = "rgba(18,163,122,0.22)"
BIN = 0.05
RIGHT = 2.5  # larger gaps, and those of paths without observations, are counted here
SAME_BELOW, DIFFERENT_ABOVE = 3 / 8, 7 / 8  # the margin lemma's bands for the estimated gap
ONE = 0.5  # how high a single pair is drawn, where ten are 1 higher
HEADROOM = 1.45  # over the highest bar, for words
MOST_POWERS = 4  # of ten, named at an axis
ROOM_FOR_WORDS = 0.35
SYMBOLS = {"wrong": "✖", "missed": "◆"}
TICKS = {0: "0", 3 / 8: "3/8", 5 / 8: "5/8", 7 / 8: "7/8", 1.25: "1.25", 1.5: "1.5", 2: "2", RIGHT: "2.5+"}


@dataclass(frozen=True)
class Errors:
    """What each threshold would get wrong."""

    thresholds: Array
    type1: Array
    type2: Array
    without: tuple[float, float] | None  # the interval without an error


def gap_histogram(gaps: Array, true: Array, threshold: float, run_threshold: float, errors: Errors) -> go.Figure:
    pairs, same = _pairs(gaps, true)
    up, down = _counts(pairs[same]), _counts(pairs[~same])
    top = _height(np.array([max(up.max(), down.max(), 1)]))[0] * HEADROOM
    figure = go.Figure([_bars(up, 1, "same place"), _bars(-down, -1, "different places"), *_curves(errors)])
    _lay_out(figure, len(gaps), top, max(1, errors.type1.max(), errors.type2.max()))
    _shade(figure, top, errors)
    _write(figure, pairs, same, threshold, top)
    _mark_threshold(figure, threshold, run_threshold)
    return figure


def describe(gaps: Array, true: Array, threshold: float, errors: Errors) -> str:
    """The picture in words, for whoever cannot see it."""
    pairs, same = _pairs(gaps, true)
    over, under = _on_the_wrong_side(pairs, same, threshold)
    margin = f"from {errors.without[0]:g} to {errors.without[1]:g}" if errors.without else "nowhere"
    return (
        f"Histogram of gaps. {over} of {int(same.sum())} pairs of paths to the same place are over the threshold "
        f"{threshold:g}, {under} of {int((~same).sum())} pairs to different places are under it. "
        f"Thresholds without any error: {margin}."
    )


def _pairs(gaps: Array, true: Array) -> tuple[Array, Array]:
    upper = np.triu_indices(len(gaps), 1)
    return gaps[upper], (true[:, None] == true)[upper]


def _on_the_wrong_side(pairs: Array, same: Array, threshold: float) -> tuple[int, int]:
    """Pairs of the same state over the threshold, and of different ones under it."""
    return int((pairs[same] > threshold).sum()), int((pairs[~same] <= threshold).sum())


def _counts(values: Array) -> Array:
    return np.histogram(np.clip(values, 0, RIGHT - BIN / 2), bins=_edges())[0]


def _edges() -> Array:
    return np.linspace(0, RIGHT, round(RIGHT / BIN) + 1)


def _height(counts: Array) -> Array:
    """Logarithmic, with room for a single one; zero stays zero."""
    return np.where(counts > 0, np.log10(np.maximum(counts, 1)) + ONE, 0)


def _bars(counts: Array, sign: int, name: str) -> go.Bar:
    edges = _edges()
    shown = counts != 0
    text = [f"{abs(n)} pairs, {name}<br>gap {low:.2f} to {low + BIN:.2f}"
            for n, low in zip(counts[shown].tolist(), edges[:-1][shown].tolist())]  # fmt: skip
    same = sign > 0
    return go.Bar(
        x=edges[:-1][shown] + BIN / 2, y=sign * _height(np.abs(counts[shown])), width=BIN, name=name,
        hovertext=text, hoverinfo="text", textposition="none",
        marker={
            "color": SAME if same else DIFFERENT,
            "line": {"width": 1, "color": SAME if same else DIFFERENT},
            "pattern": {"shape": "" if same else "/", "size": 6, "fillmode": "overlay", "fgcolor": HATCH},
        },
    )  # fmt: skip


def _curves(errors: Errors) -> list[go.Scatter]:
    styles = (
        ("wrong merges", errors.type1, WRONG, "x", "solid"),
        ("missed merges", errors.type2, MISSED, "diamond", "dot"),
    )
    return [
        go.Scatter(
            x=errors.thresholds.astype(np.float32), y=_height(counts).astype(np.float32), yaxis="y2", name=name,
            mode="lines+markers", customdata=counts,
            hovertemplate="threshold %{x}: %{customdata} " + name + "<extra></extra>",
            line={"color": colour, "width": 2, "dash": dash},
            marker={"symbol": symbol, "size": 7, "color": colour, "maxdisplayed": 12},
        )
        for name, counts, colour, symbol, dash in styles
    ]  # fmt: skip


def _shade(figure: go.Figure, top: float, errors: Errors) -> None:
    """The theory's bands, and in the panel below the thresholds without an error."""
    areas = [(0, SAME_BELOW, 0, top, "y", BAND), (DIFFERENT_ABOVE, RIGHT, -top, 0, "y", BAND)]
    if errors.without:
        low, high = errors.without
        areas.append((low, high, 0, figure.layout.yaxis2.range[1], "y2", GOOD))
        if high - low > ROOM_FOR_WORDS:
            figure.add_annotation(x=(low + high) / 2, y=figure.layout.yaxis2.range[1] / 2, yref="y2", showarrow=False,
                                  text="no errors", font={"size": 12})  # fmt: skip
    for x0, x1, y0, y1, axis, colour in areas:
        figure.add_shape(type="rect", x0=x0, x1=x1, y0=y0, y1=y1, yref=axis, fillcolor=colour, line_width=0,
                         layer="below")  # fmt: skip


def _write(figure: go.Figure, pairs: Array, same: Array, threshold: float, top: float) -> None:
    over, under = _on_the_wrong_side(pairs, same, threshold)
    inside = {"showarrow": False, "font": {"size": 12}}
    figure.add_annotation(
        x=RIGHT, xanchor="right", y=top, yanchor="top", align="right", **inside,
        text=f"<b>same place</b>: {int(same.sum()):,} pairs<br>{SYMBOLS['missed']} {over:,} over the threshold",
    )  # fmt: skip
    figure.add_annotation(
        x=RIGHT, xanchor="right", y=-top, yanchor="bottom", align="right", **inside,
        text=f"<b>different places</b>: {int((~same).sum()):,} pairs"
        f"<br>{SYMBOLS['wrong']} {under:,} under the threshold",
    )  # fmt: skip
    small = {"showarrow": False, "font": {"size": 11}}
    figure.add_annotation(x=0.01, xanchor="left", y=top, yanchor="top", text="theory: ≤ 3/8", **small)
    figure.add_annotation(
        x=DIFFERENT_ABOVE + 0.01, xanchor="left", y=-top, yanchor="bottom", text="theory: ≥ 7/8", **small
    )
    figure.add_annotation(
        x=1, xref="paper", xanchor="right", y=0.31, yref="paper", yanchor="bottom", **inside,
        text=f"errors at every threshold: <span style='color:{WRONG}'>{SYMBOLS['wrong']}</span> wrong, "
        f"<span style='color:{MISSED}'>{SYMBOLS['missed']}</span> missed merges",
    )  # fmt: skip


def _mark_threshold(figure: go.Figure, threshold: float, run_threshold: float) -> None:
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1}
    if run_threshold != threshold:
        figure.add_shape(
            x0=run_threshold, x1=run_threshold, line={"color": "#7d8592", "width": 2, "dash": "dot"}, **line
        )
    figure.add_shape(x0=threshold, x1=threshold, line={"color": THRESHOLD, "width": 2.5}, **line)
    figure.add_annotation(
        x=threshold, y=1, yref="paper", yanchor="bottom", showarrow=False, font={"size": 13},
        text=f"<b><span style='color:{THRESHOLD}'>threshold {threshold:g}</span></b>",
        xanchor="center" if threshold > 0.3 else "left",
    )  # fmt: skip


def _lay_out(figure: go.Figure, paths: int, top: float, most_errors: float) -> None:
    figure.update_layout(
        height=HEIGHT,
        showlegend=False,
        barmode="overlay",
        margin={"l": 44, "r": 8, "t": 26, "b": 44},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    figure.update_xaxes(
        range=[-0.03, RIGHT + 0.03], anchor="y2", tickvals=list(TICKS), ticktext=list(TICKS.values()), fixedrange=True,
        title=f"gap, in units of 1/|Υ| (here |Υ| = {paths} paths)", showgrid=False, zeroline=False, tickangle=0,
    )  # fmt: skip
    heights, names = _scale(10 ** (top / HEADROOM - ONE))
    figure.update_yaxes(fixedrange=True, showgrid=True, zeroline=True)
    figure.update_layout(
        yaxis={
            "domain": [0.42, 1], "range": [-top, top], "title": "pairs", "zerolinewidth": 2,
            "tickvals": [-y for y in heights[::-1]] + heights, "ticktext": names[::-1] + names,
        },
        yaxis2={"domain": [0, 0.29], "range": [-0.25, _height(np.array([most_errors]))[0] * 1.15], "title": "errors"},
    )  # fmt: skip
    heights, names = _scale(most_errors)
    figure.update_layout(yaxis2={"tickvals": [0, *heights], "ticktext": ["0", *names]})


def _scale(most: float) -> tuple[list[float], list[str]]:
    """Powers of ten and where they are drawn."""
    largest = int(np.log10(max(most, 1)) + 1e-6)
    powers = range(0, largest + 1, 1 + largest // MOST_POWERS)
    return [power + ONE for power in powers], [f"{10**power:,}" for power in powers]
