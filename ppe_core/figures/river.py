"""The river of paths: what PPE does, in one picture that needs no legend.

From each recovered state every extended path leaves to a dot (extend) and flows from there into
the state it was merged into (eliminate). Levels of a running job may still be missing: the
horizon fixes the axes, so the picture grows without jumping.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.layout import START, Array, Column, Places, columns, followed
from ppe_core.figures.palette import FAINT, MISSED, ON_COLOUR, PLAN, WRONG, state_colour, state_name
from ppe_core.figures.palette import START as START_COLOUR

HEIGHT = 440
MOST_DETAILED = 12  # a longer horizon shows its paths in bundles
MOST_HEADERS = 10
MOST_DOTS = 150  # and so does a time step with more paths
MOST_PLACES, MOST_PLACES_WHEN_THIN = 24, 8
DOT = 0.46  # where in a column the dots are, from the column before
HEADER_PIXELS = 66  # what a header needs
LEFT, RIGHT, TOP = 52, 140, 64  # margins, with room for the start, the names of the rows, and the headers
CURVE = np.linspace(0, 1, 12, dtype=np.float32)
Trace = dict[str, Any]  # plain, as plotly's own objects take longer to make than all the rest


def river(
    environment: str, horizon: int, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None,
    names: Sequence[str] = (),
) -> go.Figure:  # fmt: skip
    """The finished levels of a run, with the plan if it is known; `names` are of true states, if they have any."""
    name = partial(state_name, environment, names=names)
    thin = horizon > MOST_DETAILED
    flow = columns(levels, MOST_PLACES_WHEN_THIN if thin else MOST_PLACES)
    drawing = _Drawing(name, thin)
    before = START
    for column in flow:
        drawing.add(column, before)
        before = column.places
    if plan is not None:
        drawing.add_plan(flow, followed(levels, plan))
    words = _names(name, horizon, flow)
    if drawing.plan:
        words.append(_name(len(flow), float(drawing.plan[-1][1, -2]), "the plan", PLAN, shift=-20))
    return go.Figure(drawing.traces(flow), _layout(horizon, flow) | {"annotations": words})


def minimum_width(horizon: int) -> int:
    """Pixels below which headers would overlap."""
    return HEADER_PIXELS * min(horizon, MOST_HEADERS) + LEFT + RIGHT


def describe(horizon: int, levels: Sequence[LevelRecord]) -> str:
    """The picture in words, for whoever cannot see it."""
    steps = "; ".join(
        f"h = {x['h']}: {x['paths']} paths merged into {x['states_found']} states, "
        f"{x['type1']} wrong and {x['type2']} missed merges"
        for x in (level.summary() for level in levels)
    )
    return f"Paths flowing into the states they were merged into, over {horizon} time steps. {steps}"


@dataclass
class _Drawing:
    """Collects the shapes of all columns by style, because a style is a trace."""

    name: Callable[[int], str]  # of a true state
    thin: bool
    lines: dict[tuple[str, float], list[Array]] = field(default_factory=lambda: defaultdict(list))
    dots: list[tuple[float, float, str, str]] = field(default_factory=list)  # x, y, colour, text
    crosses: list[tuple[float, float, str]] = field(default_factory=list)
    plan: list[Array] = field(default_factory=list)
    plan_actions: list[tuple[float, float, str]] = field(default_factory=list)

    def add(self, column: Column, before: Places) -> None:
        if self._is_bundled(column):
            self._add_bundles(column, before)
        else:
            self._add_paths(column, before)
        self._add_missed(column)

    def _add_paths(self, column: Column, before: Places) -> None:
        x, y = _dots(column, before)
        self.lines[FAINT, 1].append(_curves(column.h - 1, before.y[column.origin], x, y, straight=True))
        ends = column.places.y[column.place]
        for colour, chosen in self._by_colour(column):
            width = 2.5 if chosen.sum() <= 2 else 1.2
            self.lines[colour, width].append(_curves(x, y[chosen], column.h, ends[chosen]))
        for i in range(len(y)):
            text = self._path_text(column, i)
            self.dots.append((x, y[i], state_colour(column.true[i]), text))
            if column.wrong[i]:
                self.crosses.append((x, y[i], text))

    def _add_bundles(self, column: Column, before: Places) -> None:
        for colour, chosen in self._by_colour(column):
            pairs = np.column_stack([column.origin, column.place])[chosen]
            bundles, counts = np.unique(pairs, axis=0, return_counts=True)
            starts, ends = before.y[bundles[:, 0]], column.places.y[bundles[:, 1]]
            for width, group in _width_groups(counts):
                self.lines[colour, width].append(_curves(column.h - 1, starts[group], column.h, ends[group]))
            if colour == WRONG:
                text = [f"h = {column.h}<br>{_count(n, 'path')} merged wrongly" for n in counts]
                middle = (starts + ends) / 2
                self.crosses += zip(np.full(len(middle), column.h - 0.5), middle, text)

    def _add_missed(self, column: Column) -> None:
        """A dotted line joins places that should be one."""
        places = column.places
        for true in np.unique(places.true[places.missed]):
            y = places.y[places.true == true]
            if len(y) > 1:
                x = np.full(len(y) + 1, column.h, np.float32)
                self.lines[MISSED, 2].append(np.stack([x, np.append(y, np.nan).astype(np.float32)]))

    def add_plan(self, flow: list[Column], paths: list[int]) -> None:
        before = START
        for column, path in zip(flow, paths):
            start, end = before.y[column.origin[path]], column.places.y[column.place[path]]
            if self._is_bundled(column):
                self.plan.append(_curves(column.h - 1, start, column.h, end))
            else:
                x, y = _dots(column, before)
                self.plan.append(_curves(column.h - 1, start, x, y[path], straight=True))
                self.plan.append(_curves(x, y[path], column.h, end))
                self.plan_actions.append((x, y[path], str(column.action[path])))
            before = column.places

    def _is_bundled(self, column: Column) -> bool:
        return self.thin or len(column.place) > MOST_DOTS

    def _by_colour(self, column: Column) -> list[tuple[str, Array]]:
        """The paths of a column by the colour they flow in."""
        colours = np.array([state_colour(true) for true in column.places.true])[column.place]
        colours = np.where(column.wrong, WRONG, colours)
        return [(colour, colours == colour) for colour in dict.fromkeys(colours.tolist())]

    def _path_text(self, column: Column, i: int) -> str:
        into = self.name(column.places.true[column.place[i]])
        text = f"h = {column.h}, action {column.action[i]}<br>reaches {self.name(column.true[i])}"
        return text + (f"<br>wrongly merged into {into}" if column.wrong[i] else "")

    def traces(self, flow: list[Column]) -> list[Trace]:
        found = [_line(colour, width, shapes) for (colour, width), shapes in self.lines.items()]
        if self.plan:
            found.append(_line(PLAN, 4 if self.thin else 5, self.plan))
        found.append(self._dot_trace())
        found += [self._place_trace(flow, missed) for missed in (False, True)]
        found += [self._cross_trace(), self._action_trace()]
        return [trace for trace in found if len(trace["x"])]

    def _dot_trace(self) -> Trace:
        x, y, colours, text = zip(*self.dots) if self.dots else ((), (), (), ())
        return _scatter(
            x=_small(x), y=_small(y), name="paths", mode="markers",
            marker={"size": 6, "color": colours}, text=text, hoverinfo="text",
        )  # fmt: skip

    def _cross_trace(self) -> Trace:
        x, y, text = zip(*self.crosses) if self.crosses else ((), (), ())
        return _scatter(
            x=_small(x), y=_small(y), name="wrong merges", mode="markers",
            marker={"symbol": "x", "size": 10, "color": WRONG, "line": {"color": ON_COLOUR, "width": 1}},
            text=text, hoverinfo="text",
        )  # fmt: skip

    def _action_trace(self) -> Trace:
        """The actions of the plan, in squares: numbers in circles count paths."""
        x, y, text = zip(*self.plan_actions) if self.plan_actions else ((), (), ())
        return _scatter(
            x=_small(x), y=_small(y), name="plan", mode="markers+text", text=text, textposition="middle center",
            marker={"size": 17, "symbol": "square", "color": PLAN, "opacity": 1},
            textfont={"color": ON_COLOUR, "size": 12}, hoverinfo="skip",
        )  # fmt: skip

    def _place_trace(self, flow: list[Column], missed: bool) -> Trace:
        """The recovered states: circles, or diamonds where paths to the same true state stayed apart."""
        rows = [
            (column.h, places.y[i], _diameter(places, i, self.thin), state_colour(places.true[i]), places.paths[i],
             self._place_text(column.h, places, i))
            for column in flow for places in [column.places] for i in range(len(places.y)) if places.missed[i] == missed
        ]  # fmt: skip
        if not missed:
            rows.insert(0, (0, 0.5, 12 if self.thin else 26, START_COLOUR, "", "the start"))
        x, y, size, colours, counts, text = zip(*rows) if rows else ((),) * 6
        return _scatter(
            x=_small(x), y=_small(y), name="missed merges" if missed else "states",
            mode="markers" if self.thin else "markers+text",
            marker={
                "size": size, "color": colours, "opacity": 1, "symbol": "diamond" if missed else "circle",
                "line": {"color": MISSED if missed else ON_COLOUR, "width": 2.5 if missed else 1},
            },
            text=[str(count) for count in counts], textfont={"color": ON_COLOUR, "size": 12},
            hovertext=text, hoverinfo="text", customdata=counts, cliponaxis=False,
        )  # fmt: skip

    def _place_text(self, h: int, places: Places, i: int) -> str:
        text = f"h = {h}<br>{self.name(places.true[i])}<br>{_count(places.paths[i], 'path')} merged"
        if places.states[i] > 1:
            return f"{text}, but into {places.states[i]} states"
        return text + ("<br>a missed merge: the same place, found twice" if places.missed[i] else "")


def _dots(column: Column, before: Places) -> tuple[float, Array]:
    """The dots of a column: [paths], spread in the room of the place they come from."""
    children = np.bincount(column.origin, minlength=len(before.y))[column.origin]
    order = np.argsort(column.origin, kind="stable")
    first = np.searchsorted(column.origin[order], column.origin)
    rank = np.argsort(order) - first
    spread = (rank - (children - 1) / 2) / np.maximum(children - 1, 1)
    return column.h - 1 + DOT, before.y[column.origin] - 0.78 * before.room[column.origin] * spread


def _curves(x0: float, y0: Array, x1: float, y1: Array, straight: bool = False) -> Array:
    """Lines between two columns: [x and y, points], a gap after each."""
    y0, y1 = (np.atleast_1d(y).astype(np.float32)[:, None] for y in (y0, y1))
    t = CURVE[[0, -1]] if straight else CURVE
    ease = t * t * (3 - 2 * t)
    x = np.broadcast_to(x0 + (x1 - x0) * t, (len(y0), len(t)))
    points = np.stack([x, y0 + (y1 - y0) * ease]).astype(np.float32)
    return np.pad(points, ((0, 0), (0, 0), (0, 1)), constant_values=np.nan).reshape(2, -1)


def _line(colour: str, width: float, shapes: list[Array]) -> Trace:
    x, y = np.concatenate(shapes, axis=1)
    return _scatter(
        x=x, y=y, mode="lines", line={"color": colour, "width": width, "dash": "dot" if colour == MISSED else "solid"},
        opacity=1 if colour in (PLAN, MISSED, WRONG) else 0.6, hoverinfo="skip",
    )  # fmt: skip


def _width_groups(counts: Array) -> list[tuple[float, Array]]:
    """A few widths, wider for more paths."""
    widths = np.select([counts <= 2, counts <= 10], [1.5, 2.5], 5.0)
    return [(float(width), widths == width) for width in np.unique(widths)]


def _diameter(places: Places, i: int, thin: bool) -> float:
    size = min(18 + 3 * np.sqrt(places.paths[i]), 40)
    room = places.room[i] * HEIGHT * 0.6
    return float(min(size / 2.4 if thin else size, max(room, 5)))


def _small(values: Sequence[float]) -> Array:
    return np.asarray(values, np.float32)


def _scatter(**values: object) -> Trace:
    return {"type": "scatter", **values}


def _layout(horizon: int, flow: list[Column]) -> dict[str, Any]:
    stride = -(-horizon // MOST_HEADERS)
    shown = range(stride, horizon + 1, stride)
    return {
        "height": HEIGHT,
        "showlegend": False,
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": 10},
        "dragmode": False,
        "hovermode": "closest",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {
            "range": [-0.15, horizon + 0.2], "tickvals": list(shown), "ticktext": [_header(h, flow) for h in shown],
            "side": "top", "tickangle": 0, "showgrid": False, "zeroline": False, "showline": False, "fixedrange": True,
        },
        "yaxis": {"range": [-0.02, 1.02], "visible": False, "fixedrange": True},
    }  # fmt: skip


def _names(name: Callable[[int], str], horizon: int, flow: list[Column]) -> list[dict[str, Any]]:
    """The start, and to the right what the rows are."""
    font = {"color": START_COLOUR, "size": 13}
    names = [{"x": 0, "y": 0.5, "xanchor": "right", "xshift": -16, "text": "start", "showarrow": False, "font": font}]
    for true, y in flow[-1].bands.items() if flow else ():
        text = name(true) if true in flow[-1].places.true else f"{name(true)}<br>(not recovered)"
        names.append(_name(horizon, y, text, state_colour(true)))
    return names


def _name(x: int, y: float, text: str, colour: str, shift: int = 0) -> dict[str, Any]:
    """To the right of a place."""
    return {
        "x": x, "xanchor": "left", "xshift": 24, "y": y, "yshift": shift, "text": text, "showarrow": False,
        "align": "left", "font": {"color": colour, "size": 13},
    }  # fmt: skip


def _header(h: int, flow: list[Column]) -> str:
    if h > len(flow):
        return f"h = {h}<br> <br> "
    column = flow[h - 1]
    return f"<b>h = {h}</b><br>{len(column.place)} paths<br>→ {_count(column.places.states.sum(), 'state')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
