"""What the runs of a figure came to: gathered from the store, kept as a CSV of runs and a JSON about them.

A row says which line of the figure it belongs to, the whole config of its run, and what was measured,
so that every number that is shown can be traced to a run that anybody can repeat. A run that is not
finished has a row as well, once a time step is: `levels` says how many are.
"""

import csv
import io
import json
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ppe_core.config import RunConfig, all_option_fields
from ppe_core.experiments.paper.studies import FIGURES, PaperFigure
from ppe_core.experiments.store import Store
from ppe_core.experiments.study import as_csv

COMMITTED = Path(__file__).parents[3] / "results" / "paper"
SETTINGS = ("env", "learner", *(item.name for item in all_option_fields()))


@dataclass(frozen=True)
class Measured:
    """One run of a figure."""

    line: str
    config: RunConfig
    levels: int  # finished time steps
    type1: int | None
    type2: int | None
    pairs: int | None  # of paths, compared
    decoding_accuracy: float | None
    value: float | None
    optimal_value: float | None
    episodes: int | None
    half_regret_episodes: int | None  # None: never
    seconds: float
    stopped: str | None  # why it ended before its last time step, if it did

    @property
    def is_finished(self) -> bool:
        return self.stopped != UNFINISHED

    @property
    def is_whole(self) -> bool:
        return self.stopped is None

    @property
    def is_exact(self) -> bool:
        return self.is_whole and (self.type1, self.type2) == (0, 0)


NUMBERS = ("levels", "type1", "type2", "pairs", "decoding_accuracy", "value", "optimal_value", "episodes",
           "half_regret_episodes", "seconds")  # fmt: skip


@dataclass(frozen=True)
class Results:
    """A figure at a scale, as far as it has come."""

    figure: PaperFigure
    scale: str
    runs: tuple[Measured, ...]
    about: Mapping[str, Any]  # when, where and with what it was computed

    def line(self, name: str, **settings: Any) -> list[Measured]:
        """The runs of a line, those with some settings."""
        return [
            run for run in self.runs
            if run.line == name and all(run.config.flat().get(key) == value for key, value in settings.items())
        ]  # fmt: skip

    @property
    def missing(self) -> list[RunConfig]:
        """Runs without a finished record."""
        there = {run.config for run in self.runs if run.is_finished}
        return [config for config in self.figure.configs(self.scale) if config not in there]


UNFINISHED = "not finished"


def gather(figure: PaperFigure, scale: str, store: Store) -> Results:
    """What the store has of a figure."""
    summaries = store.summaries(figure.configs(scale))
    found, versions = [], []
    for name, config in _places(figure, scale):
        if summary := summaries(config):
            found.append(of_summary(name, config, summary))
            versions.append(summary["versions"])
        elif unfinished := _unfinished(name, config, store):
            found.append(unfinished)
    known = {key: sorted({x[key] for x in versions}) for key in (versions[0] if versions else {})}
    return _results(figure, scale, found, _last_day(found, store), known)


def merged(old: Results, new: Results) -> Results:
    """The new runs, and the old ones where there is no new one that has come as far."""
    figure, scale = new.figure, new.scale
    best: dict[tuple[str, RunConfig], Measured] = {}
    for run in (*old.runs, *new.runs):
        before = best.get((run.line, run.config))
        if before is None or run.is_finished or (not before.is_finished and run.levels >= before.levels):
            best[run.line, run.config] = run
    found = [best[place] for place in _places(figure, scale) if place in best]
    versions = [result.about["versions"] for result in (old, new)]
    known = {key: sorted({x for each in versions for x in each.get(key, ())}) for key in (versions[1] or versions[0])}
    return _results(figure, scale, found, max(old.about["date"], new.about["date"]), known)


def _places(figure: PaperFigure, scale: str) -> list[tuple[str, RunConfig]]:
    """Every run of every line, in the order of the table."""
    lines = figure.lines(scale)
    return [(line.name, config) for line in lines for study in line.studies for config in study.configs()]


