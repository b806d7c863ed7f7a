"""A run on the page: its numbers and its pictures."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ppe_core import tables
from ppe_core.config import GridSettings, RunConfig, TabularSettings
from ppe_core.experiments.grid_scene import TILE, GridScene, grid_scene
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.figures import grid_graph as grid_figure
from ppe_core.figures import river as river_figure
from ui import jobs
from ui.text import plain

PPE = "This is *predictive path elimination*. A **path** is a sequence of actions."
PLOTLY = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
# On a narrow screen the river scrolls; its place stays while the figure is replaced; headers are as dark as text.
RIVER_STYLE = """<style>
.st-key-river {{overflow-x: auto; min-height: {height}px}}
.st-key-river > * {{min-width: {width}px}}
.st-key-river .xtick text {{fill: currentColor !important}}
</style>"""
# A river that was there before the visitor came unfolds once, time step by time step.
UNFOLDING = """<style>
@keyframes unfold {from {clip-path: inset(0 100% 0 0)} to {clip-path: inset(0 0 0 0)}}
@media (prefers-reduced-motion: no-preference) {.st-key-river .cartesianlayer {animation: unfold 3s ease-in-out}}
</style>"""
GRID_STYLE = """<style>
.st-key-grid-graph {{min-height: {height}px}}
</style>"""
WORLDS_IN_MEMORY = 32


def graph(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None) -> None:
    """What was found: over the grid where there is one, otherwise as a river of paths."""
    if is_grid(config):
        grid(config, levels, plan)
    else:
        river(config, levels, plan)


def graph_figure(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None) -> go.Figure:
    if not is_grid(config):
        return river_figure.river(config.environment.name, config.horizon, levels, plan, names(config)[0])
    scene = scene_of(config)
    return grid_figure.grid_graph(scene.background, TILE, scene.poses, config.horizon, levels, plan)


def is_grid(config: RunConfig) -> bool:
    return isinstance(config.environment, GridSettings)


def names(config: RunConfig) -> tuple[Sequence[str], Sequence[str]]:
    """Of true states and of actions, where this world has any."""
    if is_grid(config):
        scene = scene_of(config)
        poses = scene.poses.tolist()
        return [
            f"column {x}, row {y}, facing {grid_figure.DIRECTIONS[facing]}" for x, y, facing in poses
        ], scene.actions
    return tables.names(config.environment.world) if isinstance(config.environment, TabularSettings) else ((), ())


def numbers(levels: Sequence[LevelRecord]) -> None:
    """The three numbers, each with what it means."""
    summaries = [level.summary() for level in levels]
    found, true = (_range([x[key] for x in summaries]) for key in ("states_found", "states_true"))
    type1, type2 = (f"{sum(x[key] for x in summaries):,}" for key in ("type1", "type2"))
    for column, label, value, meaning in zip(
        st.columns(3),
        ("States recovered", "Wrong merges :red[✖]", "Missed merges :orange[◆]"),
        (found, type1, type2),
        (
            f"at each time step; in truth there {'is' if true == '1' else 'are'} {true}",
            "pairs of paths merged that end in **different** places: a place is lost",
            "pairs of paths kept apart that end in the **same** place: work grows",
        ),
    ):
        with column.container(border=True, height="stretch", gap=None):
            st.metric(label, value)
            st.caption(meaning)


def river(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None) -> None:
    st.markdown(
        f"{PPE} At every time step h the remaining paths are extended by every action (a dot each); paths whose "
        "observations a classifier cannot tell apart are **merged**: they flow into one circle, a recovered state "
        "(a place, as PPE sees it). The number in a circle counts the paths merged there; one of them goes "
        "on for all."
    )
    width = river_figure.minimum_width(config.horizon)
    unfolding = UNFOLDING if jobs.comes_bundled(config) else ""
    st.html(RIVER_STYLE.format(height=river_figure.HEIGHT, width=width) + unfolding)
    with st.container(key="river"):
        st.plotly_chart(
            graph_figure(config, levels, plan),
            key="river-chart",
            config=PLOTLY,
            alt=river_figure.describe(config.horizon, levels),
        )


def grid(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    right.markdown(
        f"{PPE} Paths whose pictures a classifier cannot tell apart are **merged**: "
        "they become one recovered state, a triangle drawn where the agent then is, pointing where it faces. "
        "Its colour says after how many actions it was first reached; a thin line joins states that one action "
        "leads between."
    )
    with left.container(key="grid-graph"):
        st.html(GRID_STYLE.format(height=grid_figure.HEIGHT))
        st.plotly_chart(
            graph_figure(config, levels, plan),
            key="grid-chart",
            config=PLOTLY,
            alt=grid_figure.describe(levels),
        )


def status(record: RunRecord) -> None:
    """Which run this is, and where it comes from."""
    flat = record.config.flat()
    world = _distractor(record.config) if is_grid(record.config) else f"noise {flat['noise']:g}"
    settings = f"H = {flat['horizon']}, N = {flat['samples']}, {world}, seed {flat['seed']}"
    st.caption(f":material/check_circle: {settings} · {_origin(record)} · run `{record.config.id}`")
    if record.stopped:
        st.warning(f"The run stopped early: {plain(record.stopped)}.", icon=":material/block:")


def _origin(record: RunRecord) -> str:
    if jobs.comes_bundled(record.config):
        return "bundled with the program"
    if jobs.was_started_here(record.config):
        return f"computed just now in {record.seconds:.2f} s"
    return "stored"


def failure(message: str) -> None:
    lines = message.strip().splitlines() or ["no reason was given"]
    reason = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    st.error(f"The run failed: {plain(reason)}")
    with st.expander("Details"):
        st.code(message, language=None)


def plan(record: RunRecord) -> None:
    told = names(record.config)[1]
    actions = " ".join(told[action] if told else str(action) for action in record.plan)
    is_best = np.isclose(record.value, record.optimal_value)
    beside = "which is the best possible" if is_best else f"where {record.optimal_value:g} is possible"
    drawn = "thick line" if is_grid(record.config) else "purple; a square is an action"
    st.markdown(
        f"**The plan** ({drawn}) takes the actions `{actions}` and earns **{record.value:g}**, {beside}. "
        f"It took {record.episodes:,} episodes to learn, about N for each of {len(record.levels)} time steps."
    )


def table(record: RunRecord) -> None:
    """Drawn when it is opened: what a table needs is a third of all that a browser would have to load."""
    expander = st.expander("Level by level", key="level-by-level", on_change="rerun")
    if not expander.open:
        return
    seconds = record.summary()["seconds"]
    parts = ", ".join(f"{stage} {spent:.2f} s" for stage, spent in seconds.items() if stage != "total")
    with expander:
        st.dataframe([level.summary() for level in record.levels], hide_index=True, column_config=_COLUMNS)
        st.caption(f"Time: {seconds['total']:.2f} s in all; {parts}.")


_COLUMNS = {
    "h": "h",
    "paths": "paths",
    "states_true": "true states",
    "states_found": "recovered states",
    "type1": "wrong merges",
    "type2": "missed merges",
    "threshold": st.column_config.NumberColumn("threshold", format="%.4f"),
    "coverage": st.column_config.NumberColumn("states covered", format="percent"),
    "decoding_accuracy": st.column_config.NumberColumn("decoding accuracy", format="percent"),
    "held_out_loss": st.column_config.NumberColumn("held-out loss", format="%.4f"),
}


def _distractor(config: RunConfig) -> str:
    world = config.environment
    return f"{world.ellipses} ellipses" if world.distractor == "ellipses" else f"distractor {world.distractor}"


def scene_of(config: RunConfig) -> GridScene:
    return _scene(config.environment.layout, config.environment.absorbing)


@st.cache_resource(show_spinner=False, max_entries=WORLDS_IN_MEMORY)
def _scene(layout: str, absorbing: bool) -> GridScene:
    return grid_scene(GridSettings(layout=layout, absorbing=absorbing, distractor="none"))


def _range(values: Sequence[int]) -> str:
    if not values:
        return "–"
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}–{high}"
