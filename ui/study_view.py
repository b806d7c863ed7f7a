"""A study on the page: its cells as they fill in, the runs behind a cell, its files."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments import study as studies
from ppe_core.experiments.index import Status
from ppe_core.experiments.study import Study
from ppe_core.figures import study as figures
from ppe_core.figures.study import Axis, Cells
from ui import fields, jobs, link, state
from ui.text import plain

Summary = dict[str, Any]
PLOTLY = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
RUNS_IN_TABLE = 500


class Measure(NamedTuple):
    label: str
    high_is_good: bool
    meaning: str


MEASURES = {
    "exact_recovery": Measure("Recovered without an error", True, "seeds in which every time step was merged exactly"),
    "type1": Measure("Wrong merges", False, "pairs of paths put together that end in different places (type 1)"),
    "type2": Measure("Missed merges", False, "pairs of paths kept apart that end in the same place (type 2)"),
    "decoding_accuracy": Measure("Decoding accuracy", True, "at the last time step, on fresh observations"),
    "value": Measure("Return of the plan", True, "what the plan on the recovered graph really earns"),
    "half_regret_episodes": Measure("Episodes to half regret", False, "∞ where that is never reached"),
}


def summaries(configs: Sequence[RunConfig]) -> Mapping[str, Summary]:
    """The finished ones in short, by id; only what is new since the last look is read from the store."""
    known: dict[str, Summary] = st.session_state.setdefault(state.STUDY_SUMMARIES, {})
    look_up = jobs.pool().store.summaries([config for config in configs if config.id not in known])
    known |= {config.id: summary for config in configs if (summary := look_up(config))}
    st.session_state[state.STUDY_SUMMARIES] = {c.id: known[c.id] for c in configs if c.id in known}
    return st.session_state[state.STUDY_SUMMARIES]


def pictures(study: Study, found: Mapping[str, Summary]) -> None:
    """The grid of cells, and the same numbers as lines with their intervals."""
    measure = st.segmented_control(
        "What to show", list(MEASURES), format_func=lambda name: MEASURES[name].label, default=next(iter(MEASURES)),
        key=state.STUDY_MEASURE, label_visibility="collapsed", persist_state="session",
    ) or next(iter(MEASURES))  # fmt: skip
    cells = _cells(study, found, measure)
    st.caption(f"**{cells.measure}**: {MEASURES[measure].meaning}. {_key_to_the_grid(cells)}")
    left, right = st.columns(2, gap="medium")
    with left.container(key="study-grid"):
        st.plotly_chart(
            figures.study_grid(cells), key="study-grid-chart", config=PLOTLY, alt=figures.describe(cells),
            on_select=lambda: _take_click(study), selection_mode="points",
        )  # fmt: skip
    with right.container(key="study-lines"):
        st.plotly_chart(
            figures.study_lines(cells), key="study-lines-chart", config=PLOTLY,
            alt=f"The same as lines along {cells.x.label}, with intervals over the seeds.",
        )  # fmt: skip


def cell(study: Study, found: Mapping[str, Summary]) -> None:
    """The runs of one combination, each a click away, in a tab of its own: the study stays as it is."""
    cells = study.cells()
    st.selectbox(
        "Runs of the combination", range(len(cells)), format_func=lambda number: _in_words(cells[number]),
        key=state.STUDY_CELL, help="Or click a cell of the grid.", persist_state="session",
    )  # fmt: skip
    runs = study.runs(cells[st.session_state[state.STUDY_CELL]])
    statuses = jobs.pool().statuses(runs)
    with st.container(horizontal=True):
        for config in runs:
            label = _run_label(config, found.get(config.id), statuses.get(config.id))
            st.link_button(label, link.address(config), icon=":material/open_in_new:")


def table(study: Study, found: Mapping[str, Summary]) -> None:
    rows = studies.table(study, lambda config: found.get(config.id))
    varied = [*study.axes, "seed"]
    shown = [name for name in (*varied, *studies.MEASURES, "id") if rows and name in rows[0]]
    with st.expander(f"Every run ({len(rows)})"):
        st.dataframe(rows[:RUNS_IN_TABLE], column_order=shown, hide_index=True)
        if len(rows) > RUNS_IN_TABLE:
            st.caption(f"The first {RUNS_IN_TABLE} runs; the files have all of them.")


def downloads(study: Study, found: Mapping[str, Summary]) -> None:
    def look_up(config: RunConfig) -> Summary | None:
        return found.get(config.id)

    files = {
        "Runs (CSV)": (studies.as_csv(studies.table(study, look_up)), f"{study.id}.csv", "text/csv"),
        "Summary (CSV)": (
            studies.as_csv(studies.summary_table(study, look_up)),
            f"{study.id}.summary.csv",
            "text/csv",
        ),
        "All (JSON)": (studies.as_json(study, look_up), f"{study.id}.results.json", "application/json"),
        "Study (JSON)": (study.canonical_json + "\n", f"{study.id}.json", "application/json"),
    }
    with st.container(horizontal=True):
        for label, (data, name, mime) in files.items():
            st.download_button(label, data, name, mime, on_click="ignore", icon=":material/download:")
    st.caption(f"The same without a browser: `python -m ppe_core study {study.id}.json --out results.csv`")


def _cells(study: Study, found: Mapping[str, Summary], measure: str) -> Cells:
    rows = studies.summary_table(study, lambda config: found.get(config.id))
    axes = [Axis(fields.label(name), values) for name, values in study.axes.items()]
    x, y = axes if len(axes) == 2 else (*axes, Axis("", ("",)))
    shape = len(y.values), len(x.values)

    def column(name: str) -> np.ndarray:
        """Cells vary the second axis first, pictures the first."""
        return np.array([row.get(name, np.nan) for row in rows], float).reshape(shape[::-1]).T

    return Cells(
        measure=MEASURES[measure].label,
        x=x,
        y=y,
        middle=column(measure),
        low=column(f"{measure}_low"),
        high=column(f"{measure}_high"),
        finished=column("finished"),
        seeds=len(study.seeds),
        high_is_good=MEASURES[measure].high_is_good,
        is_share=measure == "exact_recovery",
    )


def _key_to_the_grid(cells: Cells) -> str:
    number = "How many of the finished seeds" if cells.is_share else "The median over seeds"
    return f"{number} is in each cell, blue is good and orange is bad; bars are 95% intervals."


def _take_click(study: Study) -> None:
    points = st.session_state["study-grid-chart"].selection.points
    if points:
        across, down = points[0]["x"], points[0]["y"]
        rows = len(list(study.axes.values())[1]) if len(study.axes) == 2 else 1
        st.session_state[state.STUDY_CELL] = int(across) * rows + int(down)


def _in_words(cell: Mapping[str, Any]) -> str:
    return ", ".join(f"{fields.label(name)} = {value}" for name, value in cell.items())


def _run_label(config: RunConfig, summary: Summary | None, status: Status | None) -> str:
    if summary:
        return f"seed {config.seed}: {summary['type1']} wrong, {summary['type2']} missed"
    return plain(f"seed {config.seed}: {status or 'not run'}")
