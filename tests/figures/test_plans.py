"""What policies earn: the bars, the best possible, and guarantees that say something."""

from ppe_core.figures.plans import describe_plans, worth_of_plans

VALUES = {"plan": 0.5, "PSDP": 0.98}


def test_bars_have_the_values_and_the_best_possible_is_marked() -> None:
    (bars,) = worth_of_plans(VALUES, 1.0, {}).data
    assert dict(zip(bars.y, bars.x)) == VALUES
    (line,) = worth_of_plans(VALUES, 1.0, {}).layout.shapes
    assert line.x0 == line.x1 == 1.0


def test_a_guarantee_is_a_mark_on_its_own_row_unless_it_says_nothing() -> None:
    _, marks = worth_of_plans(VALUES, 1.0, {"plan": -5.0, "PSDP": 0.9}).data
    assert (list(marks.x), list(marks.y)) == ([0.9], ["PSDP"])
    assert len(worth_of_plans(VALUES, 1.0, {"plan": -5.0}).data) == 1


def test_nothing_to_earn_can_be_drawn() -> None:
    low, high = worth_of_plans({"plan": 0.0}, 0.0, {}).layout.xaxis.range
    assert low < high
    low, high = worth_of_plans({"plan": -3.0}, -1.0, {"plan": -1.1}).layout.xaxis.range
    assert low <= -3 and high >= -1


def test_words_tell_what_is_seen() -> None:
    words = describe_plans(VALUES, 1.0, {"PSDP": 0.9})
    assert words == "Expected returns, the best possible being 1: plan 0.5; PSDP 0.98, at least 0.9 by theory."
