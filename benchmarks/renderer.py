"""Frames of the visual gridworld on one core, as a multiple of MiniGrid's own image wrapper."""

from collections.abc import Callable

import numpy as np
from minigrid.envs import EmptyEnv
from minigrid.wrappers import RGBImgObsWrapper

from benchmarks.timing import Row, best_times
from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment

STEPS = 1000  # of MiniGrid, a turn
FRAMES = 8192  # of ours, a turn
LEVEL = 8

CASES: dict[str, dict[str, object]] = {
    "the paper's ellipses": {},
    "12 ellipses": {"ellipses": 12},
    "filled ellipses": {"ellipse_style": "filled"},
    "occluding ellipses": {"ellipse_style": "occluding"},
    "flickering pixels": {"distractor": "flicker"},
    "colour cast": {"distractor": "cast"},
    "ghost agent": {"distractor": "ghost"},
    "11 × 11 cells": {"layout": "four-rooms"},
}
JUDGED = "the paper's ellipses"


def measure() -> list[Row]:
    best = best_times({"MiniGrid": _minigrid()} | {name: _ours(case) for name, case in CASES.items()}, turns=5)
    plain = STEPS / best.pop("MiniGrid")
    rates = {name: FRAMES / seconds for name, seconds in best.items()}
    ratio = rates[JUDGED] / plain
    others = ", ".join(f"{name} {rate / plain:.0f}×" for name, rate in rates.items() if name != JUDGED)
    measured = f"{ratio:.0f}× ({rates[JUDGED]:,.0f} and {plain:,.0f} a second; {others})"
    return [Row("gridworld frames / MiniGrid's RGBImgObsWrapper", measured, "≥ 20×", ratio >= 20)]


def _minigrid() -> Callable[[], object]:
    environment = RGBImgObsWrapper(EmptyEnv(size=7, max_steps=10**9), tile_size=8)
    environment.reset(seed=0)
    actions = np.random.default_rng(0).integers(2, size=STEPS)  # turns: no episode ends, nothing is reset
    return lambda: [environment.step(action) for action in actions]


def _ours(settings: dict[str, object]) -> Callable[[], object]:
    environment = make_environment(RunConfig.from_flat({"env": "grid", "horizon": LEVEL} | settings))
    rng = np.random.default_rng(0)
    states = rng.integers(len(environment.endogenous.start), size=FRAMES)
    return lambda: environment.observe_states(states, LEVEL, rng)
