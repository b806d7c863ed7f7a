"""One seed, many independent generators: a named stream for each purpose and time step.

Because every (purpose, level) pair has its own stream, a run that resumes at level k draws exactly
what an undisturbed run would have drawn there, whatever happened before.
"""

from dataclasses import dataclass

import numpy as np

STREAMS = ("layout", "exogenous", "collection", "training", "evaluation")


@dataclass(frozen=True)
class Seeds:
    """The generators of one run.

    layout: what the instance is (the lock's good actions); exogenous: what the world draws during
    an episode; collection: what the learner draws while collecting; training: initial weights and
    batches; evaluation: fresh data for metrics.
    """

    seed: int

    def generator(self, stream: str, level: int = 0) -> np.random.Generator:
        return np.random.Generator(np.random.SFC64(self._sequence(stream, level)))  # the fastest at normals

    def integer(self, stream: str, level: int = 0) -> int:
        """A seed for a library that wants a number (torch)."""
        return int(self._sequence(stream, level).generate_state(1, np.uint64)[0] >> 1)

    def _sequence(self, stream: str, level: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(STREAMS.index(stream), level))
