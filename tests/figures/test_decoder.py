"""What is shown of decoder and classifier: confusion, accuracy and signatures, on real runs."""

from dataclasses import replace

import numpy as np
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.figures import accuracy, classifier_output, confusion

JSON_LIMIT = 1_500_000


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(RunConfig.from_flat({"horizon": 3, "samples": 500}))


@pytest.fixture(scope="module")
def poor() -> RunRecord:
    return run(RunConfig.from_flat({"horizon": 2, "samples": 60}))


def with_confusion(level: LevelRecord, counts: np.ndarray) -> LevelRecord:
    return LevelRecord(level.found, replace(level.truth, confusion=counts))


def test_every_row_adds_up_whatever_the_decoder_said(poor: RunRecord) -> None:
    for level in poor.levels:
        table = confusion.confusion_of(level)
        assert table.shares.shape == (len(level.truth.reachable), len(level.found.states))
        np.testing.assert_allclose(table.shares.sum(1), 1)
        assert sorted(table.states) == list(range(len(level.found.states)))


def test_a_path_that_was_merged_counts_for_its_state(record: RunRecord) -> None:
    level = record.levels[1]
    to_c = np.flatnonzero(level.truth.states == 2)
    counts = np.zeros((3, 30), int)
    counts[2, to_c] = 1
    assert confusion.confusion_of(with_confusion(level, counts)).shares[2].max() == 1


def test_columns_are_matched_so_that_a_perfect_decoder_is_a_diagonal(record: RunRecord) -> None:
    table = confusion.confusion_of(record.levels[-1])
    assert table.matched.tolist() == [0, 1, 2]
    assert table.accuracy == pytest.approx(1, abs=0.02)
    assert np.diag(table.shares).min() > 0.95


@pytest.mark.parametrize(
    ("shares", "matched"),
    [
        ([[0.1, 0.9], [0.8, 0.2]], [1, 0]),
        ([[0.6, 0.4], [0.9, 0.1]], [1, 0]),  # a column has one row, the one that needs it most
        ([[0.5, 0.3, 0.2]], [0, -1, -1]),
        ([[1.0], [1.0]], [0]),
    ],
)
def test_rows_and_columns_are_matched_one_to_one(shares: list[list[float]], matched: list[int]) -> None:
    assert confusion.match(np.array(shares)).tolist() == matched


def test_the_shares_are_written_into_the_cells(record: RunRecord) -> None:
    figure = confusion.confusion_figure(record.levels[0], str)
    strong = next(t for t in figure.data if t.name == "strong")
    assert len(strong.text) == 3
    assert "3 true states against 3 recovered ones" in confusion.describe(record.levels[0])


def test_guessing_is_the_papers_closed_form() -> None:
    assert accuracy.random_decoder(3) == pytest.approx(5 / 9)
    assert accuracy.random_decoder(13) == pytest.approx(145 / 169)


def test_accuracy_is_drawn_for_every_time_step_beside_guessing(record: RunRecord) -> None:
    figure = accuracy.accuracy_figure(record.levels, 3, chosen=2)
    pairs, named, guessed = figure.data
    assert list(pairs.y) == [level.truth.decoding_accuracy for level in record.levels]
    assert list(named.y) == [confusion.confusion_of(level).accuracy for level in record.levels]
    assert list(guessed.y) == pytest.approx([5 / 9] * 3)
    assert len({(t.marker.symbol, t.line.dash) for t in figure.data}) == 3
    assert figure.layout.shapes[0].x0 == 2
    assert figure.layout.yaxis.range[0] < 5 / 9
    assert "h = 3: " in accuracy.describe(record.levels)


def test_an_unfinished_run_keeps_the_axis_of_its_horizon(record: RunRecord) -> None:
    ranges = {accuracy.accuracy_figure(record.levels[:k], 3, 1).layout.xaxis.range for k in (1, 2, 3)}
    assert ranges == {(0.6, 3.4)}


def test_the_bayes_classifier_divides_its_belief_among_paths_to_the_same_state(record: RunRecord) -> None:
    level = record.levels[1]
    to_c = level.truth.states == 2
    ideal = classifier_output.bayes_signature(level, to_c)
    np.testing.assert_allclose(ideal, np.where(to_c, 1 / 28, 0))
    found = classifier_output.signature_of(level, to_c)
    assert found.sum() == pytest.approx(1, abs=1e-4)
    assert found[to_c].sum() > 0.9


def test_a_mixed_state_is_held_against_the_mean_of_what_its_paths_deserve(record: RunRecord) -> None:
    level = record.levels[1]
    first, second = (int(np.flatnonzero(level.truth.states == true)[0]) for true in (0, 1))
    members = np.zeros(30, bool)
    members[[first, second]] = True
    ideal = classifier_output.bayes_signature(level, members)
    assert ideal[[first, second]].tolist() == [0.5, 0.5]
    assert ideal.sum() == pytest.approx(1)


def test_paths_without_observations_are_left_out(record: RunRecord) -> None:
    level = record.levels[0]
    unseen = level.found.signatures.copy()
    unseen[0] = np.nan
    members = np.zeros(10, bool)
    members[[0, 1]] = True
    blind = LevelRecord(replace(level.found, signatures=unseen), level.truth)
    np.testing.assert_array_equal(classifier_output.signature_of(blind, members), level.found.signatures[1])
    members[1] = False
    assert classifier_output.signature_of(blind, members).tolist() == [0] * 10


def test_the_paths_of_the_state_come_first(record: RunRecord) -> None:
    level = record.levels[1]
    members = level.truth.states == 2
    names = [" ".join(map(str, path)) for path in level.found.paths.tolist()]
    own, others, ideal = classifier_output.classifier_output(level, members, names).data
    assert (len(own.x), len(others.x), len(ideal.x)) == (28, 2, 30)
    assert set(own.text) == {name for name, member in zip(names, members) if member}
    assert max(own.x) < min(others.x)
    assert "28 paths of this state" in classifier_output.describe(level, members)


def test_a_level_of_many_paths_stays_small(record: RunRecord) -> None:
    level, rng = record.levels[0], np.random.default_rng(0)
    signatures = rng.dirichlet(np.ones(360), 360)
    wide = LevelRecord(
        replace(level.found, paths=rng.integers(5, size=(360, 8)), signatures=signatures),
        replace(level.truth, states=rng.integers(80, size=360)),
    )
    figure = classifier_output.classifier_output(wide, rng.random(360) < 0.1, ["F LF RF L R F F F"] * 360)
    assert len(plotly.io.to_json(figure)) < JSON_LIMIT / 10
