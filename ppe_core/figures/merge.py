"""Paths merging, step by step: one figure whose frames extend, compare and eliminate (algorithm 1, the loop).

At each time step the paths leave the states they extend for slots of their own, lines join those
that cannot be told apart, and they slide into the state they were merged into. The fill of a dot is
the state PPE put it in, empty before it did; its outline is the true state it reaches. The figure
without its frames is the last step. A frame holds only what is unlike in
the frame before or after it: whoever jumps has to put together the frames on the way.
"""

import math
from collections.abc import Sequence
from itertools import pairwise, takewhile

import numpy as np
import plotly.graph_objects as go

from ppe_core.figures.layout import Array, Column, Places, followed
from ppe_core.figures.merge_layout import BOTTOM, HEADROOM, LEFT, MOST_HEADERS, SLOTS_TO, TOP, Fan, Scene
from ppe_core.figures.merge_shapes import (
    HIDDEN,
    Part,
    curve_points,
    curves,
    line,
    lines,
    link_arcs,
    patched,
    rounded,
    words,
    xy,
)
from ppe_core.figures.merge_words import Step, counted
from ppe_core.figures.palette import FAINT, MISSED, ON_COLOUR, PLAN, WRONG, state_colour, state_name
from ppe_core.figures.palette import START as START_COLOUR

