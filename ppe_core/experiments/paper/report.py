"""The committed results as a page of text: one row a claim."""

from collections.abc import Mapping

from ppe_core.experiments.paper.claims import CLAIMS, Verdict, finding
from ppe_core.experiments.paper.results import Results
from ppe_core.experiments.paper.studies import FIGURES

HEADER = """# The paper's experiments, run again

Written by `python -m docs.reproduction` from the runs in `results/paper`; the *Paper* page of the app shows the same
with the figures. What is meant by "good", "plummets" or "mild" is fixed in `ppe_core/experiments/paper/claims.py`.
"""


def report(found: Mapping[str, Results]) -> str:
    told = [(claim, finding(claim, found)) for claim in CLAIMS]
    counts = [f"{verdict}: {sum(x.verdict == verdict for _, x in told)}" for verdict in Verdict]
    rows = [
        f"| {number} | {FIGURES[claim.figure].place} | {claim.says} | {_cell(x.measured, x.why)} | "
        f"{_seeds(found.get(claim.figure))} | **{x.verdict}** | `{_command(claim.figure)}` |"
        for number, (claim, x) in enumerate(told, 1)
    ]
    return "\n".join(
        [
            HEADER,
            f"{len(told)} claims; {', '.join(counts)}.\n",
            "| | figure | the paper says | measured | seeds | verdict | command |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "\n## What was run\n",
            "| figure | runs | computing | date | machine | less than in the paper |",
            "|---|---|---|---|---|---|",
            *(_extent(results) for results in found.values()),
            "",
        ]
    )


def _cell(measured: str, why: str) -> str:
    return f"{measured}. *{why}.*" if why else measured or "–"


def _seeds(results: Results | None) -> str:
    """How many, and those lines that have another number."""
    if not results or not results.runs:
        return "–"
    counts = {line.name: len({run.config.seed for run in results.line(line.name)}) for line in _lines(results)}
    most = max(counts.values())
    others = [f"{name}: {count}" for name, count in counts.items() if count != most]
    return f"{most}" + (f" ({', '.join(others)})" if others else "")


def _extent(results: Results) -> str:
    about = results.about
    hours = f"{about['seconds'] / 3600:.1f} h" if about["seconds"] >= 360 else f"{about['seconds']:.0f} s"
    return (
        f"| {results.figure.place} | {about['finished']} of {about['runs']} | {hours} | {about['date']} | "
        f"{about['machine']} | {results.figure.reduced[results.scale] or 'nothing'} |"
    )


def _lines(results: Results) -> list:
    return results.figure.lines(results.scale)


def _command(figure: str) -> str:
    return f"reproduce {figure} --scale full"
