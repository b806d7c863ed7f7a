"""Eliminate paths that reach a state already covered (algorithm 5, lines 6 to 12).

In index order, every path that is still there eliminates the later ones within the threshold; what
was merged with them is merged with it. Only survivors eliminate: as printed, a path eliminated
earlier could still absorb later ones, which would then belong to no surviving path.
"""

import numpy as np

Array = np.ndarray


def eliminate(gaps: Array, threshold: float) -> Array:
    """For each path the index of the surviving path it was merged with: [paths]."""
    count = len(gaps)
    survivor = np.full(count, -1)
    for path in range(count):
        if survivor[path] < 0:
            survivor[(survivor < 0) & (gaps[path] <= threshold)] = path
    return survivor
