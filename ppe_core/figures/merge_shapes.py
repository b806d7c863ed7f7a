"""Lines, arcs and texts as parts of plotly figures: plain dictionaries, rounded, for figures with many frames."""

from typing import Any

import numpy as np

from ppe_core.figures.layout import Array
from ppe_core.figures.merge_layout import Fan

Part = dict[str, Any]  # of a trace or a shape

HIDDEN: Part = {"x": [None], "y": [None]}


def line(name: str, colour: str, width: float, dash: str = "solid") -> Part:
    """Many lines as one shape behind the dots: to plotly each line of a trace is a drawing of its own."""
    return {
        "name": name, "type": "path", "path": "", "layer": "below",
        "line": {"color": colour, "width": width, "dash": dash},
    }  # fmt: skip


def words(position: str) -> Part:
    return HIDDEN | {
        "mode": "text", "text": [""], "textposition": position, "hoverinfo": "skip", "cliponaxis": False,
        "textfont": {"size": 13},
    }  # fmt: skip


def straight(start: Array, end: Array) -> str:
    return _path("M{:g},{:g}L{:g},{:g}", start, end)


def curved(start: Array, end: Array) -> str:
    """Level where they start and where they end."""
    third = (end - start) * [1 / 3, 0]
    return _path("M{:g},{:g}C{:g},{:g},{:g},{:g},{:g},{:g}", start, start + third, end - third, end)


def links(fan: Fan) -> tuple[str, str]:
    """An arc from each path to the one it will be merged with; those that join different true states apart."""
    dots = np.flatnonzero(fan.representative != np.arange(len(fan.first)))
    start, end = fan.in_slot[dots], fan.in_slot[fan.representative[dots]]
    bulge = np.minimum(0.1 + 1.1 * np.abs(end - start)[:, 1], 0.6)
    middle = np.column_stack([np.maximum(start, end)[:, 0] + bulge, (start + end)[:, 1] / 2])
    is_wrong = fan.true[dots] != fan.true[fan.representative[dots]]
    right, wrong = (
        _path("M{:g},{:g}Q{:g},{:g},{:g},{:g}", start[chosen], middle[chosen], end[chosen])
        for chosen in (~is_wrong, is_wrong)
    )
    return right, wrong


def _path(form: str, *points: Array) -> str:
    """A line of this form for each row of the points, [lines, 2] each: one path."""
    return "".join(form.format(*row) for row in np.round(np.hstack(points), 3).tolist())


def xy(points: Array) -> Part:
    return {"x": rounded(points[:, 0]), "y": rounded(points[:, 1])}


def rounded(values: Any) -> list:
    """Three digits are a pixel; not a number is a gap."""
    return [None if np.isnan(value) else value for value in np.round(np.asarray(values, float), 3).tolist()]


def patched(trace: Part, patch: Part) -> Part:
    """A trace as a frame leaves it."""
    merged = trace | patch
    for name in ("line", "marker"):
        if name in patch:
            merged[name] = trace.get(name, {}) | patch[name]
    return merged
