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
    order = np.argsort(survivor, kind="stable")
    _, starts = np.unique(survivor[order], return_index=True)
    return states[np.add.reduceat(predictions[:, order], starts, axis=1).argmax(1)]
