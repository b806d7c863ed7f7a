"""Results as they are gathered, written and read, and those that are committed."""

import csv
import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.paper import results
from ppe_core.experiments.paper.measures import by_horizon
from ppe_core.experiments.paper.results import UNFINISHED, Measured, Results
from ppe_core.experiments.paper.studies import FIGURES, SIGNATURE
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import ExecutorPool
from tests.experiments.paper.made import made

LOCK = FIGURES["fig2a"]
MOST_EPISODES = {5: 5000, 10: 20_000, 20: 40_000, 40: 160_000}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """With the runs of figure 2a at quick scale."""
    jobs = Jobs(Store(tmp_path / "home"), ExecutorPool(ThreadPoolExecutor(1), width=1))
    jobs.submit(LOCK.configs("quick"))
    jobs.wait(LOCK.configs("quick"))
    yield jobs.store
    jobs.close()


def test_what_is_written_is_read_again(store: Store, tmp_path: Path) -> None:
    found = results.gather(LOCK, "quick", store)
    assert [run.config for run in found.runs] == LOCK.configs("quick") and not found.missing
    assert all(run.is_exact and run.value == 1.0 for run in found.runs)
    results.write(found, tmp_path)
    assert results.read(LOCK, "quick", tmp_path) == found
    assert results.read(LOCK, "full", tmp_path) is None


def test_a_run_on_its_way_has_a_row_that_says_how_far_it_is(tmp_path: Path) -> None:
    store, config = Store(tmp_path), LOCK.configs("quick")[1]
    store.files.begin(config)
    store.files.write_level(config, run(config).levels[0])
    found = results.gather(LOCK, "quick", store)
    (row,) = found.runs
    assert (row.levels, row.stopped, row.value) == (1, UNFINISHED, None) and not row.is_exact
    assert set(found.missing) == set(LOCK.configs("quick"))
    results.write(found, tmp_path)
    assert results.read(LOCK, "quick", tmp_path) == found


def test_what_was_written_before_stays_until_it_is_run_again() -> None:
    """An interrupted run on another machine takes nothing away."""
    figure = FIGURES["fig2a"]
    old = tuple(made(SIGNATURE, seed, horizon=2, type2=seed) for seed in range(3))
    about = {"date": "2026-01-02", "versions": {"torch": ["1"]}}
    young = (
        made(SIGNATURE, 1, horizon=2, type2=9),
        made(SIGNATURE, 2, horizon=2, type2=9, levels=1, stopped=UNFINISHED),
    )
    new = Results(figure, "quick", young, {"date": "2026-01-01", "versions": {"torch": ["2"]}})
    both = results.merged(Results(figure, "quick", old, about), new)
    assert [(run.config.seed, run.type2) for run in both.runs] == [(0, 0), (1, 9), (2, 2)]
    assert (both.about["finished"], both.about["date"], both.about["versions"]) == (
        3, "2026-01-02", {"torch": ["1", "2"]},
    )  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_every_committed_number_comes_from_a_run_with_its_config(name: str) -> None:
    found = results.read(FIGURES[name], "full")
    assert found is not None, f"run: {results.command(name, 'full')}"
    lines = {line.name: {c for study in line.studies for c in study.configs()} for line in FIGURES[name].lines("full")}
    assert all(run.config in lines[run.line] for run in found.runs)
    if found.runs:
        rows = list(csv.DictReader((results.COMMITTED / f"{name}.full.csv").read_text().splitlines()))
        assert [row["id"] for row in rows] == [run.config.id for run in found.runs], "made by another version"
    finished = {run.config for run in found.runs if run.is_finished}
    assert (found.about["finished"], found.about["runs"]) == (len(finished), len(FIGURES[name].configs("full")))
    assert found.about["date"] and found.about["machine"]


@pytest.mark.parametrize(("name", "place"), [("fig2a", 4), ("fig2b", 70), ("fig2b", 100), ("fig2c", 300)])
def test_a_committed_run_gives_the_same_numbers_again(name: str, place: int) -> None:
    kept = results.committed()[name].runs[place]
    again = results.of_summary(kept.line, kept.config, run(kept.config).summary())
    assert _timeless(again) == _timeless(kept)


@pytest.mark.parametrize("horizon", MOST_EPISODES)
def test_ppe_solves_every_horizon_with_every_seed(horizon: int) -> None:
    (best,) = by_horizon(results.committed()["fig2b"].line(SIGNATURE, horizon=horizon))
    assert (best.solved, best.seeds) == (5, 5)
    assert best.episodes <= MOST_EPISODES[horizon]


def _timeless(run: Measured) -> Measured:
    return dataclasses.replace(run, seconds=0)
