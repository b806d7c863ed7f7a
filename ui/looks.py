"""What the agent sees: a few observations of one place, and of another, before anything is learned."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ppe_core import tables
from ppe_core.config import ExoLockSettings, GridSettings, RunConfig, TabularSettings
from ppe_core.experiments.samples import sample_observations
from ppe_core.figures import pictures
from ppe_core.figures.observations import observation_strips
from ppe_core.figures.palette import state_name
from ui import results

LOOKS = 4  # observations shown of a state
WORLDS_IN_MEMORY = 32
DISTRACTIONS = {
    "ellipses": "ellipses that have nothing to do with it move about",
    "flicker": "pixels that have nothing to do with it flicker",
    "cast": "the colour of the light drifts",
    "ghost": "a second agent walks about on its own",
    "none": "nothing else changes: there is no distractor",
}


def observations(config: RunConfig) -> None:
    """What makes it hard: the same place looks different every time."""
    if isinstance(config.environment, GridSettings):
        _grid_observations(config)
    else:
        _vector_observations(config)


def strips(config: RunConfig) -> go.Figure:
    """Observations of two places, or of the only one."""
    looks, names = list(_looks(config.id, config).items()), results.names(config)[0]
    shown = dict([looks[0], looks[-1]])
    return observation_strips({state_name(config.environment.name, s, names): seen for s, seen in shown.items()})


def _grid_observations(config: RunConfig) -> None:
    first, *_, last = _looks(config.id, config).values()
    left, right = st.columns([2, 3], vertical_alignment="center")
    left.markdown(
        f"**What the agent sees.** The red triangle is the agent. The upper {LOOKS} pictures are of one place and "
        f"direction, the lower {LOOKS} of another; {DISTRACTIONS[config.environment.distractor]}."
    )
    _show(
        right,
        pictures.picture_rows([first, last]),
        f"{LOOKS} pictures of a small grid with the agent in one place and {LOOKS} with it in another.",
    )


def _vector_observations(config: RunConfig) -> None:
    left, right = st.columns([2, 3], vertical_alignment="center")
    left.markdown(
        f"**What the agent sees.** A row is one observation. The upper {LOOKS} are of one place, the lower {LOOKS} of "
        f"another; {_disturbance(config)}."
    )
    first, *_, last = _looks(config.id, config).values()
    _show(
        right,
        pictures.strips([first, last]),
        f"{LOOKS} observations of one place and {LOOKS} of another, as rows of colour; {_disturbance(config)}.",
    )


def _show(place: DeltaGenerator, image: np.ndarray, alt: str) -> None:
    with place.container(key="observations"):
        st.html("<style>.st-key-observations img {image-rendering: pixelated}</style>")
        st.image(image, width="stretch", alt=alt)


@st.cache_data(show_spinner=False, max_entries=WORLDS_IN_MEMORY)
def _looks(run_id: str, _config: RunConfig) -> dict[int, np.ndarray]:
    return sample_observations(_config, 1, LOOKS)


def _disturbance(config: RunConfig) -> str:
    noise, distractions = config.environment.noise, _distractions(config)
    parts = [f"noise (σ = {noise:g})"] * (noise > 0) + [distractions] * (distractions != "")
    parts += ["a light"] * isinstance(config.environment, ExoLockSettings)
    return f"{' and '.join(parts)} make every look at a place different" if parts else "nothing disturbs the view"


def _distractions(config: RunConfig) -> str:
    world = config.environment
    if isinstance(world, TabularSettings):
        count = tables.sizes(world.world).exogenous
        return f"{count} states of something else" if count > 1 else ""
    bits = config.horizon if world.exo_dim < 0 else world.exo_dim
    return f"{bits} distracting bits" if bits > 0 else ""
