"""A figure of the paper on the page: our picture beside the claims, where it comes from, and a run of one's own."""

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st

from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.paper import exhibits, results
from ppe_core.experiments.paper.claims import PAPER_ERRORS, Claim, Finding, Verdict, finding, of_figure
from ppe_core.experiments.paper.measures import accuracies, by_horizon, errors, random_accuracy
from ppe_core.experiments.paper.points import Best, Errors
from ppe_core.experiments.paper.results import Results
from ppe_core.experiments.paper.studies import FIGURES, NOISES, PRINTED, SIGNATURE
from ppe_core.figures import latent_graph
from ppe_core.figures import paper as figures
from ppe_core.figures.graph import View
from ui import jobs, model_graph, state
from ui.results import PLOTLY
from ui.text import literal

FULL, QUICK = "The committed results", "Your quick run"
BADGES = {
    Verdict.AGREES: ":green-badge[:material/check: agrees]",
    Verdict.PARTLY: ":orange-badge[:material/contrast: in part]",
    Verdict.DIFFERS: ":red-badge[:material/close: differs]",
    Verdict.UNKNOWN: ":gray-badge[:material/remove: not measured]",
}
# Axes and legends are as dark as text; a picture stays in view beside its claims.
STYLE = """<style>
[class*="st-key-paper-"] :is(.xtick, .x2tick, .ytick, .g-xtitle, .g-x2title, .g-ytitle, .annotation) text,
[class*="st-key-paper-"] :is(.legendtext, text[style*="94, 104, 121"]) {fill: currentColor !important}
@media (min-width: 640px) {
    [data-testid="stLayoutWrapper"]:has(> [class*="st-key-paper-"]) {position: sticky; top: 4rem}
}
.st-key-paper-fig2a {overflow-x: auto}
.st-key-paper-fig2a > * {min-width: 460px}
</style>"""


class Told(NamedTuple):
    """The results of a figure and what they say of its claims."""

    name: str
    results: Results | None
    findings: list[tuple[Claim, Finding]]


def committed(name: str) -> Told:
    files = sorted(results.COMMITTED.glob(f"{name}.*"))
    return _committed(name, tuple(file.stat().st_mtime_ns for file in files))


def badge(verdict: Verdict) -> str:
    return BADGES[verdict].partition("[")[2].partition(" ")[0]


def show(told: Told) -> None:
    """The committed results, or those of a quick run made here, and a way to make one."""
    figure = FIGURES[told.name]
    configs = figure.configs("quick")
    statuses = jobs.pool().statuses(configs)
    missing = [config for config in configs if statuses.get(config.id) != "done"]
    if len(missing) < len(configs) and _chosen(told.name) == QUICK:
        found = results.gather(figure, "quick", jobs.pool().store)
        _draw(_told(found))
    else:
        _draw(told)
    _offer(told.name, configs, missing)


def _chosen(name: str) -> str:
    return st.segmented_control(
        "Results", [FULL, QUICK], default=FULL, key=state.paper_results(name), label_visibility="collapsed",
        required=True, persist_state="session",
    )  # fmt: skip


def _offer(name: str, configs: Sequence, missing: Sequence) -> None:
    if not configs:
        return
    left, right = st.columns([4, 2], vertical_alignment="center")
    if running := jobs.under_way(missing):
        time_left = in_words(jobs.pool().estimate_all(running))
        done = len(configs) - len(missing)
        left.progress(done / len(configs), f"{done} of {len(configs)} runs finished, {time_left} left")
        right.button("Cancel", icon=":material/stop_circle:", width="stretch", key=f"cancel-{name}",
                     on_click=jobs.cancel, args=(running,))  # fmt: skip
    elif missing:
        time = in_words(jobs.pool().estimate_all(missing))
        left.caption(f"Quick scale: {len(configs)} runs, {len(configs) - len(missing)} of them stored already. "
                     f"{FIGURES[name].reduced['quick']}")  # fmt: skip
        right.button(f"Run it again, quick ({time})", icon=":material/play_arrow:", width="stretch",
                     key=f"run-{name}", on_click=_start, args=(name, list(missing)))  # fmt: skip


