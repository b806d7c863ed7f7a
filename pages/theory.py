"""Theory: what the paper claims, the exact answer for the world at hand, and counter-examples to play with."""

import streamlit as st

from ui import controls, link, state
from ui.theory import claims, examples, infinite, planning, sweeps

SECTIONS = {
    "world": ("The world", claims.world),
    "classifier": ("The gaps", claims.classifier),
    infinite.SECTION: ("Infinite data", infinite.show),
    "convergence": ("More samples", sweeps.convergence),
    "samples": ("How many?", claims.samples),
    "eta": ("Not quite deterministic", sweeps.stochastic),
    "planning": ("Planning", planning.show),
    "examples": ("Why not otherwise?", examples.show),
}


def main() -> None:
    st.title("Theory: what is proved, and what it comes to here.", anchor=False)
    link.first_value(state.THEORY_SECTION, "section", "world", _known)
    st.segmented_control(
        "Section", list(SECTIONS), format_func=lambda name: SECTIONS[name][0], key=state.THEORY_SECTION,
        persist_state="session", label_visibility="collapsed", required=True,
    )  # fmt: skip
    section = st.session_state[state.THEORY_SECTION]
    link.write_page(section=section)
    controls.show_link_problems()
    SECTIONS[section][1]()


def _known(text: str) -> str:
    if text not in SECTIONS:
        raise ValueError(f"{text[:60]!r} is not one of {', '.join(SECTIONS)}")
    return text


main()
