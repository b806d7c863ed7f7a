"""How each setting looks as a control: its label, its range on the page, its step."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import streamlit as st

from ppe_core import layouts, tables
from ppe_core.config import RunConfig
from ui import state

ENVIRONMENTS = {
    "lock": "Combination lock",
    "exo-lock": "Lock with a light",
    "grid": "Visual gridworld",
    "tabular": "World of tables",
}
PAGE_RANGES = {  # narrower than what a config allows: what is over quickly
    "horizon": (1, 40),
    "samples": (50, 5000),
    "noise": (0.0, 2.0),
    "exo_dim": (-1, 200),
    "max_paths": (3, 1000),
}
GRID_PAGE_RANGES = {"horizon": (1, 10), "samples": (50, 20_000), "max_paths": (3, 1000)}
TABULAR_PAGE_RANGES = {name: PAGE_RANGES[name] for name in ("horizon", "samples", "noise", "max_paths")}
FIRST = {
    "lock": ("noise", "horizon", "samples", "seed"),
    "exo-lock": ("noise", "horizon", "samples", "seed"),
    "grid": ("ellipses", "horizon", "samples", "seed"),
    "tabular": ("world", "noise", "horizon", "samples", "seed"),
}
RANDOM_WORLDS = ("random-12-4-8", "random-30-5-16")  # states, actions, exogenous states
SLIDERS = ("noise", "ellipses", "horizon", "samples")
LABELS = {
    "env": "Environment",
    "noise": "Noise σ",
    "horizon": "Horizon H",
    "samples": "Samples N",
    "seed": "Seed",
    "actions": "Actions A",
    "exo_dim": "Exogenous bits (−1: H)",
    "flip": "Flip probability",
    "eta": "Stochasticity η",
    "start_eta": "Stochasticity of the start",
    "max_paths": "Most paths",
    "absorbing": "Goal and lava are final",
    "ellipses": "Number of ellipses",
    "ellipse_style": "Style of the ellipses",
    "thickness": "Thickness of an outline",
    "speed": "Speed of the ellipses",
}
OFFERED = {  # texts to choose from, the key of another that came in the link, and what that is called
    "layout": (tuple(layouts.NAMED), state.DRAWN_LAYOUT, "drawn in the link"),
    "world": ((*tables.NAMED, *RANDOM_WORLDS), state.WRITTEN_WORLD, "written in the link"),
}
STEPS = {
    "noise": 0.01,
    "samples": 50,
    "max_paths": 100,
    "flip": 0.05,
    "eta": 0.01,
    "start_eta": 0.01,
    "threshold": 0.025,
}


def label(name: str) -> str:
    return LABELS.get(name, name.capitalize())


def page_ranges(chosen: RunConfig) -> dict[str, tuple[float, float]]:
    return {"grid": GRID_PAGE_RANGES, "tabular": TABULAR_PAGE_RANGES}.get(chosen.environment.name, PAGE_RANGES)


def within_page_ranges(chosen: RunConfig) -> tuple[RunConfig, list[str]]:
    """A config moved into the ranges of the page, and a message for each setting that was."""
    changes: dict[str, Any] = {}
    messages = []
    for name, (low, high) in page_ranges(chosen).items():
        value = chosen.flat()[name]
        if not low <= value <= high:
            changes[name] = min(max(value, low), high)
            messages.append(
                f"{name}: {value} is outside the range {low} to {high} of this page; {changes[name]} is used"
            )
    return chosen.replace(**changes), messages


def check_page_ranges(configs: Sequence[RunConfig]) -> None:
    """Refuse what the controls could not show."""
    for chosen in configs:
        for name, (low, high) in page_ranges(chosen).items():
            if not low <= (value := chosen.flat()[name]) <= high:
                raise ValueError(f"{name}: {value} is outside the range {low} to {high} of this page")


def widget(item: dataclasses.Field, ranges: dict[str, tuple[float, float]], disabled: bool) -> None:
    """The control of a config field; its value is in the session state."""
    help, low, high, choices = (item.metadata[key] for key in ("help", "low", "high", "choices"))
    kind = type(item.default)
    shared: dict[str, Any] = {"label": label(item.name), "key": state.control(item.name), "help": help}
    shared["disabled"] = disabled
    if item.name in OFFERED:
        offered, key, own = OFFERED[item.name]
        given = st.session_state.get(key)
        options = [*offered, *([given] if given else [])]
        st.selectbox(options=options, format_func=lambda x: x if x in offered else own, **shared)
    elif choices:
        st.selectbox(options=choices, **shared)
    elif kind is bool:
        st.toggle(**shared)
    else:
        low, high = ranges.get(item.name, (low, high))
        shared |= {"min_value": kind(low), "max_value": kind(high), "step": kind(STEPS.get(item.name, 1))}
        shared["format"] = "%g" if kind is float else "%d"
        (st.slider if item.name in SLIDERS else st.number_input)(**shared)
