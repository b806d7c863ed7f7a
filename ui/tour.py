"""A guided tour that drives the page: each step loads a preset, opens a page and says what to look at."""

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from ui import presets, state

PAGES = Path(__file__).parents[1] / "pages"


class Step(NamedTuple):
    title: str
    text: str
    preset: str = "A lock in the noise"
    page: str = "explore"  # or Explore, as long as there is no such page


STEPS = (
    Step(
        "What the agent sees",
        "Look at the coloured rows at the top. The upper four show **one** place, yet no two are alike: noise and "
        "distractors change every time. Which rows belong together? That is the problem.",
    ),
    Step(
        "Paths are merged",
        "At h = 1 there are ten **paths**, one for each action. A classifier guesses from an observation which path "
        "led there. Eight it cannot tell apart: they are **merged** into the grey circle. Three states are left, so "
        "the next time step has 30 paths and not 100.",
        page="merge",
    ),
    Step(
        "What is left is a map",
        "Three circles a time step, and how actions lead from one to the next: the hidden world, recovered. The thick "
        "line is the best plan in it; its numbers are the actions.",
        page="model",
    ),
    Step(
        "A wrong merge loses a place",
        "More noise and only 300 samples. At h = 2 a path is **wrongly merged** ✖: it led to a place of its own, which "
        "nothing leads to any more. The plan earns nothing.",
        preset="Too few samples",
    ),
    Step(
        "A missed merge makes work",
        "Two paths to the same place that stay apart are a **missed merge** ◆. The paper's way to compare paths misses "
        "many at this N: 280 paths instead of 30 at h = 4. The signature gap, our default, misses none.",
        preset="Paper gap against signature gap",
        page="gaps",
    ),
    Step(
        "The same from pictures",
        "A gridworld under moving ellipses, seen as pixels. A triangle is a recovered place and direction; 80 of them "
        "are found at the last time step, and the plan walks around the lava.",
        preset="Gridworld",
    ),
    Step(
        "Your turn",
        "Move the noise, H or N on the left: small runs are computed as you let go. How much noise does it stand? "
        "How few samples will do?",
    ),
)


def is_on() -> bool:
    return st.session_state.get(state.TOUR) is not None


def invite() -> None:
    """The way into the tour."""
    help = f"{len(STEPS)} steps, two minutes."
    st.button("Take the tour", icon=":material/explore:", help=help, width="stretch", on_click=_go, args=(0,))


def open_page(current: str) -> None:
    """Open the page of a step that was just reached, unless the visitor is there."""
    page = st.session_state.pop(state.TOUR_PAGE, None)
    if page and page != current:
        st.switch_page(f"pages/{page}.py")


def show() -> None:
    """The step of the tour, above the page."""
    if not is_on():
        return
    number = st.session_state[state.TOUR]
    step, last = STEPS[number], number == len(STEPS) - 1
    with st.container(border=True, key="tour"):
        st.markdown(f":material/explore: **{number + 1} of {len(STEPS)} · {step.title}.** {step.text}")
        with st.container(horizontal=True):
            st.button("Back", on_click=_go, args=(number - 1,), disabled=number == 0)
            if not last:
                st.button("Next", on_click=_go, args=(number + 1,), type="primary")
            st.button("End of the tour" if last else "Leave the tour", on_click=_leave, type="tertiary")


def _go(number: int) -> None:
    step = STEPS[number]
    st.session_state[state.TOUR] = number
    st.session_state[state.TOUR_PAGE] = step.page if (PAGES / f"{step.page}.py").exists() else "explore"
    presets.load(step.preset)


def _leave() -> None:
    st.session_state[state.TOUR] = None
