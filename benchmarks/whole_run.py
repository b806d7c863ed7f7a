"""A whole run at H = 40, N = 2000 beside the plain reference."""

import torch

from benchmarks.plain_reference import plain_ppe
from benchmarks.timing import Row, best_times
from ppe_core.config import RunConfig
from ppe_core.experiments.run import run

HORIZON, SAMPLES = 40, 2000


def measure() -> list[Row]:
    torch.set_num_threads(1)
    config = RunConfig.from_flat({"horizon": HORIZON, "samples": SAMPLES})
    values = {}

    def ours() -> None:
        values["ours"] = run(config).value

    def plain() -> None:
        values["plain"] = plain_ppe(HORIZON, SAMPLES, seed=0)

    best = best_times({"ours": ours}, turns=3) | best_times({"plain": plain}, turns=1)
    ratio = best["plain"] / best["ours"]
    details = ", ".join(f"{name} {best[name]:.2f} s with a plan worth {values[name]:.1f}" for name in best)
    measured = f"{ratio:.1f}× ({details})"
    return [Row(f"plain reference / whole run, H={HORIZON}, N={SAMPLES}", measured, "≥ 20×", ratio >= 20)]
