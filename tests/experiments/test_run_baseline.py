"""Runs of baselines: judged, recorded, stored, cancelled and repeated like those of PPE."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ppe_core.config import LEARNERS, RunConfig, option_fields
from ppe_core.experiments.baseline_record import BaselineRecord
from ppe_core.experiments.index import Status
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import EmbeddedPool

ROOT = Path(__file__).parents[2]
BASELINES = [name for name in LEARNERS if name != "ppe"]
ABSTRACTIONS = ("homer", "id", "autoencoder", "ac-state")
QUICK = {"horizon": 2, "samples": 200}
CHANGES = {
    "budget": 4, "epochs": 1, "restarts": 3, "entropy": 0.5, "clip": 0.3, "updates": 2, "batch": 50, "bonus": 500,
    "bisimulation": 0.1, "discount": 0.5, "coarseness": 0.9,
}  # fmt: skip


def quick(learner: str, **changes: object) -> RunConfig:
    few = {"epochs": 3, "restarts": 2} if learner in ABSTRACTIONS else {"samples": 1000}
    return RunConfig.from_flat(QUICK | {"learner": learner} | few | changes)


def content(record: BaselineRecord) -> str:
    """Everything but the times, down to the last bit."""
    summary = record.summary() | {"seconds": None, "id": None, "config": None}
    return json.dumps(summary) + "".join(values.tobytes().hex() for _, values in sorted(record.weights.items()))


@pytest.mark.parametrize("learner", BASELINES)
def test_a_run_is_repeated_bit_for_bit_and_comes_back_from_the_store(learner: str, tmp_path: Path) -> None:
    config = quick(learner)
    record = run(config)
    assert content(run(config)) == content(record)
    store = Store(tmp_path)
    store.files.begin(config)
    store.files.write_record(record)
    assert content(store.record(config)) == content(record)
    assert record.episodes == 2 * config.samples == record.curve[-1][0]
    assert 0 <= record.value <= record.optimal_value == 1


@pytest.mark.parametrize(
    ("learner", "name"), [(learner, item.name) for learner in BASELINES for item in option_fields(LEARNERS[learner])]
)
def test_every_setting_changes_the_run(learner: str, name: str) -> None:
    assert content(run(quick(learner, **{name: CHANGES[name]}))) != content(run(quick(learner)))


def test_what_learns_no_decoder_says_so_and_the_rest_is_judged() -> None:
    assert run(quick("ppo")).summary()["decoding_accuracy"] is None
    record = run(quick("id", samples=2000, epochs=10, restarts=8))
    assert [level.h for level in record.levels] == [1, 2]
    assert record.levels[0].decoding_accuracy > 0.99  # all three follow the one start
    assert record.levels[0].confusion.sum() == 10_000


def test_a_baseline_that_reads_vectors_does_not_run_on_pictures() -> None:
    with pytest.raises(ValueError, match="learner: 'ppo' does not run on 'grid', only on lock"):
        RunConfig.from_flat({"env": "grid", "learner": "ppo"})


def test_the_command_line_prints_the_same_keys_for_every_learner() -> None:
    keys = []
    for learner in ("ppe", "homer"):
        command = [sys.executable, "-m", "ppe_core", "run", "--learner", learner, "--horizon", "1", "--samples", "50"]
        said = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
        keys.append(json.loads(said))
    assert set(keys[0]) <= set(keys[1])
    assert keys[1]["type1"] is None and keys[1]["levels"][0]["threshold"] is None
    subprocess.run([*command], check=True, capture_output=True, cwd=ROOT)  # and without --json


def test_a_job_of_a_baseline_is_cancelled_within_a_second_and_can_be_run_again(tmp_path: Path) -> None:
    jobs = Jobs(Store(tmp_path), EmbeddedPool(1))
    long = quick("ppo", horizon=5, samples=1_000_000)
    jobs.submit([long])
    while not (job := jobs._live.get(long.id)) or not job.future or not job.future.running():
        pass
    jobs.cancel([long])
    jobs.wait([long])
    assert jobs.status(long) is Status.STOPPED
    short = quick("ppo")
    jobs.submit([short])
    jobs.wait([short])
    assert content(jobs.store.record(short)) == content(run(short))
    jobs.close()


def test_decoded_states_are_counted_by_the_true_ones() -> None:
    level = run(quick("ac-state")).levels[0]
    assert level.summary()["states_true"] == len(level.confusion) == 3
    assert np.all(level.confusion.sum(1) > 3000)  # uniform over the states
