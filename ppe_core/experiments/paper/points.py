"""The points that the paper's figures are drawn from: plain numbers over seeds."""

from typing import Any, NamedTuple


class Best(NamedTuple):
    """An algorithm at the point of its grid with the best median over seeds, as in the paper's appendix."""

    horizon: int
    low: float
    episodes: float  # to half regret, the median; infinite: never
    high: float
    solved: int  # seeds that reach half regret
    seeds: int
    seconds: float  # of a run, the median
    settings: dict[str, Any]  # that the grid varies


class Accuracy(NamedTuple):
    """Decoding accuracy at one N."""

    samples: int
    mean: float
    deviation: float
    seeds: int


class Errors(NamedTuple):
    """Type 1 and type 2 errors at one N: the median over seeds, and whether all of them are whole runs."""

    samples: int
    type1: float
    type2: float
    pairs: int
    levels: int  # time steps that the shortest run finished
    exact: int  # seeds without an error
    seeds: int
    whole: bool
    seconds: float


def chosen(best: Best) -> str:
    """The point of the grid, in words."""
    named = {"N" if name == "samples" else name: value for name, value in best.settings.items()}
    return ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:g}" for name, value in named.items()
    )
