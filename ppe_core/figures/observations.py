"""What the learner sees: observations as strips of colour, a row each."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

Array = np.ndarray

ROW_PIXELS = 15
COLOURS = [[0, "#e0592a"], [0.5, "rgba(128,136,150,0.12)"], [1, "#2f7de1"]]


def observation_strips(groups: Mapping[str, Array]) -> go.Figure:
    """Groups of observations [n, dimension], each group of one endogenous state, a gap between groups."""
    rows: list[Array] = []
    names: list[str] = []
    for name, observations in groups.items():
        if rows:
            rows.append(np.full((1, observations.shape[1]), np.nan, np.float32))
            names.append("")
        rows.append(observations)
        names += [f"{name}, {i + 1}" for i in range(len(observations))]
    values = np.concatenate(rows)
    limit = float(np.nanmax(np.abs(values)))
    figure = go.Figure(
        go.Heatmap(
            z=values, y=np.arange(len(values)), text=[[name] * values.shape[1] for name in names],
            hovertemplate="%{text}<br>number %{x}: %{z:.2f}<extra></extra>",
            colorscale=COLOURS, zmin=-limit, zmax=limit,
            showscale=False, ygap=2, hoverongaps=False,
        )
    )  # fmt: skip
    figure.update_layout(
        height=ROW_PIXELS * len(values) + 12,
        margin={"l": 4, "r": 4, "t": 6, "b": 6},
        dragmode=False,
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    figure.update_xaxes(visible=False, fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True, autorange="reversed")
    return figure
