"""The link: every field of the config by its flat name, and what the page adds; all is checked on the server."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ppe_core.config import RunConfig
from ui import state

PAGE_NAMES = ("x", "x_values", "y", "y_values", "seeds", "measure", "h")
"""What pages keep in the link beside the config."""


def read(parameters: Mapping[str, str]) -> tuple[RunConfig, list[str]]:
    """The config of a link, and what is wrong with it; what is right is kept."""
    parameters = {name: value for name, value in parameters.items() if name not in PAGE_NAMES}
    try:
        return RunConfig.from_flat(parameters), []
    except ValueError:
        return _read_one_by_one(parameters)


def _read_one_by_one(parameters: Mapping[str, str]) -> tuple[RunConfig, list[str]]:
    good: dict[str, str] = {}
    problems: list[str] = []
    for name in sorted(parameters, key=lambda name: name == "samples"):  # its range depends on other fields
        try:
            RunConfig.from_flat(good | {name: parameters[name]})
        except ValueError as error:
            problems.append(str(error))
        else:
            good[name] = parameters[name]
    return RunConfig.from_flat(good), problems


def write(config: RunConfig) -> None:
    """Put the config into the address bar, unless it is there; what the page added stays."""
    there = st.query_params.to_dict()
    parameters = {name: str(value) for name, value in config.flat().items()}
    parameters |= {name: value for name, value in there.items() if name in PAGE_NAMES}
    if there != parameters:
        st.query_params.from_dict(parameters)


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
