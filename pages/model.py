"""Model: the latent graph that PPE recovered beside the true one, each state in detail, and the decoder."""

from collections.abc import Sequence

import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.figures import accuracy, confusion
from ppe_core.figures.graph import View
from ppe_core.figures.palette import INK
from ui import controls, link, model_graph, results, run_page, state, state_details

VIEWS = {View.RECOVERED.value: "Recovered", View.TRUTH.value: "Truth", View.DIFFERENCE.value: "Difference"}

INK_STYLE = f"<style>.stPlotlyChart text[style*='{INK}'] {{fill: currentColor !important}}</style>"


def main() -> None:
    st.html(INK_STYLE)
    st.title("The model that PPE recovered: states, what leads where, and a decoder.", anchor=False)
    horizon = controls.config().horizon
    link.first_value(state.MODEL_VIEW, "graph", View.RECOVERED.value, read_view)
    link.first_value(state.MODEL_LEVEL, "level", horizon, lambda text: read_level(text, horizon))
    run_page.show(draw)


def read_view(text: str) -> str:
    if text not in VIEWS:
        raise ValueError(f"{text!r} is not one of {', '.join(VIEWS)}")
    return text


def read_level(text: str, horizon: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= horizon):
        raise ValueError(f"{text!r} is not a time step from 1 to {horizon}")
    return int(text)


def draw(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    if not levels:
        return
    if record:
        results.status(record)
    view, h = choose(config.horizon, len(levels))
    model = model_graph.model_of(config, levels, record.plan.tolist() if record else None)
    node = model_graph.selected(model, h)
    if results.is_grid(config):
        left, right = st.columns([3, 2])
        with left:
            model_graph.show(model, view, node)
        with right, st.container(border=True):
            state_details.show(config, node, model.name)
    else:
        model_graph.show(model, view, node)
        with st.container(border=True):
            state_details.show(config, node, model.name)
    decoder(config, levels, h, model)


def choose(horizon: int, finished: int) -> tuple[View, int]:
    """The view and the time step, which stay in the session and in the link."""
    left, right = st.columns(2, vertical_alignment="bottom")
    view = left.segmented_control(
        "What to show", VIEWS, format_func=VIEWS.__getitem__, required=True, key=state.MODEL_VIEW,
        persist_state="session", help="What PPE found, what is true, or where the two differ.",
    )  # fmt: skip
    st.session_state[state.MODEL_LEVEL] = min(st.session_state[state.MODEL_LEVEL], horizon)
    if horizon > 1:
        right.slider(
            "Time step h of the details", 1, horizon, key=state.MODEL_LEVEL, persist_state="session",
            help="Whose states and decoder are shown below. A click on a state chooses its time step, too.",
        )  # fmt: skip
    h = st.session_state[state.MODEL_LEVEL]
    link.write_page(graph=view, level=h)
    if h > finished:
        st.caption(f"Time step {h} has no result; below is time step {finished}.")
    return View(view), min(h, finished)


def decoder(config: RunConfig, levels: Sequence[LevelRecord], h: int, model: model_graph.Model) -> None:
    st.subheader("The decoder, on fresh observations", anchor=False)
    left, right = st.columns(2)
    level = levels[h - 1]
    with left:
        st.markdown(f"**Time step {h}: what is each true state decoded as?**")
        st.plotly_chart(
            confusion.confusion_figure(level, model.name), key="confusion", config=results.PLOTLY,
            alt=confusion.describe(level),
        )  # fmt: skip
        st.caption(
            "A row is a true state, a column a recovered one, matched so that a perfect decoder is a diagonal. "
            "A cell is the share of the row's observations."
        )
    with right:
        st.markdown("**How often is it right, time step by time step?**")
        st.plotly_chart(
            accuracy.accuracy_figure(levels, config.horizon, h), key="accuracy", config=results.PLOTLY,
            alt=accuracy.describe(levels),
        )  # fmt: skip
        st.caption(
            "*Pairs*, the paper's measure: two observations, same state or not? Guessing does well at it when there "
            "are many states. *Named*: the share of observations on the diagonal of the table."
        )


main()
