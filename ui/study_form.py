"""The form of a study: two axes and seeds around the config of the sidebar, kept in the session and in the link."""

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.study import Study
from ui import controls, fields, link, state
from ui.text import plain

NOTHING = "nothing"
FIRST_AXES = {
    "lock": ("noise", "samples"),
    "exo-lock": ("noise", "samples"),
    "grid": ("ellipses", "samples"),
    "tabular": ("noise", "samples"),
}
SUGGESTIONS = {  # values to begin with
    "noise": "0.1, 0.2, 0.4, 0.8",
    "samples": "50, 100, 250, 500",
    "horizon": "2, 5, 10, 20",
    "exo_dim": "0, 10, 50, 100",
    "actions": "3, 5, 10, 20",
    "eta": "0, 0.02, 0.05, 0.1",
    "threshold": "0.2, 0.4, 0.625, 0.8, 1.2",
    "ellipses": "0, 5, 10",
    "absorbing": "off, on",
    "world": "park, diamond, ring",
}
MOST_SEEDS = 20
WORDS_MOST = 300  # characters of a list of values


def show() -> Study | None:
    """Draw the form; the study it describes, unless something is wrong with it, which is then said."""
    base = controls.config()
    names = _names(base)
    _take_first_values(base, names)
    columns = st.columns([2, 3, 2, 3, 1.4], vertical_alignment="bottom")
    for axis, (name_column, values_column) in {"x": columns[:2], "y": columns[2:4]}.items():
        _axis(axis, names, name_column, values_column)
    columns[4].number_input(
        "Seeds", 1, MOST_SEEDS, key=state.STUDY_SEEDS, persist_state="session",
        help="Runs of each combination; the first has the seed of the sidebar, the others the next ones.",
    )  # fmt: skip
    link.write_page(**{name: st.session_state[key] for name, key in state.STUDY_LINK.items()})
    try:
        return _study(base)
    except ValueError as error:
        st.error(f"This is not a study yet: {plain(str(error))}", icon=":material/edit:")
        return None


def load(study: Study) -> None:
    """Put a study into the form and its base into the controls."""
    controls.put(study.base)
    axes = list(study.axes.items()) + [(NOTHING, ())] * 2
    for axis, (name, values) in zip(("x", "y"), axes):
        st.session_state[state.study_name(axis)] = name
        st.session_state[state.study_values(axis)] = ", ".join(map(_text, values))
    st.session_state[state.STUDY_SEEDS] = len(study.seeds)


def _names(base: RunConfig) -> list[str]:
    return [name for name in base.flat() if name not in ("env", "learner", "seed")]


def _take_first_values(base: RunConfig, names: list[str]) -> None:
    """From the link the first time; and where another environment lacks an axis, one that it has."""
    for axis, default in zip(("x", "y"), FIRST_AXES[base.environment.name]):
        name, values = state.study_name(axis), state.study_values(axis)
        allowed = names if axis == "x" else [NOTHING, *names]
        link.first_value(name, axis, default, lambda text, allowed=allowed: _one_of(text, allowed))
        if st.session_state[name] not in allowed:
            st.session_state[name] = default
            st.session_state[values] = _suggestion(default)
        link.first_value(values, f"{axis}_values", _suggestion(st.session_state[name]), _short)
    link.first_value(state.STUDY_SEEDS, "seeds", 5, _seeds)


def _axis(axis: str, names: list[str], name_column, values_column) -> None:
    key = state.study_name(axis)
    name_column.selectbox(
        {"x": "Across", "y": "Down"}[axis],
        names if axis == "x" else [NOTHING, *names],
        format_func=lambda name: name if name == NOTHING else fields.label(name),
        key=key,
        on_change=_suggest,
        args=(axis,),
        persist_state="session",
    )
    values_column.text_input(
        "Values", key=state.study_values(axis), max_chars=WORDS_MOST, disabled=st.session_state[key] == NOTHING,
        help=_help(st.session_state[key]), persist_state="session",
    )  # fmt: skip


def _suggest(axis: str) -> None:
    st.session_state[state.study_values(axis)] = _suggestion(st.session_state[state.study_name(axis)])


def _suggestion(name: str) -> str:
    if name == NOTHING:
        return ""
    choices = controls.item(name).metadata["choices"]
    return SUGGESTIONS.get(name) or ", ".join(choices) or _text(controls.config().flat()[name])


def _help(name: str) -> str:
    if name == NOTHING:
        return "One axis is enough for a study."
    known = controls.item(name).metadata
    return f"{known['help'].capitalize()}. Separate values by commas; allowed: {known['allowed']}."


def _study(base: RunConfig) -> Study:
    axes: dict[str, list[str]] = {}
    for axis in ("x", "y"):
        name = st.session_state[state.study_name(axis)]
        values = [text for part in st.session_state[state.study_values(axis)].split(",") if (text := part.strip())]
        if name in axes:
            raise ValueError(f"both axes are {fields.label(name)}; choose another or {NOTHING} for one of them")
        if name != NOTHING:
            axes[name] = values
    seeds = range(base.seed, base.seed + st.session_state[state.STUDY_SEEDS])
    study = Study.make(base, axes, list(seeds))
    fields.check_page_ranges(study.configs())
    return study


def _text(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _one_of(text: str, allowed: list[str]) -> str:
    if text not in allowed:
        raise ValueError(f"{text!r} is not one of {', '.join(allowed)}")
    return text


def _short(text: str) -> str:
    if len(text) > WORDS_MOST:
        raise ValueError(f"{len(text)} characters are too many; the limit is {WORDS_MOST}")
    return text


def _seeds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SEEDS:
        raise ValueError(f"{text!r} is not a whole number in the allowed range 1 to {MOST_SEEDS}")
    return int(text)