HEADER_Y = 1.08  # rows are between 0 and 1
HEADER_SHIFT, HEADER_ROOM = 0.45, 0.06  # from its states to the left; the part of the view it needs there
NAME_SHIFT = 0.036  # of the view, from a state to its name
UNKNOWN = "rgba(128,136,150,0.12)"
LINK = "rgba(128,136,150,0.75)"
START_SIZE, BRIEF_SIZE = 26.0, 9.0  # of the start; of states in a long run seen at once
NOTHING = np.full((1, 2), np.nan)
NUMBER_PIXELS = 15  # the least diameter of a state that has room for its count


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
        )  # traces of lines, which time steps use in turn: there are too many for one each
        self.following = dict(pairwise(self.sequence))
        self.traces: list[Part] = []
        self.index: dict[tuple[str, int], int] = {}
        self._add_traces()

    def figure(self) -> go.Figure:
        sequence = self.sequence
        looks = [self._look(step) for step in sequence]
        frames = [
            {
                "name": str(number),
                "data": [{"type": "scatter"} | part for part in changed.values()],
                "traces": list(changed),
                "layout": {"xaxis": {"range": self.scene.camera(step)}},
            }
            for number, (step, changed) in enumerate(zip(sequence, _changes(looks)))
        ]
        traces = [patched(trace, looks[-1].get(i, {})) for i, trace in enumerate(self.traces)]
        return go.Figure({"data": traces, "layout": _layout(self.scene, sequence[-1]), "frames": frames})

    # What is drawn, from back to front; what a step changes is left out or shown as at the end.

    def _add_traces(self) -> None:
        for lane in range(self.lanes):
            self._add("lines", lane, line(FAINT, 1, **HIDDEN))
            if any(fan.wrong.any() for fan in self.fans[lane :: self.lanes]):
                self._add("wrong lines", lane, line(WRONG, 2, **HIDDEN))
        self._add("missed", 0, line(MISSED, 2, *self._missed_lines(), dash="dot"))
        self._add("plan", 0, line(PLAN, 5, **HIDDEN))
        self._add("link", 0, line(LINK, 1.5, **HIDDEN))
        self._add("wrong link", 0, line(WRONG, 2, **HIDDEN, dash="dash"))
        for fan in self.fans:
            text = [self._dot_text(fan, i) for i in range(len(fan.first))]
            self._add("trail", fan.h, self._trail(fan, text))
            self._add("paths", fan.h, self._paths(fan, text))
        self._add("states", 0, self._states())
        self._add("names", 0, words("middle right"))
        self._add("headers", 0, words("middle center"))

    def _add(self, name: str, h: int, trace: Part) -> None:
        self.index[name, h] = len(self.traces)
        self.traces.append({"type": "scatter", "name": name} | trace)

    def _paths(self, fan: Fan, text: list[str]) -> Part:
        """Moving dots: the outline is the true state; the fill comes with the merge."""
        marker = {"size": _sizes(fan, 8), "line": {"color": _colours(fan.true), "width": 2}, "opacity": 1}
        return HIDDEN | {"mode": "markers", "marker": marker, "text": text, "hoverinfo": "text", "cliponaxis": False}

    def _trail(self, fan: Fan, text: list[str]) -> Part:
        """What stays of them in their slots; a cross where the merge was wrong."""
        true = np.array(_colours(fan.true))
        marker = {
            "opacity": 0.75,
            "size": np.where(fan.wrong, 11, _sizes(fan, 6)).tolist(),
            "symbol": np.where(fan.wrong, "x", "circle").tolist(),
            "color": np.where(fan.wrong, WRONG, _colours(fan.found)).tolist(),
            "line": {
                "color": np.where(fan.wrong, ON_COLOUR, true).tolist(),
                "width": np.where(fan.wrong, 1, 2).tolist(),
            },
        }
        return xy(fan.in_slot) | {
            "mode": "markers", "marker": marker, "text": text, "hoverinfo": "text", "cliponaxis": False,
        }  # fmt: skip

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

    def _missed_lines(self) -> tuple[list, list]:
        """A dotted line joins places that should be one; where it is at time step h, x is h."""
        x: list = [None]
        y: list = [None]
        for column in self.flow:
            places = column.places
            for true in np.unique(places.true[places.missed]):
                ends = places.y[places.true == true]
                if len(ends) > 1:
                    x += [column.h] * len(ends) + [None]
                    y += [*rounded(ends), None]
        return x, y

    # What a step changes.

    def _look(self, step: Step) -> dict[int, Part]:
        """How each trace looks in this step, as far as steps change it."""
        looks = self._shared(step)
        for lane in range(self.lanes):
            looks["lines", lane], looks["wrong lines", lane] = self._lines(step, self.fans[lane :: self.lanes])
        for fan in self.fans:
            looks["trail", fan.h] = self._trail_drawn(fan, step)
            looks["paths", fan.h] = self._moved(fan, step)
        return {self.index[key]: look for key, look in looks.items() if key in self.index}

    def _shared(self, step: Step) -> dict[tuple[str, int], Part]:
        """The traces that all time steps share."""
        done = step.h if step.phase in ("merge", "end") else max(step.h - 1, 0)
        links, wrong_links = HIDDEN, HIDDEN
        if step.phase == "compare":
            links, wrong_links = link_arcs(self.fans[step.h - 1])
        missed = self.traces[self.index["missed", 0]]["x"]
        return {
            ("missed", 0): {
                "x": list(takewhile(lambda x: x is None or x <= done, missed))
            },  # they are in order of time
            ("plan", 0): self._plan_line() if step.phase == "end" else HIDDEN,
            ("link", 0): links,
            ("wrong link", 0): wrong_links,
            ("states", 0): {"x": self._state_x(step, done)} | self._state_size(step),
            ("names", 0): self._names(step),
            ("headers", 0): self._headers(step, done),
        }

    # Only what has happened and is in view is drawn: plotly goes through every point at every step.

    def _lines(self, step: Step, fans: Sequence[Fan]) -> tuple[Part, Part]:
        """The lines of some time steps, right and wrong."""
        right, wrong = [NOTHING], [NOTHING]
        for fan in fans:
            if _is_extended(fan, step) and fan.h > self.scene.camera(step)[0]:
                right.append(lines(fan.at_parent, fan.in_slot))
                if _is_merged(fan, step):
                    right.append(curves(fan.in_slot[~fan.wrong], fan.merged[~fan.wrong]))
                    wrong.append(curves(fan.in_slot[fan.wrong], fan.merged[fan.wrong]))
        return xy(np.concatenate(right)), xy(np.concatenate(wrong))

    def _trail_drawn(self, fan: Fan, step: Step) -> Part:
        in_view = fan.h - 1 + SLOTS_TO > self.scene.camera(step)[0] and not self._is_brief(step)
        return xy(fan.in_slot) if in_view and _is_merged(fan, step) else HIDDEN

    def _state_x(self, step: Step, done: int) -> list:
        """A state is there once its time step is done; points without an x are not drawn."""
        left = self.scene.camera(step)[0]
        return [0 if left < 0 else None] + [c.h if c.h > left else None for c in self.flow[:done] for _ in c.places.y]

    def _state_size(self, step: Step) -> Part:
        states = self.traces[self.index["states", 0]]
        if self._is_brief(step):
            return {"text": [""] * len(states["y"]), "marker": {"size": BRIEF_SIZE}}
        return {"text": self.counts, "marker": {"size": self.sizes}}

    def _is_brief(self, step: Step) -> bool:
        return step.phase == "end" and self.scene.is_long

    def _moved(self, fan: Fan, step: Step) -> Part:
        """Where the dots of a time step are; under the states they extend they wait for it to begin."""
        if fan.h == step.h and step.phase in ("extend", "compare"):
            return xy(fan.in_slot) | {"marker": {"color": UNKNOWN}}
        if fan.h == step.h and step.phase == "merge":
            return xy(fan.merged) | {"marker": {"color": _colours(fan.found)}}
        if Step(fan.h, "extend") == self.following.get(step):
            return xy(fan.at_parent) | {"marker": {"color": UNKNOWN}}
        return HIDDEN

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

    def _plan_line(self) -> Part:
        assert self.plan is not None
        parts = []
        for fan, path in zip(self.fans, followed(self.scene.levels, self.plan)):
            kinds = (fan.column.origin, fan.column.place, fan.column.true)
            dot = np.flatnonzero(
                np.all([kind[fan.first] == kind[path] for kind in kinds], axis=0) & (fan.first <= path)
            )[-1]
            parts += [fan.at_parent[dot : dot + 1], curve_points(fan.in_slot[dot], fan.merged[dot])]
        return xy(np.concatenate(parts)) if parts else HIDDEN

    def _diameter(self, places: Places, i: int) -> float:
        size = min(18 + 3 * np.sqrt(places.paths[i]), 40)
        room = places.room[i] * self.scene.row_pixels * 0.8
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
        return state_name(self.scene.environment, true, self.names)

    def _action(self, action: int) -> str:
        return f"action {self.actions[action] if action < len(self.actions) else action}"


def _is_merged(fan: Fan, step: Step) -> bool:
    return fan.h < step.h or (fan.h == step.h and step.phase in ("merge", "end"))


def _is_extended(fan: Fan, step: Step) -> bool:
    return _is_merged(fan, step) or (fan.h == step.h and step.phase in ("extend", "compare"))


def _changes(looks: Sequence[dict[int, Part]]) -> list[dict[int, Part]]:
    """What each frame has to hold: all in the first, then what is unlike in the frame before or after it."""
    changes = [looks[0]]
    for before, look, after in zip(looks, looks[1:], [*looks[2:], looks[-1]]):
        unlike = {
            i: {key: part[key] for key in part if not part[key] == before[i].get(key) == after[i].get(key)}
            for i, part in look.items()
        }
        changes.append({i: part for i, part in unlike.items() if part})
    return changes


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
