import pytest

from ppe_core.config import RunConfig
from ppe_core.layouts import GOAL, LAVA, NAMED, WALL, canonical_layout, read_layout

DRAWN = "xxxxx/xS..x/x.L.x/x..Gx/xxxxx"


def test_the_papers_layout_is_the_papers() -> None:
    layout = read_layout("paper")
    inner_walls = [(x, y) for x, y in layout.cells(WALL) if 0 < x < 6 and 0 < y < 6]
    assert (layout.width, layout.height, layout.start) == (7, 7, (1, 1))
    assert (layout.cells(GOAL), layout.cells(LAVA)) == ([(5, 5)], [(2, 4)])
    assert sorted(inner_walls) == [(3, 4), (4, 2), (4, 3), (4, 4)]


def test_named_layouts_span_the_allowed_sizes() -> None:
    sides = {side for name in NAMED for side in (read_layout(name).width, read_layout(name).height)}
    assert len(NAMED) >= 6
    assert (min(sides), max(sides)) == (5, 11)


@pytest.mark.parametrize("name", NAMED)
def test_named_layouts_follow_the_rules_of_drawn_ones(name: str) -> None:
    drawing = "/".join(read_layout(name).rows)
    assert read_layout(drawing) == read_layout(name)
    assert canonical_layout(drawing) == canonical_layout(name) == name


def test_a_drawing_is_read_row_by_row() -> None:
    layout = read_layout(DRAWN)
    assert (layout.start, layout.cells(LAVA), layout.cells(GOAL)) == ((1, 1), [(2, 2)], [(3, 3)])
    assert canonical_layout(DRAWN) == DRAWN


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("papre", ["'papre'", "paper, empty"]),
        (7, ["7", "paper, empty"]),
        (["paper"], ["paper, empty"]),
        ("", ["''", "paper, empty"]),
        ("xxxxx/xS..x/x.?.x/x..Gx/xxxxx", ["'?'", "x wall"]),
        ("xxxxx/xS..x/x...x/x..Gxx/xxxxx", ["row 4 has 6 cells", "row 1 has 5"]),
        ("xxxxx/xS.Gx/xxxxx", ["5 × 3", "5 to 11"]),
        ("x" * 12 + "/" + "/".join(["x" + "." * 10 + "x"] * 4), ["12 × 5", "5 to 11"]),
        ("xxxxx/x...x/x...x/x..Gx/xxxxx", ["0 starts", "exactly 1"]),
        ("xxxxx/xSS.x/x...x/x..Gx/xxxxx", ["2 starts", "exactly 1"]),
        ("xxxxx/xS..x/x...x/x...x/xxxxx", ["no goal"]),
        ("xxxxx/xS..x/x...x/x..G./xxxxx", ["border"]),
        ("/", ["0 × 2"]),
    ],
)
def test_a_bad_layout_is_refused_with_the_field_the_value_and_what_is_allowed(text: str, words: list[str]) -> None:
    with pytest.raises(ValueError, match="layout") as error:
        RunConfig.from_flat({"env": "grid", "layout": text})
    for word in words:
        assert word in str(error.value)
