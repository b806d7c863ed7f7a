"""What the paper assumes and proves, each claim with its place, its formula and the numbers of the world chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ppe_core.config import RunConfig, Settings, option
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.sweeps import exact_of, infinite_data, states_a_step
from ppe_core.figures import theory as figures
from ppe_core.theory import bounds
from ppe_core.theory.oracle import Recovery
from ui import controls, jobs, presets, results, run_page, state
from ui.text import plain
from ui.theory.knobs import knobs

WORLDS_IN_MEMORY = 16
FAILURE = 0.1  # δ in the bounds of planning


def world() -> None:
    """The problem: what an EX-BMDP is, and the lemma that makes it solvable."""
    st.markdown(
        "An **EX-BMDP** (section 2) is a world whose hidden state has two parts. The *endogenous* state $s$ answers "
        "to the agent's actions; the *exogenous* state $\\xi$ moves by itself. The agent sees neither, only an "
        "observation $x$ that shows both at once, so richly that each $x$ belongs to one hidden state."
    )
    st.latex(r"T(s',\xi' \mid s,\xi,a) = T(s'\mid s,a)\,T_\xi(\xi'\mid\xi), \qquad x \sim q(\cdot\mid s,\xi)")
    st.markdown(
        "**The factorization lemma** (section 4). Follow a path, a fixed sequence of actions $\\upsilon$, without "
        "looking. Then the two parts are independent, and the exogenous one does not know which path was taken:"
    )
    st.latex(r"P_h(s,\xi\mid\upsilon) = P_h(s\mid\upsilon)\,P_h(\xi)")
    st.markdown(
        "So if two paths end in the same endogenous state, **their observations look the same to any classifier**, "
        "however much the noise varies. Paths that can be told apart end in different states. That is all PPE needs."
    )
    _show_me("the lock in the noise", "A lock in the noise", "explore")
    _show_me("a world from tables: a walk in the park", "A walk in the park", "model")


def classifier() -> None:
    """The Bayes classifier, the two gaps and the threshold; exact for the world of the sidebar, beside its run."""
    st.markdown(
        "PPE asks a classifier which of the paths $\\Upsilon$ led to an observation. The best possible answer "
        "depends on the endogenous state alone (section 4):"
    )
    st.latex(r"f^\star(\upsilon_i\mid x) = \frac{P(s\mid\upsilon_i)}{\sum_j P(s\mid\upsilon_j)}")
    st.markdown(
        "Two paths are compared by a **gap**: the paper's compares two outputs of the classifier over all "
        "observations, the signature gap two sources, the mean answers $m_i$ on the observations of either path:"
    )
    st.latex(
        r"\Delta^\star_{ij} = \mathbb{E}\,|f^\star(i\mid x)-f^\star(j\mid x)| = "
        r"\tfrac{1}{|\Upsilon|}\,\|P(\cdot|\upsilon_i)-P(\cdot|\upsilon_j)\|_1, \qquad "
        r"S^\star_{ij} = \tfrac{1}{|\Upsilon|}\,\|m_i-m_j\|_1 \le \Delta^\star_{ij}"
    )
    st.markdown(
        "With deterministic dynamics both are $2/|\\Upsilon|$ for different states and $0$ for the same. The threshold "
        "$\\tfrac58/|\\Upsilon|$ (algorithm 1) lies half way between the bands ⅜ and ⅞ in which estimates may lie."
    )
    config = controls.config()
    _exact_table(config)
    st.markdown(
        "**The exact gaps beside those of the run.** Every mark is a pair of paths; a perfect run is on the line."
    )
    run_page.show(_scatter)


def samples() -> None:
    """How many episodes theory asks for, and what is used."""
    st.markdown(
        "Algorithm 1 asks for this many episodes at each time step (line 3), where $|F|$ is the number of classifiers "
        "that are considered and $\\delta$ the probability of failure allowed:"
    )
    st.latex(r"N = 16\,|\Upsilon|^2\,\ln\frac{|F|\,|\Psi|\,A\,H}{\delta}")
    st.markdown(
        "The proof in appendix C wants a classifier within $1/(24|\\Upsilon|)$, and with the constants of its own "
        "steps that takes **1152** where the algorithm prints 16. Both are drawn; in practice far fewer episodes do."
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
    _show_me("what happens with too few", "Too few samples", "explore")


def planning() -> None:
    """From the recovered model to a policy: value iteration, PSDP, and what each may lose."""
    st.markdown(
        "**Value iteration** on the recovered graph gives a plan, actions that need no look. If the reward is "
        "endogenous and dynamics are nearly deterministic, the plan is nearly the best policy (appendix D). What it "
        "may lose is printed once with $6\\eta H^2$ and once with $6\\eta H^3$; what the proof adds up is $6\\eta "
        "H^2$."
    )
    st.markdown(
        "**PSDP** plans where the reward depends on what no plan can know. With PPE's cover it learns, from the "
        "last time step back to the first, which action pays for what is seen. It may lack $\\varepsilon + "
        "H^3\\eta$ to the best policy (appendix D)."
    )
    config, chosen = controls.config(), knobs(Accuracy, "planning")
    eta = getattr(config.environment, "eta", 0.0)
    world = (states_a_step(config), _actions(config), config.horizon)
    size, _, horizon = world
    rewards = bounds.vi_samples(*world, FAILURE, chosen.accuracy)
    lost = {
        "value iteration, printed with H²": (bounds.vi_loss(horizon, eta, chosen.accuracy, 2), rewards),
        "value iteration, printed with H³": (bounds.vi_loss(horizon, eta, chosen.accuracy, 3), rewards),
        "PSDP": (
            chosen.accuracy + horizon**3 * eta,
            bounds.psdp_samples(*world, chosen.log_policies, FAILURE, chosen.accuracy),
        ),
    }
    rows = [
        {"": name, "may lack": _number(loss), "episodes a time step": _number(episodes)}
        for name, (loss, episodes) in lost.items()
    ]
    st.table(rows, border="horizontal", hide_index=True)
    st.caption(f"For H = {horizon}, S = {size}, η = {eta:g}, with a probability of failure of {FAILURE:g}.")
    st.markdown(
        "**The lock with a light** pays for one last action when an exogenous light is on, and for another when it "
        "is off. Every plan earns half of what a policy that looks can earn. PPE finds the cover all the same; PSDP "
        "does the rest:"
    )
    st.code("python -m ppe_core psdp --env exo-lock --horizon 5 --seed 0", language="bash")
    _show_me("the lock with a light", "A reward in the noise", "explore")


@dataclass(frozen=True)
class Confidence(Settings):
    """What the sample size depends on beside the world."""

    log_functions: float = option(10.0, "ln |F|, the size of the class of classifiers", 0, 100)
    delta: float = option(0.1, "δ, the probability of failure", 0.001, 0.5)


@dataclass(frozen=True)
class Accuracy(Settings):
    """What the bounds of planning depend on beside the world."""

    accuracy: float = option(0.1, "ε, what may be lost to estimation", 0.01, 1)
    log_policies: float = option(10.0, "ln |Π|, the size of the class of policies", 0, 100)


def _exact_table(config: RunConfig) -> None:
    """PPE with infinite data, at once."""
    try:
        steps = _infinite_data(config.id, config)
    except ValueError as error:
        st.error(f"PPE with infinite data stops: {plain(str(error))}", icon=":material/block:")
        return
    exact = all(step.is_exact for step in steps)
    st.markdown(
        "**PPE with infinite data**, exact for the world of the sidebar, without a single sample: "
        f"{'every time step is recovered' if exact else 'not every time step is recovered, even so'}. Gaps are in "
        "units of 1/|Υ|; merged is what is at most the threshold."
    )
    rows = [_exact_row(step) for step in steps]
    st.dataframe(rows, hide_index=True, height=min(38 * (len(rows) + 1), 300), width="stretch")


def _exact_row(step: Recovery) -> dict[str, str | int]:
    level = step.level

    def ends(gap: np.ndarray) -> str:
        same, different = level.extremes(gap * level.num_paths)
        return f"{'–' if same is None else f'{same:.3f}'} | {'–' if different is None else f'{different:.3f}'}"

    return {
        "h": level.h, "paths |Υ|": level.num_paths, "states": len(step.cover),
        "recovered": "exactly" if step.is_exact else "✖ not exactly",
        "Δ*: same at most | different at least": ends(level.gap),
        "S*: same at most | different at least": ends(level.signature_gap),
        "Bayes cross-entropy": f"{level.bayes_cross_entropy:.4f}",
    }  # fmt: skip


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


@st.cache_resource(show_spinner=False, max_entries=WORLDS_IN_MEMORY)
def _infinite_data(run_id: str, _config: RunConfig) -> list[Recovery]:
    return infinite_data(_config)


def _actions(config: RunConfig) -> int:
    return config.environment.first_paths


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _show_me(what: str, preset: str, page: str) -> None:
    """Load a preset and open the page that shows it best."""
    if st.button(f"Show me: {what}", icon=":material/visibility:", on_click=presets.load, args=(preset,)):
        st.switch_page(f"pages/{page}.py")
