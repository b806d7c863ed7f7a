"""The counter-examples of the paper's appendix as pictures: what is merged, what grows, what does not factor."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ppe_core.figures.palette import FAINT, ON_COLOUR, STATE_COLOURS

Array = np.ndarray

SCALE = [[0, "rgba(128,136,150,0.10)"], [1e-9, "#5f7796"], [1, "#1f62c4"]]  # all but zero can be written on in white
HEIGHT, ROW = 320, 34
MOST_NAMES = 24  # states that are named at the axes
MOST_WRITTEN = 6  # along a side: what has room in cells
FIRST, SECOND = STATE_COLOURS[0], "#a58d4b"
HATCH = "#3b3012"
PATTERNS = ("", "/", "x")
BARS = (FIRST, SECOND, STATE_COLOURS[3])
DIGITS = 3


def merged_states(partitions: Mapping[str, Array], names: Sequence[str]) -> go.Figure:
    """Which pairs of states each partition, labels [states], merges: dark cells, with a dot where there is room."""
    figure = make_subplots(1, len(partitions), subplot_titles=list(partitions), shared_yaxes=True,
                           horizontal_spacing=0.05)  # fmt: skip
    for column, labels in enumerate(partitions.values(), 1):
        merged = (labels[:, None] == labels).astype(float)
        verdict = np.where(merged, "merged", "kept apart")
        hover = [[f"{a} and {b}: {word}" for b, word in zip(names, row)] for a, row in zip(names, verdict)]
        figure.add_trace(_cells(merged, hover), 1, column)
        if len(names) <= MOST_WRITTEN:
            figure.add_trace(_written(np.where(merged, "●", "")), 1, column)
    _plain(figure, max(HEIGHT, min(560, ROW * len(names) + 70)))
    _name_axes(figure, names)
    return figure


def describe_merged(partitions: Mapping[str, Array], names: Sequence[str]) -> str:
    """The picture in words, for whoever cannot see it."""
    said = []
    for title, labels in partitions.items():
        blocks = [[name for name, label in zip(names, labels) if label == block] for block in np.unique(labels)]
        shown = "; ".join(", ".join(block) for block in blocks) if len(names) <= MOST_NAMES else "too many to list"
        said.append(f"{title}: {len(blocks)} of {len(names)} ({shown})")
    return f"Which states are merged. {'. '.join(said)}."


def growth(counts: Array, states: int, title: str) -> go.Figure:
    """A count for 0, 1, … exogenous bits on a logarithmic axis, beside the number of endogenous states."""
    bits = np.arange(len(counts))
    figure = go.Figure(
        [
            _dashed([-0.3, len(counts) - 0.7], states, f"|S| = {states}"),
            go.Scatter(
                x=bits, y=counts, mode="lines+markers+text", name=title, text=[f"{n:,}" for n in counts.tolist()],
                textposition="top center", line={"color": FIRST, "width": 2}, marker={"size": 9, "color": FIRST},
                cliponaxis=False, hovertemplate=f"%{{x}} bits: %{{y:,}} {title}<extra></extra>",
            ),
        ]
    )  # fmt: skip
    _plain(figure, HEIGHT)
    figure.update_xaxes(title="exogenous bits d", tickvals=bits, range=[-0.3, len(counts) - 0.7], showgrid=False)
    top = np.log10(max(int(counts.max()), states))
    low = np.log10(max(min(int(counts.min()), states), 1))
    figure.update_yaxes(title=title, type="log", dtick=1, range=[low - 0.25, top + 0.35])
    return figure


def describe_growth(counts: Array, states: int, title: str) -> str:
    numbers = ", ".join(f"{n:,}" for n in counts.tolist())
    return f"Number of {title} with 0, 1, and so on exogenous bits: {numbers}; there are {states} endogenous states."


def bellman_errors(errors: Array, sizes: Array, ranks: Array, endogenous: int = 2) -> go.Figure:
    """The matrix of Bellman errors at the last time step, and its rank against the number of exogenous states."""
    d = len(errors)
    titles = [f"errors at time H, rank {int(np.linalg.matrix_rank(errors))}", "rank against d"]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=0.12)
    hover = [[f"roll in with π{i + 1}, judge f{j + 1}: {errors[i, j]:.3g}" for j in range(d)] for i in range(d)]
    figure.add_trace(_cells(errors, hover), 1, 1)
    if d <= MOST_WRITTEN:
        figure.add_trace(_written(_numbers(errors)), 1, 1)
    figure.add_trace(_dashed([0, sizes.max() * 1.05], endogenous, f"{endogenous} endogenous states"), 1, 2)
    figure.add_scatter(
        x=sizes, y=ranks, mode="lines+markers", name="Bellman rank", row=1, col=2,
        line={"color": FIRST, "width": 2}, marker={"size": 7, "color": FIRST},
        hovertemplate="d = %{x}: rank %{y}<extra></extra>",
    )  # fmt: skip
    _plain(figure, HEIGHT + 40)
    figure.update_xaxes(title="value function f_j", showticklabels=False, showgrid=False, row=1, col=1)
    figure.update_yaxes(
        title="roll-in policy π_i", showticklabels=False, showgrid=False, autorange="reversed", row=1, col=1
    )
    figure.update_xaxes(title="exogenous states d", rangemode="tozero", showgrid=False, row=1, col=2)
    figure.update_yaxes(title="Bellman rank", rangemode="tozero", row=1, col=2)
    return figure


def describe_bellman(errors: Array) -> str:
    rank = int(np.linalg.matrix_rank(errors))
    return (
        f"Matrix of Bellman errors of {len(errors)} policies and value functions at the last time step, of rank "
        f"{rank}; beside it the rank for other numbers of exogenous states."
    )


def joint_and_product(joint: Array, product: Array, total_variation: float) -> go.Figure:
    """P(s, ξ) beside P(s) P(ξ), each [s, ξ], with what lies between them."""
    titles = ["P(s, ξ)", "P(s) · P(ξ)"]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=0.14)
    for column, table in enumerate((joint, product), 1):
        hover = [[f"s = {s}, ξ = {x}: {table[s, x]:.3g}" for x in range(2)] for s in range(2)]
        figure.add_trace(_cells(table, hover, largest=1.0), 1, column)
        figure.add_trace(_written(_numbers(table)), 1, column)
    _plain(figure, HEIGHT)
    shared: dict[str, Any] = {"tickvals": [0, 1], "showgrid": False}
    figure.update_xaxes(ticktext=["ξ = 0", "ξ = 1"], **shared)
    figure.update_yaxes(ticktext=["s = 0", "s = 1"], autorange="reversed", **shared)
    figure.update_layout(margin={"b": 54})
    figure.add_annotation(
        text=f"total variation between the two: <b>{total_variation:.3g}</b>", showarrow=False, x=0.5, xref="paper",
        y=0, yref="paper", yshift=-46,
    )  # fmt: skip
    return figure


def describe_joint(joint: Array, product: Array, total_variation: float) -> str:
    cells = "; ".join(
        f"s = {s}, ξ = {x}: {joint[s, x]:.3g} against {product[s, x]:.3g}" for s in range(2) for x in range(2)
    )
    return f"The joint distribution of two bits against the product: {cells}. Total variation {total_variation:.3g}."


def probability_bars(groups: Mapping[str, Array], names: Sequence[str], title: str) -> go.Figure:
    """Probabilities [names] of each group side by side; groups differ in pattern as well as colour."""
    figure = go.Figure()
    for i, (group, values) in enumerate(groups.items()):
        said = [_probability(value) for value in values.tolist()]
        figure.add_bar(
            x=list(names), y=np.nan_to_num(values), name=group, text=said, textposition="outside", cliponaxis=False,
            marker=_hatched(i), hovertext=[f"{group}, {name}: {word}" for name, word in zip(names, said)],
            hoverinfo="text",
        )  # fmt: skip
    _plain(figure, HEIGHT)
    figure.update_layout(barmode="group", showlegend=len(groups) > 1)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(title=title, range=[0, 1.12], tickvals=[0, 0.5, 1])
    return figure


def describe_probabilities(groups: Mapping[str, Array], names: Sequence[str], title: str) -> str:
    said = [
        f"{group}: " + ", ".join(f"{name} {_probability(value)}" for name, value in zip(names, values.tolist()))
        for group, values in groups.items()
    ]
    return f"{title}. {'; '.join(said)}."


def reconstruction_errors(errors: Mapping[str, float]) -> go.Figure:
    """The error of each code, the least marked."""
    least = min(errors.values())
    marks = [f"{error:.{DIGITS}g}" + (" ★ least" if np.isclose(error, least) else "") for error in errors.values()]
    figure = go.Figure(
        go.Bar(
            x=list(errors.values()), y=list(errors), orientation="h", text=marks, textposition="outside",
            cliponaxis=False, hoverinfo="skip",
            marker={"color": [FIRST if np.isclose(error, least) else SECOND for error in errors.values()]},
        )
    )  # fmt: skip
    _plain(figure, 90 + 46 * len(errors))
    figure.update_layout(margin={"r": 70})
    figure.update_xaxes(title="expected squared error of the reconstruction", rangemode="tozero",
                        range=[0, 1.18 * max(errors.values()) or 1])  # fmt: skip
    figure.update_yaxes(autorange="reversed", showgrid=False, automargin=True)
    return figure


def describe_reconstruction(errors: Mapping[str, float]) -> str:
    return "Reconstruction errors: " + "; ".join(f"{code}: {error:.{DIGITS}g}" for code, error in errors.items()) + "."


def _cells(values: Array, hover: list[list[str]], largest: float | None = None) -> go.Heatmap:
    most = largest or max(float(values.max()), 1e-12)
    return go.Heatmap(
        z=values.astype(np.float32), zmin=0, zmax=most, colorscale=SCALE, showscale=False, xgap=2, ygap=2,
        text=hover, hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _written(texts: Array) -> go.Scatter:
    """Text in the cells; an empty one is of a cell so faint that nothing could be read on it in both themes."""
    y, x = np.nonzero(texts != "")
    return go.Scatter(
        x=x, y=y, mode="text", text=texts[y, x].tolist(), textfont={"color": ON_COLOUR, "size": 13}, hoverinfo="skip",
        showlegend=False,
    )  # fmt: skip


def _probability(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.{DIGITS}g}"


def _numbers(values: Array) -> Array:
    return np.array([[f"{value:.{DIGITS}g}" if value else "" for value in row] for row in values.tolist()])


def _dashed(ends: Sequence[float], height: float, name: str) -> go.Scatter:
    return go.Scatter(
        x=list(ends), y=[height] * 2, mode="lines", name=name, hoverinfo="skip",
        line={"color": STATE_COLOURS[2], "width": 2, "dash": "dash"},
    )  # fmt: skip


def _hatched(place: int) -> dict[str, Any]:
    pattern = {"shape": PATTERNS[place % len(PATTERNS)], "size": 6, "fillmode": "overlay", "fgcolor": HATCH}
    return {"color": BARS[place % len(BARS)], "pattern": pattern}


def _name_axes(figure: go.Figure, names: Sequence[str]) -> None:
    named = len(names) <= MOST_NAMES
    shared: dict[str, Any] = {"showgrid": False, "tickvals": list(range(len(names))), "ticktext": list(names)}
    figure.update_xaxes(tickangle=0 if len(names) <= MOST_WRITTEN else -90, showticklabels=named, **shared)
    figure.update_yaxes(autorange="reversed", showticklabels=False, **shared)
    figure.update_yaxes(showticklabels=named, col=1)


def _plain(figure: go.Figure, height: int) -> None:
    figure.update_layout(
        height=height, margin={"l": 10, "r": 10, "t": 44, "b": 10}, dragmode=False, hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)", paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )  # fmt: skip
    if any(annotation.text for annotation in figure.layout.annotations):  # the titles of parts are where it would be
        figure.update_layout(showlegend=False)
    figure.update_xaxes(gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_yaxes(gridcolor=FAINT, zeroline=False, fixedrange=True, automargin=True)
