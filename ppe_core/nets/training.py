"""The one training loop: softmax regression by Adam with early stopping on held-out data."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from ppe_core.nets.mlp import MLPGroup
from ppe_core.nets.recipes import Recipe

Array = np.ndarray
PREDICTION_ROWS = 8192


class NetGroup(Protocol):
    """Equal nets side by side, with their parameters in one tensor [members, parameters]."""

    members: int
    parameters: Tensor
    gradients: Tensor

    def logits(self, inputs: Tensor) -> Tensor: ...

    def backward(self, error: Tensor) -> None: ...


class Epoch(NamedTuple):
    training_loss: float
    held_out_loss: float


@dataclass
class Classifier:
    """A trained group of nets; its prediction is the mean of theirs."""

    net: NetGroup
    centre: Tensor
    scale: float

    def probabilities(self, observations: Array) -> Array:
        """[n, ...] -> [n, labels]"""
        parts = []
        for start in range(0, len(observations), PREDICTION_ROWS):
            rows = torch.from_numpy(observations[start : start + PREDICTION_ROWS])
            inputs = ((rows - self.centre) / self.scale).expand(self.net.members, *rows.shape)
            parts.append(torch.softmax(self.net.logits(inputs), -1).mean(0))
        return torch.cat(parts).numpy()

    def weights(self) -> dict[str, Array]:
        """Everything needed to build the classifier again, copied."""
        return {
            "parameters": self.net.parameters.numpy().copy(),
            "centre": self.centre.numpy().copy(),
            "scale": np.array(self.scale, np.float32),
        }


@dataclass
class Fit:
    """A classifier and what it says about the data it was fitted to."""

    classifier: Classifier
    predictions: Array  # [observations, labels]
    held_out: Array  # [observations]: whether the prediction comes from a net that did not train on it
    curve: list[Epoch]


class Adam:
    """Adam with gradient clipping on one flat tensor; each member is clipped by its own norm."""

    def __init__(self, net: NetGroup, learning_rate: float, clip: float) -> None:
        self._net = net
        self._learning_rate = learning_rate
        self._clip = clip
        self._steps = torch.zeros(())
        self._mean = torch.zeros_like(net.parameters)
        self._square = torch.zeros_like(net.parameters)

    def step(self) -> None:
        gradients = self._net.gradients
        norms = torch.linalg.vector_norm(gradients, dim=1, keepdim=True)
        if norms.max() > self._clip:
            gradients *= (self._clip / norms).clamp_(max=1.0)
        self._steps += 1
        # The kernel behind torch.optim.Adam(fused=True), without the optimiser's own overhead.
        torch._fused_adam_(
            [self._net.parameters], [gradients], [self._mean], [self._square], [], [self._steps],
            lr=self._learning_rate, beta1=0.9, beta2=0.999, weight_decay=0.0, eps=1e-8,
            amsgrad=False, maximize=False,
        )  # fmt: skip


def fit_classifier(
    observations: Array,
    labels: Array,
    num_labels: int,
    recipe: Recipe,
    seed: int,
    held_out_losses: Callable[[Array, Array], Array],
    previous: dict[str, Array] | None = None,
    on_epoch: Callable[[int, Epoch], None] | None = None,
) -> Fit:
    """Predict the label of each observation.

    An epoch is judged by the mean of `held_out_losses(predictions, labels)`; `previous` are the
    weights of an earlier classifier of the same kind of observations, for a warm start.
    """
    generator = torch.Generator().manual_seed(seed)
    data = torch.from_numpy(observations)
    centre = data.mean(0) if recipe.standardise else torch.zeros(data.shape[1:])
    inputs, targets, scale = data - centre, torch.from_numpy(labels), 1.0
    if recipe.standardise:
        scale = max(float(torch.linalg.vector_norm(inputs)) / math.sqrt(inputs.numel()), 1e-6)
        inputs /= scale
    train_rows, held_rows = _splits(labels, recipe, generator)
    net = MLPGroup(len(train_rows), (data.shape[1], *recipe.hidden, num_labels), generator)
    if recipe.warm_start and previous is not None:
        net.start_from(torch.from_numpy(previous["parameters"]))

    def predict(rows: Tensor) -> Array:  # [members, n] -> [observations, labels], other rows empty
        predictions = torch.empty(len(inputs), num_labels)
        for part in rows.split(PREDICTION_ROWS, dim=1):
            predictions[part] = torch.softmax(net.logits(_take(inputs, part)), -1)
        return predictions.numpy()

    held_out = np.zeros(len(labels), bool)
    held_out[held_rows.numpy()] = True
    curve: list[Epoch] = []
    best_loss, best_epoch, best_predictions = math.inf, 0, np.empty(0)
    best_parameters = net.parameters.clone()
    batches = _batches(train_rows, recipe, generator)
    adam = Adam(net, recipe.learning_rate, recipe.clip)
    for epoch in range(recipe.epochs):
        training_loss = _train_epoch(net, adam, inputs, targets, next(batches))
        predictions = predict(held_rows)
        loss = float(held_out_losses(predictions[held_out], labels[held_out]).mean())
        curve.append(Epoch(training_loss, loss))
        if on_epoch:
            on_epoch(epoch, curve[-1])
        if loss < best_loss - recipe.tolerance / num_labels:
            best_loss, best_epoch, best_predictions = loss, epoch, predictions
            best_parameters.copy_(net.parameters)
        if epoch - best_epoch >= (recipe.patience if best_epoch else recipe.grace):
            break
    net.parameters.copy_(best_parameters)
    if recipe.folds == 1:
        best_predictions = predict(torch.arange(len(labels))[None])
    return Fit(Classifier(net, centre, scale), best_predictions, held_out, curve)


def training_step(net: NetGroup, adam: Adam, inputs: Tensor, targets: Tensor) -> Tensor:
    """One step on a batch [members, batch, ...] with targets [members, batch]; the summed loss."""
    error = torch.softmax(net.logits(inputs), -1)
    targets = targets.unsqueeze(-1)
    picked = error.gather(-1, targets)
    error.scatter_(-1, targets, picked - 1).div_(inputs.shape[1])
    net.backward(error)
    adam.step()
    return picked.log_().sum()


def _train_epoch(net: NetGroup, adam: Adam, inputs: Tensor, targets: Tensor, batches: list[Tensor]) -> float:
    total, rows = 0.0, 0
    for batch in batches:
        total -= float(training_step(net, adam, _take(inputs, batch), targets[batch]))
        rows += batch.numel()
    return total / rows


def _take(data: Tensor, rows: Tensor) -> Tensor:
    """data[rows], several times faster: whole rows are copied."""
    return data.index_select(0, rows.reshape(-1)).view(*rows.shape, *data.shape[1:])


def _batches(train_rows: Tensor, recipe: Recipe, generator: torch.Generator):
    """Lists of row batches [members, batch], an epoch each; every pass is shuffled afresh."""
    pending: list[Tensor] = []
    while True:
        if recipe.steps_per_epoch is None:
            yield _shuffled(train_rows, generator).split(recipe.batch, dim=1)
            continue
        while len(pending) < recipe.steps_per_epoch:
            pending += _shuffled(train_rows, generator).split(recipe.batch, dim=1)
        yield pending[: recipe.steps_per_epoch]
        pending = pending[recipe.steps_per_epoch :]


def _shuffled(rows: Tensor, generator: torch.Generator) -> Tensor:
    order = torch.rand(rows.shape, generator=generator).argsort(1)
    return rows.gather(1, order)


def _splits(labels: Array, recipe: Recipe, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows to train on and rows held out, [members, n] each.

    Folds deal the rows of each label out in turn. Where they do not divide evenly, a held-out row
    is repeated and a training row left out, so that all members have equally many.
    """
    count = len(labels)
    if recipe.folds == 1:
        order = torch.randperm(count, generator=generator)[None]
        size = max(1, round(count * recipe.validation))
        return order[:, size:], order[:, :size]
    dealt = torch.from_numpy(np.argsort(labels, kind="stable"))
    folds = [dealt[member :: recipe.folds] for member in range(recipe.folds)]
    size = len(folds[0])
    held = torch.stack([torch.cat([fold, fold[: size - len(fold)]]) for fold in folds])
    others = [torch.cat(folds[:member] + folds[member + 1 :]) for member in range(recipe.folds)]
    return torch.stack([rows[: count - size] for rows in others]), held
