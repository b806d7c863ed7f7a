"""How well a threshold tells paths apart: the gaps of one time step, and the errors of every threshold.

Upwards the pairs of paths that reach the same state, downwards those that do not, on a logarithmic
scale. A good gap has all of the first left of the threshold and all of the second right of it. Below, on
the same axis, the errors that each threshold would make. Gaps are in units of 1/|Υ|.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.palette import MISSED, STATE_COLOURS, WRONG

Array = np.ndarray

HEIGHT = 470
SAME, DIFFERENT = STATE_COLOURS[0], "#a58d4b"
HATCH = "#3b3012"
THRESHOLD = "#c23fb0"
OF_RUN = "#7d8592"
BAND = "rgba(128,136,150,0.20)"
GOOD = "rgba(18,163,122,0.22)"
BIN = 0.05
RIGHT = 2.5  # larger gaps, and those of paths without observations, are counted here
SAME_BELOW, DIFFERENT_ABOVE = 3 / 8, 7 / 8  # the margin lemma's bands for the estimated gap
ONE = 0.5  # how high a single pair is drawn, where ten are 1 higher
LOWER, UPPER = 0.29, 0.42  # end of the lower panel, start of the upper one
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
    ceiling = float(_height(np.array([max(1, errors.type1.max(), errors.type2.max())]))[0])
    traces = [_bars(up, 1, "same place"), _bars(-down, -1, "different places"), *_curves(errors)]
    words = _words(pairs, same, threshold, top) + _words_of_margin(errors, ceiling)
    shapes = _areas(errors, top, ceiling) + _threshold_lines(threshold, run_threshold)
    return go.Figure(traces, _layout(len(gaps), top, ceiling) | {"annotations": words, "shapes": shapes})


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


def _areas(errors: Errors, top: float, ceiling: float) -> list[dict]:
    """The theory's bands, and in the panel below the thresholds without an error."""
    areas = [(0, SAME_BELOW, 0, top, "y", BAND), (DIFFERENT_ABOVE, RIGHT, -top, 0, "y", BAND)]
    if errors.without:
        areas.append((*errors.without, 0, ceiling, "y2", GOOD))
    return [
        {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "yref": axis, "fillcolor": colour,
         "line": {"width": 0}, "layer": "below"}
        for x0, x1, y0, y1, axis, colour in areas
    ]  # fmt: skip


def _threshold_lines(threshold: float, run_threshold: float) -> list[dict]:
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1}
    here = line | {"x0": threshold, "x1": threshold, "line": {"color": THRESHOLD, "width": 2.5}}
    run = line | {"x0": run_threshold, "x1": run_threshold, "line": {"color": OF_RUN, "width": 2, "dash": "dot"}}
    return [here] if run_threshold == threshold else [run, here]


def _words(pairs: Array, same: Array, threshold: float, top: float) -> list[dict]:
    over, under = _on_the_wrong_side(pairs, same, threshold)
    missed, wrong = SYMBOLS["missed"], SYMBOLS["wrong"]
    right: dict[str, Any] = {"x": RIGHT, "xanchor": "right", "align": "right"}
    above: dict[str, Any] = {"y": top, "yanchor": "top"}
    below: dict[str, Any] = {"y": -top, "yanchor": "bottom"}
    return [
        _note(f"<b>same place</b>: {same.sum():,} pairs<br>{missed} {over:,} over", **right, **above),
        _note(f"<b>different places</b>: {(~same).sum():,} pairs<br>{wrong} {under:,} under",
              **right, **below),
        _note("theory: ≤ 3/8", size=11, x=0.01, xanchor="left", **above),
        _note("theory: ≥ 7/8", size=11, x=DIFFERENT_ABOVE + 0.01, xanchor="left", **below),
        _note(f"{_coloured(WRONG, wrong)} wrong, {_coloured(MISSED, missed)} missed merges",
              x=1, xref="paper", xanchor="right", y=LOWER + 0.02, yref="paper", yanchor="bottom"),
        _note(f"<b>{_coloured(THRESHOLD, f'threshold {threshold:g}')}</b>", size=13, x=threshold, y=1, yref="paper",
              yanchor="bottom", xanchor="center" if threshold > ROOM_FOR_WORDS else "left"),
    ]  # fmt: skip


def _words_of_margin(errors: Errors, ceiling: float) -> list[dict]:
    if errors.without is None or errors.without[1] - errors.without[0] < ROOM_FOR_WORDS:
        return []
    return [_note("no errors", x=sum(errors.without) / 2, y=ceiling / 2, yref="y2")]


def _note(text: str, size: int = 12, **place: Any) -> dict:
    return {"text": text, "showarrow": False, "font": {"size": size}, **place}


def _coloured(colour: str, text: str) -> str:
    return f"<span style='color:{colour}'>{text}</span>"


def _layout(paths: int, top: float, ceiling: float) -> dict:
    counts, count_names = _scale(top / HEADROOM)
    errors, error_names = _scale(ceiling)
    fixed = {"fixedrange": True, "showgrid": True, "zeroline": True}
    return {
        "height": HEIGHT,
        "showlegend": False,
        "barmode": "overlay",
        "margin": {"l": 44, "r": 8, "t": 26, "b": 44},
        "dragmode": False,
        "hovermode": "closest",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {
            "range": [-0.03, RIGHT + 0.03], "anchor": "y2", "fixedrange": True, "showgrid": False, "zeroline": False,
            "tickvals": list(TICKS), "ticktext": list(TICKS.values()), "tickangle": 0,
            "title": {"text": f"gap, in units of 1/|Υ| (here |Υ| = {paths} paths)"},
        },
        "yaxis": {
            "domain": [UPPER, 1], "range": [-top, top], "title": {"text": "pairs"}, "zerolinewidth": 2, **fixed,
            "tickvals": [-y for y in counts[::-1]] + counts, "ticktext": count_names[::-1] + count_names,
        },
        "yaxis2": {
            "domain": [0, LOWER], "range": [-0.25, 1.15 * ceiling], "title": {"text": "errors"}, **fixed,
            "tickvals": [0, *errors], "ticktext": ["0", *error_names],
        },
    }  # fmt: skip


def _scale(height: float) -> tuple[list[float], list[str]]:
    """Where powers of ten up to a height are drawn, and their names."""
    largest = max(0, int(height - ONE + 1e-6))
    powers = range(0, largest + 1, 1 + largest // MOST_POWERS)
    return [power + ONE for power in powers], [f"{10**power:,}" for power in powers]
