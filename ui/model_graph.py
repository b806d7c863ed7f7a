"""The latent graph on the page: in layers or over the grid, and which of its states is chosen."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.grid_scene import TILE
from ppe_core.experiments.records import LevelRecord
from ppe_core.experiments.samples import true_transitions
from ppe_core.figures import grid_graph, grid_model, latent_graph
from ppe_core.figures.graph import Graph, Node, Verdict, View, find, verdicts
from ppe_core.figures.graph import latent_graph as graph_of
from ppe_core.figures.palette import state_name
from ppe_core.figures.verdicts import MARKS, MEANINGS
from ui import results, state

CHART = "model-chart"
EVERY_STATE = 10**9
WORLDS_IN_MEMORY = 32
# A long graph scrolls in its own box, and its place stays while the figure is replaced.
STYLE = """<style>
.st-key-model-graph {{overflow-x: auto; min-height: {height}px}}
.st-key-model-graph > * {{min-width: {width}px}}
.st-key-model-graph .xtick text {{fill: currentColor !important}}
</style>"""
MARK_COLOURS = {Verdict.EXACT: "green", Verdict.MIXED: "red", Verdict.SPLIT: "orange", Verdict.MISSING: "gray"}
CAPTIONS = {
    (
        View.RECOVERED,
        False,
    ): "A circle is a recovered state; the number says how many paths were merged into it. A line "
    "is the actions that lead from one to the next, thicker for more of them.",
    (View.TRUTH, False): "The true states, and the actions that lead from one to the next: what PPE never sees and has "
    "to find.",
    (View.RECOVERED, True): "A triangle is a recovered state, drawn where the agent then is and pointing where it "
    "faces, at whatever time step. A thin line joins states that one action leads between.",
    (View.TRUTH, True): "All places and directions that can be reached, and what one action leads between: what PPE "
    "never sees and has to find.",
}
PLAN_CAPTIONS = {
    View.TRUTH: " Purple: where the plan really leads.",
    View.RECOVERED: " Purple: the plan, the best way in this model.",
    View.DIFFERENCE: " Purple: the plan.",
}


@dataclass(frozen=True)
class Model:
    """A run as far as it has come, as a graph in three views."""

    config: RunConfig
    plan: list[int] | None
    graphs: dict[View, Graph]  # as they are drawn
    judged: Graph  # the difference with a node for every recovered state, however many
    name: Callable[[int], str]  # of a true state


def model_of(config: RunConfig, levels: Sequence[LevelRecord], plan: list[int] | None) -> Model:
    tables = _tables(config.id, config)
    most_nodes = EVERY_STATE if results.is_grid(config) else latent_graph.MOST_NODES
    graphs = {view: graph_of(view, levels, tables, plan, most_nodes) for view in View}
    judged = graph_of(View.DIFFERENCE, levels, tables, plan, EVERY_STATE)
    return Model(config, plan, graphs, judged, _names(config))


def selected(model: Model, h: int) -> Node:
    """The state to show in detail: the one clicked, or else the plan's, or else the largest."""
    layer = model.judged.layers[h]
    step, true, number = st.session_state.get(state.MODEL_STATE, (None, None, None))
    clicked = None if true is None else find(layer, true, number if step == h else None)
    if clicked:
        return clicked
    return model.judged.plan[h] if model.judged.plan else max(layer, key=lambda node: node.paths)


def show(model: Model, view: View, node: Node) -> None:
    on_grid = results.is_grid(model.config)
    caption = _counts(model.judged) if view is View.DIFFERENCE else CAPTIONS[view, on_grid]
    st.caption(caption + (PLAN_CAPTIONS[view] if model.plan is not None else "") + " Click a state for its details.")
    figure, height, width, alt = (_over_the_grid if on_grid else _in_layers)(model, view, node)
    st.html(STYLE.format(height=height, width=width))
    with st.container(key="model-graph"):
        st.plotly_chart(
            figure,
            key=CHART,
            config=results.PLOTLY,
            alt=alt,
            selection_mode="points",
            on_select=partial(_pick, model, view),
        )


def mark(verdict: Verdict) -> str:
    """The symbol of a verdict, in its colour."""
    return f":{MARK_COLOURS[verdict]}[{MARKS[verdict]}]"


def _in_layers(model: Model, view: View, node: Node) -> tuple:
    graph, horizon = model.graphs[view], model.config.horizon
    figure = latent_graph.layered_graph(graph, view, horizon, model.name, model.plan, node)
    alt = latent_graph.describe(graph, view)
    return figure, latent_graph.height(graph), latent_graph.minimum_width(horizon), alt


def _over_the_grid(model: Model, view: View, node: Node) -> tuple:
    scene, graph, truth = results.scene_of(model.config), model.graphs[view], model.graphs[View.TRUTH]
    figure = grid_model.grid_model(scene.background, TILE, scene.poses, model.config.horizon, graph, truth, view, node)
    return figure, grid_graph.HEIGHT, 0, grid_model.describe(graph, view)


def _counts(graph: Graph) -> str:
    """The legend of the difference, with how many there are of each."""
    counts: Counter[Verdict] = verdicts(graph.layers)
    parts = [f"{mark(v)} **{counts[v]}** {MEANINGS[v]}" for v in Verdict]
    return "All time steps: " + " · ".join(parts) + "."


def _pick(model: Model, view: View) -> None:
    """Remember the state that was clicked, and go to its time step."""
    points = st.session_state[CHART].selection.points
    clicked = next((point["customdata"] for point in points if point.get("customdata")), None)
    if clicked is None:
        return
    h, true, number = clicked if len(clicked) == 3 else (_step_of(model, clicked[0]), clicked[0], -1)
    if h:
        drawn = find(model.graphs[view].layers[h], true, number)
        st.session_state[state.MODEL_STATE] = (h, true, _most_telling(model, h, drawn.states if drawn else ()))
        st.session_state[state.MODEL_LEVEL] = h


def _most_telling(model: Model, h: int, states: Sequence[int]) -> int | None:
    """Of recovered states that are drawn as one, the one with a wrong merge, or else the largest."""
    nodes = [node for node in model.judged.layers[h] if set(node.states) & set(states)]
    best = max(nodes, key=lambda node: (node.verdict is Verdict.MIXED, node.paths), default=None)
    return best.states[0] if best else None


def _step_of(model: Model, true: int) -> int:
    """A time step at which a state can be shown: the one that is shown, if possible, else the first; 0 for none."""
    steps = [h for h, layer in enumerate(model.judged.layers) if h and find(layer, true)]
    now = st.session_state[state.MODEL_LEVEL]
    return now if now in steps else next(iter(steps), 0)


def _names(config: RunConfig) -> Callable[[int], str]:
    if results.is_grid(config):
        poses = results.scene_of(config).poses
        return lambda true: grid_graph.pose_text(poses[true])
    return partial(state_name, config.environment.name, names=results.names(config)[0])


@st.cache_resource(show_spinner=False, max_entries=WORLDS_IN_MEMORY)
def _tables(run_id: str, _config: RunConfig) -> list[np.ndarray]:
    return true_transitions(_config)
