"""Closed forms 8 to 12, each against what is computed from the constructed model."""

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ppe_core.config import Settings, option_fields
from ppe_core.theory.counterexamples.autoencoding import Autoencoding
from ppe_core.theory.counterexamples.bellman_rank import BAD, BellmanRank
from ppe_core.theory.counterexamples.bisimulation import Bisimulation, coarsest_bisimulation
from ppe_core.theory.counterexamples.contrastive import (
    ContrastiveLearning,
    backward_distributions,
    inseparable_classes,
)
from ppe_core.theory.counterexamples.exogenous_policy import Factorization, InverseModel
from ppe_core.theory.counterexamples.flambe import FactoredModel
from ppe_core.theory.counterexamples.inverse_dynamics import InverseDynamics, coarsest_partition
from ppe_core.theory.counterexamples.worlds import flipping_bits, ring, with_exogenous

EXAMPLES = [Autoencoding, BellmanRank, Bisimulation, ContrastiveLearning, Factorization, FactoredModel, InverseDynamics,
            InverseModel]  # fmt: skip
chances = st.floats(0, 1)
hundredths = st.integers(0, 100).map(lambda n: n / 100)
exactly = settings(max_examples=60, deadline=None)


def quantities(example: Settings) -> dict[str, object]:
    """Everything an example has to say."""
    names = {name for kind in type(example).__mro__ for name, value in vars(kind).items()
             if hasattr(value, "__get__") and not callable(value) and not name.startswith("_")}  # fmt: skip
    return {name: getattr(example, name) for name in names if name not in {f.name for f in dataclasses.fields(example)}}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_knobs_are_documented_and_range_checked(kind: type[Settings]) -> None:
    for item in option_fields(kind):
        assert item.metadata["help"]
        for beyond in (item.metadata["low"] - 1, item.metadata["high"] + 1):
            with pytest.raises(ValueError, match=rf"{item.name}: .* allowed range"):
                kind(**{item.name: beyond})


@pytest.mark.parametrize("kind", EXAMPLES)
@pytest.mark.parametrize("end", ["low", "high"])
def test_everything_can_be_computed_at_either_end_of_the_knobs(kind: type[Settings], end: str) -> None:
    assert quantities(kind(**{item.name: item.metadata[end] for item in option_fields(kind)}))


# --- inverse dynamics: closed form 8 ---


@pytest.mark.parametrize("actions", range(3, 51))
def test_inverse_dynamics_merges_a_and_b_and_two_steps_tell_them_apart(actions: int) -> None:
    example = InverseDynamics(actions)
    assert example.partition.tolist() == [0, 0, 1]
    assert example.decoding_accuracy == pytest.approx(7 / 9)
    assert example.coverage == pytest.approx(2 / 3)
    lost = Fraction(actions - 1, actions**2 - 2)
    assert example.two_steps_good == pytest.approx([1, 0, float(lost)])
    assert example.two_step_partition.tolist() == [0, 1, 2]
    if actions == 10:
        assert lost == Fraction(9, 98)


def test_inverse_probabilities_are_those_of_simulated_actions() -> None:
    example, rng = InverseDynamics(3, eta=0.4), np.random.default_rng(0)
    taken, states = rng.integers(3, size=(2, 200_000)), np.zeros(200_000, int)
    for step in range(2):
        states = example._lock.move(step, states, taken[step], rng)
    for state in range(3):
        seen = np.bincount(taken[0][states == state], minlength=3) / (states == state).sum()
        assert seen == pytest.approx(example.two_steps[:, state], abs=0.01)


@exactly
@given(st.integers(3, 50), st.floats(0.01, 0.5))
def test_common_parents_are_enough_for_inverse_dynamics(actions: int, eta: float) -> None:
    example = InverseDynamics(actions, eta)
    assert not np.isnan(example.one_step).any()
    assert (example.partition.tolist(), example.decoding_accuracy, example.coverage) == ([0, 1, 2], 1, 1)


