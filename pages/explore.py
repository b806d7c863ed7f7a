"""Explore: what PPE does, in ten seconds; then choose a world, the horizon and the sample size, and try."""

from collections.abc import Sequence

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ui import controls, exports, looks, results, run_page, share, tour


def main() -> None:
    if share.is_demo():
        say_what_it_is()
        run_page.show(draw_the_one_thing)
        share.show_way_out()
    else:
        introduce()
        looks.observations(controls.config())
        run_page.show(draw)


def introduce() -> None:
    if tour.is_on():
        say_what_it_is()
        return
    left, right = st.columns([5, 1], vertical_alignment="center")
    with left:
        say_what_it_is()
    with right:
        tour.invite()


def say_what_it_is() -> None:
    st.title("Many action sequences end in the same place; PPE finds out which, through the noise.", anchor=False)


def draw(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    draw_the_one_thing(config, levels, record)
    if record:
        results.plan(record)
        with st.container(horizontal=True, vertical_alignment="center"):
            results.status(record)
            st.page_link("pages/merge.py", label="In slow motion", icon=":material/slow_motion_video:")
            exports.show(record, figures(config, levels, record))
        results.table(record)


def draw_the_one_thing(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    results.numbers(levels)
    results.graph(config, levels, record.plan.tolist() if record else None)


def figures(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord) -> exports.Figures:
    """Made when one is downloaded."""
    plan = record.plan.tolist()
    if results.is_grid(config):
        return {"States over the grid": lambda: results.graph_figure(config, levels, plan)}
    return {
        "River of paths": lambda: results.graph_figure(config, levels, plan),
        "Observations": lambda: looks.strips(config),
    }


main()
