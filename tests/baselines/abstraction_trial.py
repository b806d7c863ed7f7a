"""What the tests of the abstraction baselines share: a world, a judge and a listener."""

import numpy as np

from ppe_core.baselines.learned import Learned, Learner, Progress
from ppe_core.config import RunConfig
from ppe_core.envs.base import Environment, Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.metrics import decoding_accuracy
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import reachable_states


class Trial:
    """A learner in a world, and how well it decodes states drawn uniformly from the reachable ones."""

    def __init__(self, learner: Learner, **settings) -> None:
        config = RunConfig.from_flat({"horizon": 2, "samples": 2000} | settings)
        self.seeds = Seeds(config.seed)
        self.world: Environment = make_environment(config)
        self.interaction = Interaction(self.world, self.seeds)
        self.heard: list[Progress] = []
        self.learned: Learned = learner.learn(self.interaction, self.heard.append)

    def accuracy(self, h: int) -> float:
        true, observations = self._drawn(h)
        return decoding_accuracy(true, self.learned.decoders[h](observations))

    def names(self, h: int) -> list[int]:
        """The abstract state that most observations of each reachable state are decoded to."""
        true, observations = self._drawn(h)
        found = self.learned.decoders[h](observations)
        return [int(np.bincount(found[true == state]).argmax()) for state in range(true.max() + 1)]

    def _drawn(self, h: int) -> tuple[np.ndarray, np.ndarray]:
        rng = self.seeds.generator("evaluation", h)
        reachable = reachable_states(self.world.endogenous, h)[-1]
        true = rng.integers(len(reachable), size=4000)
        return true, self.world.observe_states(reachable[true], h, rng)


class Enough(Exception):
    """Raised by a listener to stop a learner."""


def stop_at_once(progress: Progress) -> None:
    assert progress.episodes > 0 and progress.loss is not None
    raise Enough


def same(one: Learned, other: Learned) -> bool:
    """Whether two learners know the same, down to the last bit."""
    return (
        len(one.weights) > 0
        and one.weights.keys() == other.weights.keys()
        and all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)
        and all(np.array_equal(one.covers[h], other.covers[h]) for h in one.covers)
        and np.array_equal(one.plan, other.plan)
    )
