"""The animation of merging paths, on real runs and on records made by hand."""

import functools
import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.figures.merge import merge
from ppe_core.figures.merge_layout import Scene
from ppe_core.figures.merge_shapes import HIDDEN, patched
from ppe_core.figures.merge_words import Step, caption, describe, error_pairs, summary
from ppe_core.figures.palette import MISSED, PLAN, WRONG, state_colour

JSON_LIMIT = 1_500_000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(RunConfig.from_flat({"horizon": 4, "samples": 500}))


def scene(record: RunRecord, levels: int | None = None) -> Scene:
    return Scene("lock", record.config.horizon, record.levels[:levels])


@pytest.fixture(scope="module")
def figure(record: RunRecord) -> go.Figure:
    return merge(scene(record), record.plan.tolist())


def first_level(template: LevelRecord, true: list[int], survivor: list[int]) -> LevelRecord:
    """A first time step with these merges."""
    found = replace(template.found, paths=np.arange(len(true))[:, None], survivor=np.array(survivor))
    return LevelRecord(found, replace(template.truth, states=np.array(true), reachable=np.unique(true)))


def shown(figure: go.Figure, frame: int, name: str, h: int | None = None) -> dict[str, Any]:
    """A trace or a shape when all frames up to this one were played; of time step h, where there are more."""
    played = figure.frames[: frame + 1]
    shapes = [i for i, shape in enumerate(figure.layout.shapes) if shape.name == name]
    if shapes:
        number = shapes[h - 1 if h else 0]
        patches = [passed.layout.shapes[number].to_plotly_json() for passed in played]
        return with_points(functools.reduce(patched, patches, figure.layout.shapes[number].to_plotly_json()))
    traces = []
    for number in [i for i, trace in enumerate(figure.data) if trace.name == name]:
        parts = [dict(zip(passed.traces, passed.data)).get(number, go.Scatter()).to_plotly_json() for passed in played]
        traces.append(functools.reduce(patched, parts, figure.data[number].to_plotly_json()))
    return of_time_step(traces, h) if h else traces[0]


def with_points(shape: dict[str, Any]) -> dict[str, Any]:
    """A shape with the points of its path, control points too, and a gap after each line."""
    x, y = [], []
    for one in shape["path"].split("M")[1:]:
        numbers = [float(number) for number in re.findall(r"[-.\d]+", one)]
        x += [*numbers[::2], None]
        y += [*numbers[1::2], None]
    return shape | {"x": x, "y": y}


def of_time_step(traces: list[dict[str, Any]], h: int) -> dict[str, Any]:
    """The dots of a time step, by what they say of themselves; none are drawn where no trace has any."""

    def chosen(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: chosen(value) for key, value in part.items()}
        return [part[i] for i in dots if i < len(part)] if isinstance(part, list | tuple) else part

    for trace in traces:
        dots = [i for i, text in enumerate(trace.get("text", [])) if text.startswith(f"h = {h},")]
        if dots:
            return chosen(trace)
    return HIDDEN


def points(trace: dict[str, Any]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in zip(trace["x"], trace["y"]) if x is not None]


def frame(record: RunRecord, h: int, phase: Any) -> int:
    return scene(record).steps(has_plan=True).index(Step(h, phase))


def test_every_time_step_extends_compares_and_merges(record: RunRecord, figure: go.Figure) -> None:
    phases = [(step.h, step.phase) for step in scene(record).steps(has_plan=True)]
    per_level = [(h, phase) for h in range(1, 5) for phase in ("extend", "compare", "merge")]
    assert phases == [(0, "start"), *per_level, (4, "end")]
    assert [f.name for f in figure.frames] == [str(i) for i in range(len(phases))]


def test_paths_start_where_they_extend_spread_out_and_slide_into_their_state(
    record: RunRecord, figure: go.Figure
) -> None:
    states = points(shown(figure, frame(record, 2, "merge"), "states"))
    before, after = ([point for point in states if point[0] == h] for h in (1, 2))
    at_parent = points(shown(figure, frame(record, 1, "merge"), "paths", 2))
    in_slot = points(shown(figure, frame(record, 2, "extend"), "paths", 2))
    merged = points(shown(figure, frame(record, 2, "merge"), "paths", 2))
    assert set(at_parent) == set(before)
    assert len(set(in_slot)) == 30
    assert set(merged) == set(after)
    survivor = record.levels[1].found.survivor
    assert [merged.index(merged[path]) for path in range(30)] == survivor.tolist()


