"""What a run is: frozen, documented, range-checked settings and the id that follows from them.

A `RunConfig` has three parts: the common fields, the environment's own settings and the learner's
own settings. Field names are unique across all parts, so that at every boundary (command line,
link, study, JSON) a config is one flat mapping from names to values.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from ppe_core import layouts, tables

RESULTS_VERSION = 3
"""Part of every run id: raise it, or that of one learner, when the same config starts to give another record."""


SWITCH = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
"""How yes and no may be written."""


def option(
    default: Any,
    help: str,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    read: Callable[[str], str] | None = None,
    allowed: str = "",
) -> Any:
    """A config field with its documentation and the values it allows.

    Numbers have a range; texts have choices, or a function that reads them and a word on what it allows.
    """
    if isinstance(default, bool):
        allowed = "on or off"
    elif not allowed:
        allowed = "one of " + ", ".join(choices) if choices else f"{low} to {high}"
    known = {"help": help, "low": low, "high": high, "choices": choices, "read": read, "allowed": allowed}
    return field(default=default, metadata=known)


@dataclass(frozen=True)
class Settings:
    """A group of options; every instance holds allowed values only."""

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for item in option_fields(type(self)):
            object.__setattr__(self, item.name, checked(item, getattr(self, item.name)))


@dataclass(frozen=True)
class LockSettings(Settings):
    """The combination lock (section 6 of the paper, "Combination Lock Experiments")."""

    name: ClassVar[str] = "lock"
    noiseless_emissions: ClassVar[tuple[str, ...]] = ("bernoulli", "hadamard")

    actions: int = option(10, "number of actions A", 3, 50)
    exo_dim: int = option(-1, "number of exogenous bits; -1: as many as the horizon", -1, 1000)
    noise: float = option(0.1, "standard deviation of the Gaussian noise on the observation", 0, 10)
    flip: float = option(0.1, "probability that an exogenous bit flips at a step", 0, 1)
    eta: float = option(0.0, "L1 distance of the endogenous transitions from deterministic ones", 0, 1)
    start_eta: float = option(0.0, "L1 distance of the start state from a deterministic one", 0, 1)
    emission: str = option(
        "hadamard-gaussian",
        "how the state becomes an observation; bernoulli and hadamard are free of Gaussian noise",
        choices=("gaussian", "bernoulli", "hadamard", "hadamard-gaussian"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.emission in self.noiseless_emissions:
            object.__setattr__(self, "noise", 0.0)

    @property
    def first_paths(self) -> int:
        """Number of paths at the first time step."""
        return self.actions

    def bits(self, horizon: int) -> int:
        """Number of exogenous bits in all."""
        return horizon if self.exo_dim < 0 else self.exo_dim

    def observation_bytes(self, horizon: int) -> int:
        """What one observation takes in memory, at most."""
        return 4 * 2 ** (horizon + 4 + self.bits(horizon) - 1).bit_length()


@dataclass(frozen=True)
class ExoLockSettings(LockSettings):
    """A combination lock whose reward depends on a light, one exogenous bit more than the lock has."""

    name: ClassVar[str] = "exo-lock"

    def bits(self, horizon: int) -> int:
        return 1 + super().bits(horizon)


@dataclass(frozen=True)
class GridSettings(Settings):
    """The visual gridworld (section 6 of the paper, "Visual Grid World Experiments")."""

    name: ClassVar[str] = "grid"
    first_paths: ClassVar[int] = 5

    layout: str = option("paper", "where walls, goal, lava and start are",
                         read=layouts.canonical_layout, allowed=layouts.ALLOWED)  # fmt: skip
    absorbing: bool = option(False, "whether goal and lava keep the agent for good")
    distractor: str = option(
        "ellipses",
        "the exogenous process: moving ellipses, flickering pixels, a drifting colour cast, a ghost "
        "agent that walks at random, or nothing",
        choices=("ellipses", "flicker", "cast", "ghost", "none"),
    )
    ellipses: int = option(5, "number of ellipses", 0, 50)
    ellipse_style: str = option(
        "outline",
        "outlines or filled, both on dark floor only, or filled and over everything, the agent too",
        choices=("outline", "filled", "occluding"),
    )
    thickness: int = option(1, "width of an ellipse's outline in pixels", 1, 10)
    speed: int = option(2, "pixels that each corner coordinate of an ellipse moves at a step", 0, 20)

    def __post_init__(self) -> None:
        """What changes nothing takes one fixed value."""
        super().__post_init__()
        if self.distractor == "ellipses" and self.ellipses == 0:
            object.__setattr__(self, "distractor", "none")
        fixed: dict[str, Any] = {}
        if self.distractor != "ellipses":
            fixed = {"ellipses": 0, "ellipse_style": "outline", "thickness": 1, "speed": 0}
        elif self.ellipse_style != "outline":
            fixed = {"thickness": 1}
        for name, value in fixed.items():
            object.__setattr__(self, name, value)

    def observation_bytes(self, horizon: int) -> int:
        """What one picture takes in memory: 8×8 pixels a cell, three colours."""
        layout = layouts.read_layout(self.layout)
        return layout.width * layout.height * 8 * 8 * 3


@dataclass(frozen=True)
class TabularSettings(Settings):
    """Any small EX-BMDP from tables (section 2 of the paper); `noise` and `eta` mean what they mean for the lock."""

    name: ClassVar[str] = "tabular"

    world: str = option("park", "the tables", read=tables.canonical_world, allowed=tables.ALLOWED)
    noise: float = option(0.1, "standard deviation of the Gaussian noise on the observation", 0, 10)
    eta: float = option(0.0, "L1 distance of the endogenous transitions from deterministic ones", 0, 1)

    @property
    def first_paths(self) -> int:
        """Number of paths at the first time step."""
        return tables.sizes(self.world).actions

    def observation_bytes(self, horizon: int) -> int:
        """What one observation takes in memory."""
        states, _, exogenous = tables.sizes(self.world)
        return 4 * 2 ** (states + exogenous - 1).bit_length()


VECTORS = (LockSettings.name, ExoLockSettings.name, TabularSettings.name)
"""The environments whose observations are not pictures."""


@dataclass(frozen=True)
class LearnerSettings(Settings):
    """What a learner can be told, and where it runs."""

    environments: ClassVar[tuple[str, ...]] = (*VECTORS, GridSettings.name)
    by_episode: ClassVar[bool] = False  # plays whole episodes, N·H of them, and keeps none
    results_version: ClassVar[int] = RESULTS_VERSION


@dataclass(frozen=True)
class PPESettings(LearnerSettings):
    """Predictive Path Elimination (algorithms 1 and 5 of the paper)."""

    name: ClassVar[str] = "ppe"

    gap: str = option("signature", "how two paths are compared", choices=("signature", "paper"))
    recipe: str = option("fast", "training hyperparameters: ours, or the appendix's table",
                         choices=("fast", "paper"))  # fmt: skip
    sampling: str = option("balanced", "N divided evenly among the paths, or N independent draws",
                           choices=("balanced", "iid"))  # fmt: skip
    decoder: str = option(
        "merged",
        "the state of an observation: the merged class with most probability, the most probable "
        "surviving path, or the smallest index within a margin of the maximum as printed",
        choices=("merged", "survivors", "printed"),
    )
    threshold: float = option(0.625, "paths merge when their gap is at most threshold / |paths|", 0, 2)
    max_paths: int = option(1000, "a run stops before a time step with more paths than this", 3, 5000)


@dataclass(frozen=True)
class PPOSettings(LearnerSettings):
    """Proximal policy optimisation (the paper's table of PPO and PPO+RND)."""

    name: ClassVar[str] = "ppo"
    environments: ClassVar[tuple[str, ...]] = VECTORS  # its nets read them
    by_episode: ClassVar[bool] = True

    entropy: float = option(0.01, "weight of the policy's entropy; the paper tries 0.1 and 0.01", 0, 10)
    clip: float = option(0.1, "how far a probability may move from the one the data came with, relatively", 0, 1)
    updates: int = option(4, "passes over each batch of episodes", 1, 100)
    batch: int = option(256, "episodes between updates, and rows of a gradient step", 1, 100_000)


@dataclass(frozen=True)
class RNDSettings(PPOSettings):
    """PPO with a bonus for what a net cannot yet predict: random network distillation."""

    name: ClassVar[str] = "ppo-rnd"

    bonus: float = option(100.0, "weight of the prediction error in the reward; the paper tries 100 and 500", 0, 1e6)


@dataclass(frozen=True)
class BisimSettings(LearnerSettings):
    """An actor-critic on a representation learned by bisimulation (the paper's Bisim)."""

    name: ClassVar[str] = "bisim"
    environments: ClassVar[tuple[str, ...]] = VECTORS  # its nets read them
    by_episode: ClassVar[bool] = True

    entropy: float = option(0.01, "weight of the policy's entropy", 0, 10)
    bisimulation: float = option(0.5, "weight of the bisimulation loss", 0, 100)
    discount: float = option(0.99, "what a reward one step later is worth", 0, 1)
    batch: int = option(32, "episodes between updates", 1, 100_000)


@dataclass(frozen=True)
class AbstractionSettings(LearnerSettings):
    """What all baselines share that learn a state abstraction time step by time step."""

    results_version: ClassVar[int] = 4

    budget: int = option(3, "number of abstract states at each time step", 2, 1000)
    epochs: int = option(10, "epochs of 50 batches, at most", 1, 1000)
    restarts: int = option(8, "nets trained side by side, of which the best is kept", 1, 20)


@dataclass(frozen=True)
class HomerSettings(AbstractionSettings):
    """Homer: an abstraction that tells observed transitions from imposters (appendix F of the paper)."""

    name: ClassVar[str] = "homer"

    epochs: int = option(8, "epochs of 50 batches in each of the two stages of training, at most", 1, 1000)
    restarts: int = option(12, "nets trained side by side, of which the best is kept", 1, 20)


@dataclass(frozen=True)
class IDSettings(AbstractionSettings):
    """Inverse dynamics: an abstraction that tells the last action (appendix F of the paper)."""

    name: ClassVar[str] = "id"

    coarseness: float = option(0.1, "what a nat of the abstract state's entropy costs; more: coarser", 0, 10)


@dataclass(frozen=True)
class AutoencoderSettings(AbstractionSettings):
    """An autoencoder whose codes are clustered."""

    name: ClassVar[str] = "autoencoder"

    restarts: int = option(2, "nets trained side by side, of which the best is kept", 1, 20)


@dataclass(frozen=True)
class ACStateSettings(AbstractionSettings):
    """AC-State: an abstraction that tells the first of several actions (Lamb et al., 2022)."""

    name: ClassVar[str] = "ac-state"

    epochs: int = option(20, "epochs of 50 batches, at most", 1, 1000)


ENVIRONMENTS: dict[str, type[Settings]] = {
    environment.name: environment for environment in (LockSettings, ExoLockSettings, GridSettings, TabularSettings)
}
LEARNERS: dict[str, type[Settings]] = {
    learner.name: learner
    for learner in (PPESettings, HomerSettings, IDSettings, PPOSettings, RNDSettings, BisimSettings,
                    AutoencoderSettings, ACStateSettings)
}  # fmt: skip


@dataclass(frozen=True)
class RunConfig(Settings):
    """One run, whole: the same config always gives the same record."""

    environment: Any = field(default_factory=LockSettings)
    learner: Any = field(default_factory=PPESettings)
    horizon: int = option(5, "number of time steps H", 1, 200)
    samples: int = option(500, "episodes collected at each time step, N", 1, 1_000_000)
    seed: int = option(0, "the one seed that decides everything", 0, 2**32 - 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.environment.name not in self.learner.environments:
            raise ValueError(
                f"learner: {self.learner.name!r} does not run on {self.environment.name!r}, only on "
                + ", ".join(self.learner.environments)
            )
        first_paths = self.environment.first_paths
        if self.samples < first_paths:
            high = _fields_by_name()["samples"].metadata["high"]
            raise ValueError(
                f"samples: {self.samples} is outside the allowed range {first_paths} to {high}: "
                f"the first time step alone has {first_paths} paths"
            )

    @classmethod
    def from_flat(cls, values: Mapping[str, Any]) -> "RunConfig":
        """A config from flat names; numbers may be given as text. The rest keeps its defaults."""
        values = dict(values)
        environment = _choose(ENVIRONMENTS, "env", values.pop("env", LockSettings.name))
        learner = _choose(LEARNERS, "learner", values.pop("learner", PPESettings.name))
        parts: dict[type[Settings], dict[str, Any]] = {environment: {}, learner: {}, cls: {}}
        for name, value in values.items():
            part = next((p for p in parts if name in {f.name for f in option_fields(p)}), None)
            if part is None:
                raise ValueError(_unknown_field(name, environment, learner))
            parts[part][name] = value
        return cls(environment(**parts[environment]), learner(**parts[learner]), **parts[cls])

    def flat(self) -> dict[str, Any]:
        """Every field by its flat name, in a fixed order."""
        values: dict[str, Any] = {"env": self.environment.name, "learner": self.learner.name}
        for part in (self, self.environment, self.learner):
            values |= {f.name: getattr(part, f.name) for f in option_fields(type(part))}
        return values

    def replace(self, **changes: Any) -> "RunConfig":
        """The same config with some flat fields changed."""
        return RunConfig.from_flat(self.flat() | changes)

    @cached_property
    def canonical_json(self) -> str:
        return json.dumps(self.flat(), sort_keys=True, separators=(",", ":"))

    @cached_property
    def id(self) -> str:
        """A short stable name: same config and results version, same id."""
        text = f"{self.learner.results_version}:{self.canonical_json}"
        return f"{self.environment.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def option_fields(part: type[Settings]) -> list[dataclasses.Field]:
    """The options of a group, without the nested groups."""
    return [f for f in dataclasses.fields(part) if "help" in f.metadata]


def all_option_fields() -> list[dataclasses.Field]:
    """Every option that some environment or learner has, common ones first."""
    return list(_fields_by_name().values())


def _fields_by_name() -> dict[str, dataclasses.Field]:
    parts: list[type[Settings]] = [RunConfig, *ENVIRONMENTS.values(), *LEARNERS.values()]
    return {f.name: f for part in parts for f in option_fields(part)}


def checked(item: dataclasses.Field, value: Any) -> Any:
    """The value in the field's type, or a ValueError that says what is allowed."""
    low, high, choices, read = (item.metadata[key] for key in ("low", "high", "choices", "read"))
    if choices:
        if value not in choices:
            raise ValueError(f"{item.name}: {value!r} is not one of {', '.join(choices)}")
        return value
    if read:
        try:
            return read(value)
        except ValueError as error:
            raise ValueError(f"{item.name}: {error}") from None
    if item.type is bool:
        if (word := str(value).lower()) not in SWITCH:
            raise ValueError(f"{item.name}: {value!r} is not on or off")
        return SWITCH[word]
    kind = item.type if isinstance(item.type, type) else {"int": int, "float": float}[item.type]
    allowed = f"the allowed range {low} to {high}"
    try:
        if isinstance(value, bool) or (kind is int and isinstance(value, float) and value % 1):
            raise ValueError
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        noun = "whole number" if kind is int else "number"
        raise ValueError(f"{item.name}: {value!r} is not a {noun} in {allowed}") from None
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{item.name}: {value} is outside {allowed}")
    return number


def _choose(known: dict[str, type[Settings]], name: str, value: Any) -> type[Settings]:
    if value not in known:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(known)}")
    return known[value]


def _unknown_field(name: str, environment: Any, learner: Any) -> str:
    owners = [p.name for p in (*ENVIRONMENTS.values(), *LEARNERS.values())
              if name in {f.name for f in option_fields(p)}]  # fmt: skip
    if owners:
        return f"{name}: not a setting of {environment.name} or {learner.name}; it belongs to {', '.join(owners)}"
    names = [f.name for part in (RunConfig, environment, learner) for f in option_fields(part)]
    return f"{name}: no such setting; allowed are env, learner, {', '.join(names)}"
