"""Paths merging, step by step: one figure whose frames extend, compare and eliminate (algorithm 1, the loop).

At each time step the paths leave the states they extend for slots of their own, lines join those
that cannot be told apart, and they slide into the state they were merged into. The fill of a dot is
the state PPE put it in, empty before it did; its outline is the true state it reaches. The figure
without its frames is the last step. A frame holds only what is unlike in
the frame before or after it: whoever jumps has to put together the frames on the way.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.layout import Array, Column, Places, followed
from ppe_core.figures.merge_layout import BOTTOM, HEADROOM, LEFT, MOST_HEADERS, SLOTS_TO, TOP, Fan, Scene
from ppe_core.figures.merge_shapes import HIDDEN, Part, curved, line, links, patched, rounded, straight, words, xy
from ppe_core.figures.merge_words import Step, counted
from ppe_core.figures.palette import FAINT, MISSED, ON_COLOUR, PLAN, WRONG, state_colour, state_name
from ppe_core.figures.palette import START as START_COLOUR

HEADER_Y = 1.08  # rows are between 0 and 1
HEADER_SHIFT, HEADER_ROOM = 0.45, 0.06  # from its states to the left; the part of the view it needs there
NAME_SHIFT = 0.036  # of the view, from a state to its name
UNKNOWN = "rgba(128,136,150,0.12)"
LINK = "rgba(128,136,150,0.75)"
START_SIZE, BRIEF_SIZE = 26.0, 9.0  # of the start; of states in a long run seen at once
NUMBER_PIXELS = 15  # the least diameter of a state that has room for its count
FULL = 300  # dots of time steps that share a trace: many traces are slow, long ones make large frames

TURNS = 2  # traces of moving dots, which time steps use in turn: the next ones wait while the last ones arrive

Key = tuple[str, int]  # a trace or a shape: its name, and which of that name


def merge(
    scene: Scene, plan: Sequence[int] | None = None, names: Sequence[str] = (), actions: Sequence[str] = ()
) -> go.Figure:
    """The finished levels of a run; `names` are those of true states, where they have any."""
    return _Animation(scene, plan, names, actions).figure()


class _Animation:
    """Collects the traces of all time steps, and what each step changes in them."""

    def __init__(self, scene: Scene, plan: Sequence[int] | None, names: Sequence[str], actions: Sequence[str]) -> None:
        self.scene, self.plan, self.names, self.actions = scene, plan, names, actions
        self.flow, self.fans = scene.flow, scene.fans
        places = [(column.places, i) for column in self.flow for i in range(len(column.places.y))]
        self.sizes = [START_SIZE, *(self._diameter(p, i) for p, i in places)]
        counts = ["", *(str(p.paths[i]) for p, i in places)]
        self.counts = [count if size >= NUMBER_PIXELS else "" for count, size in zip(counts, self.sizes)]
        self.sequence = scene.steps(plan is not None)
        self.lanes = (
            math.ceil(scene.view) + 2
        )  # of lines, which time steps use in turn: plotly goes through all of them
        self.stretches = _stretches(self.fans)
        self.outward = [straight(fan.at_parent, fan.in_slot) for fan in self.fans]
        self.inward = [curved(fan.in_slot[~fan.wrong], fan.merged[~fan.wrong]) for fan in self.fans]
        self.wrong_inward = [curved(fan.in_slot[fan.wrong], fan.merged[fan.wrong]) for fan in self.fans]
        self.missed = [self._missed_lines(column) for column in self.flow]
        self.following = dict(pairwise(self.sequence))
        self.traces, self.shapes = self._traces(), self._shapes()

    def figure(self) -> go.Figure:
        looks = [self._look(step) for step in self.sequence]
        frames = [
            {
                "name": str(number),
                "data": [{"type": "scatter"} | changed[key] for key in self.traces if key in changed],
                "traces": [i for i, key in enumerate(self.traces) if key in changed],
                "layout": {
                    "xaxis": {"range": self.scene.camera(step)},
                    "shapes": [changed.get(key, {}) for key in self.shapes],
                },
            }
            for number, (step, changed) in enumerate(zip(self.sequence, _changes(looks)))
        ]
        last = looks[-1]
        traces = [patched(trace, last[key]) for key, trace in self.traces.items()]
        shapes = [shape | last[key] for key, shape in self.shapes.items()]
        layout = _layout(self.scene, self.sequence[-1]) | {"shapes": shapes}
        return go.Figure({"data": traces, "layout": layout, "frames": frames})

    # What is drawn, from back to front; what a step changes is left out or shown as at the end.

    def _shapes(self) -> dict[Key, Part]:
        shapes: dict[Key, Part] = {}
        for lane in range(self.lanes):
            shapes["lines", lane] = line("lines", FAINT, 1)
            if any(fan.wrong.any() for fan in self.fans[lane :: self.lanes]):
                shapes["wrong lines", lane] = line("wrong lines", WRONG, 2)
        shapes["missed", 0] = line("missed", MISSED, 2, dash="dot")
        shapes["plan", 0] = line("plan", PLAN, 5)
        shapes["link", 0] = line("link", LINK, 1.5)
        shapes["wrong link", 0] = line("wrong link", WRONG, 2, dash="dash")
        return shapes

    def _traces(self) -> dict[Key, Part]:
        traces = {("trail", i): self._trail(fans) for i, fans in enumerate(self.stretches)}
        traces |= {("paths", turn): _dots() for turn in range(TURNS)}
        traces |= {("states", 0): self._states()}
        traces |= {("names", 0): words("middle right"), ("headers", 0): words("middle center")}
        return {key: {"type": "scatter", "name": key[0]} | trace for key, trace in traces.items()}

    def _trail(self, fans: Sequence[Fan]) -> Part:
        """What stays of the dots in their slots; a cross where the merge was wrong."""
        wrong = np.concatenate([fan.wrong for fan in fans])
        found, true = (_colours(np.concatenate(states)) for states in zip(*((fan.found, fan.true) for fan in fans)))
        marker = {
            "opacity": 0.75,
            "size": np.where(wrong, 11, np.concatenate([_sizes(fan, 6) for fan in fans])).tolist(),
            "symbol": np.where(wrong, "x", "circle").tolist(),
            "color": np.where(wrong, WRONG, found).tolist(),
            "line": {"color": np.where(wrong, ON_COLOUR, true).tolist(), "width": np.where(wrong, 1, 2).tolist()},
        }
        y = rounded(np.concatenate([fan.in_slot[:, 1] for fan in fans]))
        return _dots() | {"y": y, "marker": marker, "text": [text for fan in fans for text in self._dot_texts(fan)]}

    def _states(self) -> Part:
        """The start and all recovered states: circles, or diamonds where paths to the same state stayed apart."""
        places = [(column.places, i) for column in self.flow for i in range(len(column.places.y))]
        missed = np.array([False, *(p.missed[i] for p, i in places)])
        texts = [self._state_text(c.h, c.places, i) for c in self.flow for i in range(len(c.places.y))]
        return {
            "y": rounded([0.5, *(p.y[i] for p, i in places)]),
            "mode": "markers+text", "textfont": {"color": ON_COLOUR, "size": 12}, "cliponaxis": False,
            "hovertext": ["the start", *texts], "hoverinfo": "text",
            "marker": {
                "opacity": 1, "symbol": np.where(missed, "diamond", "circle").tolist(),
                "color": [START_COLOUR, *(state_colour(p.true[i]) for p, i in places)],
                "line": {"color": np.where(missed, MISSED, ON_COLOUR).tolist(),
                         "width": np.where(missed, 2.5, 1).tolist()},
            },
        }  # fmt: skip

    def _missed_lines(self, column: Column) -> str:
        """A dotted line joins places that should be one."""
        places = column.places
        rows = [places.y[places.true == true] for true in np.unique(places.true[places.missed])]
        ends = [np.column_stack([np.full(len(y), column.h), y]) for y in rows]
        return "".join(straight(points[:-1], points[1:]) for points in ends)

    # What a step changes.

    def _look(self, step: Step) -> dict[Key, Part]:
        """How each trace and shape looks in this step, as far as steps change it."""
        looks = self._shared(step)
        for lane in range(self.lanes):
            looks["lines", lane], looks["wrong lines", lane] = self._lines(step, self.fans[lane :: self.lanes])
        for i, fans in enumerate(self.stretches):
            looks["trail", i] = self._trail_drawn(fans, step)
        for turn in range(TURNS):
            looks["paths", turn] = self._moved(self.fans[turn::TURNS], step)
        return looks

    def _shared(self, step: Step) -> dict[Key, Part]:
        """The traces and shapes that all time steps share."""
        done = step.h if step.phase in ("merge", "end") else max(step.h - 1, 0)
        right_links, wrong_links = links(self.fans[step.h - 1]) if step.phase == "compare" else ("", "")
        left = self.scene.camera(step)[0]
        return {
            ("missed", 0): {"path": "".join(self.missed[c.h - 1] for c in self.flow[:done] if c.h > left)},
            ("plan", 0): {"path": self._plan_line() if step.phase == "end" else ""},
            ("link", 0): {"path": right_links},
            ("wrong link", 0): {"path": wrong_links},
            ("states", 0): {"x": self._state_x(step, done)} | self._state_size(step),
            ("names", 0): self._names(step),
            ("headers", 0): self._headers(step, done),
        }

    # Only what has happened and is in view is drawn: plotly goes through every point at every step.

    def _lines(self, step: Step, fans: Sequence[Fan]) -> tuple[Part, Part]:
        """The lines of some time steps, right and wrong."""
        extended = [f.h - 1 for f in fans if _is_extended(f, step) and f.h > self.scene.camera(step)[0]]
        merged = [f.h - 1 for f in fans if f.h - 1 in extended and _is_merged(f, step)]
        right = [*(self.outward[i] for i in extended), *(self.inward[i] for i in merged)]
        return {"path": "".join(right)}, {"path": "".join(self.wrong_inward[i] for i in merged)}

    def _trail_drawn(self, fans: Sequence[Fan], step: Step) -> Part:
        left = math.inf if self._is_brief(step) else self.scene.camera(step)[0]
        x: list = []
        for fan in fans:
            is_drawn = fan.h - 1 + SLOTS_TO > left and _is_merged(fan, step)
            x += rounded(fan.in_slot[:, 0]) if is_drawn else [None] * len(fan.first)
        return {"x": _without_end(x)}

    def _state_x(self, step: Step, done: int) -> list:
        """A state is there once its time step is done; points without an x are not drawn."""
        left = self.scene.camera(step)[0]
        return [0 if left < 0 else None] + [c.h if c.h > left else None for c in self.flow[:done] for _ in c.places.y]

    def _state_size(self, step: Step) -> Part:
        if self._is_brief(step):
            return {"text": [""] * len(self.sizes), "marker": {"size": BRIEF_SIZE}}
        return {"text": self.counts, "marker": {"size": self.sizes}}

    def _is_brief(self, step: Step) -> bool:
        return step.phase == "end" and self.scene.is_long

    def _moved(self, fans: Sequence[Fan], step: Step) -> Part:
        """The moving dots of a time step: the outline is the true state; the fill comes with the merge."""
        for fan in fans:
            place = self._place(fan, step)
            if place is not None:
                marker = {
                    "color": _colours(fan.found) if place is fan.merged else UNKNOWN,
                    "size": _sizes(fan, 8), "line": {"color": _colours(fan.true), "width": 2}, "opacity": 1,
                }  # fmt: skip
                return xy(place) | {"marker": marker, "text": self._dot_texts(fan)}
        return HIDDEN

    def _place(self, fan: Fan, step: Step) -> Array | None:
        """Where its dots are; under the states they extend they wait for the time step to begin."""
        if fan.h == step.h and step.phase in ("extend", "compare"):
            return fan.in_slot
        if fan.h == step.h and step.phase == "merge":
            return fan.merged
        return fan.at_parent if Step(fan.h, "extend") == self.following.get(step) else None

    def _names(self, step: Step) -> Part:
        """The states by name, to the right of the last ones, where there are names and room."""
        if step.phase not in ("merge", "end") or not self.scene.has_names or not self.flow:
            return HIDDEN | {"text": [""]}
        column = self.flow[step.h - 1]
        texts = [
            state_name(self.scene.environment, true) + ("" if true in column.places.true else "<br>(not recovered)")
            for true in column.bands
        ]
        low, high = self.scene.camera(step)
        return {
            "x": [round(step.h + NAME_SHIFT * (high - low), 3)] * len(texts),
            "y": rounded(list(column.bands.values())),
            "text": texts,
        }

    def _headers(self, step: Step, done: int) -> Part:
        stride = -(-len(self.flow) // MOST_HEADERS) if step.phase == "end" else 1
        is_brief = step.phase == "end" and len(self.flow) > self.scene.view
        low, high = self.scene.camera(step)
        left = low + HEADER_ROOM * (high - low)
        columns = [c for c in self.flow if left < c.h - HEADER_SHIFT and c.h <= max(done, step.h) and c.h % stride == 0]
        return {
            "x": [c.h - HEADER_SHIFT for c in columns] or [None],
            "y": [HEADER_Y for _ in columns] or [None],
            "text": [_header(c, c.h <= done, is_brief) for c in columns] or [""],
        }

    def _plan_line(self) -> str:
        assert self.plan is not None
        path = ""
        for fan, followed_path in zip(self.fans, followed(self.scene.levels, self.plan)):
            kinds = (fan.column.origin, fan.column.place, fan.column.true)
            is_alike = np.all([kind[fan.first] == kind[followed_path] for kind in kinds], axis=0)
            dot = np.flatnonzero(is_alike & (fan.first <= followed_path))[-1:]
            path += curved(fan.at_parent[dot], fan.in_slot[dot]) + curved(fan.in_slot[dot], fan.merged[dot])
        return path

    def _diameter(self, places: Places, i: int) -> float:
        size = min(18 + 3 * np.sqrt(places.paths[i]), 40)
        room = places.room[i] * self.scene.row_pixels * 0.8
        return round(float(min(size, max(room, 6))), 1)

    def _dot_texts(self, fan: Fan) -> list[str]:
        return [self._dot_text(fan, i) for i in range(len(fan.first))]

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
        return state_name(self.scene.environment, true, self.names)

    def _action(self, action: int) -> str:
        return f"action {self.actions[action] if action < len(self.actions) else action}"


def _is_merged(fan: Fan, step: Step) -> bool:
    return fan.h < step.h or (fan.h == step.h and step.phase in ("merge", "end"))


def _is_extended(fan: Fan, step: Step) -> bool:
    return _is_merged(fan, step) or (fan.h == step.h and step.phase in ("extend", "compare"))


def _changes(looks: Sequence[dict[Key, Part]]) -> list[dict[Key, Part]]:
    """What each frame has to hold: all in the first, then what is unlike in the frame before or after it."""
    return [looks[0]] + [_unlike(*three) for three in zip(looks[1:], looks, [*looks[2:], looks[-1]])]


def _unlike(part: dict, before: dict, after: dict) -> dict:
    unlike: dict = {}
    for key, value in part.items():
        was, will_be = before.get(key), after.get(key)
        if isinstance(value, dict):
            inside = _unlike(value, was or {}, will_be or {})
            unlike |= {key: inside} if inside else {}
        elif not value == was == will_be:
            unlike[key] = value
    return unlike


def _stretches(fans: Sequence[Fan]) -> list[list[Fan]]:
    """Time steps after each other whose dots share a trace."""
    found: list[list[Fan]] = []
    for fan in fans:
        if not found or sum(len(other.first) for other in found[-1]) + len(fan.first) > FULL:
            found.append([])
        found[-1].append(fan)
    return found


def _without_end(x: list) -> list:
    """Points after the last that is drawn have no need of an x."""
    last = max((i for i, value in enumerate(x) if value is not None), default=0)
    return x[: last + 1]


def _dots() -> Part:
    return HIDDEN | {"mode": "markers", "hoverinfo": "text", "cliponaxis": False}


def _colours(states: Array) -> list[str]:
    return [state_colour(state) for state in states]


def _sizes(fan: Fan, one: int) -> list[float]:
    """Pixels; a dot that stands for many paths is larger."""
    return (one + 2 * np.log2(fan.size)).round(1).tolist()


def _header(column: Column, is_done: bool, is_brief: bool) -> str:
    if is_brief:
        return f"<b>h = {column.h}</b><br>{counted(column.places.states.sum(), 'state')}"
    became = f" → {counted(column.places.states.sum(), 'state')}" if is_done else ""
    return f"<b>h = {column.h}</b><br>{counted(len(column.place), 'path')}{became}"


def _layout(scene: Scene, step: Step) -> Part:
    axis = {"visible": False, "fixedrange": True}
    return {
        "height": scene.height,
        "showlegend": False,
        "margin": {"l": LEFT, "r": scene.right, "t": TOP, "b": BOTTOM},
        "dragmode": False,
        "hovermode": "closest",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "xaxis": axis | {"range": scene.camera(step)},
        "yaxis": axis | {"range": [-0.02, HEADROOM - 0.02]},
        "annotations": [
            {"x": 0, "y": 0.5, "yshift": -26, "text": "start", "showarrow": False,
             "font": {"color": START_COLOUR, "size": 13}}
        ],
    }  # fmt: skip
