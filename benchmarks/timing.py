"""Times that can be compared: candidates take turns, and the best turn of each counts."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the report."""

    what: str
    measured: str
    bar: str
    met: bool


def best_times(candidates: dict[str, Callable[[], object]], turns: int, calls: int = 1) -> dict[str, float]:
    """Seconds a call takes in the best of its turns; the candidates alternate, so drift hits all alike."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(turns):
        for name, call in candidates.items():
            start = perf_counter()
            for _ in range(calls):
                call()
            best[name] = min(best[name], (perf_counter() - start) / calls)
    return best
