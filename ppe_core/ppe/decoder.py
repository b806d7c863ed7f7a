"""The endogenous state decoder, read off the classifier (section 4 of the paper).

A state is named by the index of a path that reaches it.
"""

import numpy as np

Array = np.ndarray
MARGIN = 0.5  # of 1/|Υ|: the constant the paper leaves open in O(1/|Υ|)


def decode(predictions: Array, survivor: Array, decoder: str) -> Array:
    """[observations, paths] -> [observations], a path index each."""
    if decoder == "printed":
        count = predictions.shape[1]
        near_maximum = predictions >= predictions.max(1, keepdims=True) - MARGIN / count
        return near_maximum.argmax(1)
    states = np.unique(survivor)
    if decoder == "survivors":
        return states[predictions[:, states].argmax(1)]
    return states[_class_sums(predictions, survivor).argmax(1)]


def decode_evenly(predictions: Array, survivor: Array) -> Array:
    """The merged class with the highest mean probability a path, for dynamics that are not quite deterministic.

    The sum over a class also weighs how many paths are in it: when each of 28 paths to one state strays to
    another now and then, together they outweigh the only path that leads there.
    """
    states, sizes = np.unique(survivor, return_counts=True)
    return states[(_class_sums(predictions, survivor) / sizes).argmax(1)]


def _class_sums(predictions: Array, survivor: Array) -> Array:
    """[observations, recovered states]"""
    order = np.argsort(survivor, kind="stable")
    _, starts = np.unique(survivor[order], return_index=True)
    return np.add.reduceat(predictions[:, order], starts, axis=1)
