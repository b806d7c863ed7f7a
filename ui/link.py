"""The config in the link: every field by its flat name, every value checked on the server."""

from collections.abc import Mapping

import streamlit as st

from ppe_core.config import RunConfig


def read(parameters: Mapping[str, str]) -> tuple[RunConfig, list[str]]:
    """The config of a link, and what is wrong with it; what is right is kept."""
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
    """Put the config into the address bar, unless it is there."""
    parameters = {name: str(value) for name, value in config.flat().items()}
    if st.query_params.to_dict() != parameters:
        st.query_params.from_dict(parameters)