def test_a_link_joins_each_eliminated_path_to_the_one_it_is_merged_with(record: RunRecord, figure: go.Figure) -> None:
    links = shown(figure, frame(record, 3, "compare"), "link")
    slots = points(shown(figure, frame(record, 3, "compare"), "paths", 3))
    ends = [i for i, x in enumerate(links["x"]) if x is None]
    starts = [0, *(i + 1 for i in ends[:-1])]
    joined = {
        tuple(slots.index((links["x"][i], links["y"][i])) for i in (start, end - 1)) for start, end in zip(starts, ends)
    }
    survivor = record.levels[2].found.survivor
    assert joined == {(path, int(s)) for path, s in enumerate(survivor) if path != s}
    assert points(shown(figure, frame(record, 3, "merge"), "link")) == []


def test_before_a_merge_only_the_outline_tells_the_true_state(record: RunRecord, figure: go.Figure) -> None:
    before = shown(figure, frame(record, 1, "extend"), "paths", 1)["marker"]
    after = shown(figure, frame(record, 1, "merge"), "paths", 1)["marker"]
    true = [state_colour(state) for state in record.levels[0].truth.states]
    assert isinstance(before["color"], str)
    assert list(before["line"]["color"]) == list(after["line"]["color"]) == list(after["color"]) == true


def test_later_time_steps_are_not_seen_before_their_turn(record: RunRecord, figure: go.Figure) -> None:
    number = frame(record, 2, "compare")
    assert {x for x, _ in points(shown(figure, number, "states"))} == {0, 1}
    assert [points(shown(figure, number, "trail", h)) != [] for h in (1, 2, 3)] == [True, False, False]
    assert [max((x for x, _ in points(shown(figure, number, "lines", h))), default=0) for h in (1, 2, 3)] == [
        1,
        1.48,
        0,
    ]
    assert [points(shown(figure, number, "paths", h)) != [] for h in (1, 2, 3)] == [False, True, False]
    assert [text.count("→") for text in shown(figure, number, "headers")["text"]] == [1, 0]


def test_the_plan_is_drawn_on_the_last_frame_only(record: RunRecord, figure: go.Figure) -> None:
    plan = shown(figure, len(figure.frames) - 1, "plan")
    assert (plan["line"]["color"], points(plan)[0], points(plan)[-1][0]) == (PLAN, (0, 0.5), 4)
    assert points(shown(figure, len(figure.frames) - 2, "plan")) == []


def test_the_figure_without_its_frames_is_the_last_one(record: RunRecord, figure: go.Figure) -> None:
    still = go.Figure(figure.data, figure.layout)
    for name in ("plan", "states", "headers", "names"):
        assert points(shown(still, 0, name)) == points(shown(figure, len(figure.frames) - 1, name)) != []


def test_playing_backwards_shows_what_playing_forwards_shows(record: RunRecord, figure: go.Figure) -> None:
    def looks(trace: dict[str, Any]) -> list:
        """What can be seen of it: nothing, where it has no points."""
        if "path" in trace:
            return [trace["path"]]
        return [trace["x"], trace["y"], trace.get("text"), trace.get("marker")] if points(trace) else []

    def play(parts: list[dict[str, Any]], played: go.Frame) -> list[dict[str, Any]]:
        patches = dict(zip(played.traces, played.data))
        patches |= {len(figure.data) + i: shape for i, shape in enumerate(played.layout.shapes)}
        return [patched(part, patches[i].to_plotly_json()) if i in patches else part for i, part in enumerate(parts)]

    still = [part.to_plotly_json() for part in (*figure.data, *figure.layout.shapes)]
    seen = list(itertools.accumulate(figure.frames, play, initial=still))[1:]
    backwards = itertools.accumulate(figure.frames[-2::-1], play, initial=still)
    for parts, expected in zip(list(backwards)[1:], seen[-2::-1], strict=True):
        assert [looks(part) for part in parts] == [looks(part) for part in expected]


def test_a_run_under_way_ends_with_its_last_finished_time_step(record: RunRecord) -> None:
    growing = merge(scene(record, levels=2))
    assert growing.layout.xaxis.range == merge(scene(record, levels=1)).layout.xaxis.range
    states = next(trace for trace in growing.data if trace.name == "states")
    assert set(states.x) == {0, 1, 2}
    assert len(merge(scene(record, levels=0)).frames) == 1


def test_a_wrong_merge_is_a_red_cross_a_red_line_and_a_red_link(record: RunRecord) -> None:
    level = first_level(record.levels[0], [0, 1, 2, 2], [0, 1, 1, 1])
    figure = merge(Scene("lock", 1, [level]))
    dots = shown(figure, 3, "trail", 1)["marker"]
    assert list(dots["symbol"]) == ["circle", "x", "circle", "circle"]
    assert list(dots["color"])[1] == WRONG
    assert shown(figure, 3, "wrong lines")["line"] | {"shape": None} == {
        "color": WRONG, "width": 2, "dash": "solid", "shape": None,
    }  # fmt: skip
    assert points(shown(figure, 2, "wrong link")) != []
    assert any("wrongly merged into c" in text for text in figure.data[0].text or shown(figure, 3, "trail", 1)["text"])


