"""Run the benchmarks named on the command line, or all of them."""

import sys

import torch

from benchmarks import baselines, engine, memory, pages, renderer, scaling, theory, training_step, whole_run

BENCHMARKS = {
    "training_step": training_step.measure,
    "renderer": renderer.measure,
    "scaling": scaling.measure,
    "memory": memory.measure,
    "engine": engine.measure,
    "baselines": baselines.measure,
    "theory": theory.measure,
    "whole_run": whole_run.measure,
    "pages": pages.measure,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"{unknown[0]}: no such benchmark; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    for name in names or BENCHMARKS:
        for row in BENCHMARKS[name]():
            print(f"{'met ' if row.met else 'MISSED'} {row.what}: {row.measured}, bar {row.bar}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
