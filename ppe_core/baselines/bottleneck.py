"""A state abstraction as the discrete bottleneck of a net that answers a question about two observations.

The net sees an earlier observation whole, a later one only through φ, one of `budget` abstract states
(a Gumbel softmax while it learns), and perhaps a hint. What φ keeps depends on the question alone.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, leaky_relu, one_hot

from ppe_core.baselines.descent import JUDGED, LEARNING_RATES, descend, draw_batches, split_off
from ppe_core.baselines.encoders import (
    HIDDEN,
    Linear,
    LinearGroup,
    encode,
    encode_rows,
    encoder_sizes,
    encoder_weights,
    read_inputs,
    read_like,
)
from ppe_core.config import AbstractionSettings
from ppe_core.nets.inputs import Standard

Array = np.ndarray
TEMPERATURE = 1.0


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
    coarseness: float = 0.0  # what a nat of the abstract state's entropy costs
    learning_rates: Mapping[int, float] = field(default_factory=lambda: LEARNING_RATES)


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
        self.learning_rate = question.learning_rates[after.ndim - 1]
        self.net = LinearGroup(settings.restarts, encoder + encoder + head, self.generator)
        self.discrete = True
        self.learned_from, held = split_off(len(after), self.generator)
        judges = held[torch.randint(len(held), (JUDGED,), generator=self.generator)]  # each in several pairs
        self.judged_by = question.examples(judges, self.generator)

    def train(self, discrete: bool, epochs: int, on_epoch: Callable[[float], None]) -> Tensor:
        """One stage; the held-out loss of each member."""
        self.discrete = discrete
        return descend(self.net, self.batches, self.losses, self.held_out, epochs, self.learning_rate, on_epoch)

    def phi(self, member: int) -> Abstraction:
        encoder = self.net.layers(self.net.parameters[[member]])[self.depth : 2 * self.depth]
        return Abstraction(encoder, self.after.standard)

    def batches(self) -> Iterator[Examples]:
        for episodes in draw_batches(self.learned_from, self.generator):
            yield self.question.examples(episodes, self.generator)

    def losses(self, layers: list[Linear], examples: Examples) -> Tensor:
        code = self._code(layers, examples)
        if not self.discrete:
            return self._answer(layers, examples, code)
        gumbel = -torch.empty_like(code).exponential_(generator=self.generator).log()
        drawn = torch.softmax((code + gumbel) / TEMPERATURE, -1)
        return self._answer(layers, examples, drawn) + self._cost(torch.softmax(code, -1))

    def held_out(self, layers: list[Linear]) -> Tensor:
        """The losses when nothing but the abstract state itself goes through the bottleneck."""
        code = self._code(layers, self.judged_by)
        if not self.discrete:
            return self._answer(layers, self.judged_by, code)
        states = one_hot(code.argmax(-1), self.budget).float()
        return self._answer(layers, self.judged_by, states) + self._cost(states)

    def _cost(self, states: Tensor) -> Tensor:
        """What the entropy of the abstract states [members, n, budget] costs each member."""
        share = states.mean(1)
        return -self.question.coarseness * torch.xlogy(share, share).sum(-1)

    def _code(self, layers: list[Linear], examples: Examples) -> Tensor:
        return encode_rows(layers[self.depth : 2 * self.depth], self.after, examples.after)

    def _answer(self, layers: list[Linear], examples: Examples, code: Tensor) -> Tensor:
        """The mean cross-entropy of each member: [members]."""
        context = encode_rows(layers[: self.depth], self.before, examples.before)
        hint = one_hot(examples.hint, self.question.hints).float().expand(len(context), -1, -1)
        hidden, last = layers[-2:]
        logits = last(leaky_relu(hidden(torch.cat([context, hint, code], -1))))
        answers = examples.answer.expand(len(logits), -1)
        return cross_entropy(logits.transpose(1, 2), answers, reduction="none").mean(1)


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
