"""What the paper assumes and proves, each claim with its place, its formula and the numbers of the world chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig, Settings, option
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.sweeps import exact_of, states_a_step
from ppe_core.figures import theory as figures
from ppe_core.theory import bounds
from ui import controls, jobs, results, run_page, state
from ui.theory import infinite
from ui.theory.knobs import knobs
from ui.theory.show_me import show_me


def world() -> None:
    """The problem: what an EX-BMDP is, and the lemma that makes it solvable."""
    st.markdown(
        "An **EX-BMDP** (section 2) is a world whose hidden state has two parts. The *endogenous* state $s$ answers "
        "to the agent's actions; the *exogenous* state $\\xi$ moves by itself. The agent sees neither, only an "
        "observation $x$ that shows both at once, so richly that each $x$ belongs to one hidden state."
    )
    st.latex(r"T(s',\xi' \mid s,\xi,a) = T(s'\mid s,a)\,T_\xi(\xi'\mid\xi)")
    st.latex(r"x \sim q(\cdot\mid s,\xi)")
    st.markdown(
        "**The factorization lemma** (section 5, equation 1; its heart is the proposition *Consequence of Endogenous "
        "Policy* of appendix B). Follow a path, a fixed sequence of actions $\\upsilon$, without looking. Then the two "
        "parts are independent, and the exogenous one does not know which path was taken:"
    )
    st.latex(r"P_h(x\mid\upsilon) = q(x\mid s,\xi)\,P_h(s\mid\upsilon)\,P_h(\xi)")
    st.markdown(
        "So if two paths end in the same endogenous state, **their observations look the same to any classifier**, "
        "however much the noise varies. Paths that can be told apart end in different states. That is all PPE needs."
    )
    show_me("the lock in the noise", "A lock in the noise", "explore")
    show_me("a world from tables: a walk in the park", "A walk in the park", "model")


def classifier() -> None:
    """The Bayes classifier, the two gaps and the threshold; exact for the world of the sidebar, beside its run."""
    st.markdown(
        "PPE asks a classifier which of the paths $\\Upsilon$ led to an observation. The best possible answer "
        "depends on the endogenous state alone (section 5, *Why does PPE work?*, and assumption 2):"
    )
    st.latex(r"f^\star(\upsilon_i\mid x) = \frac{P(s\mid\upsilon_i)}{\sum_j P(s\mid\upsilon_j)}")
    st.markdown(
        "Two paths are compared by a **gap**: the paper's compares two outputs of the classifier over all "
        "observations, the signature gap two sources, the mean answers $m_i$ on the observations of either path:"
    )
    st.latex(
        r"\begin{aligned}\Delta^\star_{ij} &= \mathbb{E}\,|f^\star(i\mid x)-f^\star(j\mid x)| \\ "
        r"&= \tfrac{1}{|\Upsilon|}\,\|P(\cdot|\upsilon_i)-P(\cdot|\upsilon_j)\|_1 \\ "
        r"S^\star_{ij} &= \tfrac{1}{|\Upsilon|}\,\|m_i-m_j\|_1 \le \Delta^\star_{ij}\end{aligned}"
    )
    st.markdown(
        "With deterministic dynamics both are $2/|\\Upsilon|$ for different states and $0$ for the same. The threshold "
        "$\\tfrac58/|\\Upsilon|$ (algorithm 1) lies half way between what estimates may come to (appendix C): at most "
        "$\\tfrac38/|\\Upsilon|$ for the same state, at least $\\tfrac78/|\\Upsilon|$ for different ones."
    )
    st.markdown(
        "**The exact gaps beside those of the run.** Every mark is a pair of paths; a perfect run is on the line."
    )
    run_page.show(_scatter)
    infinite.entry()
    show_me("where the two gaps part", "Paper gap against signature gap", "gaps")


def samples() -> None:
    """How many episodes theory asks for, and what is used."""
    st.markdown(
        "Algorithm 1 asks for this many episodes at each time step (line 3), where $|F|$ is the number of classifiers "
        "that are considered and $\\delta$ the probability of failure allowed. It is assumed that they include the "
        "Bayes classifier of every set of paths that may come up (**realizability**, assumption 2):"
    )
    st.latex(r"N = 16\,|\Upsilon|^2\,\ln\frac{|F|\,|\Psi|\,A\,H}{\delta}")
    st.markdown(
        "The proof in appendix C wants a classifier within $1/(24|\\Upsilon|)$, and with the constants of its own "
        "steps that takes **1152** where the algorithm prints 16. Both are drawn; in practice far fewer episodes do."
    )
    st.markdown(
        "**What they buy** (theorem 1): with probability $1-\\delta$, every $\\Psi_h$ that PPE returns is an "
        "$\\eta H$-policy cover and has at most $S$ paths. That is, each state is reached by one of these paths with "
        "a probability that no policy exceeds by more than $\\eta H$; with deterministic dynamics, for sure."
    )
    config = controls.config()
    chosen = knobs(Confidence, "samples")
    paths = states_a_step(config) * _actions(config)
    sizes = np.unique(np.geomspace(4, max(1000, paths), 40).astype(int))
    constants = {"as printed, 16": bounds.PRINTED_CONSTANT, "the proof's, 1152": bounds.PROOF_CONSTANT}
    sure = (config.horizon, chosen.log_functions, chosen.delta)
    lines = {
        name: np.array([bounds.sample_size(int(size), *sure, constant) for size in sizes])
        for name, constant in constants.items()
    }
    used = (paths, config.samples)
    st.plotly_chart(
        figures.sample_sizes("|Υ|", sizes, lines, used), key="theory-samples", config=results.PLOTLY,
        alt=figures.describe_samples("|Υ|", sizes, lines, used),
    )  # fmt: skip
    printed, proof = (
        bounds.total_episodes(states_a_step(config), _actions(config), *sure, constant)
        for constant in constants.values()
    )
    st.markdown(
        f"For the world of the sidebar, **all time steps together** (theorem 1): {printed:,.0f} episodes as printed, "
        f"{proof:,.0f} with the proof's constants, **{config.samples * config.horizon:,}** in use."
    )
    show_me("what happens with too few", "Too few samples", "explore")


@dataclass(frozen=True)
class Confidence(Settings):
    """What the sample size depends on beside the world."""

    log_functions: float = option(10.0, "ln |F|, the size of the class of classifiers", 0, 100)
    delta: float = option(0.1, "δ, the probability of failure", 0.001, 0.5)


def _scatter(config: RunConfig, levels: Sequence[LevelRecord], record: RunRecord | None) -> None:
    if not levels:
        return
    if record:
        results.status(record)
    last = len(levels)
    st.session_state[state.THEORY_LEVEL] = min(max(st.session_state.get(state.THEORY_LEVEL, last), 1), last)
    if last > 1:
        st.slider("Time step", 1, last, key=state.THEORY_LEVEL)
    found = jobs.level(config, st.session_state[state.THEORY_LEVEL]).found
    exact = exact_of(config, found.paths)
    is_paper = config.learner.gap == "paper"
    wanted, measured = (exact.gap, found.paper_gap) if is_paper else (exact.signature_gap, found.signature_gap)
    scale = exact.num_paths
    shown = (wanted * scale, measured.astype(float) * scale, exact.true_states, config.learner.threshold)
    st.plotly_chart(
        figures.gap_scatter(*shown), key="theory-gaps", config=results.PLOTLY, alt=figures.describe_gaps(*shown)
    )


def _actions(config: RunConfig) -> int:
    return config.environment.first_paths
