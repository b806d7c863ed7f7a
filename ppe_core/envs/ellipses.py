"""The pixels of every ellipse that fits an image, found once: drawing one is then only looking up.

An ellipse is given by its bounding box, whose corners lie between pixels: a box of w × h covers
w · h pixels, and a pixel belongs to the ellipse when its centre does. An outline is what erosion
takes away, so it has no holes and no pixel twice.
"""

from typing import NamedTuple

import numpy as np

Array = np.ndarray


class EllipseTable(NamedTuple):
    """Pixels of all box sizes in a row; size (h, w) has number h · (width + 1) + w."""

    pixels: Array  # [points], flat positions in the image of a box at its top left corner
    first: Array  # [sizes], where the pixels of a size begin
    length: Array  # [sizes], how many they are


def ellipse_table(height: int, width: int, thickness: int | None) -> EllipseTable:
    """Ellipses in an image of this size: outlines of a thickness, or filled for None."""
    pixels, lengths = [], []
    for h in range(height + 1):
        inside = _ellipses(h, height, width)  # [width + 1, height, width]
        if thickness is not None:
            inside &= ~_eroded(inside, thickness)
        flat = inside.reshape(width + 1, -1)
        pixels.append(flat.nonzero()[1].astype(np.int16))
        lengths.append(flat.sum(1))
    length = np.concatenate(lengths)
    return EllipseTable(np.concatenate(pixels), length.cumsum() - length, length)


def _ellipses(h: int, height: int, width: int) -> Array:
    """Filled ellipses of one height and every width at the top left corner: [width + 1, height, width]."""
    y = _centred(np.array([h]), height)  # [1, height]
    x = _centred(np.arange(width + 1), width)  # [width + 1, width]
    return y[:, :, None] ** 2 + x[:, None, :] ** 2 <= 1


def _centred(lengths: Array, size: int) -> Array:
    """Pixel centres in half axes from the middle of boxes of these lengths: [lengths, size]."""
    half = np.maximum(lengths, 0.5)[:, None] / 2  # a box without extent holds no pixel centre
    return (np.arange(size) + 0.5 - lengths[:, None] / 2) / half


def _eroded(shapes: Array, times: int) -> Array:
    """What stays when every pixel beside an outside one goes, several times over."""
    for _ in range(times):
        padded = np.pad(shapes, ((0, 0), (1, 1), (1, 1)))
        shapes = (
            shapes & padded[:, :-2, 1:-1] & padded[:, 2:, 1:-1] & padded[:, 1:-1, :-2] & padded[:, 1:-1, 2:]
        )  # fmt: skip
    return shapes
