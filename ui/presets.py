"""The presets on the page: a starting point for the controls, what to look at, and whether it was left."""

import streamlit as st

from ppe_core.experiments.presets import PRESETS, named
from ui import controls, state
from ui.text import plain


def show() -> None:
    chosen, now = controls.preset(), controls.config()
    st.selectbox(
        "Preset", [preset.name for preset in PRESETS], key=state.PRESET, on_change=_take,
        help="A starting point: it sets all controls, and its result comes with the program.",
    )  # fmt: skip
    if now == chosen.config:
        st.caption(chosen.look_at)
    else:
        st.caption(f":material/edit: **Changed**: {plain(controls.differences(now, chosen.config))}")


def load(name: str) -> None:
    """Set all controls to a preset."""
    controls.put(named(name).config)


def _take() -> None:
    load(st.session_state[state.PRESET])
