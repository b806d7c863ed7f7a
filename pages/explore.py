"""Explore: choose a world, the horizon and the sample size, and watch paths merge."""

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import State
from ppe_core.experiments.records import LevelRecord
from ui import controls, jobs, results


def main() -> None:
    config = controls.config()
    st.title("Many action sequences end in the same place; PPE finds out which, through the noise.", anchor=False)
    controls.show_link_problems()
    results.observations(config)
    shown = jobs.shown(config)
    if shown is None:
        invite()
        return
    if shown != config:
        say_stale(shown)
    status = jobs.pool().state(shown)
    if status is State.RUNNING:
        jobs.watch(shown, lambda levels: show_progress(shown, levels))
    elif status is State.FAILED:
        results.failure(jobs.pool().failure(shown))
        st.button("Try again", icon=":material/replay:", disabled=shown != config, on_click=controls.start)
    else:
        show_finished(shown)


def invite() -> None:
    offer_run("Nothing has been run with these settings yet.", "Run it and watch paths merge", ":material/lightbulb:")


def say_stale(shown: RunConfig) -> None:
    text = f"The controls have changed. Below is still the run with {controls.differences(shown)}."
    offer_run(text, "Run with the new settings", ":material/history:")


def offer_run(text: str, label: str, icon: str) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.info(text, icon=icon)
    right.button(label, type="primary", icon=":material/play_arrow:", width="stretch", on_click=controls.start)


def show_progress(config: RunConfig, levels: list[LevelRecord]) -> None:
    done = len(levels)
    st.progress(done / config.horizon, f"Level {done} of {config.horizon}" if done else "Getting ready")
    results.numbers(levels)
    results.graph(config, levels)


def show_finished(config: RunConfig) -> None:
    record = jobs.record(config)
    results.status(record, stored=not jobs.was_started_here(config))
    results.numbers(record.levels)
    results.graph(config, record.levels, record.plan.tolist())
    results.plan(record)
    results.table(record)
    results.downloads(record)


main()
