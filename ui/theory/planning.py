"""From the recovered model to a policy: value iteration, PSDP, what each may lose and what each loses here."""

from dataclasses import dataclass

import streamlit as st

from ppe_core.config import RunConfig, Settings, option
from ppe_core.experiments.sweeps import eta_of, has_exogenous_reward, largest_eta_of, states_a_step
from ppe_core.theory import bounds
from ui import controls
from ui.theory import live_plans
from ui.theory.knobs import knobs
from ui.theory.show_me import show_me

FAILURE = 0.1  # δ in the bounds
ROUNDING = 1e-9  # η of a world is a sum


@dataclass(frozen=True)
class Accuracy(Settings):
    """What the bounds of planning depend on beside the world."""

    accuracy: float = option(0.1, "ε, what may be lost to estimation", 0.01, 1)
    log_policies: float = option(10.0, "ln |Π|, the size of the class of policies", 0, 100)


@dataclass(frozen=True)
class Promise:
    """What theory says of one way to plan in the world at hand."""

    name: str
    loss: float
    episodes: float  # a time step
    applies: bool

    def row(self) -> dict[str, str]:
        if not self.applies:
            return {"": self.name, "may lack": "does not apply: exogenous reward", "episodes a time step": "–"}
        return {"": self.name, "may lack": _number(self.loss), "episodes a time step": _number(self.episodes)}


def show() -> None:
    st.markdown(
        "**Value iteration** on the recovered graph gives a plan, actions that need no look. If the reward is "
        "endogenous and dynamics are nearly deterministic, the plan is nearly the best policy (appendix D). What it "
        "may lose is printed once with $6\\eta H^2$ and once with $6\\eta H^3$; what the proof adds up is $6\\eta "
        "H^2$."
    )
    st.markdown(
        "**PSDP** plans where the reward depends on what no plan can know. With PPE's cover it learns, from the "
        "last time step back to the first, which action pays for what is seen. It may lack $\\varepsilon + "
        "H^3\\eta$ to the best policy (appendix D), if the class of policies $\\Pi$ it chooses from has a best answer "
        "to each of its own (**policy completeness**, the assumption made there)."
    )
    config, chosen = controls.config(), knobs(Accuracy, "planning")
    eta, limit = eta_of(config), largest_eta_of(config)
    by_square, _, psdp = promises = _promises(config, chosen, eta)
    st.table([promise.row() for promise in promises], border="horizontal", hide_index=True)
    st.caption(
        f"For H = {config.horizon}, {states_a_step(config)} states a time step, η = {eta:.3g}, rewards between 0 and "
        f"1, and a probability of failure of {FAILURE:g}."
    )
    proved = eta <= limit + ROUNDING
    if not proved:
        st.warning(
            f"η = {eta:.3g} is more than 1/(4SH) = {limit:.3g}. Beyond that PPE is not proved to find the cover, so "
            "none of these bounds is proved here.",
            icon=":material/warning:",
        )
    losses = {"plan": by_square.loss} if by_square.applies else {}
    live_plans.show(config, losses | {"psdp": psdp.loss} if proved else {})
    st.markdown(
        "**The lock with a light** pays for one last action when an exogenous light is on, and for another when it "
        "is off. No plan earns more than half of what a policy that looks can earn. PPE finds the cover all the "
        "same, and PSDP does the rest. On the command line:"
    )
    st.code("python -m ppe_core psdp --env exo-lock --horizon 5 --seed 0", language="bash")
    show_me("the lock with a light", "A reward in the noise", "explore")


def _promises(config: RunConfig, chosen: Accuracy, eta: float) -> list[Promise]:
    world = (states_a_step(config), config.environment.first_paths, config.horizon)
    rewards = bounds.vi_samples(*world, FAILURE, chosen.accuracy)
    endogenous = not has_exogenous_reward(config)
    vi = [
        Promise(name, bounds.vi_loss(config.horizon, eta, chosen.accuracy, exponent), rewards, endogenous)
        for name, exponent in (("value iteration, printed with H²", 2), ("value iteration, printed with H³", 3))
    ]
    searched = bounds.psdp_samples(*world, chosen.log_policies, FAILURE, chosen.accuracy)
    return [*vi, Promise("PSDP", chosen.accuracy + config.horizon**3 * eta, searched, True)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
