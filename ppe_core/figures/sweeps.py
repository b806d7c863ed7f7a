"""Measurements along one setting beside what theory says: gaps nearing the exact ones, errors setting in with η."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.palette import MISSED, PLAN, WRONG
from ppe_core.figures.theory import lay_out

Interval = tuple[float, float, float]  # low end, median, high end
LINE = "#2f7de1"
FAINT_LINE = "rgba(128,136,150,0.9)"


def convergence(distances: Mapping[int, Interval], slope: float | None) -> go.Figure:
    """How far measured gaps are from the exact ones, by N, on logarithmic axes; with the line of its slope."""
    sizes = sorted(distances)
    figure = go.Figure()
    if slope is not None:
        middle = np.log([distances[n][1] for n in sizes]).mean() - slope * np.log(sizes).mean()
        figure.add_scatter(x=sizes, y=np.exp(middle) * np.array(sizes, float) ** slope, mode="lines",
                           name=f"N to the power {slope:.2f}", hoverinfo="skip",
                           line={"color": FAINT_LINE, "width": 2, "dash": "dash"})  # fmt: skip
    figure.add_scatter(
        x=sizes, y=[distances[n][1] for n in sizes], mode="markers+lines", name="measured, median over seeds",
        line={"color": LINE, "width": 1.5}, marker={"size": 9, "color": LINE},
        error_y=_bars([distances[n] for n in sizes], LINE),
        hovertemplate="N = %{x:,}: %{y:.3g} off<extra></extra>",
    )  # fmt: skip
    lay_out(figure, "samples a time step, N", "mean |measured − exact|, in units of 1/|Υ|")
    figure.update_xaxes(type="log", tickvals=sizes, ticktext=[f"{n:,}" for n in sizes])
    return figure.update_yaxes(
        type="log", tickvals=[k * 10.0**e for e in range(-5, 2) for k in (1, 2, 5)], tickformat="~g"
    )


def describe_convergence(distances: Mapping[int, Interval], slope: float | None) -> str:
    told = ", ".join(f"{distances[n][1]:.3g} at N = {n:,}" for n in sorted(distances))
    fitted = f"; they fall like N to the power {slope:.2f}" if slope is not None else ""
    return f"Mean distance of measured from exact gaps: {told}{fitted}."


def errors_by_eta(
    wrong: Mapping[float, Interval], missed: Mapping[float, Interval], exact_until: float | None, largest_eta: float
) -> go.Figure:
    """Wrong and missed merges by η, up to where the theory holds, and where even infinite data would not do."""
    figure = go.Figure()
    for name, errors, colour, symbol in (
        ("✖ wrong merges", wrong, WRONG, "x"),
        ("◆ missed merges", missed, MISSED, "diamond"),
    ):
        etas = sorted(errors)
        figure.add_scatter(
            x=etas, y=[errors[eta][1] for eta in etas], mode="markers+lines", name=name,
            line={"color": colour, "width": 1.5}, marker={"size": 9, "color": colour, "symbol": symbol},
            error_y=_bars([errors[eta] for eta in etas], colour),
            hovertemplate="η = %{x:.3g}: %{y:,}<extra>" + name + "</extra>",
        )  # fmt: skip
    _mark(figure, largest_eta, "the theory holds<br>up to 1/(4SH)", FAINT_LINE, 0.9)
    if exact_until is not None:
        _mark(figure, exact_until, "exact gaps suffice<br>up to here", PLAN, 0.12)
    lay_out(figure, "η, how far from deterministic", "pairs of paths that went wrong")
    return figure.update_yaxes(rangemode="tozero").update_xaxes(rangemode="tozero")


def describe_errors(wrong: Mapping[float, Interval], missed: Mapping[float, Interval], largest_eta: float) -> str:
    clean = [eta for eta in sorted(wrong) if not wrong[eta][2] and not missed[eta][2]]
    until = f"No run has an error at η = {', '.join(f'{eta:.3g}' for eta in clean)}" if clean else "All η have errors"
    return f"Wrong and missed merges against η. {until}; the theory holds up to {largest_eta:.3g}."


def _mark(figure: go.Figure, x: float, text: str, colour: str, y: float) -> None:
    figure.add_vline(x, line={"color": colour, "width": 2, "dash": "dot"})
    figure.add_annotation(text=text, showarrow=False, font={"size": 12, "color": colour}, x=x, y=y, yref="paper",
                          xanchor="left", xshift=4, align="left")  # fmt: skip


def _bars(intervals: Sequence[Interval], colour: str) -> dict:
    return {
        "type": "data", "symmetric": False, "color": colour, "thickness": 1.2, "width": 4,
        "array": [high - middle for _, middle, high in intervals],
        "arrayminus": [middle - low for low, middle, _ in intervals],
    }  # fmt: skip
