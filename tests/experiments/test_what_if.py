"""Another threshold, without training: what one time step would have become."""

from dataclasses import replace

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.experiments.what_if import COARSE_STEP, GAPS, Curve, Partition, WhatIf, changes, verdict


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(RunConfig.from_flat({"horizon": 3, "samples": 300}))


def partition(gaps: list[list[float]], survivor: list[int], true: list[int], threshold: float = 1.0) -> Partition:
    return Partition(threshold, np.array(gaps), np.array(survivor), np.array(true))


def test_the_threshold_of_the_run_gives_what_the_run_found(record: RunRecord) -> None:
    for level in record.levels:
        found = WhatIf(level, "signature").at(0.625)
        count = len(level.found.paths)
        assert found.survivor.tolist() == level.found.survivor.tolist()
        assert (found.gaps == level.found.signature_gap * count).all()
        assert found.errors == level.errors


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("threshold", [0.05, 0.3, 1.9])
def test_another_threshold_gives_what_a_run_with_it_finds(gap: str, threshold: float) -> None:
    """At the first time step, with a recipe whose training the threshold has no say in."""
    config = RunConfig.from_flat({"horizon": 1, "samples": 300, "recipe": "paper", "noise": 0.5})
    rerun = run(config.replace(gap=gap, threshold=threshold)).levels[0]
    assert WhatIf(run(config).levels[0], gap).at(threshold).survivor.tolist() == rerun.found.survivor.tolist()


def test_the_signature_gap_is_pooled_anew_for_every_threshold(record: RunRecord) -> None:
    what_if = WhatIf(record.levels[-1], "signature")
    none, some = what_if.at(0.0).gaps, what_if.at(0.625).gaps
    assert not np.allclose(none, some)
    assert (what_if.at(0.0).gaps == none).all()


def test_the_paper_gap_does_not_depend_on_the_threshold(record: RunRecord) -> None:
    what_if = WhatIf(record.levels[-1], "paper")
    assert (what_if.at(0.1).gaps == what_if.at(1.5).gaps).all()


@pytest.mark.parametrize("gap", GAPS)
def test_no_threshold_merges_nothing_and_the_largest_everything_near(record: RunRecord, gap: str) -> None:
    level = record.levels[-1]
    what_if = WhatIf(level, gap)
    assert what_if.at(0.0).states == len(level.found.paths)
    assert what_if.at(99.0).states == 1


def test_an_unknown_gap_is_refused(record: RunRecord) -> None:
    with pytest.raises(ValueError, match="'wide' is not one of signature, paper"):
        WhatIf(record.levels[0], "wide")


def test_the_curve_holds_what_each_threshold_gives(record: RunRecord) -> None:
    what_if = WhatIf(record.levels[-1], "paper")
    curve = what_if.curve
    for i in (0, 11, 25, 60, 80):
        there = what_if.at(float(curve.thresholds[i]))
        assert (there.states, *there.errors) == (curve.states[i], curve.type1[i], curve.type2[i])
    assert curve.thresholds[25] == 0.625


def test_the_curve_of_very_many_paths_is_coarser(record: RunRecord) -> None:
    level = record.levels[0]
    count = 401
    signatures = np.random.default_rng(0).dirichlet(np.ones(count), count).astype(np.float32)
    found = replace(level.found, paths=np.zeros((count, 1), int), signatures=signatures)
    many = LevelRecord(found, replace(level.truth, states=np.arange(count) % 7))
    assert np.diff(WhatIf(many, "signature").curve.thresholds).min() == pytest.approx(COARSE_STEP)


def test_the_margin_is_the_widest_interval_without_errors() -> None:
    thresholds = np.arange(8.0)
    type1, type2 = np.array([0, 0, 0, 0, 0, 0, 1, 1]), np.array([5, 0, 1, 0, 0, 0, 0, 0])
    assert Curve(thresholds, thresholds, type1, type2).without_error == (3.0, 5.0)
    assert Curve(thresholds, thresholds, type1, type2 + 1).without_error is None


def test_paths_of_one_cluster_were_both_within_the_threshold_of_its_representative() -> None:
    found = partition([[0, 0.4, 0.5], [0.4, 0, 2], [0.5, 2, 0]], [0, 0, 0], [7, 7, 8])
    reason = verdict(found, 1, 2)
    assert (reason.merged, reason.same_state) == (True, False)
    assert [(x.representative, x.path, x.gap) for x in reason.comparisons] == [(0, 1, 0.4), (0, 2, 0.5)]


def test_a_path_is_kept_apart_by_the_representative_whose_turn_came_first() -> None:
    gaps = [[0, 0.4, 1.5], [0.4, 0, 0.2], [1.5, 0.2, 0]]  # 1 and 2 look alike, but 1 was gone before it could ask
    for pair in ((1, 2), (2, 1)):
        reason = verdict(partition(gaps, [0, 0, 2], [7, 7, 7]), *pair)
        assert (reason.merged, reason.same_state) == (False, True)
        assert [(x.representative, x.path, x.gap) for x in reason.comparisons] == [(0, 2, 1.5)]


def test_a_representative_is_not_compared_with_itself() -> None:
    reason = verdict(partition([[0, 0.4], [0.4, 0]], [0, 0], [7, 7]), 0, 1)
    assert [(x.representative, x.path) for x in reason.comparisons] == [(0, 1)]


@pytest.mark.parametrize("gap", GAPS)
def test_the_comparisons_that_decided_agree_with_the_verdict(record: RunRecord, gap: str) -> None:
    found = WhatIf(record.levels[-1], gap).at(0.5)
    for first, second in np.random.default_rng(0).integers(len(found.true), size=(200, 2)).tolist():
        if first != second:
            reason = verdict(found, first, second)
            assert reason.comparisons
            assert all((x.gap <= 0.5) == reason.merged for x in reason.comparisons)


def test_changes_name_the_paths_that_moved_and_count_the_pairs() -> None:
    before, after = np.array([0, 0, 0, 3, 3, 5]), np.array([0, 0, 2, 0, 0, 5])
    found = changes(before, after)
    assert [(x.before, x.after, x.paths.tolist()) for x in found.moves] == [(0, 2, [2]), (3, 0, [3, 4])]
    assert (found.paths, found.joined, found.parted) == (3, 4, 2)
    assert changes(before, before).moves == []
