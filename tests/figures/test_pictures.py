import numpy as np

from ppe_core.figures.pictures import (
    GAP,
    STRIP_HIGH,
    STRIP_LOW,
    STRIP_MIDDLE,
    STRIP_ROW,
    contact_sheet,
    heat_map,
    picture_rows,
    strips,
)


def test_a_contact_sheet_shows_every_frame_enlarged() -> None:
    frames = np.random.default_rng(0).integers(0, 200, (2, 3, 4, 5, 3), np.uint8)
    sheet = np.array(contact_sheet(frames, ["h = 0", "h = 1"], scale=2))
    views = np.lib.stride_tricks.sliding_window_view(sheet, (8, 10, 3))[:, :, 0]
    for frame in frames.reshape(-1, 4, 5, 3):
        enlarged = frame.repeat(2, axis=0).repeat(2, axis=1)
        assert (views == enlarged).all(axis=(2, 3, 4)).sum() == 1


def test_a_heat_map_is_red_above_zero_and_blue_below() -> None:
    picture = np.array(heat_map([np.array([[-1.0, 1.0]]), np.array([[0.0, 0.5]])], ["a", "b"])).astype(int)
    warm, cold = picture[..., 0] - picture[..., 2] > 100, picture[..., 2] - picture[..., 0] > 100
    assert np.nonzero(warm)[1].min() > np.nonzero(cold)[1].max()
    assert np.nonzero(warm)[0].max() < picture.shape[0] / 2


def test_a_heat_map_of_zeros_is_drawn() -> None:
    assert heat_map([np.zeros((2, 3))], ["nothing"]).width > 0


def test_picture_rows_are_enlarged_over_transparent_gaps() -> None:
    rows = np.random.default_rng(0).integers(0, 256, (2, 3, 4, 5, 3), np.uint8)
    picture = picture_rows(list(rows), width=30)
    assert picture.shape == (2 * 8 + GAP, 3 * 10 + 2 * GAP, 4)
    assert (picture[-1, -1] == (*rows[1, 2, -1, -1], 255)).all()
    assert (picture[..., 3] == 0).sum() == picture.shape[0] * picture.shape[1] - rows.size // 3 * 4


def test_strips_have_a_row_an_observation_and_show_sign_and_size() -> None:
    seen = strips([np.array([[1.0, -1.0]]), np.array([[0.0, 0.5]])], width=20)
    assert seen.shape == (2 * (STRIP_ROW + 2) + STRIP_ROW, 20, 4)
    assert (seen[0, 0] == STRIP_HIGH).all() and (seen[0, -1] == STRIP_LOW).all()
    low = seen[2 * STRIP_ROW + 2]
    assert (low[0] == STRIP_MIDDLE).all() and STRIP_MIDDLE[3] < low[-1, 3] < STRIP_HIGH[3]
    assert (seen[STRIP_ROW : 2 * STRIP_ROW + 2, :, 3] == 0).all()  # the gap between groups
