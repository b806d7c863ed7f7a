"""The counter-examples of the paper's appendix: what fails, why, a picture, and knobs that move it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ppe_core.config import Settings
from ppe_core.figures import counterexamples as figures
from ppe_core.theory.counterexamples.autoencoding import Autoencoding
from ppe_core.theory.counterexamples.bellman_rank import BellmanRank
from ppe_core.theory.counterexamples.bisimulation import Bisimulation
from ppe_core.theory.counterexamples.contrastive import ContrastiveLearning
from ppe_core.theory.counterexamples.exogenous_policy import Factorization, InverseModel
from ppe_core.theory.counterexamples.flambe import FactoredModel
from ppe_core.theory.counterexamples.inverse_dynamics import InverseDynamics
from ui import link, results, state
from ui.theory.knobs import knobs
from ui.theory.show_me import show_me

LAST_STATES = ("s₃a", "s₃b", "s₃c")
RANKED = (1, 2, 4, 8, 16, 32)  # numbers of exogenous states drawn beside the chosen one


class Example(NamedTuple):
    title: str
    place: str
    claim: str
    kind: type[Settings]
    draw: Callable[..., tuple[go.Figure, str, str]]  # a figure, it in words, and what is seen


def _inverse_dynamics(x: InverseDynamics) -> tuple[go.Figure, str, str]:
    parts = {"one step back": x.partition, "two steps back": x.two_step_partition}
    good = ", ".join(f"{name} {value:.3g}" for name, value in zip(LAST_STATES, x.two_steps_good))
    seen = (
        f"Looking one step back, {len(set(x.partition.tolist()))} abstract states are enough to tell every action: "
        f"such a decoder knows of **{x.decoding_accuracy:.1%}** of all pairs whether they are the same state, and "
        f"its cover reaches {x.coverage:.0%} of the states. Two steps back, the probability of the first good action "
        f"is {good}: **{len(set(x.two_step_partition.tolist()))}** states are told apart."
    )
    return figures.merged_states(parts, LAST_STATES), figures.describe_merged(parts, LAST_STATES), seen


def _contrastive(x: ContrastiveLearning) -> tuple[go.Figure, str, str]:
    title = "classes that contrastive learning keeps apart"
    seen = (
        f"**{x.num_classes}** classes for {x.states} endogenous states. "
        + ("Bits thrown anew at every step carry nothing over, so they drop out." if x.num_classes == x.states
           else "Bits that can be predicted from the ones before are part of what makes a transition look real.")
    )  # fmt: skip
    return figures.growth(x.growth, x.states, title), figures.describe_growth(x.growth, x.states, title), seen


def _bisimulation(x: Bisimulation) -> tuple[go.Figure, str, str]:
    shown = {"merged by bisimulation": x.blocks_of_places[:, 0]}
    seen = (
        f"**{x.num_blocks}** block{'s' * (x.num_blocks != 1)} for {len(x.places)} endogenous states: "
        + ("no reward has been seen, so nothing tells states apart." if x.num_blocks == 1
           else "the reward has been seen, and it reaches back through all time steps.")
    )  # fmt: skip
    return figures.merged_states(shown, x.names), figures.describe_merged(shown, x.names), seen


def _bellman(x: BellmanRank) -> tuple[go.Figure, str, str]:
    sizes = np.unique([*RANKED, x.exogenous])
    ranks = np.array([BellmanRank(x.horizon, int(d)).rank for d in sizes])
    errors = x.last_errors
    seen = (
        f"The errors at time H are I/d: rank **{x.rank}** with d = {x.exogenous}, though there are two endogenous "
        f"states a time step. Each policy π_i earns {x.returns[-1]:.3g}."
    )
    return figures.bellman_errors(errors, sizes, ranks), figures.describe_bellman(errors), seen


def _flambe(x: FactoredModel) -> tuple[go.Figure, str, str]:
    title = "features of the least factored model"
    seen = (
        f"**{x.dimension}** features are needed to write down all transitions of what is observed, "
        f"{x.endogenous_dimension} for the endogenous part alone."
    )
    small = x.endogenous_dimension
    return figures.growth(x.growth, small, title), figures.describe_growth(x.growth, small, title), seen


def _autoencoding(x: Autoencoding) -> tuple[go.Figure, str, str]:
    errors = {"keep the state": x.keep_state, "keep noise only": x.keep_noise}
    kept = "the state is among what is kept" if x.state_is_kept else "**the state is dropped** for noise"
    count = f"{x.code_bits} coordinate{'s' * (x.code_bits != 1)}"
    seen = f"The best choice of {count}: {kept}. What varies most is what is stored."
    return figures.reconstruction_errors(errors), figures.describe_reconstruction(errors), seen


def _factorization(x: Factorization) -> tuple[go.Figure, str, str]:
    seen = (
        f"The two tables differ by **{x.total_variation:.3g}** in total variation. Set both probabilities of the "
        "action to the same value, a policy that does not look, and they are equal: that is the factorization lemma."
    )
    tables = (x.joint, x.product, x.total_variation)
    return figures.joint_and_product(*tables), figures.describe_joint(*tables), seen


def _inverse_model(x: InverseModel) -> tuple[go.Figure, str, str]:
    on = x.inverse[1]  # given s' = 1: [ξ]
    names, groups = ["ξ = 0", "ξ = 1"], {"P(a = 1 | s' = 1, ξ)": np.asarray(on, float)}
    title = "probability of action 1"
    seen = (
        "Equal bars would mean that the exogenous bit does not matter to the inverse model. They are equal when the "
        "policy does not look at ξ. The paper prints their ratio as α/(1−α); with its policy they are 1 and 0."
    )
    return figures.probability_bars(groups, names, title), figures.describe_probabilities(groups, names, title), seen


EXAMPLES = {
    "inverse": Example(
        "Inverse dynamics merges too much", "appendix A, Failure of Inverse Dynamics",
        "Ask only which action led from one state to the next, and states that share no parent never have to be told "
        "apart. On the lock with H = 2 that may merge s₃a and s₃b, which is over-abstraction in the words of section "
        "3 (section 6, of the same two states, says under-abstraction). A question over several steps does not.",
        InverseDynamics, _inverse_dynamics,
    ),
    "contrastive": Example(
        "Contrastive learning keeps the noise", "appendix A, Failure of Contrastive Learning; what Homer learns",
        "To tell a real transition from an imposter, it helps to know the exogenous part: what can be predicted is "
        "kept, and the number of classes doubles with every bit. The paper proves it for an exogenous state that "
        "never changes (flip 0); bits that flip are ours. (In the printed definition the right denominator should "
        "read s′₂.)",
        ContrastiveLearning, _contrastive,
    ),
    "bisimulation": Example(
        "Bisimulation needs a reward", "appendix A, Failure of Bisimulation Metric",
        "States are merged that have the same rewards and lead to the same classes. Before exploration has seen a "
        "reward, that is one class: no help in exploring.",
        Bisimulation, _bisimulation,
    ),
    "bellman": Example(
        "The Bellman rank counts exogenous states",
        "appendix A, Bellman Rank Depends on the Exogenous State Cardinality",
        "Algorithms whose cost grows with the Bellman rank pay for every exogenous state, even if none matters.",
        BellmanRank, _bellman,
    ),
    "flambe": Example(
        "A factored model of everything grows", "appendix A, Failure of FLAMBE",
        "A low-rank model of all that is observed has to model the exogenous part as well. The paper says so in words; "
        "the world here is ours.",
        FactoredModel, _flambe,
    ),
    "autoencoder": Example(
        "An autoencoder stores what varies", "appendix A, Failure of auto-encoding approaches",
        "A short code that reconstructs best keeps what varies most, and that may be noise. The paper says so in "
        "words; the world here is ours, and codes are compared that keep some coordinates and drop the others. (A "
        "code of several bits that mixes coordinates can do better, and may show the state.)",
        Autoencoding, _autoencoding,
    ),
    "policy": Example(
        "A policy that looks breaks the factorization", "appendix B, Consequence of Endogenous Policy",
        "The endogenous bit is 1 at first, action 1 switches it off, and the policy may look at the exogenous bit ξ. "
        "Then s and ξ are no longer independent: PPE rolls in with open-loop paths for this reason.",
        Factorization, _factorization,
    ),
    "inverse-policy": Example(
        "… and the inverse model sees the noise", "appendix C, Inverse Dynamics Filters Exogenous State",
        "Action 1 leaves the bit on with probability 1 − α, action 0 with α. If the policy looks at ξ, then so does "
        "the best guess of the action.",
        InverseModel, _inverse_model,
    ),
}  # fmt: skip


def show() -> None:
    link.first_value(state.THEORY_EXAMPLE, "example", "inverse", _known)
    st.selectbox(
        "Counter-example", list(EXAMPLES), format_func=lambda name: EXAMPLES[name].title, key=state.THEORY_EXAMPLE,
        persist_state="session",
    )  # fmt: skip
    name = st.session_state[state.THEORY_EXAMPLE]
    link.write_page(example=name)
    example = EXAMPLES[name]
    st.markdown(f"{example.claim} *({example.place}.)*")
    chosen = knobs(example.kind, name)
    figure, words, seen = example.draw(chosen)
    st.markdown(seen)
    st.plotly_chart(figure, key=f"theory-{name}", config=results.PLOTLY, alt=words)
    show_me("PPE beside Homer and inverse dynamics", "A lock in the noise", "compare")


def _known(text: str) -> str:
    if text not in EXAMPLES:
        raise ValueError(f"{text[:60]!r} is not one of {', '.join(EXAMPLES)}")
    return text
