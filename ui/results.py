"""A run on the page: its numbers, its pictures, its files."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ppe_core.config import GridSettings, RunConfig
from ppe_core.experiments.export import config_json, levels_csv, python_snippet
from ppe_core.experiments.grid_scene import TILE, GridScene, grid_scene
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.samples import sample_observations
from ppe_core.figures import grid_graph as grid_figure
from ppe_core.figures import river as river_figure
from ppe_core.figures.observations import observation_strips
from ppe_core.figures.palette import state_name
from ppe_core.figures.pictures import picture_rows
from ui.text import plain

PLOTLY = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
# On a narrow screen the river scrolls; its place stays while the figure is replaced; headers are as dark as text.
RIVER_STYLE = """<style>
.st-key-river {{overflow-x: auto; min-height: {height}px}}
.st-key-river > * {{min-width: {width}px}}
.st-key-river .xtick text {{fill: currentColor !important}}
</style>"""
GRID_STYLE = """<style>
.st-key-grid-graph {{min-height: {height}px}}
</style>"""
LOOKS = 4  # observations shown of a state
WORLDS_IN_MEMORY = 32


def observations(config: RunConfig) -> None:
    """What makes it hard: the same place looks different every time."""
    if is_grid(config):
        _grid_observations(config)
    else:
        _lock_observations(config)


def graph(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None) -> None:
    """What was found: over the grid where there is one, otherwise as a river of paths."""
    if is_grid(config):
        grid(config, levels, plan)
    else:
        river(config, levels, plan)


def is_grid(config: RunConfig) -> bool:
    return isinstance(config.environment, GridSettings)


def _grid_observations(config: RunConfig) -> None:
    first, *_, last = _looks(config.id, config).values()
    left, right = st.columns([2, 3], vertical_alignment="center")
    left.markdown(
        f"**What the agent sees.** The red triangle is the agent. The upper {LOOKS} pictures are of one place and "
        f"direction, the lower {LOOKS} of another; {DISTRACTIONS[config.environment.distractor]}."
    )
    with right.container(key="grid-looks"):
        st.html("<style>.st-key-grid-looks img {image-rendering: pixelated}</style>")
        st.image(
            picture_rows([first, last]),
            width="stretch",
            alt=f"{LOOKS} pictures of a small grid with the agent in one place and {LOOKS} with it in another.",
        )


def _lock_observations(config: RunConfig) -> None:
    first, *_, last = _looks(config.id, config).items()
    groups = {state_name(config.environment.name, state): seen for state, seen in (first, last)}
    left, right = st.columns([2, 3], vertical_alignment="center")
    left.markdown(
        f"**What the agent sees.** A row is one observation. The upper {LOOKS} are of one place, the lower {LOOKS} of "
        f"another; noise (σ = {config.environment.noise:g}) and distracting bits ({_bits(config)}) change every time."
    )
    right.plotly_chart(
        observation_strips(groups),
        key="observations",
        config={"displayModeBar": False},
        alt=f"{LOOKS} observations of one place and {LOOKS} of another, as rows of colour; all of them look different.",
    )


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
            f"at each time step; in truth {true}",
            "pairs of paths put together that end in different places",
            "pairs of paths kept apart that end in the same place",
        ),
    ):
        with column.container(border=True, height="stretch", gap=None):
            st.metric(label, value)
            st.caption(meaning)


def river(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None) -> None:
    st.caption(
        "A *path* is a sequence of actions. At each time step every path that is left is extended by every action; "
        "paths whose observations a classifier cannot tell apart are *merged*. A circle is a recovered state: "
        "all paths that flow into it are one from there on."
    )
    width = river_figure.minimum_width(config.horizon)
    st.html(RIVER_STYLE.format(height=river_figure.HEIGHT, width=width))
    with st.container(key="river"):
        st.plotly_chart(
            river_figure.river(config.environment.name, config.horizon, levels, plan),
            key="river-chart",
            config=PLOTLY,
            alt=river_figure.describe(config.horizon, levels),
        )


def grid(config: RunConfig, levels: Sequence[LevelRecord], plan: Sequence[int] | None = None) -> None:
    scene = scene_of(config)
    left, right = st.columns([3, 2], vertical_alignment="center")
    right.markdown(
        "**What was found.** A triangle is a recovered state, drawn where the agent then is and pointing where it "
        "faces: all sequences of actions that end so were *merged* into one. Its colour says after how many actions "
        "it was first reached; a thin line joins states that one action leads between."
    )
    with left.container(key="grid-graph"):
        st.html(GRID_STYLE.format(height=grid_figure.HEIGHT))
        st.plotly_chart(
            grid_figure.grid_graph(scene.background, TILE, scene.poses, config.horizon, levels, plan),
            key="grid-chart",
            config=PLOTLY,
            alt=grid_figure.describe(levels),
        )


def status(record: RunRecord, stored: bool) -> None:
    flat = record.config.flat()
    world = _distractor(record.config) if is_grid(record.config) else f"noise {flat['noise']:g}"
    settings = f"H = {flat['horizon']}, N = {flat['samples']}, {world}, seed {flat['seed']}"
    origin = "stored result" if stored else f"computed in {record.seconds:.2f} s"
    st.caption(f":material/check_circle: {settings} · {origin} · run `{record.config.id}`")
    if record.stopped:
        st.warning(f"The run stopped early: {plain(record.stopped)}.", icon=":material/block:")


def failure(message: str) -> None:
    lines = message.strip().splitlines() or ["no reason was given"]
    reason = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    st.error(f"The run failed: {plain(reason)}")
    with st.expander("Details"):
        st.code(message, language=None)


def plan(record: RunRecord) -> None:
    names = scene_of(record.config).actions if is_grid(record.config) else None
    actions = " ".join(names[action] if names else str(action) for action in record.plan)
    st.markdown(
        f"**The plan** (thick line) takes the actions `{actions}` and earns **{record.value:g}**; "
        f"the optimum is {record.optimal_value:g}. {record.episodes:,} episodes were collected."
    )


def table(record: RunRecord) -> None:
    seconds = record.summary()["seconds"]
    parts = ", ".join(f"{stage} {spent:.2f} s" for stage, spent in seconds.items() if stage != "total")
    with st.expander("Level by level"):
        st.dataframe([level.summary() for level in record.levels], hide_index=True, column_config=_COLUMNS)
        st.caption(f"Time: {seconds['total']:.2f} s in all; {parts}.")


def downloads(record: RunRecord) -> None:
    config = record.config
    files = {
        "Settings (JSON)": (config_json(config), f"{config.id}.json", "application/json"),
        "Levels (CSV)": (levels_csv(record), f"{config.id}.csv", "text/csv"),
        "Python": (python_snippet(config), f"{config.id.replace('-', '_')}.py", "text/x-python"),
    }
    with st.container(horizontal=True):
        for label, (data, name, mime) in files.items():
            st.download_button(label, data, name, mime, on_click="ignore", icon=":material/download:")


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


DISTRACTIONS = {
    "ellipses": "ellipses that have nothing to do with it move about",
    "flicker": "pixels that have nothing to do with it flicker",
    "cast": "the colour of the light drifts",
    "ghost": "a second agent walks about on its own",
    "none": "nothing else changes: there is no distractor",
}


def _distractor(config: RunConfig) -> str:
    world = config.environment
    return f"{world.ellipses} ellipses" if world.distractor == "ellipses" else f"distractor {world.distractor}"


@st.cache_data(show_spinner=False, max_entries=WORLDS_IN_MEMORY)
def _looks(run_id: str, _config: RunConfig) -> dict[int, np.ndarray]:
    return sample_observations(_config, 1, LOOKS)


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


def _bits(config: RunConfig) -> int:
    bits = config.environment.exo_dim
    return config.horizon if bits < 0 else bits
