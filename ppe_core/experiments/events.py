"""What a run reports while it is under way."""

from dataclasses import dataclass

from ppe_core.baselines.learned import Progress
from ppe_core.experiments.records import LevelRecord


@dataclass(frozen=True)
class EpochDone:
    h: int
    epoch: int
    training_loss: float
    held_out_loss: float


@dataclass(frozen=True)
class LevelDone:
    record: LevelRecord


Event = EpochDone | LevelDone | Progress
