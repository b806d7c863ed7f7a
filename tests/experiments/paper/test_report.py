"""The table of claims in docs."""

from pathlib import Path

from ppe_core.experiments.paper.claims import CLAIMS
from ppe_core.experiments.paper.report import report
from ppe_core.experiments.paper.results import committed
from ppe_core.experiments.paper.studies import SIGNATURE
from tests.experiments.paper.made import made, results

FILE = Path(__file__).parents[3] / "docs" / "REPRODUCTION.md"


def test_the_table_is_that_of_the_committed_results() -> None:
    assert FILE.read_text() == report(committed()), "run: python -m docs.reproduction"


def test_the_table_changes_with_the_results() -> None:
    found = committed()
    lock = results("fig2a", made(SIGNATURE, horizon=2, type1=3))
    changed = report(found | {"fig2a": lock.__class__(lock.figure, "full", lock.runs, found["fig2a"].about)})
    assert "exactly this graph in 0 of 1 seeds | 1 | **differs**" in changed
    assert changed.count("| Figure") - report(found).count("| Figure") == 0 and len(CLAIMS) > 20
