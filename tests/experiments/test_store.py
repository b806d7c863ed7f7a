"""The store: what is kept, what is damaged, and disks that are full or cannot be written."""

import errno
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.index import MIGRATIONS, Status, StoreError
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.run import run
from ppe_core.experiments.run_files import RunFiles
from ppe_core.experiments.store import Damaged, Store, Upkeep, default_home
from ppe_core.experiments.workers import Pool

CONFIG = RunConfig.from_flat({"horizon": 3, "samples": 200})
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def record():
    return run(CONFIG)


def keep(store: Store, record) -> None:
    store.files.begin(record.config)
    for level in record.levels:
        store.files.write_level(record.config, level)
    store.files.write_record(record)
    store.index.set_done(record.config, record.summary(), store.files.size(record.config.id))


def test_what_is_written_is_read_back(record, tmp_path: Path, fingerprint) -> None:
    store = Store(tmp_path)
    keep(store, record)
    assert fingerprint(store.record(CONFIG)) == fingerprint(record)
    assert store.record(CONFIG).summary() == store.index.row(CONFIG.id).summary == record.summary()


def test_levels_show_as_they_finish_and_only_without_a_hole(record, tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    assert files.levels(CONFIG.id) == [] and files.record(CONFIG) is None
    files.write_level(CONFIG, record.levels[0])
    files.write_level(CONFIG, record.levels[2])
    assert [level.found.h for level in files.levels(CONFIG.id)] == [1]
    files.write_level(CONFIG, record.levels[1])
    assert [level.found.h for level in files.levels(CONFIG.id, known=1)] == [2, 3]


def test_writing_a_level_twice_keeps_one_and_leaves_no_draft(record, tmp_path: Path) -> None:
    for _ in range(2):
        RunFiles(tmp_path).write_level(CONFIG, record.levels[0])
    assert [f.name for f in (tmp_path / "runs" / CONFIG.id).iterdir()] == ["level-001"]


def test_no_array_needs_pickle(record, tmp_path: Path) -> None:
    RunFiles(tmp_path).write_level(CONFIG, record.levels[0])
    with np.load(tmp_path / "runs" / CONFIG.id / "level-001" / "arrays.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays)


def test_home_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PPE_HOME", str(tmp_path))
    assert default_home() == tmp_path
    monkeypatch.delenv("PPE_HOME")
    assert default_home().name == "ppe-lab"


@pytest.mark.parametrize("file", ["arrays.npz", "weights.safetensors", "numbers.json"])
def test_a_truncated_file_is_set_aside_and_the_run_can_be_resumed(
    file: str, record, tmp_path: Path, pool: Pool, fingerprint
) -> None:
    store = Store(tmp_path)
    keep(store, record)
    other = run(CONFIG.replace(seed=5))
    keep(store, other)
    victim = tmp_path / "runs" / CONFIG.id / "level-002" / file
    os.truncate(victim, victim.stat().st_size // 2)
    with pytest.raises(Damaged, match=rf"{CONFIG.id} was damaged \(level-002.*damaged part is now in"):
        store.record(CONFIG)
    jobs = Jobs(store, pool)
    assert jobs.status(CONFIG) is Status.FAILED
    assert "was damaged" in jobs.failure(CONFIG)
    assert fingerprint(store.record(other.config)) == fingerprint(other)
    jobs.submit([CONFIG])
    jobs.wait([CONFIG])
    assert fingerprint(store.record(CONFIG)) == fingerprint(record)


def test_a_damaged_level_of_an_unfinished_run_is_computed_again(
    record, tmp_path: Path, pool: Pool, fingerprint
) -> None:
    store = Store(tmp_path)
    for level in record.levels[:2]:
        store.files.write_level(CONFIG, level)
    (tmp_path / "runs" / CONFIG.id / "level-002" / "arrays.npz").write_bytes(b"PK nothing")
    jobs = Jobs(store, pool)
    jobs.submit([CONFIG])
    jobs.wait([CONFIG])
    assert fingerprint(store.record(CONFIG)) == fingerprint(record)


def test_an_older_index_is_brought_up_to_date(record, tmp_path: Path) -> None:
    keep(Store(tmp_path), record)
    old = sqlite3.connect(tmp_path / "old.sqlite", isolation_level=None)
    old.executescript(MIGRATIONS[0] + "PRAGMA user_version = 1;")
    old.execute("ATTACH ? AS new", (str(tmp_path / "index.sqlite"),))
    old.execute("INSERT INTO runs SELECT * FROM new.runs")
    old.close()
    for file in tmp_path.glob("index.sqlite*"):
        file.unlink()
    (tmp_path / "old.sqlite").rename(tmp_path / "index.sqlite")
    store = Store(tmp_path)
    assert store.index.statuses([CONFIG.id]) == {CONFIG.id: Status.DONE}
    store.index.save_study("study-1", "{}")
    assert store.index.study("study-1") == "{}"


def test_an_index_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    Store(tmp_path).index.close()
    connection = sqlite3.connect(tmp_path / "index.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match=r"newer version of PPE Lab \(schema 99; this one knows 2\).*PPE_HOME"):
        Store(tmp_path)
    assert sqlite3.connect(tmp_path / "index.sqlite").execute("PRAGMA user_version").fetchone() == (99,)


def test_an_index_that_is_lost_or_damaged_is_made_anew(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    keep(store, record)
    store.index.close()
    (tmp_path / "index.sqlite").write_bytes(b"not a database at all" * 100)
    again = Store(tmp_path)
    assert again.index.statuses([CONFIG.id]) == {CONFIG.id: Status.DONE}
    assert again.index.row(CONFIG.id).summary == record.summary()
    assert list(tmp_path.glob("index.damaged-*"))


def test_home_that_is_a_file_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"PPE_HOME: .*file cannot be made a folder"):
        Store(tmp_path / "file")


def test_pruning_takes_the_oldest_and_never_what_is_pinned_or_under_way(record, tmp_path: Path) -> None:
    store = Store(tmp_path)
    configs = [CONFIG.replace(seed=seed) for seed in range(6)]
    for config in configs:
        store.files.begin(config)
        store.index.set_done(config, record.summary(), size=1_000_000)
        time.sleep(0.002)
    store.index.pin(configs[0].id, True)
    store.index.claim([configs[1]], visitor=None)
    gone = store.prune(Upkeep(megabytes=3.5))
    assert [row.id for row in gone] == [configs[2].id, configs[3].id, configs[4].id]
    assert not (tmp_path / "runs" / configs[2].id).exists()
    assert (tmp_path / "runs" / configs[0].id).exists()
    assert store.prune(Upkeep(megabytes=3.5)) == []
    assert [row.id for row in store.prune(Upkeep(megabytes=0, days=1e-9))] == [configs[5].id]


def test_two_hundred_runs_are_listed_and_opened_at_once(record, tmp_path: Path) -> None:
    """In the time a page has; a benchmark would say more, this says that nothing reads all folders."""
    store = Store(tmp_path)
    for seed in range(200):
        store.index.set_done(CONFIG.replace(seed=seed), record.summary(), 0)
    keep(store, record)
    assert _fastest(lambda: store.index.rows()) < 0.05
    assert _fastest(lambda: store.record(CONFIG)) < 0.05
    assert len(store.index.rows()) == 200


def _fastest(call, times: int = 5) -> float:
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return min(durations)


WRITE_MANY = """
import sys, time
from pathlib import Path
from ppe_core.config import RunConfig
from ppe_core.experiments.index import Index

index, longest = Index(Path(sys.argv[1]) / "index.sqlite"), 0.0
for seed in range(int(sys.argv[2]), int(sys.argv[2]) + 200):
    start = time.perf_counter()
    config = RunConfig(seed=seed)
    assert index.claim([config], None) == [config]
    index.set_done(config, {"seconds": {"total": 1.0}}, 1)
    longest = max(longest, time.perf_counter() - start)
print(longest)
"""


def test_two_processes_write_at_once_without_loss_or_long_waits(tmp_path: Path) -> None:
    Store(tmp_path)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE_MANY, str(tmp_path), str(first)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for first in (0, 1000)
    ]
    waits = [float(writer.communicate()[0]) for writer in writers]
    rows = Store(tmp_path).index.rows()
    assert len(rows) == 400 and {row.status for row in rows} == {Status.DONE}
    assert max(waits) < 1.0
    connection = sqlite3.connect(tmp_path / "index.sqlite")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with a megabyte on it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True)
    if mount.returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_a_full_disk_fails_the_run_in_clear_words_and_loses_nothing(
    small_disk: Path, pool: Pool, record, fingerprint
) -> None:
    store = Store(small_disk)
    keep(store, record)
    jobs = Jobs(store, pool)
    big = RunConfig.from_flat({"horizon": 60, "samples": 2000})
    jobs.submit([big])
    jobs.wait([big])
    assert jobs.status(big) is Status.FAILED
    assert "no space left" in jobs.failure(big) or "full" in jobs.failure(big)
    assert fingerprint(store.record(CONFIG)) == fingerprint(record)
    finished = store.files.level_count(big.id)
    assert 0 < finished < 60 and len(store.files.levels(big.id)) == finished
    subprocess.run(["mount", "-o", "remount,size=100m", small_disk], check=True)
    jobs.submit([big])
    jobs.wait([big])
    assert jobs.status(big) is Status.DONE


def test_wherever_a_level_meets_the_end_of_the_disk_it_is_an_error_of_the_disk(small_disk: Path, record) -> None:
    files, filler, outcomes = RunFiles(small_disk), small_disk / "filler", set()
    for free in range(4096, 16 * 4096, 4096):
        filler.write_bytes(bytes(1024**2 - free))
        try:
            files.write_level(CONFIG, record.levels[1])
            outcomes.add("written")
        except OSError as error:
            outcomes.add(errno.errorcode[error.errno])
            assert files.level_count(CONFIG.id) == 0
        filler.unlink()
        assert not list(small_disk.glob("runs/*/draft-*"))
        files.forget(CONFIG.id)
    assert outcomes == {"ENOSPC", "written"}


@pytest.fixture
def read_only_home(small_disk: Path, record) -> Path:
    store = Store(small_disk)
    keep(store, record)
    store.index.close()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    return small_disk


def test_a_read_only_home_still_shows_what_is_stored(read_only_home: Path, pool: Pool, record, fingerprint) -> None:
    store = Store(read_only_home)
    jobs = Jobs(store, pool)
    assert jobs.status(CONFIG) is Status.DONE
    assert fingerprint(store.record(CONFIG)) == fingerprint(record)
    with pytest.raises(StoreError, match="can only be read: nothing new can be kept there"):
        jobs.submit([CONFIG.replace(seed=9)], visitor="someone")


def test_an_empty_read_only_home_is_usable_too(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    store = Store(small_disk)
    assert store.index.read_only and store.index.rows() == []


def test_records_hold_no_infinity_in_their_json(record, tmp_path: Path) -> None:
    keep(Store(tmp_path), record)
    text = (tmp_path / "runs" / CONFIG.id / "record.json").read_text()
    assert json.loads(text, parse_constant=pytest.fail)
