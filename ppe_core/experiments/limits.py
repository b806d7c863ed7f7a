"""What one visitor of a server may start. Each limit has an environment variable: PPE_LIMIT_HORIZON, ..."""

import os
from dataclasses import dataclass, fields

from ppe_core.config import RunConfig


class LimitExceeded(ValueError):
    """A visitor asked for more than the server allows."""


@dataclass(frozen=True)
class Limits:
    """The largest values; the defaults suit two cores and a few visitors."""

    queued: int = 500  # runs of one visitor that are queued or running
    horizon: int = 100
    samples: int = 20_000
    paths: int = 1000  # at a time step
    seconds: int = 1800  # of one run
    megabytes: int = 2000  # of the data of one time step
    live_milliseconds: int = 500  # that a run may take to start by itself when a control is changed

    @classmethod
    def from_environment(cls) -> "Limits":
        given = {f.name: os.environ.get(f"PPE_LIMIT_{f.name.upper()}") for f in fields(cls)}
        for name, text in given.items():
            if text is not None and not (text.isdigit() and int(text) > 0):
                raise ValueError(f"PPE_LIMIT_{name.upper()}: {text!r} is not a whole number above 0")
        return cls(**{name: int(text) for name, text in given.items() if text is not None})

    def check(self, config: RunConfig, seconds: float) -> None:
        """Refuse a run that is too large, with its estimated time, in words that say what is allowed."""
        asked = {
            "horizon": config.horizon,
            "samples": 0 if config.learner.by_episode else config.samples,
            "paths": config.flat().get("max_paths", 0),
            "seconds": round(seconds),
            "megabytes": round(dataset_bytes(config) / 1e6),
        }
        for name, value in asked.items():
            if value > (high := getattr(self, name)):
                raise LimitExceeded(f"{name}: {value} is more than the {high} that this server allows for a run")

    def check_queue(self, under_way: int, more: int) -> None:
        if under_way + more > self.queued:
            raise LimitExceeded(
                f"queued: {more} more runs are too many: {under_way} of yours are under way, "
                f"and this server allows {self.queued}"
            )


def dataset_bytes(config: RunConfig) -> int:
    """The observations of one time step, and the predictions about them."""
    if config.learner.by_episode:
        return 0
    predictions = 4 * config.flat().get("max_paths", 0)
    return config.samples * (config.environment.observation_bytes(config.horizon) + predictions)
