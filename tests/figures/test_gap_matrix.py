"""The gap matrix, on a real run and on merges made by hand."""

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from ppe_core.experiments.what_if import Partition, WhatIf
from ppe_core.figures.gap_matrix import (
    ALIKE,
    DIFFERENT,
    MOST_LABELS,
    MOST_TARGETS,
    TARGETS,
    cluster_order,
    describe,
    gap_matrix,
)  # fmt: skip
from ppe_core.figures.palette import MISSED, WRONG

JSON_LIMIT = 1_500_000


@pytest.fixture(scope="module")
def what_if() -> WhatIf:
    return WhatIf(run(RunConfig.from_flat({"horizon": 2, "samples": 500})).levels[-1], "signature")


def draw(found: Partition, chosen: tuple[int, int] | None = None) -> go.Figure:
    names = [f"path {i}" for i in range(len(found.true))]
    states = [f"state {state}" for state in found.true]
    return gap_matrix(found.gaps, found.survivor, found.true, found.threshold, names, states, chosen)


def made(survivor: list[int], true: list[int], threshold: float = 0.625) -> Partition:
    survivor_, true_ = np.array(survivor), np.array(true)
    return Partition(threshold, 2.0 * (survivor_[:, None] != survivor_), survivor_, true_)


def trace(figure: go.Figure, name: str) -> go.Scatter | None:
    return next((t for t in figure.data if t.name == name), None)


def colour(figure: go.Figure, row: int, column: int) -> str:
    """Which end of the scale a cell is nearer to, by the break in it."""
    cells = figure.data[0]
    edge = cells.colorscale[1][0] * cells.zmax
    return "alike" if cells.z[row, column] < edge else "different"


def test_a_cell_is_blue_exactly_when_its_gap_is_within_the_threshold(what_if: WhatIf) -> None:
    for threshold in (0.05, 0.075, 0.625, 1.9):
        found = what_if.at(threshold)
        order = cluster_order(found.survivor, found.true).order
        gaps, figure = found.gaps[np.ix_(order, order)], draw(found)
        cells = [(i, j) for i in range(len(gaps)) for j in range(len(gaps))]
        assert all((colour(figure, *cell) == "alike") == (gaps[cell] <= threshold) for cell in cells)
        assert [figure.data[0].colorscale[i][1] for i in (0, 1, 2, 3)] == [*ALIKE, *DIFFERENT]


def test_a_gap_a_hair_over_the_threshold_is_not_blue() -> None:
    gaps = np.array([[0, 0.6250001, 0.6249999], [0.6250001, 0, np.inf], [0.6249999, np.inf, 0]])
    figure = draw(Partition(0.625, gaps, np.array([0, 1, 0]), np.array([0, 1, 0])))
    order = cluster_order(np.array([0, 1, 0]), np.array([0, 1, 0])).order.tolist()
    assert order == [0, 2, 1]
    assert [colour(figure, 0, 1), colour(figure, 0, 2), colour(figure, 1, 2)] == ["alike", "different", "different"]


def test_clusters_of_one_true_state_stand_side_by_side() -> None:
    clusters = cluster_order(np.array([0, 1, 0, 3, 3]), np.array([5, 2, 5, 5, 5]))
    assert clusters.order.tolist() == [1, 0, 2, 3, 4]
    assert (clusters.start.tolist(), clusters.size.tolist()) == ([0, 1, 3], [1, 2, 2])


def test_every_cluster_is_a_square_on_the_diagonal(what_if: WhatIf) -> None:
    lines = trace(draw(what_if.at(0.625)), "clusters")
    assert np.isnan(lines.x).sum() == what_if.at(0.625).states == 3
    assert sorted(lines.x[~np.isnan(lines.x)]) == sorted(lines.y[~np.isnan(lines.y)])


def test_without_errors_nothing_is_marked_as_one(what_if: WhatIf) -> None:
    figure = draw(what_if.at(0.625))
    assert what_if.at(0.625).errors == (0, 0)
    assert trace(figure, "wrong merges") is None
    assert trace(figure, "missed merges") is None


