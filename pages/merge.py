"""Merge: every time step in slow motion, and every pair of paths that went wrong."""

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.figures.merge import merge
from ppe_core.figures.merge_layout import Scene
from ppe_core.figures.merge_words import ErrorPair, Step, caption, describe, error_pairs
from ppe_core.figures.palette import state_name
from ui import controls, jobs, link, results, run_page
from ui.player import player

STEP = "merge_h"  # the time step shown, in the session; 0 is the end
# On a narrow screen the figure scrolls; its place stays while it is replaced; the player slides the picture within
# the figure; names and headers are as dark as text.
STYLE = """<style>
.st-key-merge {{overflow-x: auto; min-height: {height}px}}
.st-key-merge > * {{min-width: {width}px}}
.st-key-merge .js-plotly-plot {{overflow: hidden}}
.st-key-merge .scatterlayer .trace:nth-last-child(-n+2) text {{fill: currentColor !important}}
</style>"""
MOST_PAIRS = 5  # listed of each kind of error
MOST_ACTIONS = 8  # of a path told
FIGURES_IN_MEMORY = 8


def main() -> None:
    st.title("Merge: paths that cannot be told apart become one.", anchor=False)
    link.first_value(STEP, "h", 0, _time_step)
    run_page.show(draw)


def draw(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    if record:
        results.status(record)
    st.caption(
        "A dot is a path: its outline is where it really ends, which PPE does not see; its fill is the state PPE puts "
        "it in, empty before. :red[✖] merged wrongly. :orange[◆] a missed merge: one state found twice or more. "
        "Keys: ← and → step, space plays."
    )
    scene = Scene(config.environment.name, config.horizon, levels)
    st.html(STYLE.format(height=scene.height, width=scene.minimum_width))
    with st.container(key="merge"):
        st.plotly_chart(
            _figure(config.id, len(levels), record is not None, scene, config, record),
            key="merge-chart",
            config=results.PLOTLY,
            alt=describe(config.horizon, levels),
        )
    _control(config, scene, record)


@st.fragment
def _control(config: RunConfig, scene: Scene, record: RunRecord | None) -> None:
    """The player and what it says; a fragment, so that the figure is not drawn again."""
    levels, steps = scene.levels, scene.steps(has_plan=record is not None)
    shown = player(
        "merge-player",
        chart="merge",
        figure=f"{config.id} {len(levels)} {record is not None}",
        captions=[caption(step, levels) for step in steps],
        focus=[scene.focus(step) for step in steps],
        at=_first_shown(steps, st.session_state[STEP]),
    )
    step = steps[shown]
    if record:
        st.session_state[STEP] = 0 if step.phase == "end" else step.h
        link.write_page(h=st.session_state[STEP])
    _errors(config, levels if step.phase == "end" else levels[max(step.h - 1, 0) : step.h])


@st.cache_resource(show_spinner=False, max_entries=FIGURES_IN_MEMORY)
def _figure(
    run_id: str, finished: int, has_plan: bool, _scene: Scene, _config: RunConfig, _record: RunRecord | None
) -> go.Figure:
    return merge(_scene, _record.plan.tolist() if _record else None, *results.names(_config))


def _time_step(text: str) -> int:
    most = controls.config().horizon
    if not text.isdecimal() or len(text) > 3 or int(text) > most:
        raise ValueError(f"{text} is not a time step from 1 to {most}, or 0 for the end")
    return int(text)


def _first_shown(steps: Sequence[Step], h: int) -> int:
    return next((i for i, step in enumerate(steps) if step == Step(h, "merge")), len(steps) - 1)


def _errors(config: RunConfig, levels: Sequence[LevelRecord]) -> None:
    """Pairs of paths that went wrong, in the time steps shown."""
    total = sum(sum(level.errors) for level in levels)
    if not total:
        return
    pairs = [pair for level in levels for pair in error_pairs(level, MOST_PAIRS)][: 2 * MOST_PAIRS]
    st.markdown(f"**Pairs of paths that went wrong** ({len(pairs)} of {total:,})")
    st.table(
        [_row(config, pair) for pair in pairs],
        border="horizontal",
        hide_index=True,
        alt="Pairs of paths that were merged wrongly or kept apart wrongly.",
    )
    st.caption("Two paths are also one when both were merged with a third, whatever the gap between them.")


def _row(config: RunConfig, pair: ErrorPair) -> dict[str, str]:
    level = jobs.level(config, pair.h)
    names, actions = results.names(config)
    gap = level.found.paper_gap if config.learner.gap == "paper" else level.found.signature_gap
    sign = "≤" if gap[pair.paths] <= level.found.threshold else ">"
    one, other = (
        f"{_sequence(level.found.paths[path].tolist(), actions)} to "
        + state_name(config.environment.name, level.truth.states[path], names)
        for path in pair.paths
    )
    return {
        "Error": "✖ wrong merge" if pair.is_wrong_merge else "◆ missed merge",
        "h": str(pair.h),
        "Path": one,
        "Other path": other,
        "Gap and threshold": f"{gap[pair.paths]:.3f} {sign} {level.found.threshold:.3f}",
    }


def _sequence(path: Sequence[int], actions: Sequence[str]) -> str:
    """The actions of a path; of a long one the last."""
    told = [actions[action] if actions else str(action) for action in path[-MOST_ACTIONS:]]
    return " ".join(["…"] * (len(path) > MOST_ACTIONS) + told)


main()
