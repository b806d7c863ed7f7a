import numpy as np
import pytest

from ppe_core.envs.ellipses import EllipseTable, ellipse_table

HEIGHT, WIDTH = 20, 24
SIZES = [(h, w) for h in range(3, HEIGHT + 1, 3) for w in range(3, WIDTH + 1, 4)]


def image(table: EllipseTable, h: int, w: int) -> np.ndarray:
    """The ellipse of a box of h × w, with a margin of one pixel all around."""
    size = h * (WIDTH + 1) + w
    picture = np.zeros(HEIGHT * WIDTH, int)
    pixels = table.pixels[table.first[size] : table.first[size] + table.length[size]]
    np.add.at(picture, pixels, 1)
    return np.pad(picture.reshape(HEIGHT, WIDTH), 1)


def outside(outline: np.ndarray) -> np.ndarray:
    """What can be reached from the margin without crossing the outline, in steps along rows and columns."""
    reached = np.zeros(outline.shape, bool)
    reached[0, 0] = True
    for _ in range(outline.size):
        grown = reached.copy()
        grown[1:] |= reached[:-1]
        grown[:-1] |= reached[1:]
        grown[:, 1:] |= reached[:, :-1]
        grown[:, :-1] |= reached[:, 1:]
        grown &= outline == 0
        if (grown == reached).all():
            break
        reached = grown
    return reached


@pytest.mark.parametrize("thickness", [1, 3, None])
def test_ellipses_fill_their_box_are_symmetric_and_have_no_pixel_twice(thickness: int | None) -> None:
    table = ellipse_table(HEIGHT, WIDTH, thickness)
    for h, w in SIZES:
        picture = image(table, h, w)
        box = picture[1 : h + 1, 1 : w + 1]
        assert picture.max() == 1 and picture.sum() == box.sum()
        assert box.any(0).all() and box.any(1).all()
        assert np.array_equal(box, box[::-1]) and np.array_equal(box, box[:, ::-1])


def test_outlines_have_no_holes() -> None:
    outlines, filled = ellipse_table(HEIGHT, WIDTH, 1), ellipse_table(HEIGHT, WIDTH, None)
    for h, w in SIZES:
        assert np.array_equal(~outside(image(outlines, h, w)), image(filled, h, w) == 1)


def test_a_filled_ellipse_has_its_area() -> None:
    assert image(ellipse_table(HEIGHT, WIDTH, None), 20, 24).sum() == pytest.approx(np.pi * 10 * 12, rel=0.02)


def test_a_box_without_extent_is_empty() -> None:
    table = ellipse_table(HEIGHT, WIDTH, None)
    assert all(image(table, *size).sum() == 0 for size in ((0, 0), (0, 9), (9, 0)))
