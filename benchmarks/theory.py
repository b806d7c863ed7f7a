"""Exact answers: a counter-example when a knob moves, and PPE with infinite data on many worlds."""

from collections.abc import Iterator
from time import perf_counter

from benchmarks.timing import Row
from ppe_core.config import RunConfig, option_fields
from ppe_core.envs.registry import make_environment
from ppe_core.theory.oracle import exact_ppe
from ui.theory.examples import EXAMPLES

WORLDS, HORIZON = 200, 10
TURNS = 5
LIMIT = 0.1  # seconds


def measure() -> Iterator[Row]:
    slowest = {name: max(_seconds(name, end) for end in ("low", "high")) for name in EXAMPLES}
    name = max(slowest, key=lambda name: slowest[name])
    yield Row(f"a counter-example computed and drawn at the ends of its knobs, slowest ({name})",
              f"{1000 * slowest[name]:.0f} ms", "< 100 ms", slowest[name] < LIMIT)  # fmt: skip
    start, exact = perf_counter(), 0
    for seed in range(WORLDS):
        world = RunConfig.from_flat({"env": "tabular", "world": "random-50-6-4", "horizon": HORIZON, "seed": seed})
        exact += all(step.is_exact for step in exact_ppe(make_environment(world).endogenous, HORIZON))
    spent = perf_counter() - start
    yield Row(f"PPE with infinite data on {WORLDS} random worlds (S=50, A=6, H={HORIZON})",
              f"{exact} exact, {spent:.1f} s", "all, < 30 s", exact == WORLDS and spent < 30)  # fmt: skip


def _seconds(name: str, end: str) -> float:
    """The slowest of some turns, after a first one."""
    example = EXAMPLES[name]
    knobs = {item.name: type(item.default)(item.metadata[end]) for item in option_fields(example.kind)}
    spent = []
    for _ in range(TURNS + 1):
        start = perf_counter()
        example.draw(example.kind(**knobs))
        spent.append(perf_counter() - start)
    return max(spent[1:])
