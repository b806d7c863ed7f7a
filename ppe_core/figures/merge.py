"""Paths merging, step by step: one figure whose frames extend, compare and eliminate (algorithm 1, the loop).

At each time step the paths leave the states they extend for slots of their own, lines join those
that cannot be told apart, and they slide into the state they were merged into. The fill of a dot is
the state PPE put it in, grey before it did; its outline is the true state it reaches. The figure
without its frames is the last step. A frame holds only what changes within its view.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ppe_core.experiments.records import LevelRecord
from ppe_core.figures.layout import Array, Column, Places, followed
from ppe_core.figures.merge_layout import Fan, fans, flow
from ppe_core.figures.merge_words import Step, counted
from ppe_core.figures.palette import FAINT, MISSED, ON_COLOUR, PLAN, STATE_NAMES, WRONG, state_colour, state_name
from ppe_core.figures.palette import START as START_COLOUR

LOW, HIGH = 440, 620  # pixels
ROW_PIXELS = 8
LEFT, RIGHT, TOP, BOTTOM = 20, 12, 8, 12
HEADER_Y = 1.08  # rows are between 0 and 1
MARGIN, NAME_SHIFT = 0.035, 0.028  # of what is in view: left and right of it; from a state to its name
NAMES = 130  # pixels for the names of the states to the right of the last time step
FEW_ROWS = 12  # time steps with no more are seen side by side
WIDE_VIEW, NARROW_VIEW = 6.0, 1.4  # time steps seen at once
LEVEL_PIXELS = 84
MOST_HEADERS = 10
UNKNOWN = "rgba(128,136,150,0.12)"
LINK = "rgba(128,136,150,0.75)"
HIDDEN: dict[str, Any] = {"x": [None], "y": [None]}
CURVE = np.linspace(0, 1, 7)  # drawn as a spline
ARC = np.linspace(0, 1, 5)
NUMBER_PIXELS = 15  # the least diameter of a state that has room for its count

Patch = dict[str, Any]


def merge(
    environment: str,
    horizon: int,
    levels: Sequence[LevelRecord],
    plan: Sequence[int] | None = None,
    names: Sequence[str] = (),
    actions: Sequence[str] = (),
) -> go.Figure:
    """The finished levels of a run; `names` of true states and of actions, where they have any."""
    return _Animation(environment, horizon, levels, plan, names, actions).figure()


def steps(horizon: int, levels: Sequence[LevelRecord], has_plan: bool) -> list[Step]:
    """What the frames show, in their order; with the plan the whole run is seen at the end."""
    found = [Step(0, "start")]
    view = _view(horizon, flow(horizon, levels))
    for level in levels:
        h = level.found.h
        if h > view:
            found.append(Step(h, "look"))
        found += [Step(h, "extend"), Step(h, "compare"), Step(h, "merge")]
    return [*found, Step(len(levels), "end")] if has_plan else found


def focus(horizon: int, levels: Sequence[LevelRecord], has_plan: bool) -> list[float]:
    """How far right in the figure each frame has what matters: 0 is the left edge, 1 the right."""
    view = min(_view(horizon, flow(horizon, levels)), horizon)
    return [1.0 if step.phase == "end" else min(step.h / view, 1.0) for step in steps(horizon, levels, has_plan)]


def minimum_width(horizon: int, levels: Sequence[LevelRecord]) -> int:
    """Pixels below which a time step would be too narrow."""
    return int(LEVEL_PIXELS * max(3, min(_view(horizon, flow(horizon, levels)), horizon))) + LEFT + RIGHT + NAMES


def height(horizon: int, levels: Sequence[LevelRecord]) -> int:
    return _height(flow(horizon, levels))


def name_of(environment: str, true: int, names: Sequence[str]) -> str:
    """A true state, by the name it was given."""
    return names[true] if true < len(names) else state_name(environment, true)


class _Animation:
    """Collects the traces of all time steps, and what each step changes in them."""

    def __init__(
        self,
        environment: str,
        horizon: int,
        levels: Sequence[LevelRecord],
        plan: Sequence[int] | None,
        names: Sequence[str],
        actions: Sequence[str],
    ) -> None:
        self.environment, self.horizon, self.levels, self.plan = environment, horizon, levels, plan
        self.names, self.actions = names, actions
        self.flow = flow(horizon, levels)
        self.height = _height(self.flow)
        self.fans = fans(levels, self.flow, _row_pixels(self.height))
        self.view = _view(horizon, self.flow)
        self.traces: list[Patch] = []
        self.index: dict[tuple[str, int], int] = {}
        self._add_traces()

    def figure(self) -> go.Figure:
        sequence = steps(self.horizon, self.levels, self.plan is not None)
        frames = [self._frame(number, step) for number, step in enumerate(sequence)]
        for number, patch in zip(frames[-1]["traces"], frames[-1]["data"]):
            self.traces[number] = _patched(self.traces[number], patch)
        layout = _layout(self.height, NAMES if self.environment in STATE_NAMES else RIGHT) | {"annotations": [_start_label()]}
        layout["xaxis"] = layout["xaxis"] | {"range": self._camera(sequence[-1])}
        return go.Figure({"data": self.traces, "layout": layout, "frames": frames})

    # What is drawn, from back to front; what a step changes is left out or shown as at the end.

    def _add_traces(self) -> None:
        for fan in self.fans:
            self._add("fan", fan.h, _line(FAINT, 1, _lines(fan.at_parent, fan.in_slot)))
            self._add("flow", fan.h, _line(FAINT, 1, _curves(fan.in_slot[~fan.wrong], fan.merged[~fan.wrong])))
            if fan.wrong.any():
                self._add("wrong flow", fan.h, _line(WRONG, 2, _curves(fan.in_slot[fan.wrong], fan.merged[fan.wrong])))
        self._add("missed", 0, _line(MISSED, 2, *self._missed_lines(), dash="dot"))
        self._add("plan", 0, _line(PLAN, 5, HIDDEN["x"], HIDDEN["y"]))
        self._add("link", 0, _line(LINK, 1.5, HIDDEN["x"], HIDDEN["y"]))
        self._add("wrong link", 0, _line(WRONG, 2, HIDDEN["x"], HIDDEN["y"], dash="dash"))
        for fan in self.fans:
            text = [self._dot_text(fan, i) for i in range(len(fan.first))]
            self._add("trail", fan.h, self._dots(fan, text, size=6) | _xy(fan.in_slot))
            self._add("paths", fan.h, self._dots(fan, text, size=8) | HIDDEN)
        self._add("states", 0, self._states())
        self._add("names", 0, _text("middle right"))
        self._add("headers", 0, _text("middle center"))

    def _add(self, name: str, h: int, trace: Patch) -> None:
        self.index[name, h] = len(self.traces)
        self.traces.append({"type": "scatter", "name": name} | trace)

    def _dots(self, fan: Fan, text: list[str], size: int) -> Patch:
        sizes = (size + 3 * np.log2(fan.size)).round(1)
        return {
            "mode": "markers", "text": text, "hoverinfo": "text", "cliponaxis": False,
            "marker": {
                "size": np.where(fan.wrong, sizes + 5, sizes).tolist(), "opacity": 1,
                "symbol": np.where(fan.wrong, "x", "circle").tolist(), "color": self._fill(fan),
                "line": self._dot_line(fan),
            },
        }  # fmt: skip

    def _fill(self, fan: Fan) -> list[str]:
        """The colour of the state that each path was merged into; wrong merges are red."""
        main = fan.column.places.true[fan.place]
        return [WRONG if wrong else state_colour(state) for wrong, state in zip(fan.wrong, main)]

    def _dot_line(self, fan: Fan) -> Patch:
        colours = [ON_COLOUR if wrong else state_colour(state) for wrong, state in zip(fan.wrong, fan.true)]
        return {"color": colours, "width": np.where(fan.wrong, 1, 2).tolist()}

    def _states(self) -> Patch:
        """The start and all recovered states: circles, or diamonds where paths to the same state stayed apart."""
        places = [(column.places, i) for column in self.flow for i in range(len(column.places.y))]
        size = [26.0, *(self._diameter(p, i) for p, i in places)]
        missed = np.array([False, *(p.missed[i] for p, i in places)])
        counts = ["", *(str(p.paths[i]) for p, i in places)]
        texts = [self._state_text(c.h, c.places, i) for c in self.flow for i in range(len(c.places.y))]
        return {
            "x": self._state_x(len(self.flow)), "y": _round([0.5, *(p.y[i] for p, i in places)]),
            "mode": "markers+text", "textfont": {"color": ON_COLOUR, "size": 12}, "cliponaxis": False,
            "text": [count if s >= NUMBER_PIXELS else "" for count, s in zip(counts, size)],
            "hovertext": ["the start", *texts], "hoverinfo": "text",
            "marker": {
                "size": size, "opacity": 1, "symbol": np.where(missed, "diamond", "circle").tolist(),
                "color": [START_COLOUR, *(state_colour(p.true[i]) for p, i in places)],
                "line": {"color": np.where(missed, MISSED, ON_COLOUR).tolist(),
                         "width": np.where(missed, 2.5, 1).tolist()},
            },
        }  # fmt: skip

    def _missed_lines(self) -> tuple[list, list]:
        """A dotted line joins places that should be one; where it is at time step h, x is h."""
        x, y = [None], [None]
        for column in self.flow:
            places = column.places
            for true in np.unique(places.true[places.missed]):
                ends = places.y[places.true == true]
                if len(ends) > 1:
                    x += [column.h] * len(ends) + [None]
                    y += [*_round(ends), None]
        return x, y

    # What a step changes.

    def _frame(self, number: int, step: Step) -> Patch:
        patches: dict[int, Patch] = {}
        for (name, h), patch in (self._shared(step) | self._seen(step)).items():
            if (name, h) in self.index:
                patches[self.index[name, h]] = patch
        return {
            "name": str(number),
            "data": [{"type": "scatter"} | patch for patch in patches.values()],
            "traces": list(patches),
            "layout": {"xaxis": {"range": self._camera(step)}},
        }

    def _shared(self, step: Step) -> dict[tuple[str, int], Patch]:
        """The traces that all time steps share."""
        done = step.h if step.phase in ("merge", "end") else max(step.h - 1, 0)
        links, wrong_links = HIDDEN, HIDDEN
        if step.phase == "compare":
            links, wrong_links = _links(self.fans[step.h - 1])
        missed = self.traces[self.index["missed", 0]]["x"]
        return {
            ("missed", 0): {"x": [x if x and x <= done else None for x in missed]},
            ("plan", 0): self._plan_line() if step.phase == "end" else HIDDEN,
            ("link", 0): links,
            ("wrong link", 0): wrong_links,
            ("states", 0): {"x": self._state_x(done)},
            ("names", 0): self._names(step),
            ("headers", 0): self._headers(step, done),
        }

    def _seen(self, step: Step) -> dict[tuple[str, int], Patch]:
        """The traces of the time steps in view."""
        patches: dict[tuple[str, int], Patch] = {}
        low, high = self._camera(step)
        for fan in self.fans:
            if low < fan.h and fan.h - 1 < high:
                patches |= {(name, fan.h): patch for name, patch in self._of_level(fan, step).items()}
        return patches

    def _of_level(self, fan: Fan, step: Step) -> dict[str, Patch]:
        is_merged = fan.h < step.h or (fan.h == step.h and step.phase in ("merge", "end"))
        is_extended = is_merged or (fan.h == step.h and step.phase in ("extend", "compare"))
        return {
            "fan": {"line": {"width": 1 if is_extended else 0}},
            "flow": {"line": {"width": 1 if is_merged else 0}},
            "wrong flow": {"line": {"width": 2 if is_merged else 0}},
            "trail": {"marker": {"opacity": 0.75 if is_merged else 0}, "hoverinfo": "text" if is_merged else "skip"},
            "paths": self._paths(fan, step),
        }

    def _paths(self, fan: Fan, step: Step) -> Patch:
        """The moving dots; they wait under the states they extend for their time step to begin."""
        outline = {"color": [state_colour(state) for state in fan.true], "width": 2}
        shape = {"color": UNKNOWN, "symbol": "circle", "line": outline}
        if fan.h == step.h and step.phase in ("extend", "compare"):
            return _xy(fan.in_slot) | {"marker": shape}
        if fan.h == step.h and step.phase == "merge":
            known = {"color": self._fill(fan), "symbol": np.where(fan.wrong, "x", "circle").tolist(),
                     "line": self._dot_line(fan)}
            return _xy(fan.merged) | {"marker": known}
        begins = {"start": 1, "look": step.h, "merge": step.h + 1}.get(step.phase)
        return _xy(fan.at_parent) | {"marker": shape} if fan.h == begins else HIDDEN

    def _state_x(self, done: int) -> list:
        """A state is there once its time step is done."""
        return [0] + [c.h if c.h <= done else None for c in self.flow for _ in c.places.y]

    def _names(self, step: Step) -> Patch:
        """The states by name, to the right of the last ones, where there are names and room."""
        if step.phase not in ("merge", "end") or self.environment not in STATE_NAMES or not self.flow:
            return HIDDEN | {"text": [""]}
        column = self.flow[step.h - 1]
        texts = [
            state_name(self.environment, true) + ("" if true in column.places.true else "<br>(not recovered)")
            for true in column.bands
        ]
        low, high = self._camera(step)
        return {"x": [round(step.h + NAME_SHIFT * (high - low), 3)] * len(texts), "y": _round(list(column.bands.values())), "text": texts}

    def _headers(self, step: Step, done: int) -> Patch:
        stride = -(-len(self.flow) // MOST_HEADERS) if step.phase == "end" else 1
        is_brief = step.phase == "end" and len(self.flow) > self.view
        low, _ = self._camera(step)
        columns = [c for c in self.flow if low < c.h <= max(done, step.h) and c.h % stride == 0]
        return {
            "x": [c.h - 0.45 for c in columns] or [None],
            "y": [HEADER_Y for _ in columns] or [None],
            "text": [_header(c, c.h <= done, is_brief) for c in columns] or [""],
        }

    def _plan_line(self) -> Patch:
        assert self.plan is not None
        parts = []
        for fan, path in zip(self.fans, followed(self.levels, self.plan)):
            kinds = (fan.column.origin, fan.column.place, fan.column.true)
            dot = np.flatnonzero(np.all([kind[fan.first] == kind[path] for kind in kinds], axis=0) & (fan.first <= path))[-1]
            parts += [fan.at_parent[dot : dot + 1], _curve_points(fan.in_slot[dot], fan.merged[dot])]
        return _xy(np.concatenate(parts)) if parts else HIDDEN

    def _camera(self, step: Step) -> list[float]:
        """The time steps in view: the last ones, or at the end all."""
        shown = min(self.view, self.horizon)
        last = self.horizon if step.phase == "end" else max(step.h, shown)
        first = 0 if step.phase == "end" else last - shown
        width = last - first
        return [round(first - MARGIN * width, 3), round(last + MARGIN * width, 3)]

    def _diameter(self, places: Places, i: int) -> float:
        size = min(18 + 3 * np.sqrt(places.paths[i]), 40)
        room = places.room[i] * _row_pixels(self.height) * 0.8
        return round(float(min(size, max(room, 6))), 1)

    def _dot_text(self, fan: Fan, i: int) -> str:
        column, path = fan.column, fan.first[i]
        action = self._action(column.action[path]) if fan.size[i] == 1 else counted(fan.size[i], "path")
        text = f"h = {fan.h}, {action}<br>reaches {self._name(column.true[path])}"
        into = self._name(column.places.true[column.place[path]])
        return text + (f"<br>wrongly merged into {into}" if column.wrong[path] else "")

    def _state_text(self, h: int, places: Places, i: int) -> str:
        text = f"h = {h}<br>{self._name(places.true[i])}<br>{counted(places.paths[i], 'path')} merged"
        if places.states[i] > 1:
            return f"{text}, but into {places.states[i]} states"
        return text + ("<br>a missed merge: the same state, found twice" if places.missed[i] else "")

    def _name(self, true: int) -> str:
        return name_of(self.environment, true, self.names)

    def _action(self, action: int) -> str:
        return f"action {self.actions[action] if action < len(self.actions) else action}"


def _view(horizon: int, flow: Sequence[Column]) -> float:
    """How many time steps are seen at once."""
    return NARROW_VIEW if max((len(c.places.y) for c in flow), default=0) > FEW_ROWS else WIDE_VIEW


def _row_pixels(height: int) -> float:
    """What all rows have together."""
    return (height - TOP - BOTTOM) / 1.16


def _height(flow: Sequence[Column]) -> int:
    rows = max((len(column.places.y) for column in flow), default=0)
    return min(max(LOW, int(1.16 * ROW_PIXELS * rows) + TOP + BOTTOM), HIGH)


def _header(column: Column, is_done: bool, is_brief: bool) -> str:
    if is_brief:
        return f"<b>h = {column.h}</b><br>{counted(column.places.states.sum(), 'state')}"
    became = f" → {counted(column.places.states.sum(), 'state')}" if is_done else ""
    return f"<b>h = {column.h}</b><br>{counted(len(column.place), 'path')}{became}"


def _links(fan: Fan) -> tuple[Patch, Patch]:
    """An arc from each path to the one it will be merged with; those that join different true states apart."""
    dots = np.flatnonzero(fan.representative != np.arange(len(fan.first)))
    start, end = fan.in_slot[dots], fan.in_slot[fan.representative[dots]]
    bulge = np.minimum(0.1 + 1.1 * np.abs(end - start)[:, 1], 0.6)
    middle = np.column_stack([np.maximum(start, end)[:, 0] + bulge, (start + end)[:, 1] / 2])
    t = ARC[:, None]
    arcs = (1 - t) ** 2 * start[:, None] + 2 * t * (1 - t) * middle[:, None] + t**2 * end[:, None]
    is_wrong = fan.true[dots] != fan.true[fan.representative[dots]]
    right, wrong = (_xy(_separated(arcs[chosen])) if chosen.any() else HIDDEN for chosen in (~is_wrong, is_wrong))
    return right, wrong


def _lines(start: Array, end: Array) -> Array:
    return _separated(np.stack([start, end], axis=1))


def _curves(start: Array, end: Array) -> Array:
    return _separated(np.stack([_curve_points(a, b) for a, b in zip(start, end)])) if len(start) else np.empty((0, 2))


def _curve_points(start: Array, end: Array) -> Array:
    ease = CURVE * CURVE * (3 - 2 * CURVE)
    return start + (end - start) * np.column_stack([CURVE, ease])


def _separated(shapes: Array) -> Array:
    """Shapes [shapes, points, 2] one after the other, with a gap after each: [points, 2]."""
    return np.pad(shapes, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 2)


def _xy(points: Array) -> Patch:
    return {"x": _round(points[:, 0]), "y": _round(points[:, 1])}


def _round(values: Any) -> list:
    """Three digits are a pixel; not a number is a gap."""
    return [None if np.isnan(value) else value for value in np.round(np.asarray(values, float), 3).tolist()]


def _line(colour: str, width: float, x: Any, y: Any = None, dash: str = "solid") -> Patch:
    points = _xy(x) if y is None else {"x": x, "y": y}
    return points | {"mode": "lines", "line": {"color": colour, "width": width, "dash": dash, "shape": "spline"}, "hoverinfo": "skip"}


def _text(position: str) -> Patch:
    return HIDDEN | {
        "mode": "text", "text": [""], "textposition": position, "hoverinfo": "skip", "cliponaxis": False,
        "textfont": {"size": 13},
    }  # fmt: skip


def _patched(trace: Patch, patch: Patch) -> Patch:
    merged = trace | patch
    for name in ("line", "marker"):
        if name in patch:
            merged[name] = trace[name] | patch[name]
    return merged


def _start_label() -> Patch:
    return {"x": 0, "y": 0.5, "yshift": -26, "text": "start", "showarrow": False,
            "font": {"color": START_COLOUR, "size": 13}}  # fmt: skip


def _layout(height: int, right: int) -> Patch:
    return {
        "height": height,
        "showlegend": False,
        "margin": {"l": LEFT, "r": right, "t": TOP, "b": BOTTOM},
        "dragmode": False,
        "hovermode": "closest",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {"visible": False, "fixedrange": True},
        "yaxis": {"visible": False, "fixedrange": True, "range": [-0.02, 1.14]},
    }
