"""How a run's time grows with the horizon: the exponent of a power law over H = 5 … 80."""

from functools import partial

import numpy as np

from benchmarks.timing import Row, best_times
from ppe_core.config import RunConfig
from ppe_core.experiments.run import run

HORIZONS, SAMPLES = (5, 10, 20, 40, 80), 2000


def measure() -> list[Row]:
    configs = [RunConfig.from_flat({"horizon": horizon, "samples": SAMPLES}) for horizon in HORIZONS]
    candidates = {str(config.horizon): partial(run, config) for config in configs}
    run(configs[0])
    best = best_times(candidates, turns=3)
    exponent = float(np.polyfit(np.log(HORIZONS), np.log(list(best.values())), 1)[0])
    times = ", ".join(f"{horizon}: {seconds:.2f} s" for horizon, seconds in best.items())
    return [Row("exponent of time in H", f"{exponent:.2f} ({times})", "≤ 1.2", exponent <= 1.2)]
