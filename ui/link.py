"""The link: every field of the config by its flat name, and what the page adds; all is checked on the server."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from ppe_core.config import LEARNERS, PPESettings, RunConfig
from ui import state

VERSION = 1
"""Of the names in a link and what they mean; raise it when an old link would be misread."""
PAGE_NAMES = ("view", "x", "x_values", "y", "y_values", "seeds", "graph", "level", "gaps", "at", "h", "learners",
              "sizes", "repeats", "quiet", "section", "example", "knobs")  # fmt: skip
"""What pages keep in the link beside the config."""


def read(given: Mapping[str, str]) -> tuple[RunConfig, list[str]]:
    """The config of a link, and what is wrong with it; what is right is kept."""
    problems = _version_problems(given.get("v", str(VERSION)))
    settings = {name: value for name, value in given.items() if name not in ("v", *PAGE_NAMES)}
    if settings.get("learner", PPESettings.name) in set(LEARNERS) - {PPESettings.name}:
        problems.append(f"learner: the controls are those of ppe; {settings.pop('learner')!r} is found on Compare")
    try:
        return RunConfig.from_flat(settings), problems
    except ValueError:
        config, others = _read_one_by_one(settings)
        return config, problems + others


def _version_problems(text: str) -> list[str]:
    if text == str(VERSION):
        return []
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > VERSION:
        return [f"v: the link is of version {text}, made by a newer PPE Lab than this one, which reads {VERSION}"]
    return [f"v: {text!r} is not a version of links; this PPE Lab reads {VERSION}"]


def _read_one_by_one(settings: Mapping[str, str]) -> tuple[RunConfig, list[str]]:
    good: dict[str, str] = {}
    problems: list[str] = []
    for name in sorted(settings, key=lambda name: name == "samples"):  # its range depends on other fields
        try:
            RunConfig.from_flat(good | {name: settings[name]})
        except ValueError as error:
            problems.append(str(error))
        else:
            good[name] = settings[name]
    return RunConfig.from_flat(good), problems


def address(config: RunConfig) -> str:
    """Where the run of a config is shown."""
    return f"./?{urlencode(parameters(config))}"


def write(config: RunConfig) -> None:
    """Put the config into the address bar, unless it is there; what the page added stays."""
    there = st.query_params.to_dict()
    wanted = parameters(config) | {name: value for name, value in there.items() if name in PAGE_NAMES}
    if there != wanted:
        st.query_params.from_dict(wanted)


def parameters(config: RunConfig) -> dict[str, str]:
    """A config as it stands in a link."""
    return {"v": str(VERSION)} | {name: str(value) for name, value in config.flat().items()}


def first_value(key: str, name: str, default: Any, read: Callable[[str], Any]) -> None:
    """Give a widget of a page its first value in a session: the link's where that can be read, else the default."""
    if key in st.session_state:
        return
    st.session_state[key] = default
    if (text := st.query_params.get(name)) is not None:
        try:
            st.session_state[key] = read(text)
        except ValueError as error:
            st.session_state[state.LINK_PROBLEMS][0].append(f"{name}: {error}")


def write_page(**values: object) -> None:
    """Put what the page adds into the address bar, beside the config."""
    assert set(values) <= set(PAGE_NAMES)
    for name, value in values.items():
        if st.query_params.get(name) != str(value):
            st.query_params[name] = str(value)