def test_the_coarsest_partition_looks_at_all_pairs_of_a_block() -> None:
    """0 agrees with 1 and 1 with 2, but 0 does not agree with 2; merging 1 greedily with 0 leaves 2 with 3."""
    agree = np.eye(4, dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 3)]:
        agree[i, j] = agree[j, i] = True
    assert coarsest_partition(agree).tolist() == [0, 0, 1, 1]
    agree[0, 3] = agree[3, 0] = True  # a ring: 0 with 3 and 1 with 2 would do as well, all in one block would not
    assert coarsest_partition(agree).max() == 1


# --- contrastive learning: closed form 9 ---


@exactly
@given(st.integers(1, 6), st.integers(0, 5), hundredths)
def test_every_predictable_exogenous_state_is_a_class(states: int, bits: int, flip: float) -> None:
    example = ContrastiveLearning(states, bits, flip)
    expected = states if flip == 0.5 else states * 2**bits
    assert example.num_classes == expected
    assert example.growth.tolist() == [states if flip == 0.5 else states * 2**d for d in range(bits + 1)]


def test_bits_thrown_anew_disappear_and_nothing_else() -> None:
    example = ContrastiveLearning(states=4, bits=3, flip=0.5)
    assert np.array_equal(example.classes.reshape(4, 8), np.tile(example.classes[::8, None], 8))
    assert len(set(example.classes[::8])) == 4


@exactly
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 2), st.sampled_from([0.0, 0.2, 0.5]))
def test_no_distribution_tells_a_class_apart(seed: int, states: int, bits: int, flip: float) -> None:
    """The definition, for another u than the one that is computed with."""
    transitions = ContrastiveLearning(states, bits, flip).transitions(bits)
    before = np.random.default_rng(seed).dirichlet(np.ones(transitions[..., 0].size)).reshape(transitions.shape[:2])
    backward, classes = backward_distributions(transitions, before), inseparable_classes(transitions)
    for i, j in itertools.combinations(range(len(classes)), 2):
        assert np.allclose(backward[i], backward[j], atol=1e-12) == (classes[i] == classes[j])


# --- FLAMBE ---


@exactly
@given(st.integers(1, 6), st.integers(0, 5), hundredths)
def test_features_of_all_that_is_seen_grow_with_the_exogenous_states(states: int, bits: int, flip: float) -> None:
    example = FactoredModel(states, bits, flip)
    each = 1 if flip == 0.5 else 2
    assert example.growth.tolist() == [states * each**d for d in range(bits + 1)]
    assert (example.dimension, example.endogenous_dimension) == (states * each**bits, states)


@exactly
@given(st.integers(1, 5), st.integers(0, 3), hundredths)
def test_the_dimension_is_the_rank_of_the_whole_matrix(states: int, bits: int, flip: float) -> None:
    example = FactoredModel(states, bits, flip)
    whole = example.transitions(bits).reshape(-1, states * 2**bits)
    assert example.dimension == np.linalg.matrix_rank(whole)


@exactly
@given(st.integers(1, 4), st.integers(0, 3), chances)
def test_shared_worlds_are_exogenous_block_mdps(states: int, bits: int, flip: float) -> None:
    exogenous = flipping_bits(bits, flip)
    latent = with_exogenous(ring(states), exogenous)
    assert np.allclose(latent.sum(-1), 1)
    apart = latent.reshape(states, 2**bits, 2, states, 2**bits)
    assert np.allclose(apart.sum(-1)[:, 0], ring(states)) and np.allclose(apart.sum(3)[0, :, 0], exogenous)


# --- bisimulation: closed form 10 ---


