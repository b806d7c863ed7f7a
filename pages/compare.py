"""Compare: PPE beside the learners that fail where it succeeds, on the same world and seeds."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from ppe_core.config import LEARNERS, RunConfig
from ppe_core.experiments.comparison import (
    CONTENDERS,
    Comparison,
    Result,
    as_row,
    in_words,
    is_quiet,
    last_states,
    over_seeds,
    result,
)
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.estimate import in_words as time_in_words
from ppe_core.experiments.study import as_csv
from ppe_core.figures import compare as figures
from ppe_core.figures.compare import Score
from ppe_core.figures.palette import state_name
from ui import controls, fields, jobs, link, results, state
from ui.text import plain

FIRST = ("ppe", "homer", "id")
MOST_SEEDS, MOST_SIZES = 10, 6
RESULTS_IN_MEMORY = 200
KEY_TO_FIGURES = (
    "Points are medians over the seeds, bars their 95% intervals. Filled: with exogenous noise; "
    "hollow and dotted: without."
)
# Axes, titles and the numbers in light cells are as dark as text.
STYLE = """<style>
[class*="st-key-compare-"] :is(.xtick, .ytick, .g-xtitle, .g-ytitle, .annotation, .legendtext) text,
.st-key-compare-partitions text[style*="94, 104, 121"] {fill: currentColor !important}
</style>"""


def main() -> None:
    st.html(STYLE)
    st.title("The same world, other learners: who sees through the noise?", anchor=False)
    st.caption(
        "World, horizon and first seed are those of the sidebar; each learner gets the same N at every time step."
    )
    comparison = _form()
    controls.show_link_problems()
    if reason := jobs.refusal():
        st.error(f"The comparison was not started: {plain(reason)}.", icon=":material/block:")
    if comparison:
        jobs.watch(comparison.configs(), lambda: _show(comparison))


def _form() -> Comparison | None:
    """What to compare; kept in the session and in the link."""
    base = controls.config()
    able = [name for name in CONTENDERS if base.environment.name in LEARNERS[name].environments]
    link.first_value(state.COMPARE_LEARNERS, "learners", list(FIRST), lambda text: _known(text.split(","), able))
    link.first_value(state.COMPARE_SIZES, "sizes", "", lambda text: text[:60])
    link.first_value(state.COMPARE_SEEDS, "repeats", 3, _repeats)
    link.first_value(state.COMPARE_QUIET, "quiet", False, lambda text: text == "True")
    st.session_state[state.COMPARE_LEARNERS] = [x for x in st.session_state[state.COMPARE_LEARNERS] if x in able]
    st.pills(
        "Learners", able, selection_mode="multi", format_func=lambda name: CONTENDERS[name].title,
        key=state.COMPARE_LEARNERS, persist_state="session", label_visibility="collapsed",
    )  # fmt: skip
    columns = st.columns([3, 2, 3], vertical_alignment="bottom")
    columns[0].text_input(
        "Sample sizes", key=state.COMPARE_SIZES, placeholder=f"{base.samples}, as in the sidebar", max_chars=60,
        help="Several, separated by commas, draw decoding accuracy against N.", persist_state="session",
    )  # fmt: skip
    columns[1].number_input("Seeds", 1, MOST_SEEDS, key=state.COMPARE_SEEDS, persist_state="session")
    columns[2].toggle(
        "Without exogenous noise, too", key=state.COMPARE_QUIET, persist_state="session",
        help="Each run once more in the same world without distracting bits or distractor.",
    )  # fmt: skip
    chosen = [name for name in CONTENDERS if name in st.session_state[state.COMPARE_LEARNERS]]
    link.write_page(
        learners=",".join(chosen), sizes=st.session_state[state.COMPARE_SIZES],
        repeats=st.session_state[state.COMPARE_SEEDS], quiet=st.session_state[state.COMPARE_QUIET],
    )  # fmt: skip
    try:
        return _comparison(base, chosen)
    except ValueError as error:
        st.error(f"This cannot be compared yet: {plain(str(error))}", icon=":material/edit:")
        return None


def _comparison(base: RunConfig, chosen: Sequence[str]) -> Comparison:
    if not chosen:
        raise ValueError("choose at least one learner")
    texts = [text for part in st.session_state[state.COMPARE_SIZES].split(",") if (text := part.strip())]
    if len(texts) > MOST_SIZES:
        raise ValueError(f"sample sizes: {len(texts)} are more than the {MOST_SIZES} that this page draws")
    sizes = {base.replace(samples=text).samples for text in texts} or {base.samples}
    seeds = tuple(range(base.seed, base.seed + st.session_state[state.COMPARE_SEEDS]))
    found = Comparison(base, tuple(chosen), tuple(sorted(sizes)), seeds, st.session_state[state.COMPARE_QUIET])
    fields.check_page_ranges([base.replace(samples=size) for size in sizes])
    found.configs()  # each of them valid
    return found


def _show(comparison: Comparison) -> None:
    """The comparison as far as it has come."""
    configs = comparison.configs()
    statuses = jobs.pool().statuses(configs)
    found = [x for config in configs if statuses.get(config.id) == "done" and (x := _result(config.id, config))]
    missing = [config for config in configs if statuses.get(config.id) != "done"]
    running = jobs.under_way(missing)
    if running:
        left, right = st.columns([5, 1], vertical_alignment="center")
        time_left = time_in_words(jobs.pool().estimate_all(running))
        left.progress(len(found) / len(configs), f"{len(found)} of {len(configs)} runs finished, {time_left} left")
        right.button("Cancel", icon=":material/stop_circle:", width="stretch", on_click=jobs.cancel, args=(running,))
    elif missing:
        _offer(configs, missing)
    if found:
        _pictures(comparison, found)


def _offer(configs: Sequence[RunConfig], missing: Sequence[RunConfig]) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    stored = len(configs) - len(missing)
    left.info(
        f"{len(configs)} runs, {stored} of them stored already. The rest will take "
        f"{time_in_words(jobs.pool().estimate_all(missing))} with {jobs.pool().pool.width()} workers.",
        icon=":material/balance:",
    )
    right.button(
        "Compare them" if not stored else f"Run the {len(missing)} missing runs", type="primary", width="stretch",
        icon=":material/play_arrow:", on_click=jobs.start, args=(list(missing),),
    )  # fmt: skip
    statuses = jobs.pool().statuses(missing)
    if failed := [config for config in missing if statuses.get(config.id) == "failed"]:
        reason = jobs.pool().failure(failed[0]).strip().splitlines()[-1]
        st.error(f"{len(failed)} runs failed, the first because: {plain(reason)}", icon=":material/error:")


@st.cache_resource(show_spinner=False, max_entries=RESULTS_IN_MEMORY)
def _result(run_id: str, _config: RunConfig) -> Result | None:
    try:
        record = jobs.pool().store.record(_config)
    except Unusable:
        return None
    return result(record) if record else None


def _pictures(comparison: Comparison, found: Sequence[Result]) -> None:
    titles = [CONTENDERS[name].title for name in comparison.learners]
    accuracies = _scores(found, lambda x: x.accuracy)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Do two observations show the same state?** How often the decoder knows.")
        if accuracies:
            many = len(comparison.samples) > 1
            figure = (
                figures.accuracy_lines(accuracies, titles) if many
                else figures.rows(accuracies, titles, "decoding accuracy at the last time step", share=True)
            )  # fmt: skip
            st.plotly_chart(figure, key="compare-accuracy", config=results.PLOTLY, alt=_alt("Accuracy", accuracies))
    regrets = _scores(found, lambda x: math.inf if x.half_regret_episodes is None else x.half_regret_episodes)
    with right:
        st.markdown("**Episodes until half of what could have been earned was earned.** Fewer are better.")
        largest = [score for score in regrets if score.samples == max(comparison.samples)]
        st.plotly_chart(
            figures.rows(largest, titles, "episodes to half regret"), key="compare-regret", config=results.PLOTLY,
            alt=_alt("Episodes to half regret", largest),
        )  # fmt: skip
    st.caption(KEY_TO_FIGURES)
    _partitions(comparison, found)
    _curves(comparison, found, titles)
    _table(comparison, found)


def _partitions(comparison: Comparison, found: Sequence[Result]) -> None:
    """What each decoder calls each true state, of the first seed and the largest N, in the noisy world."""
    size, seed = max(comparison.samples), comparison.seeds[0]
    shown = {
        CONTENDERS[x.learner].title: x.confusions[-1]
        for x in found
        if x.confusions and (x.config.samples, x.config.seed) == (size, seed)
        and is_quiet(x.config) == is_quiet(comparison.base)
    }  # fmt: skip
    if not shown:
        return
    base, h = comparison.base, comparison.base.horizon
    given = results.names(base)[0] if not results.is_grid(base) else ()
    names = [state_name(base.environment.name, s, given).partition(":")[0] for s in last_states(base)]
    st.markdown(f"**What each calls the true states** of time step {h}. Every row should have a column of its own.")
    st.plotly_chart(figures.partitions(shown, names), key="compare-partitions", config=results.PLOTLY,
                    alt="; ".join(f"{title} {in_words(table, names)}" for title, table in shown.items()))  # fmt: skip
    st.markdown("\n".join(f"- **{title}** {in_words(table, names)}." for title, table in shown.items()))


def _curves(comparison: Comparison, found: Sequence[Result], titles: Sequence[str]) -> None:
    size = max(comparison.samples)
    curves = {
        CONTENDERS[name].title: [
            x.curve for x in found
            if x.learner == name and x.config.samples == size and is_quiet(x.config) == is_quiet(comparison.base)
        ]
        for name in comparison.learners
    }  # fmt: skip
    st.markdown("**What they earn while they learn**, a line a seed. PPE and the abstractions explore until the end.")
    st.plotly_chart(
        figures.learning_curves({name: runs for name, runs in curves.items() if runs}, titles), key="compare-curves",
        config=results.PLOTLY, alt="Mean return against episodes for each learner and seed.",
    )  # fmt: skip


def _table(comparison: Comparison, found: Sequence[Result]) -> None:
    rows = []
    for name in comparison.learners:
        runs = [x for x in found if x.learner == name]
        if runs:
            accuracy = [x.accuracy for x in runs if x.accuracy is not None]
            rows.append(
                {
                    "learner": CONTENDERS[name].title,
                    "idea": CONTENDERS[name].idea,
                    "decoding accuracy": f"{np.median(accuracy):.1%}" if accuracy else "no decoder",
                    "solved": f"{sum(x.value >= 0.95 * x.optimal_value for x in runs)} of {len(runs)}",
                    "seconds a run": f"{np.median([x.seconds for x in runs]):.2f}",
                    "how it was tuned": CONTENDERS[name].tuning,
                }
            )
    st.table(rows, border="horizontal", hide_index=True)
    st.download_button(
        "All runs (CSV)", lambda: as_csv([as_row(x) for x in found]), "comparison.csv", "text/csv", on_click="ignore",
        icon=":material/download:",
    )  # fmt: skip


def _scores(found: Sequence[Result], measure: Callable[[Result], float | None]) -> list[Score]:
    return [Score(CONTENDERS[learner].title, *rest) for learner, *rest in over_seeds(found, measure)]


def _alt(what: str, scores: Sequence[Score]) -> str:
    said = ", ".join(f"{s.learner} {s.middle:.3g}{' without exogenous noise' * s.quiet}" for s in scores)
    return f"{what}, medians over seeds: {said}."


def _known(names: Sequence[str], able: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name not in able]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(able)}")
    return list(names)


def _repeats(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:4]) <= MOST_SEEDS:
        raise ValueError(f"{text!r} is not a number of seeds from 1 to {MOST_SEEDS}")
    return int(text[:4])


main()
