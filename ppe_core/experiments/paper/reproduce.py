"""Reproduce figures: which runs that takes, how their results are kept, and what they say of each claim."""

from collections.abc import Sequence
from pathlib import Path

from ppe_core.config import RunConfig
from ppe_core.experiments.paper import exhibits, results
from ppe_core.experiments.paper.claims import Finding, Verdict, finding, of_figure
from ppe_core.experiments.paper.results import Results
from ppe_core.experiments.paper.studies import FIGURES, SCALES
from ppe_core.experiments.store import Store

ALL = "all"


def figures_named(name: str) -> list[str]:
    if name != ALL and name not in FIGURES:
        raise ValueError(f"figure: {name!r} is not one of {', '.join((*FIGURES, ALL))}")
    return [name] if name != ALL else list(FIGURES)


def checked_scale(scale: str) -> str:
    if scale not in SCALES:
        raise ValueError(f"scale: {scale!r} is not one of {', '.join(SCALES)}")
    return scale


def configs(names: Sequence[str], scale: str) -> list[RunConfig]:
    """Every run of the figures, once."""
    return list(dict.fromkeys(config for name in names for config in FIGURES[name].configs(scale)))


def gather(names: Sequence[str], scale: str, store: Store) -> dict[str, Results]:
    return {name: results.gather(FIGURES[name], scale, store) for name in names}


def lacking(names: Sequence[str], scale: str, folder: Path) -> list[RunConfig]:
    """The runs of figures that the results in a folder lack."""
    kept = [(name, results.read(FIGURES[name], scale, folder)) for name in names]
    runs = (config for name, found in kept for config in (found.missing if found else FIGURES[name].configs(scale)))
    return list(dict.fromkeys(runs))


def keep(found: dict[str, Results], folder: Path) -> None:
    """Write results into a folder, each figure's beside what it shows; what is there and was not run again stays."""
    try:
        for name, result in found.items():
            before = results.read(result.figure, result.scale, folder)
            results.write(results.merged(before, result) if before else result, folder)
            exhibits.make(name, folder)
    except OSError as error:
        raise ValueError(f"out: cannot write in {str(folder)!r}: {error.strerror or error}") from None


def in_words(found: dict[str, Results]) -> list[str]:
    """A line a claim; at quick scale each beside the committed verdict."""
    committed, lines, same, told = results.committed(), [], 0, 0
    for name, result in found.items():
        lines.append(f"{FIGURES[name].place}: {FIGURES[name].title}, {_extent(result)}")
        for claim in of_figure(name):
            now, before = finding(claim, found), finding(claim, committed)
            lines.append(f"  [{now.verdict}] {claim.says}" + _measured(now))
            if result.scale != "full" and Verdict.UNKNOWN not in (now.verdict, before.verdict):
                told += 1
                same += now.verdict == before.verdict
                if now.verdict != before.verdict:
                    lines.append(f"    but the committed results say: {before.verdict}: {before.measured}")
    return [*lines, f"{same} of {told} verdicts are those of the committed results"] if told else lines


def _extent(result: Results) -> str:
    about = result.about
    if not about["runs"]:
        return "nothing to run"
    return f"{about['finished']} of {about['runs']} runs, {about['seconds']:,.0f} s of computing"


def _measured(told: Finding) -> str:
    return (f": {told.measured}" if told.measured else "") + (f" ({told.why})" if told.why else "")