def _start(name: str, missing: list) -> None:
    if jobs.start(missing):
        st.session_state[state.paper_results(name)] = QUICK


def _draw(told: Told) -> None:
    if told.results is None:
        st.info("There are no results of this figure yet.", icon=":material/hourglass_empty:")
        return
    left, right = st.columns([6, 5], gap="large")
    with left.container(key=f"paper-{told.name}"):
        _picture(told.name, told.results)
    with right:
        _claims(told.findings)
    _beyond(told.name, told.results)
    _provenance(told.results)


def _picture(name: str, found: Results) -> None:
    if name == "fig3ab":
        st.image(str(exhibits.gridworld_picture()), caption="Six episodes side by side.", width="stretch")
        return
    if not found.runs:
        st.info("No run is finished yet.", icon=":material/hourglass_empty:")
        return
    figure, alt = _PICTURES[name](found)
    st.plotly_chart(figure, key=f"paper-{name}-chart-{found.scale}", config=PLOTLY, alt=alt)


def _graph(found: Results) -> tuple[go.Figure, str]:
    record = exhibits.lock_record()
    model = model_graph.model_of(record.config, record.levels, record.plan.tolist())
    graph = model.graphs[View.RECOVERED]
    figure = latent_graph.layered_graph(graph, View.RECOVERED, record.config.horizon, model.name, model.plan)
    return figure, latent_graph.describe(graph, View.RECOVERED)


def _half_regret(found: Results) -> tuple[go.Figure, str]:
    lines = {line.name: by_horizon(found.line(line.name)) for line in found.figure.lines(found.scale)}
    lines = {name: points for name, points in lines.items() if points}
    said = "; ".join(
        f"{name}: " + ", ".join(f"{x.episodes:,.0f}" if x.solved > x.seeds / 2 else "never" for x in points)
        for name, points in lines.items()
    )
    return figures.half_regret(lines), f"Episodes to half regret at each H. {said}."


def _accuracy(found: Results) -> tuple[go.Figure, str]:
    names = [line.name for line in found.figure.lines(found.scale)]
    quiet, noisy = ({name: accuracies(found.line(name, exo_dim=bits)) for name in names} for bits in NOISES)
    last = ", ".join(
        f"{name} {quiet[name][-1].mean:.0%} and {noisy[name][-1].mean:.0%}"
        for name in names if quiet[name] and noisy[name]
    )  # fmt: skip
    return figures.accuracy(quiet, noisy), f"Decoding accuracy at the largest N, without and with noise: {last}."


def _accuracy_on_pictures(found: Results) -> tuple[go.Figure, str]:
    curves = {line.name: accuracies(found.line(line.name)) for line in found.figure.lines(found.scale)}
    last = ", ".join(f"{name} {points[-1].mean:.0%}" for name, points in curves.items() if points)
    guess = random_accuracy(found.runs[0])
    return figures.accuracy(curves, {}, guess), f"Decoding accuracy at the largest N: {last}; guessing {guess:.0%}."


def _errors(found: Results) -> tuple[go.Figure, str]:
    lines = {line.name: errors(found.line(line.name)) for line in found.figure.lines(found.scale)}
    said = "; ".join(f"{name}: " + ", ".join(map(_errors_in_words, points)) for name, points in lines.items())
    return figures.errors(lines, PAPER_ERRORS), f"Type 1 and type 2 errors by N. {said}."


_PICTURES = {
    "fig2a": _graph,
    "fig2b": _half_regret,
    "fig2c": _accuracy,
    "fig3c": _errors,
    "fig3d": _accuracy_on_pictures,
}


