"""A player for the frames of a figure: play, pause, step, slider, arrow keys and the space bar.

The frames play in the browser; the page is told which one is shown when it stays for a moment.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

ICONS = {  # drawn in a square of 16
    "first": "M3 3h2v10H3zM13 3v10L6 8z",
    "back": "M10 3h2v10h-2zM8 3v10L2 8z",
    "play": "M4 2.5v11L13.5 8z",
    "pause": "M4 3h3v10H4zM9 3h3v10H9z",
    "next": "M4 3h2v10H4zM8 3v10l6-5z",
    "last": "M11 3h2v10h-2zM3 3v10l7-5z",
}
LABELS = {
    "first": "To the start",
    "back": "Step back (←)",
    "play": "Play (space)",
    "next": "Step forward (→)",
    "last": "To the end",
}


def _button(name: str) -> str:
    label = LABELS[name]
    return (
        f'<button data-part="{name}" aria-label="{label}" title="{label}">'
        f'<svg viewBox="0 0 16 16" aria-hidden="true"><path d="{ICONS[name]}"/></svg></button>'
    )


HTML = f"""
<div class="bar" role="group" aria-label="Animation">
  {"".join(map(_button, LABELS))}
  <input data-part="slider" type="range" min="0" step="1" aria-label="Step of the animation">
</div>
<p data-part="caption" aria-live="polite"></p>
"""
CSS = """
.bar {display: flex; flex-wrap: wrap; align-items: center; gap: .4rem}
button {
  width: 2.6rem; height: 2.4rem; padding: 0; cursor: pointer;
  color: var(--st-text-color); background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
button:hover:enabled {border-color: var(--st-primary-color)}
button:disabled {opacity: .4; cursor: default}
button:focus-visible, input:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px}
button[data-part="play"] {width: 4rem; border-color: var(--st-primary-color)}
svg {width: 1rem; height: 1rem; fill: currentColor; vertical-align: middle}
input {flex: 1 1 12rem; height: 2.4rem; margin: 0 .4rem; accent-color: var(--st-primary-color)}
p {margin: .6rem 0 0; min-height: 3rem; font-size: 1.05rem; line-height: 1.45; color: var(--st-text-color)}
"""
TOTAL_MILLISECONDS = 18_000  # of a whole animation, when it is long
QUICK, SLOW = 250, 1000  # milliseconds a step

_player = st.components.v2.component("ppe_player", html=HTML, css=CSS, js=Path(__file__).with_suffix(".js").read_text())


def player(key: str, chart: str, figure: str, captions: Sequence[str], focus: Sequence[float], at: int) -> int:
    """Drive the chart in the container with the key `chart`; the number of the frame it shows.

    There is a caption for each frame, and `focus` says how far right in the figure what matters is,
    for where it scrolls. `figure` names what is shown: another one starts at frame `at`.
    """
    before = st.session_state.get(key, {}).get("shown") or {}
    if before.get("figure") == figure:
        at = before["at"]  # a player that is mounted again goes on where it was
    at = min(max(int(at), 0), len(captions) - 1)
    data = {
        "chart": chart, "figure": figure, "icons": ICONS, "captions": list(captions), "focus": list(focus), "at": at,
        "milliseconds": min(max(TOTAL_MILLISECONDS // len(captions), QUICK), SLOW),
    }  # fmt: skip
    start = {"figure": figure, "at": at}
    _player(key=key, data=data, default={"shown": start}, on_shown_change=lambda: None)
    return at
