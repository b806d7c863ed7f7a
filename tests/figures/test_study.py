"""A study as a grid of cells and as lines."""

import json

import numpy as np
import pytest

from ppe_core.figures.study import Axis, Cells, describe, number_text, study_grid, study_lines


def cells(middle: list[list[float]], finished: list[list[int]] | None = None, **changes) -> Cells:
    values = np.array(middle, float)
    known: dict = {
        "measure": "Wrong merges",
        "x": Axis("Noise σ", (0.1, 0.2, 0.4)),
        "y": Axis("Samples N", (100, 1000)),
        "middle": values,
        "low": values - 1,
        "high": values + 2,
        "finished": np.array(finished or np.full(values.shape, 5)),
        "seeds": 5,
        "high_is_good": False,
        "is_share": False,
    }
    return Cells(**known | changes)


def test_a_cell_shows_its_number_whether_it_is_finished_and_how_good_it_is() -> None:
    figure = study_grid(cells([[0, 12, np.inf], [1340, 3.5, np.nan]], [[5, 3, 5], [5, 5, 0]]))
    heat, points = figure.data
    assert list(points.text) == ["0", "12 …", "∞", "1,340", "3.5", "–"]
    goodness = np.array(heat.z)
    assert goodness[0, 0] == 1 and goodness[0, 2] == 0 and np.isnan(goodness[1, 2])
    assert goodness[0, 0] > goodness[1, 1] > goodness[0, 1] > goodness[1, 0] > goodness[0, 2]
    assert "12 (11 to 14)" in points.hovertext[1] and "3 of 5 seeds" in points.hovertext[1]
    assert "nothing finished" in points.hovertext[5]


def test_a_share_is_told_in_seeds_and_high_is_good() -> None:
    figure = study_grid(cells([[0, 0.4, 1], [1, 0.5, 0]], [[5, 5, 5], [5, 2, 1]], is_share=True, high_is_good=True))
    assert list(figure.data[1].text) == ["0/5", "2/5", "5/5", "5/5", "1/2 …", "0/1 …"]
    assert np.array(figure.data[0].z)[0].tolist() == [0, 0.4, 1]


def test_every_cell_can_be_clicked_at_its_place() -> None:
    points = study_grid(cells([[1, 2, 3], [4, 5, 6]])).data[1]
    places = dict(zip(zip(points.x, points.y), points.text))
    assert places[(2, 0)] == "3" and places[(0, 1)] == "4" and len(places) == 6


def test_lines_have_intervals_and_are_told_apart_by_more_than_colour() -> None:
    figure = study_lines(cells([[1, 2, 3], [4, np.inf, np.nan]], [[5, 5, 5], [5, 5, 0]]))
    first, second = figure.data
    assert [line.name for line in figure.data] == ["100", "1,000"]
    assert first.marker.symbol != second.marker.symbol
    assert list(first.error_y.array) == [2, 2, 2] and list(first.error_y.arrayminus) == [1, 1, 1]
    assert second.y[0] == 4 and np.isnan(second.y[1:]).all()  # never has no place on the axis
    assert all(a != b for a, b in zip(first.x, second.x))  # side by side


@pytest.mark.parametrize("values", [("fast", "paper", "x"), (False, True), (5,), (0, 1, 2), (10, 100, 1000)])
def test_any_kind_of_axis_can_be_drawn(values: tuple) -> None:
    middle = [list(range(len(values)))] * 2
    shown = cells(middle, x=Axis("Recipe", values), finished=np.full((2, len(values)), 5).tolist())
    for figure in (study_grid(shown), study_lines(shown)):
        assert len(figure.layout.xaxis.ticktext) == len(values)
        json.loads(figure.to_json())


def test_the_picture_is_told_in_words() -> None:
    words = describe(cells([[1, 2, np.nan], [4, 5, 6]]))
    assert "3 values of Noise σ" in words and "5 of 6 cells have results" in words


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (0.9333, "0.933"), (1234.5, "1,234"), (np.inf, "∞")])
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text
