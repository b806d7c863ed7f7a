"""The training loop of the baselines: Adam on several members at once, each kept as it was when it was best."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import torch
from torch import Tensor

from ppe_core.baselines.encoders import Linear, LinearGroup
from ppe_core.nets.training import Adam

Batch = TypeVar("Batch")
LEARNING_RATE = 1e-3
BATCH = 256
CLIP = 10.0  # largest norm of a member's gradient
PATIENCE = 20  # epochs without any member's improvement


def descend(
    net: LinearGroup,
    batches: Callable[[], Iterable[Batch]],
    losses: Callable[[list[Linear], Batch], Tensor],
    held_out: Callable[[list[Linear]], Tensor],
    epochs: int,
    on_epoch: Callable[[float], None],
) -> Tensor:
    """Minimise the losses [members] of an epoch's batches; the least held-out loss of each member."""
    adam = Adam(net, LEARNING_RATE, CLIP)
    kept, least = net.parameters.clone(), held_out(net.layers(net.parameters))
    waited = 0
    for _ in range(epochs):
        for batch in batches():
            net.differentiate(lambda layers, batch=batch: losses(layers, batch))
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
