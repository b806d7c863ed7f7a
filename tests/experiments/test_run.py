import json

import numpy as np
import pytest
import torch

from ppe_core.config import RunConfig
from ppe_core.experiments.events import EpochDone, LevelDone
from ppe_core.experiments.run import run

CONFIG = RunConfig.from_flat({"horizon": 6, "samples": 400, "seed": 3, "noise": 0.3})


def stable(record) -> str:
    """A record without its times."""
    summary = record.summary()
    del summary["seconds"]
    return json.dumps(summary)


@pytest.fixture(scope="module")
def undisturbed():
    return run(CONFIG)


def test_same_config_same_record(undisturbed) -> None:
    again = run(CONFIG)
    assert stable(again) == stable(undisturbed)
    for one, two in zip(undisturbed.levels, again.levels):
        assert np.array_equal(one.found.signature_gap, two.found.signature_gap)
        assert np.array_equal(one.found.weights["parameters"], two.found.weights["parameters"])


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_changes_nothing(threads: int, undisturbed) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert stable(run(CONFIG)) == stable(undisturbed)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("after", [1, 3, 6])
def test_a_resumed_run_ends_with_the_same_record(after: int, undisturbed) -> None:
    assert stable(run(CONFIG, done=undisturbed.levels[:after])) == stable(undisturbed)


def test_runs_do_not_disturb_each_other(undisturbed) -> None:
    """Nothing is shared: another run in between, or other users of the global generators, change nothing."""
    np.random.seed(5)  # noqa: NPY002
    torch.manual_seed(5)
    run(CONFIG.replace(seed=9, horizon=2))
    assert stable(run(CONFIG)) == stable(undisturbed)


def test_events_tell_what_happens(undisturbed) -> None:
    events = []
    run(CONFIG, events.append)
    levels = [event.record.found.h for event in events if isinstance(event, LevelDone)]
    assert levels == [1, 2, 3, 4, 5, 6]
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert sum(event.h == 1 for event in epochs) == len(undisturbed.levels[0].found.curve)


def test_summary_has_what_the_command_line_promises(undisturbed) -> None:
    summary = json.loads(json.dumps(undisturbed.summary()))
    for key in ("id", "config", "levels", "type1", "type2", "exact_recovery", "decoding_accuracy", "episodes",
                "value", "optimal_value", "half_regret_episodes"):  # fmt: skip
        assert key in summary
    for key in ("h", "paths", "states_true", "states_found", "type1", "type2", "threshold"):
        assert all(key in level for level in summary["levels"])
    assert set(summary["seconds"]) >= {"collect", "train", "eliminate", "total"}
    assert summary["type1"] == sum(level["type1"] for level in summary["levels"])
    assert summary["episodes"] == sum(len(level.found.returns) for level in undisturbed.levels)