@exactly
@given(st.integers(2, 6), st.integers(1, 6), st.integers(3, 10), st.integers(0, 3))
def test_without_a_reward_everything_is_one_block(horizon: int, seen: int, actions: int, bits: int) -> None:
    """And with it, types a and b of every level are blocks, what is lost or over is one, bits do not count."""
    example = Bisimulation(horizon, seen, actions, bits)
    assert example.num_blocks == (1 if seen < horizon else 2 * horizon)
    assert (example.blocks_of_places == example.blocks_of_places[:, :1]).all()
    assert len(example.names) == len(set(example.names)) == len(example.places)


def test_blocks_of_a_lock_whose_reward_is_seen() -> None:
    example = Bisimulation(horizon=2, seen=2, bits=0)
    groups = {tuple(name for name, block in zip(example.names, example.blocks) if block == b) for b in example.blocks}
    assert groups == {("a1",), ("a2",), ("b2",), ("c2", "a3", "b3", "c3")}


@exactly
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_refinement_ends_in_a_bisimulation_of_the_support(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    transitions = np.eye(count)[rng.integers(count, size=(count, 2))]
    rewards, support = rng.integers(2, size=(count, 2)).astype(float), rng.random(count) < 0.8
    assume(support.any())
    blocks = coarsest_bisimulation(transitions, rewards, support)
    onto = transitions @ np.eye(blocks.max() + 1)[blocks]
    for i, j in itertools.combinations(np.flatnonzero(support), 2):
        if blocks[i] == blocks[j]:
            assert np.array_equal(rewards[i], rewards[j]) and np.array_equal(onto[i], onto[j])


# --- Bellman rank: closed form 11 ---


@exactly
@given(st.integers(2, 8), st.integers(1, 40))
def test_the_error_matrix_has_the_rank_of_the_exogenous_states(horizon: int, d: int) -> None:
    example = BellmanRank(horizon, d)
    assert np.allclose(example.last_errors, np.eye(d) / d, atol=1e-15)
    assert np.allclose(example.errors[:-1], 0, atol=1e-15)
    assert np.allclose(example.errors[-1, 0], 0) and np.allclose(example.errors[-1, :, 0], 0)
    assert example.rank == d and example.ranks.tolist() == [0] * (horizon - 1) + [d]
    assert example.returns == pytest.approx([1.0] + [1 - 1 / d] * d)


def test_visits_of_an_erring_policy_are_the_papers() -> None:
    """Uniform over (g_H, k) for k ≠ j and (b_H, j)."""
    visits = BellmanRank(horizon=3, exogenous=4).visits
    assert np.allclose(visits.sum((2, 3)), 1)
    assert np.allclose(visits[2, -1, BAD], [0, 0.25, 0, 0])
    assert np.allclose(visits[2, -1].sum(0), 0.25)


# --- two bits: closed form 12 ---


def test_the_papers_two_bits() -> None:
    example = Factorization()
    assert example.joint.tolist() == [[0, 0.5], [0.5, 0]]
    assert np.array_equal(example.product, np.full((2, 2), 0.25)) and example.total_variation == 0.5


@exactly
@given(chances, chances, chances)
def test_total_variation_is_how_much_the_policy_depends_on_the_bit(q: float, one: float, zero: float) -> None:
    example = Factorization(q, one, zero)
    assert example.joint.sum() == pytest.approx(1) and example.joint.sum(0) == pytest.approx([1 - q, q])
    assert example.total_variation == pytest.approx(2 * q * (1 - q) * abs(one - zero), abs=1e-12)


@exactly
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_inverse_model_follows_bayes(q: float, one: float, zero: float, alpha: float) -> None:
    example = InverseModel(q, one, zero, alpha)
    for exogenous, p in enumerate((zero, one)):
        expected = p * (1 - alpha) / (p * (1 - alpha) + (1 - p) * alpha)
        assert example.inverse[1, exogenous] == pytest.approx(expected)
    if one == zero:
        assert example.inverse[:, 0] == pytest.approx(example.inverse[:, 1])
    mean = (example.inverse * example.joint).sum(1) / example.joint.sum(1)
    assert example.inverse_without_exogenous == pytest.approx(mean)


@exactly
@given(st.floats(0.01, 0.99), chances, st.floats(0.01, 0.99))
def test_an_endogenous_policy_filters_the_exogenous_bit(q: float, p: float, alpha: float) -> None:
    example = InverseModel(q, p, p, alpha)
    assert example.total_variation == pytest.approx(0, abs=1e-12)
    assert example.inverse[:, 0] == pytest.approx(example.inverse[:, 1])


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.7])
def test_the_papers_policy_gives_one_and_zero_whatever_alpha(alpha: float) -> None:
    assert InverseModel(alpha=alpha).inverse.tolist() == [[0, 1], [0, 1]]


