"""The records of the presets, kept with the program: a visitor sees a finished run at once.

    python -m ppe_core.experiments.bundle

computes them again; needed when RESULTS_VERSION, a preset or what a record holds has changed. A
bundled record is small: the classifier is left out, and gaps and signatures are rounded to half
precision (three digits; a gap never across the threshold), the symmetric ones kept as a triangle.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.experiments.presets import PRESETS
from ppe_core.experiments.record_zip import read_level, read_record, write_record
from ppe_core.experiments.records import LevelRecord, RunRecord
from ppe_core.ppe.eliminate import eliminate

Array = np.ndarray
FOLDER = Path(__file__).parent / "bundled"
GAPS = ("paper_gap", "signature_gap")


def is_bundled(config: RunConfig) -> bool:
    return _file(config).exists()


def bundled_record(config: RunConfig) -> RunRecord:
    return unpacked(read_record(_file(config)))


def bundled_level(config: RunConfig, h: int) -> LevelRecord:
    return _unpacked(read_level(_file(config), h))


def unpacked(record: RunRecord) -> RunRecord:
    """A record as it was before it was written."""
    return replace(record, levels=[_unpacked(level) for level in record.levels])


def kept(record: RunRecord) -> RunRecord:
    """What a bundled record keeps of a fresh one."""
    return replace(record, levels=[_unpacked(_packed(level)) for level in record.levels])


def write(record: RunRecord, file: Path) -> None:
    for level in kept(record).levels:
        found = level.found
        gap = getattr(found, f"{record.config.learner.gap}_gap")
        assert np.array_equal(eliminate(gap, found.threshold), found.survivor), "rounding changed a merge"
    write_record(file, replace(record, levels=[_packed(level) for level in record.levels]))


def _packed(level: LevelRecord) -> LevelRecord:
    found = level.found
    gaps: dict[str, Any] = {name: np.tril(_rounded_gap(getattr(found, name), found.threshold)) for name in GAPS}
    signatures = found.signatures.astype(np.float16)
    return LevelRecord(replace(found, weights={}, signatures=signatures, **gaps), level.truth)


def _unpacked(level: LevelRecord) -> LevelRecord:
    lower = {name: getattr(level.found, name).astype(np.float32) for name in GAPS}
    gaps: dict[str, Any] = {name: gap + gap.T for name, gap in lower.items()}  # nothing on the diagonal
    found = replace(level.found, signatures=level.found.signatures.astype(np.float32), **gaps)
    return LevelRecord(found, level.truth)


def _rounded_gap(gap: Array, threshold: float) -> Array:
    """In half precision, and on the same side of the threshold: no merge changes."""
    half = gap.astype(np.float16)
    crossed = (half <= threshold) != (gap <= threshold)
    return np.where(crossed, np.nextafter(half, np.where(gap <= threshold, 0, np.inf).astype(np.float16)), half)


def _file(config: RunConfig) -> Path:
    return FOLDER / f"{config.id}.zip"


def _main() -> None:
    from ppe_core.experiments.run import run  # torch, which a page does without

    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.zip"):
        old.unlink()
    for preset in PRESETS:
        file = _file(preset.config)
        write(run(preset.config), file)
        print(f"{preset.name}: {file.name}, {file.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    _main()
