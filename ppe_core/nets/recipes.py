"""Training hyperparameters as data."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Recipe:
    """How a classifier is trained.

    With one fold, a share of the data is set aside for validation (the paper's way). With more, as
    many nets are trained side by side, each on all folds but its own, and every prediction about
    the data comes from the net that has not seen that row.
    """

    learning_rate: float
    batch: int
    clip: float  # largest norm of a gradient
    architecture: str  # dense, patches or convolution
    hidden: tuple[int, ...]  # sizes of the hidden layers (after the first two, for a convolution)
    folds: int
    threads: int  # 1: folds share every call; more: each on its own, so many at a time, with the same outcome
    validation: float  # share of the data, when there is one fold
    steps_per_epoch: int | None  # None: a pass over the data
    epochs: int  # at most
    patience: int  # epochs without improvement before training stops
    grace: int  # epochs to wait for the first improvement
    tolerance: float  # what counts as an improvement of the held-out loss, over the number of labels
    standardise: bool  # centre the inputs and divide by their overall deviation
    warm_start: bool  # begin with the hidden layers of the time step before
    tie: bool  # judge an epoch by the held-out loss with apparently merged paths tied together


# Table "Hyperparameter values for PPE" of the paper's appendix.
_PAPER = Recipe(
    learning_rate=1e-3, batch=256, clip=10.0, architecture="dense", hidden=(56, 56), folds=1, threads=1,
    validation=0.2, steps_per_epoch=None, epochs=50, patience=20, grace=20, tolerance=0.0,
    standardise=False, warm_start=False, tie=False,
)  # fmt: skip

_FAST = Recipe(
    learning_rate=2e-2, batch=64, clip=10.0, architecture="dense", hidden=(32,), folds=3, threads=1,
    validation=0.0, steps_per_epoch=6, epochs=50, patience=1, grace=20, tolerance=0.3,
    standardise=True, warm_start=True, tie=True,
)  # fmt: skip

VECTOR_RECIPES = {"paper": _PAPER, "fast": _FAST}
IMAGE_RECIPES = {
    "paper": replace(_PAPER, architecture="convolution", hidden=()),
    "fast": replace(
        _FAST, learning_rate=3e-3, architecture="patches", hidden=(32, 128), folds=4, threads=2,
        steps_per_epoch=None, epochs=20, grace=3,
    ),
}  # fmt: skip


def recipe_for(name: str, observation_shape: tuple[int, ...]) -> Recipe:
    """The recipe of a name for vectors or for images."""
    return (VECTOR_RECIPES if len(observation_shape) == 1 else IMAGE_RECIPES)[name]
