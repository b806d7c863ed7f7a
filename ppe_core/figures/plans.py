"""What policies earn, a bar each, beside the best possible and what theory guarantees of them."""

from collections.abc import Mapping

import plotly.graph_objects as go

from ppe_core.figures.palette import PLAN, STATE_COLOURS
from ppe_core.figures.theory import GRID

HEIGHT, ROW = 110, 44
DIGITS = 3
BAR, BEST = STATE_COLOURS[0], PLAN
MARK = "#e0702a"


def worth_of_plans(values: Mapping[str, float], optimal: float, guaranteed: Mapping[str, float]) -> go.Figure:
    """Values by policy, and lower bounds of some of them; a bound below all that is drawn says nothing."""
    lowest = min(0.0, optimal, *values.values())
    drawn = {name: bound for name, bound in guaranteed.items() if bound > lowest}
    figure = go.Figure(
        go.Bar(
            x=list(values.values()), y=list(values), orientation="h", width=0.5, marker={"color": BAR},
            text=[f"{value:.{DIGITS}g}" for value in values.values()], textposition="auto", textangle=0,
            insidetextanchor="start", hoverinfo="skip",
            showlegend=False,
        )
    )  # fmt: skip
    if drawn:
        figure.add_scatter(
            x=list(drawn.values()), y=list(drawn), mode="markers", name="guaranteed",
            marker={"symbol": "line-ns", "size": 30, "line": {"color": MARK, "width": 3}},
            hovertemplate="at least %{x:.3g}<extra>%{y}</extra>",
        )  # fmt: skip
    figure.add_vline(optimal, line={"color": BEST, "width": 2, "dash": "dot"})
    figure.add_annotation(
        text=f"best possible {optimal:.{DIGITS}g}", showarrow=False, font={"size": 12, "color": BEST}, x=optimal,
        y=1, yref="paper", xanchor="right", yanchor="bottom", xshift=8, yshift=4,
    )  # fmt: skip
    span = max(optimal, *values.values()) - lowest
    return figure.update_layout(
        height=HEIGHT + ROW * len(values), margin={"l": 10, "r": 10, "t": 36, "b": 44}, dragmode=False,
        plot_bgcolor="rgba(0,0,0,0)", paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={"title": "expected return", "range": [lowest, lowest + 1.06 * span or 1], "gridcolor": GRID,
               "zeroline": False, "fixedrange": True},
        yaxis={"automargin": True, "fixedrange": True, "categoryorder": "array",
               "categoryarray": list(values)[::-1]},
    )  # fmt: skip


def describe_plans(values: Mapping[str, float], optimal: float, guaranteed: Mapping[str, float]) -> str:
    """The picture in words, for whoever cannot see it."""
    told = "; ".join(
        f"{name} {value:.{DIGITS}g}"
        + (f", at least {guaranteed[name]:.{DIGITS}g} by theory" if name in guaranteed else "")
        for name, value in values.items()
    )
    return f"Expected returns, the best possible being {optimal:.{DIGITS}g}: {told}."
