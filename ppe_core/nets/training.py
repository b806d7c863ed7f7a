"""The one training loop: softmax regression by Adam with early stopping on held-out data."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from ppe_core.nets.architectures import Architecture, Net
from ppe_core.nets.inputs import Inputs, Standard
from ppe_core.nets.recipes import Recipe

Array = np.ndarray
CHUNK = 1 << 22  # input entries that are predicted at once


class Epoch(NamedTuple):
    training_loss: float
    held_out_loss: float


@dataclass
class Classifier:
    """Trained nets; the prediction is the mean of theirs."""

    architecture: Architecture
    nets: Sequence[Net]
    standard: Standard

    def probabilities(self, observations: Array) -> Array:
        """[n, ...] -> [n, labels]"""
        rows = torch.from_numpy(self.architecture.rows(observations))
        parts = []
        for part in rows.split(max(1, CHUNK // rows.shape[1])):
            inputs = self.standard(part)
            members = [torch.softmax(net.logits(inputs.expand(net.members, *inputs.shape)), -1) for net in self.nets]
            parts.append(torch.cat(members).mean(0))
        return torch.cat(parts).numpy()

    def weights(self) -> dict[str, Array]:
        """Everything needed to build the classifier again, copied."""
        return {
            "parameters": torch.cat([net.parameters for net in self.nets]).numpy(),
            "centre": self.standard.centre.numpy().copy(),
            "scale": np.array(self.standard.scale, np.float32),
        }


def restored(
    weights: dict[str, Array], recipe: Recipe, observation_shape: tuple[int, ...], num_labels: int
) -> Classifier:
    """The classifier with these weights."""
    architecture = Architecture(recipe, observation_shape)
    parameters = torch.from_numpy(weights["parameters"])
    net = architecture.build(len(parameters), num_labels, torch.Generator())
    net.parameters.copy_(parameters)
    return Classifier(architecture, [net], Standard(torch.from_numpy(weights["centre"]), float(weights["scale"])))


@dataclass
class Fit:
    """A classifier and what it says about the data it was fitted to."""

    classifier: Classifier
    predictions: Array  # [observations, labels]
    held_out: Array  # [observations]: whether the prediction comes from a net that did not train on it
    curve: list[Epoch]


class Trainable(Protocol):
    """Members whose parameters lie in one flat tensor, and so do their gradients: [members, count]."""

    parameters: Tensor
    gradients: Tensor


class Adam:
    """Adam with gradient clipping on one flat tensor; each member is clipped by its own norm."""

    def __init__(self, net: Trainable, learning_rate: float, clip: float) -> None:
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


def training_step(net: Net, adam: Adam, inputs: Tensor, targets: Tensor) -> Tensor:
    """One step on a batch [members, batch, ...] with targets [members, batch]; the summed loss."""
    error = torch.softmax(net.logits(inputs), -1)
    targets = targets.unsqueeze(-1)
    picked = error.gather(-1, targets)
    error.scatter_(-1, targets, picked - 1).div_(inputs.shape[1])
    net.backward(error)
    adam.step()
    return picked.log_().sum()


class Trainer:
    """Some of the folds: their nets, trained together, and the rows they may and may not see."""

    def __init__(
        self, net: Net, inputs: Inputs, targets: Tensor, train_rows: Tensor, held_rows: Tensor,
        recipe: Recipe, generator: torch.Generator,
    ) -> None:  # fmt: skip
        self.net = net
        self.held_rows = held_rows  # [members, n]
        self._inputs, self._targets = inputs, targets
        self._adam = Adam(net, recipe.learning_rate, recipe.clip)
        self._batches = _batches(train_rows, recipe, generator)
        self._kept = net.parameters.clone()

    def train_epoch(self) -> float:
        """The mean training loss of the epoch."""
        total, rows = 0.0, 0
        for batch in next(self._batches):
            inputs = self._inputs.take(batch)
            total -= float(training_step(self.net, self._adam, inputs, self._targets[batch]))
            rows += batch.numel()
        return total / rows

    def predict(self, rows: Tensor) -> Tensor:
        """Rows [members, n] by the member in whose line they stand: [members, n, labels]."""
        size = max(1, CHUNK // self._inputs.entries)
        parts = [torch.softmax(self.net.logits(self._inputs.take(part)), -1) for part in rows.split(size, dim=1)]
        return torch.cat(parts, dim=1)

    def predict_held_out(self) -> Tensor:
        return self.predict(self.held_rows)

    def keep(self) -> None:
        self._kept.copy_(self.net.parameters)

    def restore(self) -> None:
        self.net.parameters.copy_(self._kept)


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
    architecture = Architecture(recipe, observations.shape[1:])
    inputs = Inputs(observations, architecture)
    trainers = _trainers(architecture, inputs, labels, num_labels, seed, previous)
    held_out = np.zeros(len(labels), bool)
    for trainer in trainers:
        held_out[trainer.held_rows.numpy()] = True
    curve: list[Epoch] = []
    best_loss, best_epoch = math.inf, 0
    best_predictions: Array = np.empty(0)
    with _side_by_side(recipe.threads) as each:
        for epoch in range(recipe.epochs):
            training_loss = float(np.mean(list(each(Trainer.train_epoch, trainers))))
            predictions = np.empty((len(labels), num_labels), np.float32)
            for trainer, predicted in zip(trainers, each(Trainer.predict_held_out, trainers)):
                predictions[trainer.held_rows.numpy()] = predicted.numpy()
            loss = float(held_out_losses(predictions[held_out], labels[held_out]).mean())
            curve.append(Epoch(training_loss, loss))
            if on_epoch:
                on_epoch(epoch, curve[-1])
            if loss < best_loss - recipe.tolerance / num_labels:
                best_loss, best_epoch, best_predictions = loss, epoch, predictions
                for trainer in trainers:
                    trainer.keep()
            if epoch - best_epoch >= (recipe.patience if best_epoch else recipe.grace):
                break
    for trainer in trainers:
        trainer.restore()
    if recipe.folds == 1:
        best_predictions = trainers[0].predict(torch.arange(len(labels))[None])[0].numpy()
    classifier = Classifier(architecture, [trainer.net for trainer in trainers], inputs.standard)
    return Fit(classifier, best_predictions, held_out, curve)


@contextmanager
def _side_by_side(threads: int) -> Iterator[Callable]:
    """A map over trainers, in turn or in threads: torch lets go of the interpreter while it computes."""
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        yield pool.map


def _trainers(
    architecture: Architecture, inputs: Inputs, labels: Array, num_labels: int, seed: int,
    previous: dict[str, Array] | None,
) -> list[Trainer]:  # fmt: skip
    """One for all folds, or one for each where they are trained in threads."""
    recipe = architecture.recipe
    generator = torch.Generator().manual_seed(seed)
    train_rows, held_rows = _splits(labels, recipe, generator)
    start = torch.from_numpy(previous["parameters"]) if recipe.warm_start and previous is not None else None
    trainers = []
    members = 1 if recipe.threads > 1 else len(train_rows)
    for first in range(0, len(train_rows), members):
        mine = slice(first, first + members)
        own_generator = torch.Generator().manual_seed((seed + first) % 2**63)
        net = architecture.build(members, num_labels, own_generator)
        if start is not None:
            net.start_from(start[mine])
        trainers.append(
            Trainer(net, inputs, torch.from_numpy(labels), train_rows[mine], held_rows[mine], recipe, own_generator)
        )
    return trainers


def _batches(train_rows: Tensor, recipe: Recipe, generator: torch.Generator) -> Iterator[Sequence[Tensor]]:
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
