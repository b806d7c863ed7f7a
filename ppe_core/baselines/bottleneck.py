"""A state abstraction as the discrete bottleneck of a net that answers a question about two observations.

The net sees an earlier observation whole, a later one only through φ, one of `budget` abstract states
(a Gumbel softmax while it learns), and perhaps a hint. What φ keeps depends on the question alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, leaky_relu, one_hot

from ppe_core.baselines.descent import BATCH, descend
from ppe_core.baselines.encoders import (
    Linear,
    LinearGroup,
    encode,
    encoder_sizes,
    encoder_weights,
    read_inputs,
    read_like,
)
from ppe_core.config import AbstractionSettings
from ppe_core.nets.inputs import Standard

Array = np.ndarray
HIDDEN = 56
TEMPERATURE = 1.0
VALIDATION = 0.2  # share of the episodes
JUDGED = 1000  # examples, at least, by which a net is judged


class Examples(NamedTuple):
    """Questions and answers, [n] each."""

    before: Tensor  # row of the earlier observation
    after: Tensor  # row of the later observation
    hint: Tensor
    answer: Tensor


@dataclass(frozen=True)
class Question:
    """What the net is asked; `examples` draws questions about the given episodes."""

    examples: Callable[[Tensor, torch.Generator], Examples]
    hints: int
    answers: int
    continuous_first: bool = False  # a stage without the bottleneck before the one with it


class Abstraction:
    """φ: the abstract state of an observation."""

    def __init__(self, encoder: list[Linear], standard: Standard) -> None:
        self._encoder = encoder  # of one member
        self._standard = standard

    def __call__(self, observations: Array) -> Array:
        """[n, ...] -> [n]"""
        parts = [encode(self._encoder, rows)[0].argmax(-1) for rows in read_like(observations, self._standard)]
        return torch.cat(parts).numpy()

    @property
    def weights(self) -> dict[str, Array]:
        """All that is needed to build it again."""
        return encoder_weights(self._encoder, self._standard)


class _Bottleneck:
    """The net (x, hint, φ(x')) -> answer, the observations it is asked about, the episodes it may learn from."""

    def __init__(
        self, before: Array, after: Array, question: Question, settings: AbstractionSettings, seed: int
    ) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.question, self.budget = question, settings.budget
        self.before, self.after = read_inputs(before), read_inputs(after)
        encoder = encoder_sizes(after.shape[1:], self.budget)
        head = [(2 * self.budget + question.hints, HIDDEN), (HIDDEN, question.answers)]
        self.depth = len(encoder)
        self.net = LinearGroup(settings.restarts, encoder + encoder + head, self.generator)
        self.discrete = True
        episodes = torch.randperm(len(after), generator=self.generator)
        held = max(1, round(VALIDATION * len(after)))
        self.learned_from = episodes[held:]
        self.judged_by = self._judges(episodes[:held])

    def train(self, discrete: bool, epochs: int, on_epoch: Callable[[float], None]) -> Tensor:
        """One stage; the held-out loss of each member."""
        self.discrete = discrete
        return descend(self.net, self.batches, self.losses, self.held_out, epochs, on_epoch)

    def phi(self, member: int) -> Abstraction:
        encoder = self.net.layers(self.net.parameters[[member]])[self.depth : 2 * self.depth]
        return Abstraction(encoder, self.after.standard)

    def batches(self) -> Iterator[Examples]:
        """An epoch of examples, drawn afresh and shuffled."""
        examples = self.question.examples(self.learned_from, self.generator)
        order = torch.randperm(len(examples.answer), generator=self.generator)
        for rows in order.split(BATCH):
            yield Examples(*(part[rows] for part in examples))

    def losses(self, layers: list[Linear], examples: Examples) -> Tensor:
        code = self._code(layers, examples)
        if self.discrete:
            noise = torch.empty_like(code).exponential_(generator=self.generator).log()
            code = torch.softmax((code - noise) / TEMPERATURE, -1)
        return self._answer(layers, examples, code)

    def held_out(self, layers: list[Linear]) -> Tensor:
        """The losses when nothing but the abstract state itself goes through the bottleneck."""
        code = self._code(layers, self.judged_by)
        if self.discrete:
            code = one_hot(code.argmax(-1), self.budget).float()
        return self._answer(layers, self.judged_by, code)

    def _code(self, layers: list[Linear], examples: Examples) -> Tensor:
        return encode(layers[self.depth : 2 * self.depth], self.after.take(examples.after))

    def _answer(self, layers: list[Linear], examples: Examples, code: Tensor) -> Tensor:
        """The mean cross-entropy of each member: [members]."""
        context = encode(layers[: self.depth], self.before.take(examples.before))
        hint = one_hot(examples.hint, self.question.hints).float().expand(len(context), -1, -1)
        hidden, last = layers[-2:]
        logits = last(leaky_relu(hidden(torch.cat([context, hint, code], -1))))
        answers = examples.answer.expand(len(logits), -1)
        return cross_entropy(logits.transpose(1, 2), answers, reduction="none").mean(1)

    def _judges(self, episodes: Tensor) -> Examples:
        drawn = [self.question.examples(episodes, self.generator) for _ in range(-(-JUDGED // len(episodes)))]
        return Examples(*map(torch.cat, zip(*drawn)))


def fit_bottleneck(
    before: Array, after: Array, question: Question, settings: AbstractionSettings, seed: int,
    on_epoch: Callable[[float], None],
) -> Abstraction:  # fmt: skip
    """Learn to answer questions about observations [m, ...] and [n, ...], and keep the φ of the best answers."""
    bottleneck = _Bottleneck(before, after, question, settings, seed)
    if question.continuous_first:
        bottleneck.train(False, settings.epochs, on_epoch)
    losses = bottleneck.train(True, settings.epochs, on_epoch)
    return bottleneck.phi(int(losses.argmin()))
