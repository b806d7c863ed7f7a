"""Made-up runs: results whose verdict is known."""

from typing import Any

from ppe_core.config import RunConfig
from ppe_core.experiments.paper.results import Measured, Results
from ppe_core.experiments.paper.studies import FIGURES


def made(line: str, seed: int = 0, levels: int = 2, stopped: str | None = None, **values: Any) -> Measured:
    """A run with some measures and settings; what is not given is as in a perfect run."""
    measures = {
        "type1": 0, "type2": 0, "pairs": 480, "decoding_accuracy": 1.0, "value": 1.0, "optimal_value": 1.0,
        "episodes": 1000, "half_regret_episodes": 2000, "seconds": 1.0,
    }  # fmt: skip
    given = {name: values.pop(name) for name in list(values) if name in measures}
    config = RunConfig.from_flat({"seed": seed, **values})
    return Measured(line=line, config=config, levels=levels, stopped=stopped, **(measures | given))


def results(figure: str, *runs: Measured) -> Results:
    return Results(FIGURES[figure], "full", runs, {})
