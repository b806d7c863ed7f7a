"""How a run's time grows with the horizon: the exponent of a power law over H = 5 … 80.

The observation grows with H too (16 entries at H = 5, 256 at H = 80), and the more samples, the more
of the time is spent on its entries: hence two sample sizes.
"""

from functools import partial

import numpy as np

from benchmarks.timing import Row, best_times
from ppe_core.config import RunConfig
from ppe_core.experiments.run import run

HORIZONS, SAMPLES = (5, 10, 20, 40, 80), (1000, 2000)


def measure() -> list[Row]:
    run(RunConfig())
    return [_exponent(samples) for samples in SAMPLES]


def _exponent(samples: int) -> Row:
    configs = [RunConfig.from_flat({"horizon": horizon, "samples": samples}) for horizon in HORIZONS]
    best = best_times({str(config.horizon): partial(run, config) for config in configs}, turns=3)
    exponent = float(np.polyfit(np.log(HORIZONS), np.log(list(best.values())), 1)[0])
    times = ", ".join(f"{horizon}: {seconds:.2f} s" for horizon, seconds in best.items())
    return Row(f"exponent of time in H, N={samples}", f"{exponent:.2f} ({times})", "≤ 1.2", exponent <= 1.2)
