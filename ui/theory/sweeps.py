"""Theory against runs made now: errors as dynamics leave the deterministic, gaps as samples grow."""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig
from ppe_core.experiments.estimate import in_words
from ppe_core.experiments.infinite import infinite_data
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.sweeps import distance_to_exact, eta_of, largest_eta_of, margin_at, slope, varies_eta
from ppe_core.figures import sweeps as figures
from ppe_core.figures.theory import Margins, describe_margins, margin_bands
from ppe_core.metrics import median_interval
from ui import controls, jobs, results
from ui.theory.show_me import show_me

SEEDS = 5
ETAS = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0, 12.0)  # in units of 1/(4SH)
SIZES = (250, 500, 1000, 2000, 4000)
SIZES_SEEDS = 3
RUNS_IN_MEMORY = 400
MARGIN_POINTS = 24


def stochastic() -> None:
    """η: what the margin lemma promises, and what runs do beyond it."""
    st.markdown(
        "Dynamics need not be deterministic: PPE is proved for transitions within $\\eta \\le 1/(4SH)$ of "
        "deterministic ones in L1 distance (assumption 1). The **margin lemma** (appendix C) bounds the exact gap "
        "of paths to the same state by $\\eta h |S_h|/|\\Upsilon|$ and that of paths to different states from below "
        "by $2(1-2\\eta h)/|\\Upsilon|$. $|S_h|$ counts the states that time step $h$ can be in, those included that "
        "only chance leads to. The paper's $S$ counts all states of the world; the largest $|S_h|$ is enough for the "
        "lemma, and is the $S$ of this page."
    )
    config = controls.config()
    if reason := _nothing_to_vary(config):
        st.info(reason, icon=":material/info:")
    else:
        _vary_eta(config)
    show_me("errors that set in", "Not quite deterministic", "explore")


def _nothing_to_vary(config: RunConfig) -> str | None:
    if not varies_eta(config):
        return "The dynamics of this world are deterministic. Choose a lock or a world of tables."
    if (eta := eta_of(config.replace(eta=0))) > 0:
        own = hasattr(config.environment, "start_eta")
        return (
            f"Here η is varied from 0 on, but {'the start' if own else 'this world'} has chances of its own: however "
            f"the control stands, η is at least {eta:.3g}, where the theory allows {largest_eta_of(config):.3g}. "
            + (f"Set {controls.label('start_eta')} (under More) to 0." if own else "Choose a deterministic world.")
        )
    return None


def _vary_eta(config: RunConfig) -> None:
    limit = largest_eta_of(config)
    margins = _margins(config.replace(eta=0, seed=config.seed).id, config, limit)
    threshold = config.learner.threshold
    st.plotly_chart(
        margin_bands(margins, threshold), key="theory-margins", config=results.PLOTLY,
        alt=describe_margins(margins, threshold),
    )  # fmt: skip
    st.markdown(
        f"**And runs?** PPE with the settings of the sidebar and N = {config.samples:,}, at {len(ETAS)} values of η "
        f"up to {ETAS[-1]:g} times the limit, {SEEDS} seeds each. Points are medians, bars the whole range; it holds "
        "the true median with a probability of 94%."
    )
    etas = [min(round(share * limit, 5), 1.0) for share in ETAS]
    _sweep([config.replace(eta=eta, seed=seed) for eta in etas for seed in _seeds(config, SEEDS)],
           lambda runs: _draw_errors(config, runs, limit))  # fmt: skip


def convergence() -> None:
    """Measured gaps against exact ones as N grows."""
    st.markdown(
        "With more samples the classifier comes closer to $f^\\star$, and measured gaps with it to the exact ones. "
        "The `fast` recipe stops training as soon as it is clear which paths merge, so its gaps stop short of the "
        "exact ones whatever N is; **here classifiers are trained by the paper's recipe**, for up to 50 epochs, fewer "
        "only where 20 in a row bring no improvement. The signature gap then comes close quickly. **The paper's gap "
        "is much slower**: it takes in every error of the classifier at every observation, where the signature gap "
        "averages errors out first; and the number of epochs stays 50 whatever N is."
    )
    config = controls.config().replace(recipe="paper")
    if config.environment.name == "grid":
        st.info("On pictures this takes hours. Choose a lock or a world of tables.", icon=":material/info:")
        return
    st.markdown(
        f"The {'paper’s' if config.learner.gap == 'paper' else 'signature'} gap in the world of the sidebar, N from "
        f"{SIZES[0]} to {SIZES[-1]:,}, {SIZES_SEEDS} seeds each:"
    )
    _sweep([config.replace(samples=size, seed=seed) for size in SIZES for seed in _seeds(config, SIZES_SEEDS)],
           _draw_convergence)  # fmt: skip
    show_me("gaps of a run with N = 500", "A lock in the noise", "gaps")


