"""Theory beside what was measured: exact against estimated gaps, margins against η, and how many samples to take.

Gaps are in units of 1/|Υ| everywhere, so that all time steps have the same threshold and bands.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.gap_histogram import DIFFERENT, OF_RUN, SAME, THRESHOLD
from ppe_core.figures.palette import MISSED, PLAN, WRONG

Array = np.ndarray

HEIGHT = 400
LARGEST = 2.5  # gaps over this, and those of paths without observations, are drawn here
MOST_POINTS = 800  # of each kind of pair; of more, an even choice in the order of the measured gap
GRID = "rgba(128,136,150,0.25)"
SAME_BAND, DIFFERENT_BAND = "rgba(47,125,225,0.22)", "rgba(165,141,75,0.26)"
LINE_STYLES = (("#2f7de1", "solid"), ("#e0702a", "dash"), ("#12a37a", "dot"), ("#b0629f", "dashdot"))


def gap_scatter(exact: Array, measured: Array, true: Array, threshold: float) -> go.Figure:
    """Every pair of paths: the gap it would have with infinite data, and the one it has; [paths, paths] each.

    On the diagonal the classifier is right; what is on the wrong side of the threshold is an error.
    """
    pairs = _pairs(exact, measured, true)
    figure = go.Figure(
        go.Scatter(x=[0, LARGEST], y=[0, LARGEST], mode="lines", line={"color": OF_RUN, "width": 1.5, "dash": "dash"},
                   name="measured = exact", hoverinfo="skip")
    )  # fmt: skip
    for name, kind, style in (
        ("same place", pairs.same & ~pairs.over(threshold), _dots(SAME, "circle")),
        ("same place, missed", pairs.same & pairs.over(threshold), _dots(MISSED, "diamond")),
        ("different places", ~pairs.same & pairs.over(threshold), _dots(DIFFERENT, "square-open")),
        ("different places, merged", ~pairs.same & ~pairs.over(threshold), _dots(WRONG, "x")),
    ):
        if kind.any():
            shown = _evenly(pairs, kind)
            figure.add_scatter(
                x=pairs.exact[shown], y=np.minimum(pairs.measured[shown], LARGEST), customdata=pairs.measured[shown],
                mode="markers", name=f"{name} ({kind.sum():,})", marker=style,
                hovertemplate="exact %{x:.3f}, measured %{customdata:.3f}<extra>" + name + "</extra>",
            )  # fmt: skip
    for line in (figure.add_vline, figure.add_hline):
        line(threshold, line={"color": THRESHOLD, "width": 2})
    figure.add_annotation(_note(f"threshold {threshold:g}", THRESHOLD, x=LARGEST, y=threshold, xanchor="right",
                                yanchor="bottom"))  # fmt: skip
    lay_out(figure, f"exact gap, in units of 1/|Υ| (here |Υ| = {len(true)} paths)", "measured gap")
    both = {"range": [-0.08, LARGEST + 0.08]}
    return figure.update_xaxes(both).update_yaxes(both)


def describe_gaps(exact: Array, measured: Array, true: Array, threshold: float) -> str:
    """The picture in words, for whoever cannot see it."""
    pairs = _pairs(exact, measured, true)
    missed, wrong = int((pairs.same & pairs.over(threshold)).sum()), int((~pairs.same & ~pairs.over(threshold)).sum())
    off = np.abs(pairs.measured - pairs.exact)[np.isfinite(pairs.measured)]
    return (
        f"Exact against measured gaps of {len(pairs.same):,} pairs of paths. The measured gap is off by "
        f"{np.median(off) if len(off) else 0:.3f} in the median; {missed:,} pairs to the same place are over the "
        f"threshold {threshold:g}, {wrong:,} pairs to different places are not."
    )


@dataclass(frozen=True)
class Margins:
    """What separates the two kinds of pairs at every η, in units of 1/|Υ|: bounds, and if known the exact extremes."""

    eta: Array  # ascending
    same_at_most: Array
    different_at_least: Array
    largest_eta: float  # up to which the theory holds, 1/(4SH)
    exact_same: Array | None = None
    exact_different: Array | None = None


def margin_bands(margins: Margins, threshold: float) -> go.Figure:
    """Where exact gaps can be: two bands that close in on the threshold as η grows."""
    eta, top = margins.eta, np.full(len(margins.eta), 2.0)
    figure = go.Figure()
    for name, inner, outer, colour, fill in (
        ("same place", margins.same_at_most, 0 * top, SAME, SAME_BAND),
        ("different places", margins.different_at_least, top, DIFFERENT, DIFFERENT_BAND),
    ):
        figure.add_scatter(x=eta, y=outer, mode="lines", line={"width": 0}, hoverinfo="skip", showlegend=False)
        figure.add_scatter(
            x=eta, y=np.clip(inner, 0, 2), mode="lines", name=f"{name}: bound", fill="tonexty", fillcolor=fill,
            line={"color": colour, "width": 2}, customdata=inner,
            hovertemplate="η = %{x:.4g}: %{customdata:.3f}<extra>" + name + "</extra>",
        )  # fmt: skip
    for name, values, colour, symbol in (
        ("same place: largest exact gap", margins.exact_same, SAME, "circle"),
        ("different places: smallest exact gap", margins.exact_different, DIFFERENT, "square-open"),
    ):
        if values is not None:
            figure.add_scatter(x=eta, y=values, mode="markers", name=name, marker=_dots(colour, symbol),
                               hovertemplate="η = %{x:.4g}: %{y:.3f}<extra>" + name + "</extra>")  # fmt: skip
    figure.add_hline(threshold, line={"color": THRESHOLD, "width": 2})
    figure.add_vline(margins.largest_eta, line={"color": OF_RUN, "width": 2, "dash": "dot"})
    figure.add_annotation(_note("the theory holds<br>up to 1/(4SH)", OF_RUN, x=margins.largest_eta, y=1.25,
                                xanchor="left", yanchor="middle", align="left", xshift=4))  # fmt: skip
    figure.add_annotation(_note(f"threshold {threshold:g}", THRESHOLD, x=0, y=threshold, xanchor="left", xshift=4,
                                yanchor="bottom"))  # fmt: skip
    lay_out(figure, "η, how far from deterministic", "exact gap, in units of 1/|Υ|")
    return figure.update_yaxes(range=[-0.05, 2.1]).update_xaxes(range=[0, float(eta[-1])])


def describe_margins(margins: Margins, threshold: float) -> str:
    """The picture in words, for whoever cannot see it."""
    inside = (margins.same_at_most <= threshold) & (threshold < margins.different_at_least)
    until = f"up to η = {margins.eta[inside].max():.4g}" if inside.any() else "for no η shown"
    return (
        f"Bounds of exact gaps against η. Gaps of the same place stay below the threshold {threshold:g} and those of "
        f"different places above it {until}; the theory asks for η at most {margins.largest_eta:.4g}."
    )


def sample_sizes(
    quantity: str, values: Array, lines: Mapping[str, Array], in_use: tuple[float, float] | None = None
) -> go.Figure:
    """Episodes a time step against some quantity (|Υ|, H), a line for each version of the bound; and what is used."""
    figure = go.Figure()
    for (name, episodes), (colour, dash) in zip(lines.items(), LINE_STYLES):
        figure.add_scatter(
            x=values, y=episodes, mode="lines", name=name, line={"color": colour, "width": 2.5, "dash": dash},
            hovertemplate=f"{quantity} = %{{x:,}}: N = %{{y:,.0f}}<extra>{name}</extra>",
        )  # fmt: skip
    if in_use:
        figure.add_scatter(
            x=in_use[:1], y=in_use[1:], mode="markers", name="in use", marker=_dots(PLAN, "star", 14, 1.0),
            hovertemplate=f"{quantity} = %{{x:,}}: N = %{{y:,}} in use<extra></extra>",
        )  # fmt: skip
    lay_out(figure, quantity, "episodes a time step, N")
    return figure.update_xaxes(type="log", dtick=1).update_yaxes(type="log", dtick=1, tickformat="~s")


def describe_samples(
    quantity: str, values: Array, lines: Mapping[str, Array], in_use: tuple[float, float] | None = None
) -> str:
    """The picture in words, for whoever cannot see it."""
    told = "; ".join(f"{name}: {y[0]:,.0f} to {y[-1]:,.0f}" for name, y in lines.items())
    used = f" In use at {quantity} = {in_use[0]:,}: {in_use[1]:,}." if in_use else ""
    return f"Episodes a time step for {quantity} from {values[0]:,} to {values[-1]:,}. {told}.{used}"


@dataclass(frozen=True)
class _Pairs:
    exact: Array
    measured: Array
    same: Array

    def over(self, threshold: float) -> Array:
        return self.measured > threshold


def _pairs(exact: Array, measured: Array, true: Array) -> _Pairs:
    upper = np.triu_indices(len(true), 1)
    return _Pairs(exact[upper], measured[upper], (true[:, None] == true)[upper])


def _evenly(pairs: _Pairs, kind: Array) -> Array:
    """Pairs of a kind, at most MOST_POINTS of them, the smallest and the largest gap among them."""
    chosen = np.flatnonzero(kind)
    chosen = chosen[np.argsort(pairs.measured[chosen], kind="stable")]
    return chosen[np.unique(np.linspace(0, len(chosen) - 1, min(len(chosen), MOST_POINTS)).round().astype(int))]


def _dots(colour: str, symbol: str, size: int = 8, opacity: float = 0.75) -> dict[str, Any]:
    return {"color": colour, "symbol": symbol, "size": size, "opacity": opacity}


def _note(text: str, colour: str, **place: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, "font": {"size": 12, "color": colour}, **place}


def lay_out(figure: go.Figure, x: str, y: str) -> None:
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 56, "r": 16, "t": 10, "b": 44},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )
    axis = {"automargin": True, "zeroline": False, "fixedrange": True, "gridcolor": GRID}
    figure.update_xaxes(title=x, **axis)
    figure.update_yaxes(title=y, **axis)
