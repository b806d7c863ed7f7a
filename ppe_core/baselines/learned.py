"""What every baseline takes and gives: an interaction and a generator of seeds in, what it learned out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from ppe_core.envs.base import Interaction

Array = np.ndarray
Decode = Callable[[Array], Array]  # observations [n, ...] -> abstract states [n]
Act = Callable[[int, Array], Array]  # time step from 0, observations [n, ...] -> actions [n]


class Progress(NamedTuple):
    """How far a baseline has come; reported often, so that whoever listens can stop it by raising."""

    episodes: int
    loss: float | None = None
    mean_return: float | None = None


@dataclass(frozen=True)
class Learned:
    """What a baseline knows in the end; it has a plan, a policy, or both."""

    plan: Array | None = None  # [horizon], the actions it would take without looking
    act: Act | None = None  # the actions it would take when it looks
    decoders: dict[int, Decode] = field(default_factory=dict)  # by time step h, where it has one
    covers: dict[int, Array] = field(default_factory=dict)  # [abstract states, h], a path to each state of h
    numbers: dict[str, float] = field(default_factory=dict)  # what else it has to say, by name
    weights: dict[str, Array] = field(default_factory=dict)


class Learner(Protocol):
    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned: ...
