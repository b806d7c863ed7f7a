"""The controls: settings in the session state that make up one config."""

import dataclasses
from typing import Any

import streamlit as st

from ppe_core.config import GridSettings, LockSettings, RunConfig, option_fields
from ppe_core.experiments.presets import Preset, first_of, named, nearest
from ui import fields, jobs, link, pages, state
from ui.fields import label, page_ranges
from ui.text import plain

PROBLEMS_SHOWN = 5

__all__ = ["begin", "config", "differences", "label", "open_link", "page_ranges", "preset", "put", "show", "start"]


def open_link() -> None:
    """The first time in a session: take the values of the link, or of the first preset.

    Later: Streamlit forgets controls that a script, stopped by a click, did not come to draw.
    """
    if state.LINK_PROBLEMS in st.session_state:
        for name, value in st.session_state[state.SETTINGS].items():
            st.session_state.setdefault(state.control(name), value)
        return
    chosen, problems = link.read(st.query_params.to_dict())
    chosen, adjustments = fields.within_page_ranges(chosen)
    st.session_state[state.LINK_PROBLEMS] = (problems + adjustments, chosen)
    put(chosen)
    st.session_state[state.OPENED] = config()


def show() -> None:
    """Draw the controls: the environment, the first few of its settings, and the rest behind More."""
    _environment()
    chosen = config()
    ranges, idle, items = page_ranges(chosen), _idle(chosen), {item.name: item for item in _items(chosen)}
    for name in fields.FIRST[chosen.environment.name]:
        fields.widget(items.pop(name), ranges, disabled=name in idle)
    with st.expander("More"):
        for name, item in items.items():
            fields.widget(item, ranges, disabled=name in idle)
    st.session_state[state.SETTINGS] = chosen.flat()
    link.write(chosen)


def begin() -> None:
    """Where a visit starts at a page's own address: the controls come first."""
    if state.LINK_PROBLEMS not in st.session_state:
        pages.begin_with_app()


def config() -> RunConfig:
    """What the controls say."""
    begin()
    names = first_of(_value("env")).config.flat()
    return RunConfig.from_flat({name: _value(name) for name in names})


def preset() -> Preset:
    """The preset that the controls started from."""
    return named(st.session_state[state.PRESET])


def put(chosen: RunConfig) -> None:
    """Put a config into the controls; those that change nothing get their defaults back."""
    st.session_state[state.SETTINGS] = chosen.flat()
    for name, value in chosen.flat().items():
        st.session_state[state.control(name)] = value
    for name in _idle(chosen):
        st.session_state[state.control(name)] = first_of(_value("env")).config.flat()[name]
    for name, (offered, key, _) in fields.OFFERED.items():
        if chosen.flat().get(name, offered[0]) not in offered:
            st.session_state[key] = chosen.flat()[name]
    st.session_state[state.PRESET] = nearest(chosen).name


def reset() -> None:
    """Back to the preset, seed included: the same run again."""
    put(preset().config)


def new_seed() -> None:
    key = state.control("seed")
    st.session_state[key] = (st.session_state[key] + 1) % 2**32


def start() -> None:
    jobs.start([config()])


def show_link_problems() -> None:
    """What could not be taken over from the link, until the visitor changes something."""
    chosen = config()
    problems, used = st.session_state[state.LINK_PROBLEMS]
    if problems and used == chosen:
        lines = [f"- {plain(problem)}" for problem in problems[:PROBLEMS_SHOWN]]
        if len(problems) > PROBLEMS_SHOWN:
            lines.append(f"- and {len(problems) - PROBLEMS_SHOWN} more")
        st.warning("Not everything in the link could be used; the rest was.\n\n" + "\n".join(lines))


def differences(other: RunConfig, here: RunConfig | None = None) -> str:
    """In words, where another config differs from the controls."""
    known = (here or config()).flat()
    return ", ".join(f"{label(name)} = {value}" for name, value in other.flat().items() if value != known.get(name))


def _environment() -> None:
    st.selectbox(
        label("env"), fields.ENVIRONMENTS, format_func=fields.ENVIRONMENTS.get, key=state.control("env"),
        on_change=lambda: put(first_of(_value("env")).config),
        help="What PPE explores. A change sets all controls to what suits it.",
    )  # fmt: skip


def item(name: str) -> dataclasses.Field:
    """What is known of a setting of the chosen environment or learner."""
    return next(item for item in _items(config()) if item.name == name)


def _items(chosen: RunConfig) -> list[dataclasses.Field]:
    return [item for part in (chosen, chosen.environment, chosen.learner) for item in option_fields(type(part))]


def _value(name: str) -> Any:
    return st.session_state[state.control(name)]


def _idle(chosen: RunConfig) -> set[str]:
    """Controls that change nothing, as the others are set."""
    world = chosen.environment
    if isinstance(world, GridSettings):
        if world.distractor != "ellipses":
            return {"ellipses", "ellipse_style", "thickness", "speed"}
        return {"thickness"} if world.ellipse_style != "outline" else set()
    return {"noise"} if isinstance(world, LockSettings) and world.emission in world.noiseless_emissions else set()