def test_a_missed_merge_is_an_orange_diamond(record: RunRecord) -> None:
    level = first_level(record.levels[0], [0, 1, 2, 2, 2], [0, 1, 2, 2, 4])
    figure = merge(Scene("lock", 1, [level]))
    states = shown(figure, 3, "states")
    assert list(states["marker"]["symbol"]).count("diamond") == 1
    assert list(states["marker"]["line"]["color"]).count(MISSED) == 1
    assert len(points(shown(figure, 3, "missed"))) == 2
    assert points(shown(figure, 2, "missed")) == []


def test_a_long_run_is_seen_a_few_time_steps_at_a_time_and_at_the_end_whole() -> None:
    record = run(RunConfig.from_flat({"horizon": 40, "samples": 500}))
    whole = scene(record)
    low, high = whole.camera(Step(20, "merge"))
    assert 13 < low < 14 < 20 < high < 21
    assert whole.camera(Step(40, "end"))[0] < 0
    assert whole.steps(True)[whole.steps(True).index(Step(20, "extend")) - 1] == Step(20, "look")
    assert len(plotly.io.to_json(merge(whole, record.plan.tolist()))) < JSON_LIMIT


def gridlike(template: LevelRecord, states: list[int], actions: int = 5) -> list[LevelRecord]:
    """Time steps with so many states each, every merge right."""
    levels, before = [], 1
    for h, count in enumerate(states, 1):
        true = np.random.default_rng(h).permutation(np.arange(before * actions) % count)
        survivor = np.unique(true, return_index=True)[1][true]
        paths = np.column_stack([np.zeros((len(true), h - 1), int), np.tile(np.arange(actions), before)])
        found = replace(template.found, h=h, paths=paths, survivor=survivor)
        levels.append(LevelRecord(found, replace(template.truth, states=true, reachable=np.unique(true))))
        before = count
    return levels


def test_a_time_step_of_many_paths_has_a_view_of_its_own_and_a_slot_for_each(record: RunRecord) -> None:
    levels = gridlike(record.levels[0], [4, 13, 28, 44, 57, 65, 72, 80])
    big = Scene("grid", 8, levels)
    low, _ = big.camera(Step(8, "merge"))
    assert (low > 6, len(levels[-1].found.paths)) == (True, 360)
    last = big.fans[-1]
    assert len(np.unique(last.in_slot.round(3), axis=0)) == 360
    assert len(plotly.io.to_json(merge(big, [0] * 8))) < JSON_LIMIT


@pytest.mark.parametrize("states", [5, 6, 8, 100, 300])
def test_a_run_that_goes_wrong_everywhere_stays_small(record: RunRecord, states: int) -> None:
    rng = np.random.default_rng(0)
    levels, before = [], 1
    for h in range(1, 41):
        size = before * 10
        survivor = np.where(np.arange(size) < states, np.arange(size), rng.integers(min(states, size), size=size))
        paths = np.column_stack([np.zeros((size, h - 1), int), np.tile(np.arange(10), before)])
        found = replace(record.levels[0].found, h=h, paths=paths, survivor=survivor)
        truth = replace(record.levels[0].truth, states=rng.integers(3, size=size), reachable=np.arange(3))
        levels.append(LevelRecord(found, truth))
        before = len(np.unique(survivor))
    wrong = Scene("lock", 40, levels)
    assert [fan.size.sum() for fan in wrong.fans] == [len(level.found.paths) for level in levels]
    assert len(plotly.io.to_json(merge(wrong))) < JSON_LIMIT


def test_each_step_is_told_in_words(record: RunRecord) -> None:
    assert summary(record.levels[1]) == (
        "Time step 2: 30 paths, 27 merged away, 3 states left; 0 wrong merges, 0 missed."
    )
    assert "3 states left is followed by each of 10 actions: 30 paths" in caption(Step(2, "extend"), record.levels)
    assert "gap is at most 0.021" in caption(Step(2, "compare"), record.levels)
    assert "130 paths" not in caption(Step(4, "end"), record.levels)
    assert "100 paths tried" in caption(Step(4, "end"), record.levels)
    assert "Time step 4: 30 paths" in describe(4, record.levels)


def test_pairs_that_went_wrong_are_listed_up_to_a_number(record: RunRecord) -> None:
    level = first_level(record.levels[0], [0, 1, 2, 2, 2], [0, 0, 2, 2, 4])
    pairs = [(pair.is_wrong_merge, pair.paths) for pair in error_pairs(level, most=10)]
    assert pairs == [(True, (0, 1)), (False, (2, 4)), (False, (3, 4))]
    assert len(pairs) == sum(level.errors)
    assert len(error_pairs(level, most=1)) == 2
