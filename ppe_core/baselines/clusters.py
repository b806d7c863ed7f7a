"""Clusters of points: k-means, the best of several starts."""

import numpy as np

Array = np.ndarray
STARTS = 10
ROUNDS = 50  # at most


def nearest(points: Array, centres: Array) -> Array:
    """Index of the centre next to each point: [n, dimensions] -> [n]."""
    return _distances(points, centres).argmin(1)


def best_centres(points: Array, count: int, rng: np.random.Generator) -> Array:
    """The centres with the least sum of squared distances: [count, dimensions]."""
    candidates = [_settled(points, _scattered(points, count, rng)) for _ in range(STARTS)]
    return min(candidates, key=lambda centres: _distances(points, centres).min(1).sum())


def _scattered(points: Array, count: int, rng: np.random.Generator) -> Array:
    """Points far from each other: each next one is drawn by its squared distance from those before it."""
    centres = points[[rng.integers(len(points))]]
    while len(centres) < count:
        distances = _distances(points, centres).min(1).astype(float) + 1e-12  # all equal points: any will do
        centres = np.vstack([centres, points[rng.choice(len(points), p=distances / distances.sum())]])
    return centres


def _settled(points: Array, centres: Array) -> Array:
    """Each centre moved to the mean of its points until none changes its centre; one without points stays."""
    labels = nearest(points, centres)
    for _ in range(ROUNDS):
        centres = np.array([points[labels == k].mean(0) if (labels == k).any() else c for k, c in enumerate(centres)])
        before, labels = labels, nearest(points, centres)
        if np.array_equal(before, labels):
            break
    return centres


def _distances(points: Array, centres: Array) -> Array:
    """Squared distances: [n, centres]."""
    return np.square(points[:, None] - centres).sum(-1)
