"""The records that come with the program, and records as one file."""

import io
from dataclasses import fields
from zipfile import ZipFile

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments import bundle
from ppe_core.experiments.presets import PRESETS, Preset, first_of, named, nearest
from ppe_core.experiments.record_zip import read_level, read_record, record_bytes
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.experiments.run import run
from ppe_core.ppe.eliminate import eliminate

MEGABYTES = 2.1
TIMES = ("seconds",)


@pytest.fixture(scope="module")
def fresh() -> RunRecord:
    return run(RunConfig())


def assert_same_level(one: LevelRecord, two: LevelRecord, leave_out: tuple[str, ...] = ()) -> None:
    for part, other in ((one.found, two.found), (one.truth, two.truth)):
        for item in fields(part):
            if item.name not in (*leave_out, "weights"):
                np.testing.assert_array_equal(getattr(part, item.name), getattr(other, item.name), item.name)


def without_times(record: RunRecord) -> dict:
    return {key: value for key, value in record.summary().items() if key not in ("seconds", "versions")}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_is_bundled(preset: Preset) -> None:
    assert bundle.is_bundled(preset.config), "run: python -m ppe_core.experiments.bundle"
    assert bundle.bundled_record(preset.config).config == preset.config


def test_the_bundled_lock_is_what_a_fresh_run_gives(fresh: RunRecord) -> None:
    """What changed the results must raise RESULTS_VERSION and make the bundle again."""
    bundled = bundle.bundled_record(RunConfig())
    assert without_times(bundled) == without_times(fresh)
    for one, two in zip(bundled.levels, bundle.kept(fresh).levels, strict=True):
        assert_same_level(one, two, leave_out=TIMES)


def test_the_bundle_is_small_and_holds_nothing_else() -> None:
    files = list(bundle.FOLDER.iterdir())
    assert {file.stem for file in files} == {preset.config.id for preset in PRESETS}
    assert sum(file.stat().st_size for file in files) < MEGABYTES * 1e6


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_bundled_gaps_still_give_the_merges(preset: Preset) -> None:
    for level in bundle.bundled_record(preset.config).levels:
        found = level.found
        gap = getattr(found, f"{preset.config.learner.gap}_gap")
        assert gap.dtype == np.float32
        np.testing.assert_array_equal(gap, gap.T)
        np.testing.assert_array_equal(eliminate(gap, found.threshold), found.survivor)


def test_what_is_rounded_is_off_by_less_than_a_thousandth(fresh: RunRecord) -> None:
    for name in ("paper_gap", "signature_gap", "signatures"):
        for kept, level in zip(bundle.kept(fresh).levels, fresh.levels):
            np.testing.assert_allclose(getattr(kept.found, name), getattr(level.found, name), rtol=2e-3, atol=1e-6)


def test_one_bundled_level_can_be_read_by_itself() -> None:
    whole = bundle.bundled_record(RunConfig())
    assert_same_level(bundle.bundled_level(RunConfig(), 3), whole.levels[2])


def test_a_record_survives_the_way_through_a_file(fresh: RunRecord) -> None:
    data = record_bytes(fresh)
    back = read_record(io.BytesIO(data))
    assert back.summary() == fresh.summary()
    for one, two in zip(back.levels, fresh.levels, strict=True):
        assert_same_level(one, two)
        assert {name: x.tobytes() for name, x in one.found.weights.items()} == {
            name: np.asarray(x).tobytes() for name, x in two.found.weights.items()
        }
    assert_same_level(read_level(io.BytesIO(data), 2), fresh.levels[1])


def test_a_record_file_can_be_read_without_pickle(fresh: RunRecord) -> None:
    with ZipFile(io.BytesIO(record_bytes(fresh))) as archive:
        assert archive.namelist() == ["run.json", *(f"level-{h:03d}.npz" for h in range(1, 6))]
        with np.load(io.BytesIO(archive.read("level-001.npz")), allow_pickle=False) as arrays:
            assert all(arrays[name].dtype != object for name in arrays)


def errors(name: str) -> tuple[int, int]:
    return bundle.bundled_record(named(name).config).errors


def test_the_presets_show_what_they_promise() -> None:
    few, paper, deep = (bundle.bundled_record(named(name).config) for name in
                        ("Too few samples", "Paper gap against signature gap", "Deeper"))  # fmt: skip
    assert few.errors[0] > 0 and few.value == 0
    assert [level.errors[0] for level in few.levels][:2] == [0, 1]
    assert len(few.levels[-1].found.states) == 1
    assert run(few.config.replace(samples=1000)).exact_recovery
    assert paper.errors[1] > 1000
    assert paper.config.replace(gap="signature") == PRESETS[0].config
    assert deep.exact_recovery and deep.config.horizon == 20
    assert errors("Gridworld") == errors("No noise") == errors("A lock in the noise") == (0, 0)
    wobbly = named("Not quite deterministic").config
    assert errors("Not quite deterministic") == (0, 0)
    assert run(wobbly.replace(eta=0.1)).errors[0] > 0


def test_a_config_belongs_to_the_preset_it_is_or_to_the_first_of_its_environment() -> None:
    assert nearest(named("Deeper").config).name == "Deeper"
    assert nearest(RunConfig(seed=9)) is PRESETS[0]
    assert nearest(first_of("grid").config.replace(seed=9)).name == "Gridworld"
