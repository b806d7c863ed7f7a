"""Figures of sweeps: what is drawn where, and what it says in words."""

import numpy as np

from ppe_core.figures.sweeps import convergence, describe_convergence, describe_errors, errors_by_eta

DISTANCES = {1000: (0.01, 0.02, 0.03), 100: (0.1, 0.2, 0.3)}
WRONG = {0.0: (0, 0, 0), 0.1: (0, 28, 57)}
MISSED = {0.0: (0, 0, 0), 0.1: (0, 0, 0)}


def test_the_line_of_a_slope_goes_through_the_points_of_a_power_law() -> None:
    line, points = convergence(DISTANCES, slope=-1.0).data
    assert list(points.x) == [100, 1000] and list(points.y) == [0.2, 0.02]
    np.testing.assert_allclose(line.y, points.y)


def test_bars_reach_from_the_low_end_to_the_high_end() -> None:
    (points,) = convergence(DISTANCES, slope=None).data
    np.testing.assert_allclose(np.array(points.y) + points.error_y.array, [0.3, 0.03])
    np.testing.assert_allclose(np.array(points.y) - points.error_y.arrayminus, [0.1, 0.01])


def test_errors_are_told_apart_by_more_than_colour_and_limits_are_marked() -> None:
    figure = errors_by_eta(WRONG, MISSED, exact_until=0.05, largest_eta=0.02)
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert sorted(shape.x0 for shape in figure.layout.shapes) == [0.02, 0.05]
    assert len(errors_by_eta(WRONG, MISSED, None, 0.02).layout.shapes) == 1


def test_words_tell_what_is_seen() -> None:
    assert "0.2 at N = 100, 0.02 at N = 1,000; they fall like N to the power -1.00" in describe_convergence(
        DISTANCES, -1
    )
    assert describe_errors(WRONG, MISSED, 0.02).endswith("No run has an error at η = 0; the theory holds up to 0.02.")
