"""The paper's figures, from points over seeds."""

import math

import numpy as np

from ppe_core.experiments.paper.points import Accuracy, Best, Errors
from ppe_core.figures.paper import LIMIT, accuracy, errors, half_regret

SOLVED = Best(5, 4000, 5000, 6000, 5, 5, 0.1, {"samples": 500})
NEVER = Best(10, 9000, math.inf, math.inf, 1, 5, 0.1, {})


def test_never_is_hollow_above_the_limit_and_no_line_leads_there() -> None:
    points, line = half_regret({"PPE": [SOLVED, NEVER]}).data
    assert list(points.marker.symbol) == ["circle", "circle-open"]
    assert points.y[0] == 5000 and points.y[1] > LIMIT
    assert points.error_y.array[1] == 0 and points.y[1] - points.error_y.arrayminus[1] == 9000
    assert list(line.y) == [5000]
    assert "5 of 5 seeds" in points.customdata[0] and "N 500" in points.customdata[0]
    assert "never" in points.customdata[1]


def test_algorithms_at_the_same_horizon_stand_beside_each_other() -> None:
    figure = half_regret({"PPE": [SOLVED], "Homer": [SOLVED]})
    first, second = (trace for trace in figure.data if trace.name)
    assert first.x[0] < second.x[0] and first.marker.color != second.marker.color
    assert list(figure.layout.xaxis.ticktext) == ["5"]


def test_accuracy_is_solid_without_noise_and_dashed_with() -> None:
    curve = [Accuracy(500, 0.8, 0.1, 10), Accuracy(1000, 0.9, 0.05, 10)]
    figure = accuracy({"PPE": curve}, {"PPE": curve[:1]}, guess=0.5)
    solid, dashed = figure.data
    assert (solid.line.dash, dashed.line.dash) == ("solid", "dash")
    assert (solid.showlegend, dashed.showlegend) == (True, False)
    assert list(solid.x) == [500, 1000] and np.allclose(solid.error_y.array, [0.1, 0.05])
    assert "guesses: 50%" in figure.layout.annotations[0].text


def test_errors_have_a_place_for_none_and_stopped_runs_are_hollow() -> None:
    whole = Errors(2000, 0, 99, 193_840, 8, 4, 5, True, 10.0)
    stopped = Errors(20_000, 9, 999, 900_000, 6, 0, 1, False, 300.0)
    figure = errors({"printed": [whole, stopped]}, {"type2": (500_000, 56)})
    type1, type2, paper = figure.data
    assert np.allclose(type1.y, [0, 1]) and np.allclose(type2.y, [2, 3])
    assert list(type1.marker.symbol) == ["circle", "circle-open"]
    assert "stopped after 6 time steps" in type1.customdata[1]
    assert (paper.name, paper.x[0]) == ("the paper", 500_000)
    assert figure.layout.yaxis.ticktext[0] == "0"
