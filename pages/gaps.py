"""Gaps: how PPE decides which paths to merge, and what another threshold would have done."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.what_if import FINE_STEP, GAPS, LARGEST_THRESHOLD, Changes, Partition, WhatIf, changes
from ppe_core.figures import gap_histogram, gap_matrix
from ui import controls, jobs, link, results, run_page
from ui.gap_words import GAP_NAMES, Words, number
from ui.text import plain

VIEWS = {**GAP_NAMES, "both": "Both"}
QUESTIONS = {
    "signature": "Do the observations of the two paths get the same predictions?",
    "paper": "Does the classifier give the two paths the same probability, whatever it sees?",
}
LEGEND = (
    "A cell is a pair of paths: blue when their gap is within the threshold, sand when it is not. A square on the "
    "diagonal is a recovered state; :red[✖] in a square is a wrong merge, :orange[◆] outside a missed one."
)
BOTH = f"The same classifier and the same data, asked two questions. {LEGEND}"
BANDS = (
    "Above: gaps of all pairs, and in grey where the paper's theory puts its own gap. "
    "Below: the errors that each threshold would make."
)
STYLE = """<style>
[class*="st-key-gap-"] :is(.xtick, .ytick, .cbaxis, .g-xtitle, .g-ytitle, .g-y2title, .annotation) text
{fill: currentColor !important}
</style>"""
LEVEL, VIEW, THRESHOLD = "gaps_level", "gaps_view", "gaps_threshold"
RUN_THRESHOLD = "gaps_run_threshold"  # the threshold of the run shown last: when it changes, the slider follows
PAIR = "gaps_pair"  # (run id, level, first path, second path)
IN_MEMORY = 32
MOST_NAMED = 6


def main() -> None:
    st.title("Two paths merge when a classifier can hardly tell them apart. How sure is it?", anchor=False)
    st.html(STYLE)
    _first_values(controls.config())
    run_page.show(draw)


@st.fragment
def draw(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    """A fragment: a moved threshold draws this part of the page only."""
    h, view, threshold = _choices(config)
    if h > len(levels):
        _say_missing(h, len(levels), record)
        return
    try:
        level = jobs.level(config, h)
    except Unusable as problem:
        st.error(plain(str(problem)))
        return
    words = Words(config, level)
    shown = {gap: _what_if(config.id, h, gap, config).at(threshold) for gap in (GAPS if view == "both" else (view,))}
    pair = _pair(config, h, next(iter(shown.values())))
    st.markdown(f":small[{BOTH if view == 'both' else LEGEND}]")
    for column, (gap, partition) in zip(st.columns(len(shown), gap="large"), shown.items()):
        with column:
            _panel(config, level, words, gap, partition, pair, side_by_side=view == "both")
    _explain_pair(config, level, words, threshold, pair)
    link.write_page(level=h, gaps=view, at=f"{threshold:g}")


def _choices(config: RunConfig) -> tuple[int, str, float]:
    _follow(config)
    columns = st.columns([2, 3, 4], gap="medium")
    if config.horizon > 1:
        columns[0].slider("Time step h", 1, config.horizon, key=LEVEL, persist_state="session")
    else:
        columns[0].markdown("Time step h = 1")
    columns[1].segmented_control(
        "Which gap", VIEWS, format_func=VIEWS.get, key=VIEW, required=True, persist_state="session",
        help="The paper compares two outputs of the classifier; the signature gap compares two sources "
        "of observations.",
    )  # fmt: skip
    columns[2].slider(
        "Threshold, in units of 1/|Υ|", 0.0, LARGEST_THRESHOLD, step=FINE_STEP, format="%g", key=THRESHOLD,
        persist_state="session",
        help="Paths within the threshold of a representative merge with it. Nothing is trained again. "
        "|Υ| is the number of paths; the paper's threshold is 5/8 = 0.625.",
    )  # fmt: skip
    return st.session_state[LEVEL], st.session_state[VIEW], st.session_state[THRESHOLD]


def _first_values(config: RunConfig) -> None:
    link.first_value(LEVEL, "level", config.horizon, _read_level)
    link.first_value(VIEW, "gaps", config.learner.gap, _read_view)
    link.first_value(THRESHOLD, "at", config.learner.threshold, _read_threshold)


def _follow(config: RunConfig) -> None:
    """Another run may have fewer time steps, and when its threshold is another, that is where to start."""
    before = st.session_state.setdefault(RUN_THRESHOLD, config.learner.threshold)
    if before != config.learner.threshold:
        st.session_state[THRESHOLD] = st.session_state[RUN_THRESHOLD] = config.learner.threshold
    st.session_state[LEVEL] = min(st.session_state[LEVEL], config.horizon)


def _read_level(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:4]) <= 200:
        raise ValueError(f"{text!r} is not a time step")
    return int(text[:4])


def _read_view(text: str) -> str:
    if text not in VIEWS:
        raise ValueError(f"{text!r} is not one of {', '.join(VIEWS)}")
    return text


def _read_threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0 <= value <= LARGEST_THRESHOLD:
        raise ValueError(f"{text!r} is not a number from 0 to {LARGEST_THRESHOLD:g}")
    return value


@st.cache_resource(show_spinner=False, max_entries=IN_MEMORY)
def _what_if(run_id: str, h: int, gap: str, _config: RunConfig) -> WhatIf:
    return WhatIf(jobs.level(_config, h), gap)


def _say_missing(h: int, done: int, record: RunRecord | None) -> None:
    reason = "the run stopped before it" if record else "it is not finished yet"
    text = f"There are no gaps of time step {h}: {reason}. "
    st.info(text + (f"Time steps 1 to {done} can be chosen." if done else ""), icon=":material/hourglass_empty:")


def _panel(
    config: RunConfig, level: LevelRecord, words: Words, gap: str, partition: Partition, pair: tuple[int, int],
    side_by_side: bool,
) -> None:  # fmt: skip
    left, right = (st.container(), st.container()) if side_by_side else st.columns(2, gap="medium")
    left.markdown(f"**{GAP_NAMES[gap]}.** {QUESTIONS[gap]}")
    with left if side_by_side else right:
        _numbers(level, partition)
    with left:
        _matrix(words, gap, partition, pair, (config.id, level.found.h))
    with right:
        _histogram(config, level, gap, partition)
    _changes(config, level, words, gap, partition)


def _numbers(level: LevelRecord, partition: Partition) -> None:
    """What this threshold makes of the time step, beside what the run made of it."""
    summary = level.summary()
    rows = (
        ("States", partition.states, summary["states_found"]),
        ("Wrong merges :red[✖]", partition.errors[0], summary["type1"]),
        ("Missed merges :orange[◆]", partition.errors[1], summary["type2"]),
    )
    with st.container(horizontal=True):
        for label, now, then in rows:
            true = f", truth {summary['states_true']}" if label == "States" else ""
            st.metric(label, f"{now:,}", f"run {then:,}{true}", delta_color="off", delta_arrow="off", width="content")


def _matrix(words: Words, gap: str, partition: Partition, pair: tuple[int, int], about: tuple[str, int]) -> None:
    key = f"gap-matrix-{gap}"
    order = gap_matrix.cluster_order(partition.survivor, partition.true).order
    st.plotly_chart(
        gap_matrix.gap_matrix(
            partition.gaps, partition.survivor, partition.true, partition.threshold, words.hover_names,
            words.short_states, pair,
        ),
        key=key, config=results.PLOTLY, on_select=partial(_take_click, key, order, about), selection_mode="points",
        alt=gap_matrix.describe(partition.gaps, partition.survivor, partition.threshold),
    )  # fmt: skip


def _histogram(config: RunConfig, level: LevelRecord, gap: str, partition: Partition) -> None:
    curve = _what_if(config.id, level.found.h, gap, config).curve
    errors = gap_histogram.Errors(curve.thresholds, curve.type1, curve.type2, curve.without_error)
    st.plotly_chart(
        gap_histogram.gap_histogram(
            partition.gaps, partition.true, partition.threshold, config.learner.threshold, errors
        ),
        key=f"gap-histogram-{gap}",
        config=results.PLOTLY,
        alt=gap_histogram.describe(partition.gaps, partition.true, partition.threshold, errors),
    )
    st.caption(BANDS)


def _changes(config: RunConfig, level: LevelRecord, words: Words, gap: str, partition: Partition) -> None:
    """Which merges are not those of the run, and the run that would have made them."""
    asked = config.replace(gap=gap, threshold=partition.threshold)
    if asked == config:
        st.caption("This is the gap and the threshold of the run. Move the threshold: nothing is trained again.")
        return
    changed = changes(level.found.survivor, partition.survivor)
    if changed.moves:
        st.markdown(
            f"**{changed.paths} of {len(level.found.paths)} paths change their state**: "
            f"{changed.joined:,} pairs join, {changed.parted:,} pairs part."
        )
        with st.expander("Which merges changed"):
            st.dataframe(_change_rows(words, changed), hide_index=True)
    else:
        st.markdown("Every merge of this time step is as in the run.")
    _offer_run(gap, asked, level.found.h)


def _change_rows(words: Words, changed: Changes) -> list[dict[str, object]]:
    return [
        {
            "paths": len(move.paths),
            "in the run with": words.paths[move.before],
            "now with": words.paths[move.after],
            "which": ", ".join(words.paths[path] for path in move.paths[:MOST_NAMED])
            + (" …" if len(move.paths) > MOST_NAMED else ""),
        }
        for move in changed.moves
    ]


def _offer_run(gap: str, asked: RunConfig, h: int) -> None:
    """What is said of one time step holds for it alone: the next ones would extend other paths."""
    if h < asked.horizon:
        later = f"{h + 1}" if h + 1 == asked.horizon else f"{h + 1} to {asked.horizon}"
        st.markdown(
            f":blue-badge[h = {h}: exact for this classifier] "
            f":gray-badge[:material/hourglass_empty: h = {later}: needs a re-run, other paths would be extended]"
        )
    pressed = st.button(
        f"Run with the {GAP_NAMES[gap].lower()} and threshold {asked.learner.threshold:g} "
        f"({in_words(jobs.pool().estimate(asked))})",
        key=f"gap-run-{gap}", icon=":material/play_arrow:", on_click=_start, args=(asked,),
    )  # fmt: skip
    if pressed:
        st.rerun()  # the whole page, not only this part


def _start(asked: RunConfig) -> None:
    controls.put(asked)
    controls.start()


def _take_click(key: str, order: np.ndarray, about: tuple[str, int]) -> None:
    """A click on a cell chooses its pair of paths."""
    if points := st.session_state[key].selection.points:
        row, column = (int(order[int(points[0][axis])]) for axis in ("y", "x"))
        st.session_state[PAIR] = (*about, *sorted((row, column)))


def _take_boxes(first: str, second: str, about: tuple[str, int]) -> None:
    st.session_state[PAIR] = (*about, st.session_state[first], st.session_state[second])


def _pair(config: RunConfig, h: int, partition: Partition) -> tuple[int, int]:
    """The pair that was clicked, or else the most doubtful one."""
    *about, first, second = st.session_state.get(PAIR, (None, None, 0, 0))
    if about == [config.id, h]:
        return first, second
    doubt = np.abs(partition.gaps - partition.threshold)
    np.fill_diagonal(doubt, np.inf)
    first, second = sorted(divmod(int(doubt.argmin()), len(doubt)))
    return first, second


def _explain_pair(config: RunConfig, level: LevelRecord, words: Words, threshold: float, pair: tuple[int, int]) -> None:
    """Everything about two paths: where they end, their gaps, and what decided."""
    about = (config.id, level.found.h)
    keys = tuple(f"gaps-{which}-{config.id}-{level.found.h}" for which in ("first", "second"))
    with st.container(border=True):
        st.markdown("**One pair of paths.** Click a cell of the matrix, or choose two paths.")
        for column, key, label, path in zip(st.columns(2), keys, ("First path", "Second path"), pair):
            st.session_state[key] = path
            column.selectbox(
                label, range(len(words.paths)), format_func=words.paths.__getitem__, key=key,
                on_change=_take_boxes, args=(*keys, about),
            )  # fmt: skip
            column.caption(f"ends in {words.state(path)}")
        if pair[0] == pair[1]:
            st.markdown("That is one and the same path.")
            return
        for gap in GAPS:
            partition = _what_if(*about, gap, config).at(threshold)
            st.markdown(f"- {GAP_NAMES[gap]} **{number(partition.gaps[pair])}**: {words.why(partition, *pair)}")


main()
