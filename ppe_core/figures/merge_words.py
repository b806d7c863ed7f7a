"""What the animation of merging says in words: each step of it, and each pair of paths that went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ppe_core.experiments.records import LevelRecord

Phase = Literal["start", "look", "extend", "compare", "merge", "end"]


@dataclass(frozen=True)
class Step:
    """A step of the animation: a phase of time step h."""

    h: int
    phase: Phase


@dataclass(frozen=True)
class ErrorPair:
    """Two paths of a time step that were merged though they end in different states, or the other way round."""

    h: int
    is_wrong_merge: bool  # else a missed one
    paths: tuple[int, int]


def caption(step: Step, levels: Sequence[LevelRecord]) -> str:
    """What happens in this step, for a newcomer."""
    if step.phase == "start":
        return "Before the first action there is one state: the start."
    if step.phase == "end":
        return _whole_run(levels)
    level = levels[step.h - 1]
    before = len(levels[step.h - 2].found.states) if step.h > 1 else 1
    paths = len(level.found.paths)
    when = f"Time step {step.h}"
    if step.phase == "look":
        return f"{when} begins with {counted(before, 'state')}."
    if step.phase == "extend":
        left = (
            "The start" if step.h == 1 else f"Each of the {before} states left" if before > 1 else "The one state left"
        )
        return f"{when}, extend. {left} is followed by each of {paths // before} actions: {counted(paths, 'path')}."
    if step.phase == "compare":
        return (
            f"{when}, compare. A line joins paths that the classifier cannot tell apart by what is observed "
            f"after them: their gap is at most {level.found.threshold:.2g}."
        )
    return summary(level)


def summary(level: LevelRecord) -> str:
    """What became of a time step, in one sentence."""
    paths, left, (wrong, missed) = len(level.found.paths), len(level.found.states), level.errors
    return (
        f"Time step {level.found.h}: {counted(paths, 'path')}, {paths - left} merged away, "
        f"{counted(left, 'state')} left; {counted(wrong, 'wrong merge')}, {missed:,} missed."
    )


def describe(horizon: int, levels: Sequence[LevelRecord]) -> str:
    """The picture in words, for whoever cannot see it."""
    return f"Paths merging into states, over {counted(horizon, 'time step')}. " + " ".join(map(summary, levels))


def error_pairs(level: LevelRecord, most: int) -> list[ErrorPair]:
    """Wrong merges, then missed ones, at most so many of each; first those of surviving paths, which decide."""
    true, found = (x[:, None] == x for x in (level.truth.states, level.found.survivor))
    survives = level.found.survivor == np.arange(len(level.found.survivor))
    pairs = []
    for is_wrong_merge, table in ((True, found & ~true), (False, true & ~found)):
        ends = np.argwhere(np.triu(table))
        order = np.argsort(-survives[ends].sum(1), kind="stable")
        pairs += [ErrorPair(level.found.h, is_wrong_merge, (i, j)) for i, j in ends[order[:most]].tolist()]
    return pairs


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _whole_run(levels: Sequence[LevelRecord]) -> str:
    paths = sum(len(level.found.paths) for level in levels)
    wrong, missed = (sum(level.errors[kind] for level in levels) for kind in (0, 1))
    return (
        f"All {counted(len(levels), 'time step')}: {paths:,} paths tried; {counted(wrong, 'wrong merge')}, "
        f"{missed:,} missed. The thick line is the plan that earns most in what was recovered."
    )
