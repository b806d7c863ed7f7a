"""Observations as pictures: images on a contact sheet, vectors as a heat map. Arrays in, image out."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Array = np.ndarray

PAPER, INK = "white", "black"
STRIP_ROW = 13  # pixels of an observation in a strip, and a gap
STRIP_LOW, STRIP_MIDDLE, STRIP_HIGH = np.array([(224, 89, 42, 255), (128, 136, 150, 30), (47, 125, 225, 255)])
GAP = 8  # pixels between parts of a picture
FONT_SIZE = 18
HEAT_MAP_WIDTH = 960  # pixels, as far as whole numbers of them per entry allow
HEAT_MAP_ROW = 9  # pixels
LOW, MIDDLE, HIGH = np.array([(33, 102, 172), (247, 247, 247), (178, 24, 43)])  # blue, white, red


def contact_sheet(frames: Array, labels: Sequence[str], scale: int = 3) -> Image.Image:
    """Images [rows, columns, height, width, 3] side by side, pixels enlarged, a label before each row."""
    rows, columns, height, width, _ = frames.shape
    frames = frames.repeat(scale, axis=2).repeat(scale, axis=3)
    margin = _widest(labels) + 2 * GAP
    high, wide = scale * height + GAP, scale * width + GAP
    picture = Image.new("RGB", (margin + columns * wide, GAP + rows * high), PAPER)
    for row in range(rows):
        _write(picture, labels[row], GAP + row * high + (high - GAP) // 2)
        for column in range(columns):
            picture.paste(Image.fromarray(frames[row, column]), (margin + column * wide, GAP + row * high))
    return picture


def picture_rows(rows: Sequence[Array], width: int = 720) -> Array:
    """Images [columns, height, width, 3], a row each, pixels enlarged to about a width in all; gaps are transparent."""
    columns, _, across, _ = rows[0].shape
    scale = max(1, width // (columns * across))
    frames = np.array(rows).repeat(scale, axis=2).repeat(scale, axis=3)
    opaque = np.pad(frames, ((0, 0),) * 4 + ((0, 1),), constant_values=255)
    spaced = np.pad(opaque, ((0, 0), (0, 0), (0, GAP), (0, GAP), (0, 0)))
    joined = spaced.transpose(0, 2, 1, 3, 4).reshape(len(rows) * spaced.shape[2], -1, 4)
    return joined[:-GAP, :-GAP]


def strips(groups: Sequence[Array], width: int = 720) -> Array:
    """Vectors, one a row, in groups [rows, entries]: orange below zero, blue above, zero and gaps on any paper.

    An image, not a chart: a browser shows it at once.
    """
    entry = max(1, width // groups[0].shape[1])
    largest = max(float(np.abs(group).max()) for group in groups) or 1.0
    rows = []
    for group in groups:
        values = group[..., None] / largest
        cells = STRIP_MIDDLE + np.abs(values) * (np.where(values < 0, STRIP_LOW, STRIP_HIGH) - STRIP_MIDDLE)
        high = cells.round().astype(np.uint8).repeat(entry, axis=1)[:, None].repeat(STRIP_ROW, axis=1)
        rows.append(np.pad(high, ((0, 0), (0, 2), (0, 0), (0, 0))).reshape(-1, high.shape[2], 4))
        rows.append(np.zeros((STRIP_ROW, high.shape[2], 4), np.uint8))
    return np.concatenate(rows[:-1])


def heat_map(groups: Sequence[Array], labels: Sequence[str]) -> Image.Image:
    """Vectors, one a row, in labelled groups [rows, entries]; blue below zero, red above."""
    entry = max(1, HEAT_MAP_WIDTH // groups[0].shape[1])
    margin = _widest(labels) + 2 * GAP
    heights = [len(group) * HEAT_MAP_ROW for group in groups]
    size = margin + entry * groups[0].shape[1] + GAP, sum(heights) + GAP * (len(groups) + 1)
    picture = Image.new("RGB", size, PAPER)
    largest = max(float(np.abs(group).max()) for group in groups) or 1.0
    top = GAP
    for group, label, height in zip(groups, labels, heights):
        cells = _diverging(group / largest).repeat(HEAT_MAP_ROW, axis=0).repeat(entry, axis=1)
        picture.paste(Image.fromarray(cells), (margin, top))
        _write(picture, label, top + height // 2)
        top += height + GAP
    return picture


def _diverging(values: Array) -> Array:
    """Colours [..., 3] of values from -1 to 1."""
    ends = np.where(values[..., None] < 0, LOW, HIGH)
    return (MIDDLE + np.abs(values[..., None]) * (ends - MIDDLE)).round().astype(np.uint8)


def _widest(labels: Sequence[str]) -> int:
    return max(int(_font().getlength(label)) for label in labels)


def _write(picture: Image.Image, label: str, middle: int) -> None:
    ImageDraw.Draw(picture).text((GAP, middle), label, INK, _font(), anchor="lm")


def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(FONT_SIZE)
