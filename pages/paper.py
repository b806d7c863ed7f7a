"""Paper: every figure of the paper's experiments, run again: what it says, what was measured, where they differ."""

from collections import Counter

import streamlit as st

from ppe_core.experiments.paper.claims import Verdict
from ppe_core.experiments.paper.studies import FIGURES
from ui import controls, jobs, paper_view
from ui.text import plain


def main() -> None:
    controls.begin()
    st.html(paper_view.STYLE)
    st.title("Does it reproduce? The paper’s experiments, run again.", anchor=False)
    st.caption(
        "On the left our figure, on the right what the text of the paper claims and what our runs say of it. The "
        "results came with the program: every number is computed from runs that are kept in `results/paper`, each "
        "with its whole config. The settings in the sidebar play no part here."
    )
    controls.show_link_problems()
    if reason := jobs.refusal():
        st.error(f"The runs were not started: {plain(reason)}.", icon=":material/block:")
    told = {name: paper_view.committed(name) for name in FIGURES}
    _sum_up(Counter(finding.verdict for one in told.values() for _, finding in one.findings))
    for name, figure in FIGURES.items():
        st.subheader(f"{figure.place}: {figure.title}", anchor=name, divider="gray")
        st.caption(figure.shows)
        if figure.configs("quick"):
            jobs.watch(figure.configs("quick"), lambda name=name: paper_view.show(told[name]))
        else:
            paper_view.show(told[name])


def _sum_up(counts: Counter[Verdict]) -> None:
    parts = [f"{paper_view.badge(verdict)} {verdict}: **{counts[verdict]}**" for verdict in Verdict if counts[verdict]]
    st.markdown(f"**{counts.total()}** claims: " + " · ".join(parts))


main()
