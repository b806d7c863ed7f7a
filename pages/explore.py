"""Explore: choose a world, the horizon and the sample size, and watch paths merge."""

from collections.abc import Sequence

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ui import controls, jobs, results, run_page


def main() -> None:
    st.title("Many action sequences end in the same place; PPE finds out which, through the noise.", anchor=False)
    results.observations(controls.config())
    run_page.show(draw)


def draw(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    if record:
        results.status(record, stored=not jobs.was_started_here(config))
    results.numbers(levels)
    results.graph(config, levels, record.plan.tolist() if record else None)
    if record:
        results.plan(record)
        results.table(record)
        results.downloads(record)


main()
