"""How far apart two paths are: the paper's gap and the signature gap.

Both are read off the classifier's predictions f(path | observation) on the dataset. The paper's
gap (algorithm 1, line 7) compares two *outputs* over all observations. The signature gap compares
two *sources*: a path's signature is the mean prediction on the observations it produced, and by
the factorization lemma paths to the same state have the same signature in expectation, whatever
the classifier. With the Bayes classifier and deterministic dynamics the two gaps are equal.
"""

import numpy as np

from ppe_core.ppe.eliminate import eliminate

Array = np.ndarray
CHUNK = 1 << 17  # entries of a temporary array, so that it stays in the cache


def paper_gap(predictions: Array) -> Array:
    """Mean over observations of |f(i|x) - f(j|x)|: [observations, paths] -> [paths, paths]."""
    return l1_distances(predictions.T) / len(predictions)


def signatures(predictions: Array, labels: Array) -> Array:
    """Mean prediction over the observations of each path: [paths, paths]; not a number where it has none."""
    count = predictions.shape[1]
    order = np.argsort(labels, kind="stable")
    seen, starts, sizes = np.unique(labels[order], return_index=True, return_counts=True)
    means = np.full((count, count), np.nan, predictions.dtype)
    means[seen] = np.add.reduceat(predictions[order], starts, axis=0) / sizes[:, None]
    return means


def signature_gap(signatures: Array, threshold: float) -> Array:
    """L1 distance of signatures over the number of paths: [paths, paths].

    Outputs of paths that lie within the threshold estimate one and the same function of the
    observation, so they are pooled and the signatures compared once more: the distance between
    different states stays, the noise between equal ones goes. A path without observations has no
    signature and an infinite gap.
    """
    return pooled_gap(signatures, eliminate(plain_gap(signatures), threshold))


def plain_gap(signatures: Array) -> Array:
    """The signature gap before outputs are pooled: [paths, paths]."""
    return l1_distances(signatures) / len(signatures)


def pooled_gap(signatures: Array, groups: Array) -> Array:
    """The signature gap when the outputs of each group of paths are one."""
    return l1_distances(_pooled(signatures, groups)) / len(signatures)


def losses(predictions: Array, labels: Array) -> Array:
    """Negative log likelihood of each label: [observations]."""
    return _negative_log(predictions[np.arange(len(labels)), labels])


def tied_losses(predictions: Array, labels: Array, threshold: float) -> Array:
    """The same when paths within the threshold share their probability evenly."""
    groups = eliminate(l1_distances(signatures(predictions, labels)) / predictions.shape[1], threshold)
    own = groups[labels][:, None] == groups  # [observations, paths]
    return _negative_log(np.einsum("np,np->n", predictions, own) / own.sum(1))


def _negative_log(probabilities: Array) -> Array:
    return -np.log(np.maximum(probabilities, np.finfo(np.float32).tiny))


def l1_distances(rows: Array) -> Array:
    """Sum of absolute differences between every two rows; infinite where a row is not a number."""
    count, width = rows.shape
    upper = np.zeros((count, count), rows.dtype)
    columns = min(width, max(1, CHUNK // count))
    step = max(1, CHUNK // (count * columns))
    for left in range(0, width, columns):
        block = np.ascontiguousarray(rows[:, left : left + columns])
        for top in range(0, count, step):
            upper[top : top + step, top:] += np.abs(block[top : top + step, None] - block[top:]).sum(-1)
    upper[np.isnan(upper)] = np.inf
    distances = np.triu(upper, 1)
    return distances + distances.T


def _pooled(signatures: Array, groups: Array) -> Array:
    """Columns of one group added up: [paths, groups]."""
    order = np.argsort(groups, kind="stable")
    _, starts = np.unique(groups[order], return_index=True)
    return np.add.reduceat(signatures[:, order], starts, axis=1)
