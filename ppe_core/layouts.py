"""Gridworlds as text: the named layouts, and how a drawn one is read.

A drawing is its rows from top to bottom joined by "/", one character a cell:

    x wall   . floor   G goal   L lava   S start, facing right

None of them means anything to a shell, a link or JSON, so that a drawing can be typed anywhere:
`--layout xxxxx/xS..x/x.L.x/x..Gx/xxxxx`.
"""

from dataclasses import dataclass

WALL, FLOOR, GOAL, LAVA, START = "x.GLS"
SMALLEST, LARGEST = 5, 11  # cells along a side

NAMED = {
    # The paper's visual gridworld (section 6 and appendix F).
    "paper": """
        xxxxxxx
        xS....x
        x...x.x
        x...x.x
        x.Lxx.x
        x....Gx
        xxxxxxx""",
    "empty": """
        xxxxx
        xS..x
        x...x
        x..Gx
        xxxxx""",
    "two-rooms": """
        xxxxxxxxx
        xS..x...x
        x...x...x
        x.......x
        x...x...x
        x...x..Gx
        xxxxxxxxx""",
    "lava-crossing": """
        xxxxxxx
        xS.L..x
        x..L..x
        x.....x
        x..L..x
        x..L.Gx
        xxxxxxx""",
    "maze": """
        xxxxxxxxx
        xS..x...x
        xxx.x.x.x
        x...x.x.x
        x.xxx.x.x
        x.....x.x
        x.xxxxx.x
        x...x..Gx
        xxxxxxxxx""",
    "four-rooms": """
        xxxxxxxxxxx
        xS...x....x
        x....x....x
        x.........x
        x....x....x
        xx.xxxxx.xx
        x....x....x
        x....x....x
        x.........x
        x....x...Gx
        xxxxxxxxxxx""",
}


@dataclass(frozen=True)
class Layout:
    """What stands where; cells are (x, y), (0, 0) at the top left."""

    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def start(self) -> tuple[int, int]:
        return self.cells(START)[0]

    def cells(self, kinds: str) -> list[tuple[int, int]]:
        """Every cell of one of the kinds, row by row."""
        return [(x, y) for y, row in enumerate(self.rows) for x, cell in enumerate(row) if cell in kinds]


def read_layout(text: str) -> Layout:
    """The layout with this name or drawing."""
    if isinstance(text, str) and text in NAMED:
        return Layout(tuple(NAMED[text].split()))
    if not isinstance(text, str) or "/" not in text:
        raise ValueError(f"{text!r} is not one of {', '.join(NAMED)}, nor a drawing ({DRAWING})")
    layout = Layout(tuple(text.split("/")))
    if problem := _problem(layout):
        raise ValueError(f"{text!r}: {problem} ({DRAWING})")
    return layout


def canonical_layout(text: str) -> str:
    """The one way to write a layout: by its name if it has one, otherwise as a drawing."""
    layout = read_layout(text)
    return next((name for name in NAMED if read_layout(name) == layout), "/".join(layout.rows))


DRAWING = (
    f"rows joined by /, {SMALLEST} to {LARGEST} of them with {SMALLEST} to {LARGEST} cells each: "
    f"{WALL} wall, {FLOOR} floor, {GOAL} goal, {LAVA} lava, {START} start"
)
ALLOWED = f"one of {', '.join(NAMED)}, or a drawing: {DRAWING}"


def _problem(layout: Layout) -> str | None:
    """What keeps a drawing from being a gridworld, if anything does."""
    unknown = sorted(set("".join(layout.rows)) - {WALL, FLOOR, GOAL, LAVA, START})
    if unknown:
        return f"unknown cells {' '.join(map(repr, unknown))}"
    if uneven := [y for y, row in enumerate(layout.rows) if len(row) != layout.width]:
        y = uneven[0]
        return f"row {y + 1} has {len(layout.rows[y])} cells, row 1 has {layout.width}"
    if not all(SMALLEST <= side <= LARGEST for side in (layout.width, layout.height)):
        return f"{layout.width} × {layout.height} cells are outside {SMALLEST} to {LARGEST} a side"
    if len(starts := layout.cells(START)) != 1:
        return f"{len(starts)} starts {START}, exactly 1 is needed"
    if not layout.cells(GOAL):
        return f"no goal {GOAL}, at least 1 is needed"
    right, bottom = layout.width - 1, layout.height - 1
    if any(x in (0, right) or y in (0, bottom) for x, y in layout.cells(FLOOR + GOAL + LAVA + START)):
        return f"the border must be all wall {WALL}"
    return None
