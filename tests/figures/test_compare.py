"""The figures of the Compare page."""

import math

import numpy as np

from ppe_core.figures.compare import Score, accuracy_lines, learning_curves, partitions, rows

LEARNERS = ("PPE", "Homer")
SCORES = [
    Score("PPE", 500, False, 0.98, 0.99, 1.0, 3),
    Score("Homer", 500, False, 0.5, 0.6, 0.7, 3),
    Score("Homer", 500, True, 0.9, 0.95, 1.0, 3),
    Score("Homer", 1000, True, 0.92, 0.96, 1.0, 3),
]


def test_lines_are_told_apart_by_colour_symbol_and_dash() -> None:
    ppe, noisy, quiet = accuracy_lines(SCORES, LEARNERS).data
    assert (ppe.name, noisy.name, quiet.name) == ("PPE", "Homer", "Homer, no exogenous noise")
    assert ppe.line.color != noisy.line.color == quiet.line.color
    assert ppe.marker.symbol != noisy.marker.symbol
    assert (noisy.line.dash, quiet.line.dash) == ("solid", "dot")
    assert list(quiet.x) == [500, 1000] and np.allclose(quiet.error_y.arrayminus, [0.05, 0.04])


def test_never_is_a_cross_with_its_word_beyond_all_numbers() -> None:
    never = Score("Homer", 500, False, math.inf, math.inf, math.inf, 3)
    figure = rows([Score("PPE", 500, False, 3000, 4000, 5000, 3), never], LEARNERS, "episodes")
    ppe, homer = figure.data
    assert homer.marker.symbol == "x" and homer.text == " never"
    assert homer.x[0] > ppe.x[0] + ppe.error_x.array[0]
    assert homer.error_x.array[0] == homer.error_x.arrayminus[0] == 0
    assert list(figure.layout.yaxis.ticktext) == list(LEARNERS)


def test_each_seed_has_its_line_and_each_learner_one_name() -> None:
    figure = learning_curves({"PPE": [[(10, 0.1), (20, 0.2)]] * 2, "Homer": [[(10, 0.0), (20, 0.0)]]}, LEARNERS)
    assert [trace.showlegend for trace in figure.data] == [True, False, True]


def test_partitions_write_shares_where_there_is_room() -> None:
    tables = {"PPE": np.eye(3), "Homer": np.array([[0.5, 0.5], [1, 0], [0.001, 0.999]])}
    figure = partitions(tables, "abc")
    assert [trace.type for trace in figure.data] == ["heatmap", "scatter", "scatter"] * 2
    assert list(figure.data[4].text) == ["100%", "100%"] and list(figure.data[5].text) == ["50%", "50%"]
    crowded = partitions({"PPE": np.eye(44)}, [str(i) for i in range(44)])
    assert [trace.type for trace in crowded.data] == ["heatmap"]
