"""Colours and names that all figures share; every colour is legible on light and dark ground."""

from collections.abc import Sequence

STATE_COLOURS = ("#2f7de1", "#12a37a", "#7d8592", "#b0629f", "#4aa3b8", "#8f7a3a", "#6a6fd0", "#5f9a3c")
WRONG = "#e5383b"
MISSED = "#f08c00"
PLAN = "#9a5be0"
START = "#977a24"
FAINT = "rgba(128,136,150,0.45)"
ON_COLOUR = "#ffffff"
SELECTED = "#1098ad"
INK = "rgb(94, 104, 121)"  # of text on no ground of its own; a page may replace it by the colour of its theme

_TYPES = ("a: towards reward 1", "b: towards 0.1", "c: lost")
STATE_NAMES = {"lock": _TYPES, "exo-lock": _TYPES}


def state_colour(state: int) -> str:
    return STATE_COLOURS[state % len(STATE_COLOURS)]


def state_name(environment: str, state: int, names: Sequence[str] = ()) -> str:
    """What a true endogenous state means to a reader; `names` are those that this world gives its states."""
    names = names or STATE_NAMES.get(environment, ())
    return names[state] if state < len(names) else f"state {state}"
