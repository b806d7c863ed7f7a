"""The histogram of gaps and the curve of errors, on a real run and on gaps made by hand."""

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from ppe_core.experiments.what_if import WhatIf
from ppe_core.figures.gap_histogram import BIN, GOOD, RIGHT, Errors, describe, gap_histogram
from ppe_core.figures.palette import MISSED, WRONG

NO_ERRORS = Errors(np.array([0.0, 1.0, 2.0]), np.array([0, 0, 3]), np.array([5, 0, 0]), (1.0, 1.0))


@pytest.fixture(scope="module")
def what_if() -> WhatIf:
    return WhatIf(run(RunConfig.from_flat({"horizon": 2, "samples": 500})).levels[-1], "signature")


def errors_of(what_if: WhatIf) -> Errors:
    curve = what_if.curve
    return Errors(curve.thresholds, curve.type1, curve.type2, curve.without_error)


def draw(what_if: WhatIf, threshold: float = 0.625) -> go.Figure:
    found = what_if.at(threshold)
    return gap_histogram(found.gaps, found.true, threshold, 0.625, errors_of(what_if))


def trace(figure: go.Figure, name: str) -> go.Bar | go.Scatter:
    return next(t for t in figure.data if t.name == name)


def pairs(bars: go.Bar) -> int:
    return sum(int(text.split(" ")[0]) for text in bars.hovertext)


def texts(figure: go.Figure) -> str:
    return " ".join(note.text for note in figure.layout.annotations)


def test_every_pair_is_counted_once_same_places_upwards_different_ones_downwards(what_if: WhatIf) -> None:
    up, down = trace(draw(what_if), "same place"), trace(draw(what_if), "different places")
    assert (pairs(up), pairs(down)) == (28 * 27 // 2, 28 * 2 + 1)
    assert min(up.y) > 0 > max(down.y)


def test_the_two_kinds_of_pairs_differ_by_more_than_colour(what_if: WhatIf) -> None:
    up, down = trace(draw(what_if), "same place"), trace(draw(what_if), "different places")
    assert (up.marker.pattern.shape, down.marker.pattern.shape) == ("", "/")


def test_the_scale_is_logarithmic() -> None:
    true = np.zeros(21, int)
    gaps = np.full((21, 21), 0.11)
    gaps[0, 1:11] = 0.52  # 10 pairs
    gaps[1, 2] = 0.92  # one
    bars = trace(gap_histogram(gaps, true, 0.625, 0.625, NO_ERRORS), "same place")
    height = dict(zip(np.floor(bars.x / BIN).astype(int).tolist(), bars.y.tolist()))
    assert height[10] - height[18] == pytest.approx(1)
    assert height[2] - height[18] == pytest.approx(np.log10(199))


def test_the_threshold_is_marked_and_the_runs_own_when_it_is_another(what_if: WhatIf) -> None:
    def lines(figure: go.Figure) -> list[tuple[float, str | None]]:
        return [(shape.x0, shape.line.dash) for shape in figure.layout.shapes if shape.type == "line"]

    assert lines(draw(what_if)) == [(0.625, None)]
    assert lines(draw(what_if, 0.9)) == [(0.625, "dot"), (0.9, None)]
    assert "threshold 0.9" in texts(draw(what_if, 0.9))


def test_the_bands_of_the_theory_are_three_eighths_and_seven_eighths(what_if: WhatIf) -> None:
    bands = [shape for shape in draw(what_if).layout.shapes if shape.yref == "y"]
    assert [(band.x0, band.x1, band.y0 >= 0) for band in bands] == [(0, 0.375, True), (0.875, RIGHT, False)]


def test_pairs_on_the_wrong_side_are_counted_in_words() -> None:
    gaps, true = np.array([[0, 0.7, 0.5], [0.7, 0, 2.0], [0.5, 2.0, 0]]), np.array([1, 1, 2])
    said = texts(gap_histogram(gaps, true, 0.625, 0.625, NO_ERRORS))
    assert "◆ 1 over" in said
    assert "✖ 1 under" in said


def test_gaps_without_end_are_counted_at_the_edge() -> None:
    gaps = np.array([[0, np.inf], [np.inf, 0]])
    bars = trace(gap_histogram(gaps, np.array([1, 1]), 0.625, 0.625, NO_ERRORS), "same place")
    assert bars.x.tolist() == pytest.approx([RIGHT - BIN / 2])


def test_the_curve_shows_both_errors_with_symbols_of_their_own(what_if: WhatIf) -> None:
    figure, errors = draw(what_if), errors_of(what_if)
    wrong, missed = trace(figure, "wrong merges"), trace(figure, "missed merges")
    assert (wrong.marker.symbol, wrong.line.dash, wrong.line.color) == ("x", "solid", WRONG)
    assert (missed.marker.symbol, missed.line.dash, missed.line.color) == ("diamond", "dot", MISSED)
    assert missed.customdata.tolist() == errors.type2.tolist()
    assert missed.y[0] > 0 == missed.y[25] == wrong.y[25]


def test_the_thresholds_without_an_error_are_shaded(what_if: WhatIf) -> None:
    shades = [shape for shape in draw(what_if).layout.shapes if shape.fillcolor == GOOD]
    assert [(shade.x0, shade.x1) for shade in shades] == [errors_of(what_if).without]
    nowhere = Errors(NO_ERRORS.thresholds, NO_ERRORS.type1 + 1, NO_ERRORS.type2, None)
    figure = gap_histogram(np.zeros((2, 2)), np.array([0, 1]), 0.625, 0.625, nowhere)
    assert not [shape for shape in figure.layout.shapes if shape.fillcolor == GOOD]


@pytest.mark.parametrize("true", [[0, 0, 0], [0, 1, 2], [0]])
def test_a_kind_of_pair_may_be_missing(true: list[int]) -> None:
    gap_histogram(np.zeros((len(true),) * 2), np.array(true), 0.625, 0.625, NO_ERRORS)


def test_many_paths_make_no_larger_figure() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.uniform(0, 2.5, (360, 360))
    figure = gap_histogram(gaps, rng.integers(80, size=360), 0.625, 0.5, NO_ERRORS)
    assert len(plotly.io.to_json(figure)) < 50_000


def test_the_picture_can_be_read_aloud(what_if: WhatIf) -> None:
    found = what_if.at(0.625)
    text = describe(found.gaps, found.true, 0.625, errors_of(what_if))
    assert "0 of 378 pairs of paths to the same place are over the threshold 0.625" in text
    assert "Thresholds without any error: from " in text
