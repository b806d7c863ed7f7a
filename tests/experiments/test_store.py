import json
from pathlib import Path

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store, default_home

CONFIG = RunConfig.from_flat({"horizon": 3, "samples": 200})


@pytest.fixture(scope="module")
def record():
    return run(CONFIG)


def test_what_is_written_is_read_back(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    for level in record.levels:
        store.write_level(CONFIG, level)
    store.write_record(record)
    again = store.record(CONFIG)
    assert json.dumps(again.summary()) == json.dumps(record.summary())
    for one, two in zip(record.levels, again.levels):
        assert np.array_equal(one.found.signature_gap, two.found.signature_gap)
        assert np.array_equal(one.truth.confusion, two.truth.confusion)
        assert all(np.array_equal(np.atleast_1d(x), two.found.weights[k]) for k, x in one.found.weights.items())


def test_levels_show_as_they_finish_and_only_without_a_hole(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.levels(CONFIG.id) == [] and store.record(CONFIG) is None
    store.write_level(CONFIG, record.levels[0])
    store.write_level(CONFIG, record.levels[2])
    assert [level.found.h for level in store.levels(CONFIG.id)] == [1]
    store.write_level(CONFIG, record.levels[1])
    assert [level.found.h for level in store.levels(CONFIG.id, known=1)] == [2, 3]


def test_writing_a_level_twice_keeps_one_and_leaves_no_draft(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    for _ in range(2):
        store.write_level(CONFIG, record.levels[0])
    assert [f.name for f in (tmp_path / "runs" / CONFIG.id).iterdir()] == ["level-001"]


def test_no_array_needs_pickle(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_level(CONFIG, record.levels[0])
    with np.load(tmp_path / "runs" / CONFIG.id / "level-001" / "arrays.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays)


def test_a_forgotten_run_is_gone(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_level(CONFIG, record.levels[0])
    store.forget(CONFIG.id)
    assert store.levels(CONFIG.id) == []


def test_home_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PPE_HOME", str(tmp_path))
    assert default_home() == tmp_path
    monkeypatch.delenv("PPE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_home() == tmp_path / "ppe-lab"
