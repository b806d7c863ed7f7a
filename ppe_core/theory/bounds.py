"""What the paper promises, as numbers: margins, sample sizes and losses of planning.

Every function is a formula of the paper with its place beside it. S, A and H are the numbers of
endogenous states, actions and time steps, η (eta) the L1 distance of the endogenous dynamics from
deterministic ones, |Υ| the number of paths that are compared, h the number of actions in a path.
Function classes come in by the logarithm of their size. Where the paper has two versions of a
formula, both are here and say which is which.
"""

from math import log, sqrt
from typing import NamedTuple

THRESHOLD = 5 / 8  # algorithm 1, line 8: paths merge when their gap is at most this over |Υ|
PRINTED_CONSTANT = 16  # of the sample size, algorithm 1, line 3
PROOF_CONSTANT = 1152  # of the sample size that the proof's own steps need: 2 · 24²
PRINTED_VI_EXPONENTS = (2, 3)  # of H in the loss of value iteration, printed with either


class Bands(NamedTuple):
    """What keeps two kinds of pairs apart: gaps of the same state lie below, of different states above."""

    same_at_most: float
    different_at_least: float


def largest_eta(states: int, horizon: int) -> float:
    """1/(4SH): how far from deterministic the dynamics may be (section 5, assumption 1)."""
    return 1 / (4 * states * horizon)


def threshold(paths: int) -> float:
    """(5/8)/|Υ|: half way between the bands of the estimated gap (algorithm 1, line 8)."""
    return THRESHOLD / paths


def exact_margin(eta: float, h: int, states: int, paths: int) -> Bands:
    """ηh|S_h|/|Υ| and 2(1 - 2ηh)/|Υ|: the exact gap (appendix C, "Existence of Margin", first part).

    The paper's h counts the start as well. The smaller h holds too: only half of an L1 distance leaves a state.
    """
    return Bands(eta * h * states / paths, 2 * (1 - 2 * eta * h) / paths)


def exact_bands(paths: int) -> Bands:
    """¼ and 1, over |Υ|: the exact gap while η ≤ 1/(4SH) (the same lemma, second part)."""
    return Bands(1 / 4 / paths, 1 / paths)


def estimated_bands(paths: int) -> Bands:
    """⅜ and ⅞, over |Υ|: the gap of a classifier that is ⅛ off at most (appendix C, proof of claim 2)."""
    allowed = estimation_error(paths)
    exact = exact_bands(paths)
    return Bands(exact.same_at_most + allowed, exact.different_at_least - allowed)


def estimation_error(paths: int) -> float:
    """1/(8|Υ|): how far the estimated gap may be from the exact one (appendix C, proof of claim 2).

    A third of it is for averaging over N observations, a third for either classifier output.
    """
    return 3 / 24 / paths


def sample_size(
    paths: int, horizon: int, log_functions: float, delta: float, constant: float = PRINTED_CONSTANT
) -> float:
    """c |Υ|² ln(|F||Ψ|AH/δ), where |Ψ|A = |Υ|: episodes at one time step.

    c = 16 is printed (algorithm 1, line 3). The proof of claim 2 in appendix C wants a classifier
    within 1/(24|Υ|) in total variation, which the MLE theorem of appendix E gives for
    N = 2 · 24² |Υ|² ln(…), so c = 1152. That theorem bounds all outputs at once; the average over
    observations, with a union over functions and pairs of paths, needs at most half as many by Hoeffding.
    """
    _check_delta(delta)
    return constant * paths**2 * (log_functions + log(paths * horizon / delta))


def total_episodes(
    states: int, actions: int, horizon: int, log_functions: float, delta: float, constant: float = PRINTED_CONSTANT
) -> float:
    """c S²A²H ln(|F|SAH/δ): episodes of a whole run (section 5, theorem 1, with the constant written out)."""
    return horizon * sample_size(states * actions, horizon, log_functions, delta, constant)


def cover_slack(eta: float, h: int) -> float:
    """ηh: the α with which Ψ_h is an α-policy cover (appendix C, "Translating Policy Covers"; theorem 1 has ηH)."""
    return eta * h


def bandit_error(samples: int, actions: int, horizon: int, log_policies: float, delta: float) -> float:
    """4H √(A ln(2|Π|/δ)/N): what one step of PSDP may lose (appendix E, the contextual bandit lemma).

    Appendix D quotes it without the factor H; the returns it averages go up to H.
    """
    _check_delta(delta)
    return 4 * horizon * sqrt(actions * (log_policies + log(2 / delta)) / samples)


def psdp_loss(states: int, horizon: int, eta: float, error: float) -> float:
    """2SHε + H³η: what the policy of PSDP lacks to the best (appendix D, end of the proof of the PSDP theorem).

    ε is the error of one step, `bandit_error` with δ/H; the theorem calls the first summand ε.
    """
    return 2 * states * horizon * error + horizon**3 * eta


def psdp_samples(states: int, actions: int, horizon: int, log_policies: float, delta: float, accuracy: float) -> float:
    """64 S²AH⁴ ln(2|Π|H/δ)/ε²: episodes a time step after which PSDP lacks ε + H³η at most.

    The PSDP theorem of appendix D in its own order; its constant follows from the two functions above.
    (The theorem calls this the total, and its proof leaves out A.)
    """
    _check_delta(delta)
    return 64 * states**2 * actions * horizon**4 * (log_policies + log(2 * horizon / delta)) / accuracy**2


def vi_loss(horizon: int, eta: float, accuracy: float, exponent: int) -> float:
    """ε + 6ηH² or ε + 6ηH³: what value iteration on the deterministic model lacks to the best (appendix D).

    The proposition is printed with both exponents, its proof as well. What the proof adds up, H steps
    that are each 3ηH off for two policies, is 6ηH².
    """
    if exponent not in PRINTED_VI_EXPONENTS:
        raise ValueError(f"exponent: {exponent} is not one of {PRINTED_VI_EXPONENTS}, as printed")
    return accuracy + 6 * eta * horizon**exponent


def vi_samples(states: int, actions: int, horizon: int, delta: float, accuracy: float) -> float:
    """2SAH² ln(2SAH/δ)/ε²: episodes a time step for the reward of every state and action (appendix D, VI's first step).

    Hoeffding with rewards in [0, 1], each to within ε/(2H), and an episode tells one of a time step's SA rewards.
    (The proposition calls this the total.)
    """
    _check_delta(delta)
    rewards = states * actions  # of a time step
    return rewards * 2 * horizon**2 * log(2 * rewards * horizon / delta) / accuracy**2


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"delta: {delta} is outside the allowed range, more than 0 and less than 1")
