"""Frames a second of the visual gridworld on one core, as a multiple of MiniGrid's own image wrapper.

`python -m benchmarks.renderer`; both are measured in turn, several times over, and the best counts.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from minigrid.envs import EmptyEnv
from minigrid.wrappers import RGBImgObsWrapper

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment

ROUNDS = 5
STEPS = 1000  # of MiniGrid, a round
FRAMES = 8192  # of ours, a round
LEVEL = 8

CASES: dict[str, dict[str, object]] = {
    "the paper's ellipses": {},
    "12 ellipses": {"ellipses": 12},
    "outlines of 4 pixels": {"thickness": 4},
    "filled ellipses": {"ellipse_style": "filled"},
    "occluding ellipses": {"ellipse_style": "occluding"},
    "flickering pixels": {"distractor": "flicker"},
    "colour cast": {"distractor": "cast"},
    "ghost agent": {"distractor": "ghost"},
    "11 × 11 cells": {"layout": "four-rooms"},
}


def measure() -> dict[str, float]:
    """Frames a second of MiniGrid's wrapper (7 × 7 cells) and of each case, distractors advanced and drawn."""
    work = {"MiniGrid's RGBImgObsWrapper": _minigrid()} | {name: _ours(case) for name, case in CASES.items()}
    best = dict.fromkeys(work, 0.0)
    for _ in range(ROUNDS):
        for name, produce in work.items():
            start = perf_counter()
            frames = produce()
            best[name] = max(best[name], frames / (perf_counter() - start))
    return best


def _minigrid() -> Callable[[], int]:
    environment = RGBImgObsWrapper(EmptyEnv(size=7, max_steps=10**9), tile_size=8)
    environment.reset(seed=0)
    actions = np.random.default_rng(0).integers(2, size=STEPS)  # turns: no episode ends, nothing is reset

    def produce() -> int:
        for action in actions:
            environment.step(action)
        return STEPS

    return produce


def _ours(settings: dict[str, object]) -> Callable[[], int]:
    environment = make_environment(RunConfig.from_flat({"env": "grid", "horizon": LEVEL} | settings))
    rng = np.random.default_rng(0)
    states = rng.integers(len(environment.endogenous.start), size=FRAMES)
    return lambda: len(environment.observe_states(states, LEVEL, rng))


if __name__ == "__main__":
    rates = measure()
    baseline = next(iter(rates.values()))
    for name, rate in rates.items():
        print(f"{name:<28} {rate:>9,.0f} frames/s {rate / baseline:>7.1f}×")
