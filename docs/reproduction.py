"""docs/REPRODUCTION.md from the committed results: `python -m docs.reproduction`."""

from pathlib import Path

from ppe_core.experiments.paper.report import report
from ppe_core.experiments.paper.results import committed

FILE = Path(__file__).parent / "REPRODUCTION.md"

if __name__ == "__main__":
    FILE.write_text(report(committed()))
    print(FILE.name)