def _claims(findings: Sequence[tuple[Claim, Finding]]) -> None:
    for claim, told in findings:
        said = [literal(text) for text in (told.measured, told.why) if text]
        st.markdown(f"{BADGES[told.verdict]} **{literal(claim.says)}**" + "".join(f"  \n:small[{x}.]" for x in said))


def _beyond(name: str, found: Results) -> None:
    """What the paper does not have: the printed algorithm and ours beside each other."""
    rows = {"fig2b": _episodes_and_seconds, "fig3c": _errors_and_seconds}.get(name, lambda found: [])(found)
    if rows:
        with st.expander("The algorithm as printed and the signature gap, in numbers"):
            st.table(rows, border="horizontal", hide_index=True)
            st.caption("Seconds are medians over runs that were made two at a time.")


def _episodes_and_seconds(found: Results) -> list[dict]:
    printed, ours = ({x.horizon: x for x in by_horizon(found.line(name))} for name in (PRINTED, SIGNATURE))
    return [
        {
            "H": h,
            "n as printed": _number(printed[h]),
            "n, signature gap": _number(ours[h]),
            "fewer episodes": f"{printed[h].episodes / ours[h].episodes:.1f}×" if printed[h].solved else "—",
            "seconds as printed": f"{printed[h].seconds:.2f}",
            "seconds, signature gap": f"{ours[h].seconds:.2f}",
            "less time": f"{printed[h].seconds / ours[h].seconds:.1f}×",
        }
        for h in printed
        if h in ours
    ]


def _errors_and_seconds(found: Results) -> list[dict]:
    printed, ours = ({x.samples: x for x in errors(found.line(name))} for name in (PRINTED, SIGNATURE))
    return [
        {
            "N": f"{n:,}",
            "as printed: type 1 / type 2": _errors_in_words(printed[n]) if n in printed else "",
            "seconds as printed": f"{printed[n].seconds:,.0f}" if n in printed else "",
            "signature gap": _errors_in_words(ours[n]) if n in ours else "",
            "seeds without an error": f"{ours[n].exact} of {ours[n].seeds}" if n in ours else "",
            "seconds, signature gap": f"{ours[n].seconds:,.0f}" if n in ours else "",
        }
        for n in sorted({*printed, *ours})
    ]


def _number(x: Best) -> str:
    return f"{x.episodes:,.0f}" if x.episodes < float("inf") else "∞"


def _errors_in_words(x: Errors) -> str:
    ended = "" if x.whole else f" after {x.levels} time steps"
    return f"{x.type1:,.0f} / {x.type2:,.0f}{ended}"


def _provenance(found: Results) -> None:
    about, reduced = found.about, found.figure.reduced[found.scale]
    said = [f"**{FULL if found.scale == 'full' else QUICK}**"]
    if about["runs"]:
        seconds = about["seconds"]
        spent = f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 3600:.1f} h"
        said.append(f"{about['finished']} of {about['runs']} runs, {spent} of computing, {about['date']}, "
                    f"{about['machine']}, torch {', '.join(about['versions'].get('torch', ['–']))}")  # fmt: skip
    said.append(f"`{about['command']}`")
    if reduced:
        said.append(f"Less than in the paper: {reduced}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(said))
        if found.runs:
            st.download_button(
                "Runs (CSV)", lambda: results.as_text(found), f"{found.figure.name}.{found.scale}.csv", "text/csv",
                on_click="ignore", icon=":material/download:", key=f"csv-{found.figure.name}", width="content",
            )  # fmt: skip


@st.cache_resource(show_spinner=False, max_entries=2 * len(FIGURES))
def _committed(name: str, written: tuple[int, ...]) -> Told:
    found = results.read(FIGURES[name], "full")
    return _told(found) if found else Told(name, None, [(claim, finding(claim, {})) for claim in of_figure(name)])


def _told(found: Results) -> Told:
    name = found.figure.name
    return Told(name, found, [(claim, finding(claim, {name: found})) for claim in of_figure(name)])
