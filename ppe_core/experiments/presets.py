"""Starting points: runs worth looking at, each with what there is to see.

Their records come with the program (see `bundle`), so that they are there at once.
"""

from typing import NamedTuple

from ppe_core.config import RunConfig


class Preset(NamedTuple):
    name: str
    look_at: str  # one sentence: what there is to see
    config: RunConfig


def _preset(name: str, look_at: str, **settings: object) -> Preset:
    return Preset(name, look_at, RunConfig.from_flat(settings))


PRESETS = (
    _preset(
        "A lock in the noise",
        "A hundred thousand action sequences, three places to be: up to 30 paths become 3 states at every time step.",
    ),
    _preset(
        "Too few samples",
        "At h = 2 one path is merged wrongly (✖), and the place it led to is never seen again; "
        "raise N to 1000 and all three are found.",
        noise=0.5, samples=300, seed=1,
    ),
    _preset(
        "Paper gap against signature gap",
        "The same world and N as the first preset, but paths are compared as the paper does: most merges are "
        "missed (◆); set Gap (under More) to signature and none is.",
        gap="paper",
    ),
    _preset(
        "Deeper",
        "Twenty steps, 10²⁰ action sequences: the work grows with H, not with their number.",
        horizon=20,
    ),
    _preset(
        "Gridworld",
        "The same algorithm on pictures: up to 360 paths a time step become the places and directions they end in.",
        env="grid", horizon=8, samples=2000,
    ),
    _preset(
        "A walk in the park",
        "The paper's first example: a sidewalk by a pond, with ducks, people and light that come and go; "
        "PPE finds the six places on it, and nothing else.",
        env="tabular",
    ),
    _preset(
        "Not quite deterministic",
        "Actions now and then do something else (η = 0.05), and all states are still found; "
        "set η (under More) to 0.1 and states are lost.",
        eta=0.05,
    ),
    _preset(
        "No noise",
        "Without noise and distractors every look at a place is the same: what the first preset has to see through.",
        noise=0, exo_dim=0,
    ),
    _preset(
        "A reward in the noise",
        "What the last action must be depends on a light that no action touches: PPE finds all states, "
        "and yet a plan that does not look earns only half of what is possible.",
        env="exo-lock",
    ),
)  # fmt: skip


def first_of(environment: str) -> Preset:
    """Where a visitor of an environment starts."""
    return next(preset for preset in PRESETS if preset.config.environment.name == environment)


def named(name: str) -> Preset:
    return next(preset for preset in PRESETS if preset.name == name)


def nearest(config: RunConfig) -> Preset:
    """The preset that a config is, or else the first of its environment."""
    return next((preset for preset in PRESETS if preset.config == config), first_of(config.environment.name))
