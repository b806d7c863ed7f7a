import numpy as np

from ppe_core.figures.pictures import contact_sheet, heat_map


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