def test_wrong_and_missed_merges_have_symbols_of_their_own() -> None:
    figure = draw(made([0, 0, 0, 3], [1, 1, 2, 1]))
    wrong, missed = trace(figure, "wrong merges"), trace(figure, "missed merges")
    assert (wrong.marker.symbol, wrong.marker.color, len(wrong.x)) == ("x", WRONG, 4)
    assert (missed.marker.symbol, missed.marker.color, len(missed.x)) == ("diamond", MISSED, 4)


def test_a_click_can_reach_every_pair_of_a_small_matrix(what_if: WhatIf) -> None:
    found = what_if.at(0.625)
    targets = trace(draw(found), TARGETS)
    count = len(found.true)
    assert len({(x, y) for x, y in zip(targets.x.tolist(), targets.y.tolist()) if x != y}) == count * (count - 1)
    assert targets.marker.opacity == targets.unselected.marker.opacity == targets.selected.marker.opacity == 0


def test_a_target_knows_its_gap_and_the_axes_know_the_names(what_if: WhatIf) -> None:
    found = what_if.at(0.625)
    figure = draw(found)
    order, targets = cluster_order(found.survivor, found.true).order, trace(figure, TARGETS)
    for i in (0, 17, 400):
        row, column = order[targets.y[i]], order[targets.x[i]]
        assert targets.customdata[i] == pytest.approx(found.gaps[row, column])
        assert figure.layout.yaxis.labelalias[str(targets.y[i])] == f"path {row}"


@pytest.fixture(scope="module")
def large() -> Partition:
    """|Υ| = 360, as in the gridworld at H = 8, with errors everywhere."""
    rng = np.random.default_rng(0)
    gaps = rng.uniform(0, 2.6, (360, 360)).astype(np.float32)
    survivor = np.minimum(np.arange(360), rng.integers(90, size=360))
    survivor = survivor[survivor]
    return Partition(0.625, (gaps + gaps.T) / 2, survivor, rng.integers(80, size=360))


def test_a_large_matrix_stays_small(large: Partition) -> None:
    figure = draw(large)
    assert len(plotly.io.to_json(figure)) < JSON_LIMIT / 2
    assert len(trace(figure, TARGETS).x) <= MOST_TARGETS**2
    assert {t.type for t in figure.data if t.name == "missed merges"} == {"heatmap"}


def test_in_a_block_of_a_large_matrix_a_click_reaches_the_most_doubtful_pair(large: Partition) -> None:
    targets = trace(draw(large), TARGETS)
    order = cluster_order(large.survivor, large.true).order
    block = np.abs(large.gaps[np.ix_(order, order)][12:24, 0:12] - 0.625)
    here = (targets.x < 12) & (targets.y >= 12) & (targets.y < 24)
    assert here.sum() == 1
    assert (targets.y[here][0] - 12, targets.x[here][0]) == np.unravel_index(block.argmin(), block.shape)


def test_clusters_are_named_by_their_true_state_while_that_can_be_read() -> None:
    assert draw(made([0, 0, 2], [4, 4, 5])).layout.yaxis.ticktext == ("state 4 (2)", "state 5")
    many = list(range(MOST_LABELS + 1))
    assert draw(made(many, many)).layout.yaxis.showticklabels is False


def test_the_chosen_pair_is_ringed_on_both_sides_of_the_diagonal() -> None:
    ring = trace(draw(made([0, 1, 0], [3, 2, 3]), chosen=(0, 2)), "chosen")
    assert (ring.x.tolist(), ring.y.tolist()) == ([1, 2], [2, 1])  # path 1 comes first: its state is smaller


def test_the_picture_can_be_read_aloud(what_if: WhatIf) -> None:
    found = what_if.at(0.625)
    text = describe(found.gaps, found.survivor, 0.625)
    assert "30 paths" in text
    assert "378 of 435 pairs are within the threshold 0.625, and merging gives 3 clusters" in text