def _sweep(configs: Sequence[RunConfig], draw: Callable[[list[RunRecord]], None]) -> None:
    """Runs of all configs: an offer to start them, how far they are, and a picture of those that are there."""
    if reason := jobs.refusal():
        st.error(f"The runs were not started: {reason}.", icon=":material/block:")
    jobs.watch(configs, lambda: _show(configs, draw))


def _show(configs: Sequence[RunConfig], draw: Callable[[list[RunRecord]], None]) -> None:
    statuses = jobs.pool().statuses(configs)
    done = [config for config in configs if statuses.get(config.id) == "done"]
    missing = [config for config in configs if statuses.get(config.id) != "done"]
    left, right = st.columns([4, 1], vertical_alignment="center")
    if running := jobs.under_way(missing):
        left.progress(len(done) / len(configs), f"{len(done)} of {len(configs)} runs finished")
        right.button("Cancel", icon=":material/stop_circle:", width="stretch", on_click=jobs.cancel, args=(running,))
    elif missing:
        time = in_words(jobs.pool().estimate_all(missing))
        left.info(f"{len(configs)} runs, {len(done)} of them stored already. The rest will take {time}.",
                  icon=":material/science:")  # fmt: skip
        right.button("Run them", type="primary", icon=":material/play_arrow:", width="stretch",
                     on_click=jobs.start, args=(missing,))  # fmt: skip
    records = [_measured(config.id, config) for config in done]
    if records:
        draw(records)


def _draw_errors(config: RunConfig, runs: list[RunRecord], limit: float) -> None:
    wrong: dict[float, list[float]] = {}
    missed: dict[float, list[float]] = {}
    for run in runs:
        eta = run.config.environment.eta
        wrong.setdefault(eta, []).append(run.errors[0])
        missed.setdefault(eta, []).append(run.errors[1])
    by_eta = [{eta: median_interval(values) for eta, values in errors.items()} for errors in (wrong, missed)]
    recovered = [eta for eta in sorted(wrong) if _is_exact(config.replace(eta=eta))]
    until = max(recovered) if recovered and len(recovered) < len(wrong) else None
    st.plotly_chart(
        figures.errors_by_eta(*by_eta, until, limit), key="theory-errors", config=results.PLOTLY,
        alt=figures.describe_errors(*by_eta, limit),
    )  # fmt: skip


def _draw_convergence(runs: list[RunRecord]) -> None:
    by_size: dict[int, list[float]] = {}
    for run in runs:
        by_size.setdefault(run.config.samples, []).append(_distance(run.config.id, run))
    distances = {size: median_interval(values) for size, values in sorted(by_size.items())}
    fitted = slope(list(distances), [middle for _, middle, _ in distances.values()]) if len(distances) > 1 else None
    st.plotly_chart(
        figures.convergence(distances, fitted), key="theory-convergence", config=results.PLOTLY,
        alt=figures.describe_convergence(distances, fitted),
    )  # fmt: skip
    if fitted is not None:
        st.markdown(f"The distance falls like N to the power **{fitted:.2f}**.")


def _seeds(config: RunConfig, count: int) -> range:
    return range(config.seed, config.seed + count)


def _is_exact(config: RunConfig) -> bool:
    try:
        return all(step.is_exact for step in infinite_data(config))
    except ValueError:  # so many missed merges that it was not followed to the end
        return False


@st.cache_resource(show_spinner=False, max_entries=RUNS_IN_MEMORY)
def _measured(run_id: str, _config: RunConfig) -> RunRecord:
    return jobs.whole_record(_config)()


@st.cache_data(show_spinner=False, max_entries=RUNS_IN_MEMORY)
def _distance(run_id: str, _record: RunRecord) -> float:
    return distance_to_exact(_record)


@st.cache_resource(show_spinner=False, max_entries=8)
def _margins(run_id: str, _config: RunConfig, limit: float) -> Margins:
    etas = np.linspace(0, min(3 * limit, 1.0), MARGIN_POINTS)
    bounds, exact = zip(*(margin_at(_config, float(eta)) for eta in etas))
    return Margins(
        eta=etas,
        same_at_most=np.array([band.same_at_most for band in bounds]),
        different_at_least=np.array([band.different_at_least for band in bounds]),
        largest_eta=limit,
        exact_same=np.array([band.same_at_most for band in exact]),
        exact_different=np.array([band.different_at_least for band in exact]),
    )
