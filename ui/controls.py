"""The sidebar: controls, in the session state, that make up one config."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import streamlit as st

from ppe_core import layouts
from ppe_core.config import RunConfig, option_fields
from ppe_core.experiments.index import Status
from ui import jobs, link, pages, state
from ui.text import plain

PRESETS = {  # of each environment; the first is where a visitor without a link starts
    "lock": RunConfig(),
    "grid": RunConfig.from_flat({"env": "grid", "horizon": 8, "samples": 2000}),
}
ENVIRONMENTS = {"lock": "Combination lock", "grid": "Visual gridworld"}
PAGE_RANGES = {  # narrower than what a config allows: what is over quickly
    "horizon": (1, 40),
    "samples": (50, 5000),
    "noise": (0.0, 2.0),
    "exo_dim": (-1, 200),
    "max_paths": (3, 1000),
}
GRID_PAGE_RANGES = {"horizon": (1, 10), "samples": (50, 20_000), "max_paths": (3, 1000)}
FIRST = {"lock": ("noise", "horizon", "samples", "seed"), "grid": ("ellipses", "horizon", "samples", "seed")}
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
STEPS = {
    "noise": 0.01,
    "samples": 50,
    "max_paths": 100,
    "flip": 0.05,
    "eta": 0.01,
    "start_eta": 0.01,
    "threshold": 0.025,
}
PROBLEMS_SHOWN = 5


def show() -> None:
    """Draw the controls; the first time in a session they take the values of the link."""
    if state.LINK_PROBLEMS not in st.session_state:
        _take_over_link()
    _environment()
    fields = {item.name: item for item in _fields()}
    for name in FIRST[config().environment.name]:
        _widget(fields.pop(name))
    _buttons(config())
    with st.expander("More"):
        for item in fields.values():
            _widget(item)
    link.write(config())


def config() -> RunConfig:
    """What the controls say."""
    if state.LINK_PROBLEMS not in st.session_state:
        pages.begin_with_app()
    names = PRESETS[_value("env")].flat()
    return RunConfig.from_flat({name: _value(name) for name in names})


def show_link_problems() -> None:
    """What could not be taken over from the link, until the visitor changes something."""
    chosen = config()
    problems, used = st.session_state[state.LINK_PROBLEMS]
    if problems and used == chosen:
        lines = [f"- {plain(problem)}" for problem in problems[:PROBLEMS_SHOWN]]
        if len(problems) > PROBLEMS_SHOWN:
            lines.append(f"- and {len(problems) - PROBLEMS_SHOWN} more")
        st.warning("Not everything in the link could be used; the rest was.\n\n" + "\n".join(lines))


def differences(other: RunConfig) -> str:
    """In words, where another config differs from the controls."""
    here = config().flat()
    return ", ".join(f"{label(name)} = {value}" for name, value in other.flat().items() if value != here.get(name))


def label(name: str) -> str:
    return LABELS.get(name, name.capitalize())


def page_ranges(chosen: RunConfig) -> dict[str, tuple[float, float]]:
    return GRID_PAGE_RANGES if chosen.environment.name == "grid" else PAGE_RANGES


def check_page_ranges(configs: Sequence[RunConfig]) -> None:
    """Refuse what the controls could not show."""
    for chosen in configs:
        for name, (low, high) in page_ranges(chosen).items():
            if not low <= (value := chosen.flat()[name]) <= high:
                raise ValueError(f"{name}: {value} is outside the range {low} to {high} of this page")


def field(name: str) -> dataclasses.Field:
    """What is known of a setting of the chosen environment or learner."""
    return next(item for item in _fields() if item.name == name)


def start() -> None:
    jobs.start([config()])


def _take_over_link() -> None:
    chosen, problems = link.read(st.query_params.to_dict())
    chosen, adjustments = _within_page_ranges(chosen)
    st.session_state[state.LINK_PROBLEMS] = (problems + adjustments, chosen)
    put(chosen)


def _within_page_ranges(chosen: RunConfig) -> tuple[RunConfig, list[str]]:
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


def _value(name: str) -> Any:
    return st.session_state[state.control(name)]


def put(chosen: RunConfig) -> None:
    """Put a config into the controls; those that change nothing get their defaults back."""
    for name, value in chosen.flat().items():
        st.session_state[state.control(name)] = value
    for name in _idle():
        st.session_state[state.control(name)] = PRESETS[_value("env")].flat()[name]
    if chosen.flat().get("layout", "paper") not in layouts.NAMED:
        st.session_state[state.DRAWN_LAYOUT] = chosen.environment.layout


def _reset() -> None:
    put(PRESETS[_value("env")])


def _new_seed() -> None:
    key = state.control("seed")
    st.session_state[key] = (st.session_state[key] + 1) % 2**32


def _environment() -> None:
    st.selectbox(
        label("env"), ENVIRONMENTS, format_func=ENVIRONMENTS.get, key=state.control("env"), on_change=_reset,
        help="What PPE explores. A change sets all controls to what suits it.",
    )  # fmt: skip


def _fields() -> list[dataclasses.Field]:
    chosen = config()
    return [item for part in (chosen, chosen.environment, chosen.learner) for item in option_fields(type(part))]


def _widget(item: dataclasses.Field) -> None:
    help, low, high, choices = (item.metadata[key] for key in ("help", "low", "high", "choices"))
    kind = type(item.default)
    shared: dict[str, Any] = {"label": label(item.name), "key": state.control(item.name), "help": help}
    shared["disabled"] = item.name in _idle()
    if item.name == "layout":
        st.selectbox(
            options=_layouts(), format_func=lambda x: x if x in layouts.NAMED else "drawn in the link", **shared
        )
    elif choices:
        st.selectbox(options=choices, **shared)
    elif kind is bool:
        st.toggle(**shared)
    else:
        low, high = page_ranges(config()).get(item.name, (low, high))
        shared |= {"min_value": kind(low), "max_value": kind(high), "step": kind(STEPS.get(item.name, 1))}
        shared["format"] = "%g" if kind is float else "%d"
        (st.slider if item.name in SLIDERS else st.number_input)(**shared)


def _layouts() -> list[str]:
    drawn = st.session_state.get(state.DRAWN_LAYOUT)
    return [*layouts.NAMED, *([drawn] if drawn else [])]


def _idle() -> set[str]:
    """Controls that change nothing, as the others are set."""
    if _value("env") == "lock":
        return {"noise"} if _value("emission") in config().environment.noiseless_emissions else set()
    if _value("distractor") != "ellipses":
        return {"ellipses", "ellipse_style", "thickness", "speed"}
    return {"thickness"} if _value("ellipse_style") != "outline" else set()


def _buttons(chosen: RunConfig) -> None:
    status = jobs.pool().status(chosen)
    reasons = {
        Status.QUEUED: "This run is waiting for a worker.",
        Status.RUNNING: "This run is under way.",
        Status.DONE: "This run is stored; what you see is its result.",
    }
    st.button(
        "Run",
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=status in reasons,
        help=reasons.get(status),
        on_click=start,
    )
    left, right = st.columns(2)
    left.button("Reset", on_click=_reset, width="stretch", help="All controls back to their defaults.")
    right.button("New seed", on_click=_new_seed, width="stretch", help="Another instance: the next seed.")
