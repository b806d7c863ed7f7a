import numpy as np
import plotly.graph_objects as go
import pytest

from ppe_core.figures import counterexamples as draw

JOINT, PRODUCT = np.array([[0, 0.5], [0.5, 0]]), np.full((2, 2), 0.25)
PARTITIONS = {"one": np.array([0, 0, 1]), "two": np.array([0, 1, 2])}
NAMES = ["a", "b", "c"]
FIGURES = {
    "merged": draw.merged_states(PARTITIONS, NAMES),
    "growth": draw.growth(np.array([3, 6, 12]), 3, "classes"),
    "bellman": draw.bellman_errors(np.eye(4) / 4, np.arange(1, 5), np.arange(1, 5)),
    "joint": draw.joint_and_product(JOINT, PRODUCT, 0.5),
    "bars": draw.probability_bars({"on": np.array([1.0, np.nan]), "off": np.array([0.0, 0.25])}, ["x", "y"], "P"),
    "reconstruction": draw.reconstruction_errors({"state": 0.75, "noise": 0.59}),
}


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_the_theme_shows_through(figure: go.Figure) -> None:
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert figure.layout.font.color is None
    assert len(figure.to_json()) < 30_000


def written(figure: go.Figure) -> list[str]:
    return [text for trace in figure.data if trace.type == "scatter" and trace.mode == "text" for text in trace.text]


def test_merged_pairs_are_marked_and_said() -> None:
    one, two = (trace for trace in FIGURES["merged"].data if trace.type == "heatmap")
    assert one.z.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]] and two.z.tolist() == np.eye(3).tolist()
    assert one.text[0][1] == "a and b: merged" and one.text[0][2] == "a and c: kept apart"
    assert written(FIGURES["merged"]) == ["●"] * 8
    assert "one: 2 of 3 (a, b; c)" in draw.describe_merged(PARTITIONS, NAMES)


def test_many_states_are_not_named_one_by_one() -> None:
    names = [str(i) for i in range(100)]
    figure = draw.merged_states({"all": np.zeros(100, int)}, names)
    assert figure.layout.xaxis.showticklabels is False and written(figure) == []
    assert "too many to list" in draw.describe_merged({"all": np.zeros(100, int)}, names)


def test_growth_is_logarithmic_beside_a_dashed_line() -> None:
    states, counts = FIGURES["growth"].data
    assert (states.line.dash, set(states.y), states.name) == ("dash", {3}, "|S| = 3")
    assert counts.y.tolist() == [3, 6, 12] and list(counts.text) == ["3", "6", "12"]
    assert FIGURES["growth"].layout.yaxis.type == "log"
    assert "3, 6, 12; there are 3" in draw.describe_growth(np.array([3, 6, 12]), 3, "classes")


def test_the_rank_of_the_errors_is_in_the_title_and_in_the_line() -> None:
    figure = FIGURES["bellman"]
    assert figure.layout.annotations[0].text == "errors at time H, rank 4"
    assert figure.data[-1].y.tolist() == [1, 2, 3, 4]
    assert written(figure) == ["0.25"] * 4
    assert "of rank 4" in draw.describe_bellman(np.eye(4) / 4)


def test_both_tables_and_what_lies_between_them() -> None:
    figure = FIGURES["joint"]
    assert written(figure) == ["0.5"] * 2 + ["0.25"] * 4
    assert "total variation between the two: <b>0.5</b>" in [note.text for note in figure.layout.annotations]
    assert "s = 0, ξ = 0: 0 against 0.25" in draw.describe_joint(JOINT, PRODUCT, 0.5)


def test_bars_differ_in_pattern_and_say_what_is_undefined() -> None:
    on, off = FIGURES["bars"].data
    assert on.marker.pattern.shape != off.marker.pattern.shape
    assert list(on.text) == ["1", "–"] and list(off.text) == ["0", "0.25"]
    assert "on: x 1, y –" in draw.describe_probabilities({"on": np.array([1.0, np.nan])}, ["x", "y"], "P")


def test_the_least_error_has_a_star() -> None:
    assert list(FIGURES["reconstruction"].data[0].text) == ["0.75", "0.59 ★ least"]
    assert "noise: 0.59" in draw.describe_reconstruction({"state": 0.75, "noise": 0.59})


def test_nothing_to_reconstruct_can_be_drawn() -> None:
    draw.reconstruction_errors({"state": 0.0, "noise": 0.0})
    draw.growth(np.array([1]), 1, "classes")
