"""Knobs of a group of settings as controls; all values are in the session, and as one short text in the link."""

from dataclasses import Field
from typing import Any, TypeVar

import streamlit as st

from ppe_core.config import Settings, checked, option_fields
from ui import link, state

Group = TypeVar("Group", bound=Settings)
COLUMNS = 4
FINE = 100  # steps of a knob whose values are not whole numbers


def knobs(kind: type[Group], name: str) -> Group:
    """A group of settings as the visitor has set it; `name` is what the session calls it."""
    fields = option_fields(kind)
    _take_link(fields, name)
    for row in range(0, len(fields), COLUMNS):
        for column, item in zip(st.columns(COLUMNS), fields[row : row + COLUMNS]):
            with column:
                _slider(item, name)
    values = {item.name: st.session_state[state.knob(name, item.name)] for item in fields}
    link.write_page(knobs=f"{name}:" + ",".join(f"{value:g}" for value in values.values()))
    return kind(**values)


def _slider(item: Field, name: str) -> None:
    number = type(item.default)
    low, high = number(item.metadata["low"]), number(item.metadata["high"])
    st.slider(
        _sentence(item.metadata["help"]), low, high, key=state.knob(name, item.name), persist_state="session",
        step=1 if number is int else (high - low) / FINE, format="%d" if number is int else "%g",
    )  # fmt: skip


def _sentence(text: str) -> str:
    """With a capital, unless it begins with a symbol or a formula."""
    word = text.partition(" ")[0]
    return text[0].upper() + text[1:] if word.isascii() and word.isalpha() and len(word) > 2 else text


def _take_link(fields: list[Field], name: str) -> None:
    """The first values in a session: the link's where it has knobs of this name, else the defaults."""
    for i, item in enumerate(fields):

        def read(text: str, item: Field = item, i: int = i) -> Any:
            whose, _, values = text.partition(":")
            if whose != name:
                return item.default
            parts = values.split(",")
            if len(parts) != len(fields):
                raise ValueError(f"{values[:60]!r} is not {len(fields)} numbers")
            return checked(item, parts[i])

        link.first_value(state.knob(name, item.name), "knobs", item.default, read)
