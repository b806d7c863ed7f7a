"""The training loop of the baselines: Adam on several members at once, each kept as it was when it was best."""

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor

from ppe_core.baselines.encoders import Batch, Linear, LinearGroup
from ppe_core.nets.training import Adam

LEARNING_RATES = {1: 1e-2, 3: 3e-3}  # by the axes of an observation: vectors, images
BATCH = 64  # rows of the dataset
STEPS = 50  # batches of an epoch, whatever the size of the dataset
CLIP = 10.0  # largest norm of a member's gradient
PATIENCE = 10  # epochs without any member's improvement
VALIDATION = 0.2  # share of the dataset
JUDGED = 2000  # rows of those set aside, at most, by which a net is judged


def split_off(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows of a dataset to learn from, and rows to be judged by."""
    order = torch.randperm(count, generator=generator)
    held = max(1, round(VALIDATION * count))
    return order[held:], order[: min(held, JUDGED)]


def draw_batches(rows: Tensor, generator: torch.Generator) -> Iterator[Tensor]:
    """An epoch of batches, each drawn at random."""
    for _ in range(STEPS):
        yield rows[torch.randint(len(rows), (BATCH,), generator=generator)]


def descend(
    net: LinearGroup,
    batches: Callable[[], Iterable[Batch]],
    losses: Callable[[list[Linear], Batch], Tensor],
    held_out: Callable[[list[Linear]], Tensor],
    epochs: int,
    learning_rate: float,
    on_epoch: Callable[[float], None],
) -> Tensor:
    """Minimise the losses [members] of an epoch's batches; the least held-out loss of each member."""
    adam = Adam(net, learning_rate, CLIP)
    kept, least = net.parameters.clone(), held_out(net.layers(net.parameters))
    waited = 0
    for _ in range(epochs):
        for batch in batches():
            net.differentiate(losses, batch)
            adam.step()
        reached = held_out(net.layers(net.parameters))
        better = reached < least
        kept[better], least[better] = net.parameters[better], reached[better]
        on_epoch(float(least.min()))
        waited = 0 if better.any() else waited + 1
        if waited == PATIENCE:
            break
    net.parameters.copy_(kept)
    return least