def test_what_is_never_seen_has_no_inverse() -> None:
    assert np.isnan(InverseModel(alpha=0.0).inverse).tolist() == [[False, True], [True, False]]


# --- autoencoding ---


@exactly
@given(st.floats(0, 0.5), st.floats(0, 4), st.integers(1, 3), st.integers(0, 3))
def test_the_error_of_a_code_is_the_variance_it_leaves_out(q: float, size: float, noise: int, budget: int) -> None:
    example = Autoencoding(q, size, noise, budget)
    state, kept = size**2 * q * (1 - q), min(budget, noise)
    assert example.keep_noise == pytest.approx(state + (noise - kept) / 4)
    with_state = noise / 4 - max(0, min(budget, 1 + noise) - 1) / 4
    assert example.keep_state == pytest.approx(with_state if budget else state + noise / 4)
    least = sum(sorted([state] + [0.25] * noise)[: max(0, 1 + noise - budget)])
    assert example.error_of_keeping(example.best_kept) == pytest.approx(least)


@exactly
@given(st.floats(0, 0.5), st.floats(0, 4), st.integers(1, 3), st.integers(1, 3))
def test_the_noise_is_kept_where_it_varies_more(q: float, size: float, noise: int, budget: int) -> None:
    state = size**2 * q * (1 - q)
    assume(abs(state - 0.25) > 1e-6)
    assert Autoencoding(q, size, noise, budget).state_is_kept == (state > 0.25 or budget > noise)


@exactly
@given(st.floats(0, 0.5), st.floats(0, 4), st.integers(1, 3))
def test_no_code_of_one_bit_is_better_than_the_best_labelling(q: float, size: float, noise: int) -> None:
    example = Autoencoding(q, size, noise, 1)
    best = example.error(example.best_two_labels)
    rng = np.random.default_rng(0)
    others = [rng.integers(2, size=2 ** (1 + noise)) for _ in range(20)]
    assert best <= min(example.error(labels) for labels in others) + 1e-9
    assert best <= min(example.keep_state, example.keep_noise) + 1e-9


def test_a_code_that_mixes_coordinates_can_be_better_than_any_choice_of_them_and_reveal_the_state() -> None:
    """One of eight labels for the rare state, the others for the noise, two of whose patterns share a label."""
    example = Autoencoding(state_probability=0.05, state_size=2, noise_bits=3, code_bits=3)
    labels = np.array([0, 0, 1, 2, 3, 4, 5, 6, *[7] * 8])
    assert not example.state_is_kept and example.keep_noise == pytest.approx(0.19)
    assert example.error(labels) == pytest.approx(0.097, abs=5e-4)
    assert example.state_guessed(labels) == pytest.approx(1)


def test_the_best_code_for_a_rare_state_says_nothing_about_it() -> None:
    example = Autoencoding()
    assert example.error(example.best_two_labels) == pytest.approx(example.keep_noise) == pytest.approx(0.59)
    assert example.keep_state == pytest.approx(0.75)
    assert example.state_guessed(example.best_two_labels) == pytest.approx(0.9)  # as without any label
    common = Autoencoding(state_probability=0.5, state_size=2)
    assert common.state_guessed(common.best_two_labels) == pytest.approx(1)
