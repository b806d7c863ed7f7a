"""What the classifier says about one recovered state, beside the best that any classifier could say.

The bars are the mean prediction f(path | x) over the observations x that the state's paths
produced. The Bayes classifier divides its belief evenly among the paths that lead to the same true
state: no observation can tell them apart.
"""

import numpy as np
import plotly.graph_objects as go

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.palette import FAINT, PLAN

Array = np.ndarray

HEIGHT = 230
OWN = {"color": "#2f7de1", "line": {"color": "#2f7de1", "width": 2}}  # outlined: one of many is thinner than a pixel
HATCHED = {"color": "#808896", "line": {"width": 0}, "pattern": {"shape": "/", "size": 5}}


def signature_of(level: LevelRecord, members: Array) -> Array:
    """The mean prediction on the observations of the chosen paths ([paths], yes or no): [paths]."""
    rows = level.found.signatures[members]
    seen = rows[~np.isnan(rows).any(1)]
    return seen.mean(0) if len(seen) else np.zeros(len(members))


def bayes_signature(level: LevelRecord, members: Array) -> Array:
    """The same of the Bayes classifier: 1 / number of paths to the same true state, 0 elsewhere."""
    same = level.truth.states[:, None] == level.truth.states  # [paths, paths]
    return (same / same.sum(1, keepdims=True))[members].mean(0)


def classifier_output(level: LevelRecord, members: Array, path_names: list[str]) -> go.Figure:
    """All paths of the level, those of this state first, and of these the likeliest."""
    ideal = bayes_signature(level, members)
    order = np.lexsort((-ideal, ~members))
    found, ideal = signature_of(level, members)[order], ideal[order]
    own = int(members.sum())
    names = [path_names[i] for i in order]
    figure = go.Figure(
        [
            _bars("paths of this state", slice(0, own), found, names, OWN),
            _bars("other paths", slice(own, None), found, names, HATCHED),
            go.Scatter(
                x=np.arange(len(order)), y=ideal, name="a perfect classifier", mode="lines",
                line={"color": PLAN, "width": 2, "shape": "hvh", "dash": "dot"}, text=names,
                hovertemplate="path %{text}<br>a perfect classifier: %{y:.1%}<extra></extra>",
            ),
        ]
    )  # fmt: skip
    _lay_out(figure, len(order), own)
    return figure


def describe(level: LevelRecord, members: Array) -> str:
    """The picture in words, for whoever cannot see it."""
    share = signature_of(level, members)[members].sum()
    return (
        f"Bars: the classifier's belief in each of {len(members)} paths; {share:.0%} is on the {members.sum()} "
        f"paths of this state."
    )


def _bars(title: str, part: slice, values: Array, names: list[str], marker: dict) -> go.Bar:
    return go.Bar(
        x=np.arange(len(values))[part], y=values[part], name=title, text=names[part], textposition="none",
        marker=marker,
        hovertemplate="path %{text}<br>belief %{y:.1%}<extra></extra>",
    )  # fmt: skip


def _lay_out(figure: go.Figure, paths: int, own: int) -> None:
    figure.update_layout(
        height=HEIGHT,
        bargap=0.15 if paths <= 60 else 0,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        dragmode=False,
        hovermode="closest",
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    )
    figure.update_xaxes(
        title=f"the {paths} paths of this time step, this state's first", showticklabels=False, showgrid=False,
        zeroline=False, range=[-0.7, paths - 0.3], fixedrange=True,
    )  # fmt: skip
    figure.update_yaxes(
        tickformat=".0%", zeroline=False, rangemode="tozero", fixedrange=True, gridcolor=FAINT, nticks=5
    )
    if own < paths:
        figure.add_vline(x=own - 0.5, line={"color": FAINT, "width": 1})
