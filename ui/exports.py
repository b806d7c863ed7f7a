"""Everything that can be taken away, in one place."""

from collections.abc import Callable, Mapping

import plotly.graph_objects as go
import streamlit as st

from ppe_core.experiments.export import config_json, levels_csv, python_snippet
from ppe_core.experiments.record_zip import record_bytes
from ppe_core.experiments.records import RunRecord
from ui import jobs

Figures = Mapping[str, Callable[[], go.Figure]]


def show(record: RunRecord, figures: Figures) -> None:
    """A run and the figures of the page, made when they are asked for."""
    run_id, whole = record.config.id, jobs.whole_record(record.config)
    with st.popover("Export", icon=":material/download:"):
        st.markdown("**The run**")
        _file("Settings (JSON)", config_json(record.config), f"{run_id}.json", "application/json")
        _file("Levels (CSV)", levels_csv(record), f"{run_id}.csv", "text/csv")
        _file("Record (zip of JSON and npz)", lambda: record_bytes(whole()), f"{run_id}.zip", "application/zip")
        _file("Python that repeats it", python_snippet(record.config), f"{_module(run_id)}.py", "text/x-python")
        st.markdown("**The figures**")
        for name, make in figures.items():
            _file(f"{name} (HTML)", _html(make), f"{run_id}-{name.lower().replace(' ', '-')}.html", "text/html")
        st.caption(
            "An HTML file is interactive and needs no network (5 MB each). For a PNG, press the camera above a figure."
        )


def _file(label: str, data: str | Callable[[], str | bytes], name: str, mime: str) -> None:
    st.download_button(label, data, name, mime, on_click="ignore", width="stretch")


def _html(make: Callable[[], go.Figure]) -> Callable[[], str]:
    """The whole of plotly goes into the file: it opens on a machine without network."""
    return lambda: make().to_html(include_plotlyjs=True, config={"displaylogo": False})


def _module(run_id: str) -> str:
    return run_id.replace("-", "_")
