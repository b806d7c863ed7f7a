"""How a recovered state is judged, in colours, symbols and words that all figures of the model share."""

from collections.abc import Callable

from ppe_core.figures.graph import Node, Verdict
from ppe_core.figures.palette import MISSED, WRONG

RIGHT = "#0b8562"
LOST = "#808896"
COLOURS = {Verdict.EXACT: RIGHT, Verdict.MIXED: WRONG, Verdict.SPLIT: MISSED, Verdict.MISSING: LOST}
SYMBOLS = {Verdict.EXACT: "circle", Verdict.MIXED: "x", Verdict.SPLIT: "diamond", Verdict.MISSING: "circle-open"}
MARKS = {Verdict.EXACT: "✓", Verdict.MIXED: "✖", Verdict.SPLIT: "◆", Verdict.MISSING: "◌"}
MEANINGS = {
    Verdict.EXACT: "recovered exactly",
    Verdict.MIXED: "mixed: several true states in one (wrong merge)",
    Verdict.SPLIT: "split: one true state in several (missed merge)",
    Verdict.MISSING: "missing: never reached, or lost in a wrong merge",
}


def explain(node: Node, name: Callable[[int], str]) -> str:
    """What the verdict on a node means for it."""
    if node.verdict is Verdict.EXACT:
        paths = "the only path" if node.paths == 1 else f"all {node.paths} paths"
        return f"recovered exactly: {paths} to this state, and no others"
    if node.verdict is Verdict.MIXED:
        parts = ", ".join(f"{counted(n, 'path')} to {name(true)}" for true, n in list(node.reaches.items())[:4])
        return f"mixes {len(node.reaches)} true states: {parts}{' and others' if len(node.reaches) > 4 else ''}"
    if node.verdict is Verdict.SPLIT:
        several = f"here as {len(node.states)} recovered states" if len(node.states) > 1 else "only some are here"
        return f"split: paths to this state were kept apart; {several}"
    return "not recovered: never reached, or lost in a wrong merge"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
