"""Theory beside measurements, on a real run and on numbers made by hand."""

import numpy as np
import plotly.graph_objects as go
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.run import run
from ppe_core.figures import theory
from ppe_core.figures.palette import MISSED, WRONG
from ppe_core.theory import bounds
from ppe_core.theory.oracle import exact_level, exact_levels

THRESHOLD = bounds.THRESHOLD


def traces(figure: go.Figure) -> dict[str, go.Scatter]:
    return {trace.name: trace for trace in figure.data}


def lines_at(figure: go.Figure, axis: str) -> set[float]:
    return {getattr(shape, f"{axis}0") for shape in figure.layout.shapes
            if getattr(shape, f"{axis}0") == getattr(shape, f"{axis}1")}  # fmt: skip


@pytest.fixture(scope="module")
def gaps() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    config = RunConfig.from_flat({"horizon": 2})
    level = run(config).levels[-1]
    exact = exact_level(make_environment(config).endogenous, level.found.paths)
    paths = exact.num_paths
    return exact.gap * paths, level.found.signature_gap * paths, exact.true_states


def test_exact_gaps_lie_beside_measured_ones(gaps: tuple) -> None:
    found = traces(theory.gap_scatter(*gaps, THRESHOLD))
    assert set(found) == {"measured = exact", "same place (378)", "different places (57)"}
    assert np.allclose(found["same place (378)"].x, 0) and np.allclose(found["different places (57)"].x, 2)
    assert max(found["same place (378)"].y) < THRESHOLD < min(found["different places (57)"].y)
    assert list(found["measured = exact"].x) == list(found["measured = exact"].y)
    assert "378" not in theory.describe_gaps(*gaps, THRESHOLD) and "435 pairs" in theory.describe_gaps(*gaps, THRESHOLD)


def test_the_threshold_is_drawn_on_both_axes(gaps: tuple) -> None:
    figure = theory.gap_scatter(*gaps, THRESHOLD)
    assert THRESHOLD in lines_at(figure, "x") and THRESHOLD in lines_at(figure, "y")


def test_pairs_on_the_wrong_side_stand_out_by_colour_and_shape() -> None:
    true = np.array([0, 0, 1])
    exact = np.array([[0, 0, 2], [0, 0, 2], [2, 2, 0]], float)
    measured = np.array([[0, 1.0, 0.5], [1.0, 0, np.inf], [0.5, np.inf, 0]])
    found = traces(theory.gap_scatter(exact, measured, true, THRESHOLD))
    missed, wrong = found["same place, missed (1)"], found["different places, merged (1)"]
    assert (missed.marker.color, wrong.marker.color) == (MISSED, WRONG)
    assert missed.marker.symbol != wrong.marker.symbol
    assert list(found["different places (1)"].y) == [theory.LARGEST]  # a path without observations
    words = theory.describe_gaps(exact, measured, true, THRESHOLD)
    assert "1 pairs to the same place are over" in words and "1 pairs to different places are not" in words


def test_of_very_many_pairs_an_even_choice_is_drawn_with_both_ends() -> None:
    rng = np.random.default_rng(0)
    count = 120
    measured = rng.random((count, count)) / 2
    found = traces(theory.gap_scatter(np.zeros((count, count)), measured, np.zeros(count, int), THRESHOLD))
    drawn = found[f"same place ({count * (count - 1) // 2:,})"]
    pairs = measured[np.triu_indices(count, 1)]
    assert len(drawn.x) == theory.MOST_POINTS < len(pairs)
    assert (min(drawn.y), max(drawn.y)) == (pairs.min(), pairs.max())


@pytest.fixture(scope="module")
def margins() -> theory.Margins:
    """Of the lock's last time step, for η up to twice what the theory asks for."""
    horizon, states = 3, 3
    largest = bounds.largest_eta(states, horizon)
    etas = np.linspace(0, 2 * largest, 9)
    bands = np.array([bounds.exact_margin(eta, horizon, states, 1) for eta in etas])
    extremes = []
    for eta in etas:
        world = make_environment(RunConfig.from_flat({"horizon": horizon, "eta": eta})).endogenous
        *_, last = exact_levels(world, horizon)
        extremes.append([last.num_paths * x for x in last.extremes(last.gap)])
    return theory.Margins(etas, bands[:, 0], bands[:, 1], largest, *np.array(extremes).T)


def test_bands_close_in_and_exact_gaps_stay_inside(margins: theory.Margins) -> None:
    figure = theory.margin_bands(margins, THRESHOLD)
    found = traces(figure)
    same, different = found["same place: bound"].y, found["different places: bound"].y
    assert (np.diff(same) > 0).all() and (np.diff(different) < 0).all()
    assert (found["same place: largest exact gap"].y <= np.array(same) + 1e-12).all()
    assert (found["different places: smallest exact gap"].y >= np.array(different) - 1e-12).all()
    assert margins.largest_eta in lines_at(figure, "x") and THRESHOLD in lines_at(figure, "y")
    words = theory.describe_margins(margins, THRESHOLD)
    assert f"η at most {margins.largest_eta:.4g}" in words and f"up to η = {margins.eta[-1]:.4g}" in words


def test_bands_can_do_without_exact_gaps(margins: theory.Margins) -> None:
    bare = theory.Margins(margins.eta, margins.same_at_most, margins.different_at_least, margins.largest_eta)
    assert not any("exact" in str(trace.name) for trace in theory.margin_bands(bare, THRESHOLD).data)


def test_sample_sizes_grow_with_the_square_of_the_paths() -> None:
    paths = np.array([10, 100, 1000])
    lines = {
        f"c = {c}": np.array([bounds.sample_size(int(count), 5, 100, 0.1, c) for count in paths])
        for c in (bounds.PRINTED_CONSTANT, bounds.PROOF_CONSTANT)
    }
    figure = theory.sample_sizes("|Υ|", paths, lines, (30, 500))
    found = traces(figure)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert np.allclose(np.array(found["c = 1152"].y) / np.array(found["c = 16"].y), 72)
    assert (list(found["in use"].x), list(found["in use"].y)) == ([30], [500])
    assert found["c = 16"].line.dash != found["c = 1152"].line.dash
    words = theory.describe_samples("|Υ|", paths, lines, (30, 500))
    assert f"c = 16: {lines['c = 16'][0]:,.0f} to" in words and "In use at |Υ| = 30: 500" in words
    assert "in use" not in traces(theory.sample_sizes("|Υ|", paths, lines))


def test_figures_have_no_ground_of_their_own(gaps: tuple, margins: theory.Margins) -> None:
    """So that they fit either theme."""
    for figure in (
        theory.gap_scatter(*gaps, THRESHOLD),
        theory.margin_bands(margins, THRESHOLD),
        theory.sample_sizes("H", np.array([1, 2]), {"printed": np.array([1.0, 2.0])}),
    ):
        assert figure.layout.plot_bgcolor == figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
