"""Lines, arcs and texts as parts of plotly traces: plain dictionaries, rounded, for figures with many frames."""

from typing import Any

import numpy as np

from ppe_core.figures.layout import Array
from ppe_core.figures.merge_layout import Fan

Part = dict[str, Any]  # of a trace

HIDDEN: Part = {"x": [None], "y": [None]}
CURVE = np.linspace(0, 1, 5)  # drawn as a spline
ARC = np.linspace(0, 1, 5)


def line(colour: str, width: float, x: Any, y: Any = None, dash: str = "solid") -> Part:
    points = xy(x) if y is None else {"x": x, "y": y}
    return points | {
        "mode": "lines",
        "line": {"color": colour, "width": width, "dash": dash, "shape": "spline"},
        "hoverinfo": "skip",
    }


def words(position: str) -> Part:
    return HIDDEN | {
        "mode": "text", "text": [""], "textposition": position, "hoverinfo": "skip", "cliponaxis": False,
        "textfont": {"size": 13},
    }  # fmt: skip


def lines(start: Array, end: Array) -> Array:
    return _separated(np.stack([start, end], axis=1))


def curves(start: Array, end: Array) -> Array:
    return _separated(np.stack([curve_points(a, b) for a, b in zip(start, end)])) if len(start) else np.empty((0, 2))


def curve_points(start: Array, end: Array) -> Array:
    ease = CURVE * CURVE * (3 - 2 * CURVE)
    return start + (end - start) * np.column_stack([CURVE, ease])


def link_arcs(fan: Fan) -> tuple[Part, Part]:
    """An arc from each path to the one it will be merged with; those that join different true states apart."""
    dots = np.flatnonzero(fan.representative != np.arange(len(fan.first)))
    start, end = fan.in_slot[dots], fan.in_slot[fan.representative[dots]]
    bulge = np.minimum(0.1 + 1.1 * np.abs(end - start)[:, 1], 0.6)
    middle = np.column_stack([np.maximum(start, end)[:, 0] + bulge, (start + end)[:, 1] / 2])
    t = ARC[:, None]
    arcs = (1 - t) ** 2 * start[:, None] + 2 * t * (1 - t) * middle[:, None] + t**2 * end[:, None]
    is_wrong = fan.true[dots] != fan.true[fan.representative[dots]]
    right, wrong = (xy(_separated(arcs[chosen])) if chosen.any() else HIDDEN for chosen in (~is_wrong, is_wrong))
    return right, wrong


def _separated(shapes: Array) -> Array:
    """Shapes [shapes, points, 2] one after the other, with a gap after each: [points, 2]."""
    return np.pad(shapes, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 2)


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
            merged[name] = trace[name] | patch[name]
    return merged