def write(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table, about = _files(results.figure.name, results.scale, folder)
    rows = [_row(run) for run in results.runs]
    used = [name for name in SETTINGS if any(row.get(name) is not None for row in rows)]
    columns = ("line", "id", *used, *NUMBERS, "stopped")
    if rows:
        table.write_text(as_csv([{name: row.get(name) for name in columns} for row in rows]))
    about.write_text(json.dumps(dict(results.about), indent=1) + "\n")


def read(figure: PaperFigure, scale: str, folder: Path = COMMITTED) -> Results | None:
    """What was written; None: nothing was."""
    table, about = _files(figure.name, scale, folder)
    if not about.exists():
        return None
    rows = csv.DictReader(io.StringIO(table.read_text())) if table.exists() else []
    return Results(figure, scale, tuple(_measured(row) for row in rows), json.loads(about.read_text()))


def committed(scale: str = "full") -> dict[str, Results]:
    """By the name of the figure."""
    return {name: found for name, figure in FIGURES.items() if (found := read(figure, scale))}


def as_text(results: Results) -> str:
    """The table of runs, as written."""
    return as_csv([_row(run) for run in results.runs])


def of_summary(line: str, config: RunConfig, summary: Mapping[str, Any]) -> Measured:
    names = ("type1", "type2", "decoding_accuracy", "value", "optimal_value", "episodes", "half_regret_episodes")
    return Measured(
        line=line, config=config, levels=len(summary["levels"]), pairs=_pairs(x["paths"] for x in summary["levels"]),
        seconds=round(summary["seconds"]["total"], 3), stopped=summary["stopped"],
        **{name: summary[name] for name in names},
    )  # fmt: skip


def _unfinished(line: str, config: RunConfig, store: Store) -> Measured | None:
    """A run of PPE that has come as far as some time step."""
    levels = store.files.levels(config.id)
    if not levels:
        return None
    errors = [level.errors for level in levels]
    return Measured(
        line=line, config=config, levels=len(levels), type1=sum(x for x, _ in errors), type2=sum(x for _, x in errors),
        pairs=_pairs(len(level.found.paths) for level in levels), decoding_accuracy=None, value=None,
        optimal_value=None, episodes=sum(len(level.found.returns) for level in levels), half_regret_episodes=None,
        seconds=round(sum(level.seconds for level in levels), 3), stopped=UNFINISHED,
    )  # fmt: skip


def _pairs(paths: Iterable[int | None]) -> int | None:
    known = [n for n in paths if n is not None]
    return sum(n * (n - 1) // 2 for n in known) if known else None


def _results(
    figure: PaperFigure, scale: str, found: Sequence[Measured], day: str, versions: Mapping[str, list[str]]
) -> Results:
    about = {
        "figure": figure.name,
        "scale": scale,
        "command": command(figure.name, scale),
        "date": day,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "versions": dict(versions),
        "runs": len(figure.configs(scale)),
        "finished": len({run.config for run in found if run.is_finished}),
        "seconds": round(sum({run.config: run.seconds for run in found}.values()), 1),
    }
    return Results(figure, scale, tuple(found), about)


def _last_day(found: Sequence[Measured], store: Store) -> str:
    """On which the last of the runs ended."""
    ids = json.dumps([run.config.id for run in found])
    ended = [row.ended for row in store.index.rows("id IN (SELECT value FROM json_each(?))", ids) if row.ended]
    return date.fromtimestamp(max(ended, default=time.time())).isoformat()


def command(name: str, scale: str) -> str:
    return f"python -m ppe_core reproduce {name}" + ("" if scale == "quick" else f" --scale {scale}")


def _files(name: str, scale: str, folder: Path) -> tuple[Path, Path]:
    return folder / f"{name}.{scale}.csv", folder / f"{name}.{scale}.json"


def _row(run: Measured) -> dict[str, Any]:
    measures = {name: getattr(run, name) for name in NUMBERS}
    return {"line": run.line, "id": run.config.id} | run.config.flat() | measures | {"stopped": run.stopped}


def _measured(row: Mapping[str, str]) -> Measured:
    settings = {name: row[name] for name in SETTINGS if row.get(name)}
    numbers = {name: json.loads(row[name]) if row[name] else None for name in NUMBERS}
    return Measured(
        line=row["line"], config=RunConfig.from_flat(settings), stopped=row["stopped"] or None,
        **numbers,  # type: ignore[arg-type]
    )  # fmt: skip
