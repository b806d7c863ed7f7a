"""PPE with infinite data: what is recovered when every gap is the exact one, at once and for any world."""

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.infinite import as_levels, infinite_data
from ppe_core.theory.oracle import Recovery
from ui import controls, results, state
from ui.text import plain

SECTION = "infinite"
WORLDS_IN_MEMORY = 16


def show() -> None:
    """The exact answer for the world of the sidebar; N and the recipe change nothing here."""
    config = controls.config()
    st.markdown(
        "Let every classifier be the Bayes classifier $f^\\star$, as it would be **with infinite data**. Then gaps "
        "are exact, and what PPE merges follows from the world and the threshold alone: no sample is drawn, nothing "
        "is trained. Change the world, its H or η, the gap or the threshold in the sidebar."
    )
    try:
        steps = _infinite_data(config.id, config)
    except ValueError as error:
        st.error(f"PPE with infinite data stops: {plain(str(error))}", icon=":material/block:")
        return
    exact = all(step.is_exact for step in steps)
    st.markdown(f"**{'Every time step is recovered' if exact else 'Not every time step is recovered, even so'}.**")
    levels = as_levels(config, steps)
    results.numbers(levels)
    results.graph(config, levels)
    st.markdown("Time step by time step, gaps in units of 1/|Υ|; merged is what is at most the threshold:")
    rows = [_row(step) for step in steps]
    st.dataframe(rows, hide_index=True, height=min(38 * (len(rows) + 1), 300), width="stretch")


def entry() -> None:
    """The way here from another section."""
    st.button("Show me: PPE with infinite data", icon=":material/visibility:", on_click=_open)


def _open() -> None:
    st.session_state[state.THEORY_SECTION] = SECTION


def _row(step: Recovery) -> dict[str, str | int]:
    level = step.level

    def ends(gap: np.ndarray) -> str:
        same, different = level.extremes(gap * level.num_paths)
        return f"{'–' if same is None else f'{same:.3f}'} | {'–' if different is None else f'{different:.3f}'}"

    return {
        "h": level.h, "paths |Υ|": level.num_paths, "states": len(step.cover),
        "recovered": "exactly" if step.is_exact else "✖ not exactly",
        "Δ*: same at most | different at least": ends(level.gap),
        "S*: same at most | different at least": ends(level.signature_gap),
        "Bayes cross-entropy": f"{level.bayes_cross_entropy:.4f}",
    }  # fmt: skip


@st.cache_resource(show_spinner=False, max_entries=WORLDS_IN_MEMORY)
def _infinite_data(run_id: str, _config: RunConfig) -> list[Recovery]:
    return infinite_data(_config)
