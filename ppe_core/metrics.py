"""How good what was found is: arrays in, numbers out."""

import math
from collections.abc import Sequence

import numpy as np

Array = np.ndarray
HALF_REGRET_LIMIT = 500_000
CURVE_POINTS = 100


def confusion(true: Array, found: Array, num_true: int, num_found: int) -> Array:
    """Counts of each combination: [true, found]."""
    flat = np.bincount(true * num_found + found, minlength=num_true * num_found)
    return flat.reshape(num_true, num_found)


def pair_errors(true: Array, found: Array) -> tuple[int, int]:
    """Type 1 (merged, though different) and type 2 (apart, though the same) over all pairs of paths."""
    true, found = (np.unique(x, return_inverse=True)[1] for x in (true, found))
    table = confusion(true, found, true.max() + 1, found.max() + 1)
    both = _pairs(table)
    return _pairs(table.sum(0)) - both, _pairs(table.sum(1)) - both


def _pairs(counts: Array) -> int:
    return int((counts * (counts - 1) // 2).sum())


def decoding_accuracy(true: Array, found: Array) -> float:
    """Share of pairs on which "same state?" is answered right; rows 2i and 2i+1 are a pair."""
    same_true = true[0::2] == true[1::2]
    same_found = found[0::2] == found[1::2]
    return float((same_true == same_found).mean())


def coverage(reached: Array, reachable: Array) -> float:
    """Share of the reachable states that some path of the cover reaches."""
    return float(np.isin(reachable, reached).mean())


def half_regret_episodes(
    training_returns: Array, plan_value: float, optimal_value: float, limit: int = HALF_REGRET_LIMIT
) -> int | None:
    """The first episode at which the cumulative return, training included, is half the optimal one.

    After training every episode earns the plan's value, so the episode is computed, not replayed.
    None: not within the limit.
    """
    target = optimal_value / 2
    ahead = np.cumsum(training_returns - target)
    reached = np.flatnonzero(ahead >= -1e-9)
    if len(reached):
        first = int(reached[0]) + 1
        return first if first <= limit else None
    behind = -float(ahead[-1])
    gain = plan_value - target
    if gain <= 0:
        return None
    episodes = len(training_returns) + math.ceil(behind / gain - 1e-9)
    return episodes if episodes <= limit else None


def learning_curve(returns: Array, points: int = CURVE_POINTS) -> list[tuple[int, float]]:
    """Episodes so far, and the mean return of those since the last point."""
    parts = np.array_split(returns, min(points, len(returns)))
    ends = np.cumsum([len(part) for part in parts])
    return [(int(end), float(part.mean())) for end, part in zip(ends, parts)]


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """Low end, median and high end of an interval that holds the true median with the confidence.

    Between order statistics, whatever the distribution; with fewer than six values the interval is
    their whole range, and its confidence is less (5 values: 94%).
    """
    ordered, count = sorted(values), len(values)
    cut = 0
    tail = 0.5**count  # chance that all values lie above the median
    while (tail := tail + math.comb(count, cut + 1) * 0.5**count) <= (1 - confidence) / 2 and 2 * (cut + 1) < count - 1:
        cut += 1
    upper = ordered[count // 2]
    middle = upper if count % 2 or upper == math.inf else (ordered[count // 2 - 1] + upper) / 2
    return ordered[cut], middle, ordered[count - 1 - cut]


def share_interval(successes: int, trials: int, deviations: float = 1.96) -> tuple[float, float, float]:
    """Low end, share and high end of Wilson's 95% interval for a probability."""
    share, spread = successes / trials, deviations**2 / trials
    centre = (share + spread / 2) / (1 + spread)
    reach = deviations / (1 + spread) * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return max(0.0, centre - reach), share, min(1.0, centre + reach)
