"""One recovered state in detail: how it looks, which paths were merged into it, what the classifier says."""

import base64
import io
from collections.abc import Callable

import numpy as np
import streamlit as st
from PIL import Image

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord
from ppe_core.experiments.samples import sample_observations
from ppe_core.figures import classifier_output
from ppe_core.figures.graph import Node
from ppe_core.figures.observations import observation_strips
from ppe_core.figures.pictures import picture_rows
from ppe_core.figures.verdicts import explain
from ui import jobs, model_graph, results

LOOKS = 4  # observations of a true state
MOST_STATES = 3  # true states of a wrong merge that are shown
MOST_PATHS = 8
LOOKS_IN_MEMORY = 16

Name = Callable[[int], str]


def show(config: RunConfig, node: Node, name: Name) -> None:
    st.markdown(
        f"**{_title(node)} · {name(node.true)}**  \n{model_graph.mark(node.verdict)} {_sentence(explain(node, name))}"
    )
    if not node.states:
        _observations(config, node, name)
        return
    level = jobs.level(config, node.h)
    members = np.isin(level.found.survivor, level.found.states[list(node.states)])
    if results.is_grid(config):
        _observations(config, node, name)
        _classifier(config, level, members)
        _paths(config, level, members)
        return
    looks, output, paths = st.columns([3, 4, 2])
    with looks:
        _observations(config, node, name)
    with output:
        _classifier(config, level, members)
    with paths:
        _paths(config, level, members)


def _title(node: Node) -> str:
    if not node.states:
        return f"Time step {node.h}, a true state without a recovered one"
    return f"Time step {node.h}, recovered state {node.states[0] + 1}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _observations(config: RunConfig, node: Node, name: Name) -> None:
    true = list(node.reaches or {node.true: 0})[:MOST_STATES]
    looks = _looks(config.id, node.h, config)
    what = "What it looks like" if len(true) == 1 else "What its true states look like"
    st.markdown(f"{what}, {LOOKS} times" + (":" if len(true) == 1 else " each:"))
    alt = f"{LOOKS} observations of each of: {'; '.join(map(name, true))}."
    if results.is_grid(config):
        with st.container(key="state-looks"):
            st.html("<style>.st-key-state-looks img {image-rendering: pixelated}</style>")
            st.image(_data_url(picture_rows([looks[x] for x in true])), width="stretch", alt=alt)
    else:
        groups = {name(x): looks[x] for x in true}
        st.plotly_chart(observation_strips(groups), key="state-strips", config={"displayModeBar": False}, alt=alt)


def _data_url(picture: np.ndarray) -> str:
    """In the page itself: a picture of its own address is gone when the next one is asked for too soon."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _classifier(config: RunConfig, level: LevelRecord, members: np.ndarray) -> None:
    share = classifier_output.signature_of(level, members)[members].sum()
    ideal = classifier_output.bayes_signature(level, members)[members].sum()
    st.markdown(
        f"Which path led here? The classifier puts **{share:.0%}** of its belief on the paths of this state "
        f"(a perfect one {ideal:.0%}):"
    )
    st.plotly_chart(
        classifier_output.classifier_output(level, members, _path_names(config, level)),
        key="state-classifier",
        config=results.PLOTLY,
        alt=classifier_output.describe(level, members),
    )


def _paths(config: RunConfig, level: LevelRecord, members: np.ndarray) -> None:
    names = np.array(_path_names(config, level), object)[members].tolist()
    st.markdown("The path that leads here:" if len(names) == 1 else f"The {len(names)} paths merged into it:")
    more = [f"… and {len(names) - MOST_PATHS} more"] if len(names) > MOST_PATHS else []
    st.code("\n".join(names[:MOST_PATHS] + more), language=None, wrap_lines=True)


def _path_names(config: RunConfig, level: LevelRecord) -> list[str]:
    actions = results.scene_of(config).actions if results.is_grid(config) else None
    return [" ".join(actions[a] if actions else str(a) for a in path) for path in level.found.paths.tolist()]


@st.cache_data(show_spinner=False, max_entries=LOOKS_IN_MEMORY)
def _looks(run_id: str, h: int, _config: RunConfig) -> dict[int, np.ndarray]:
    return sample_observations(_config, h, LOOKS)
