"""An autoencoder whose codes are clustered: what an abstraction looks like that is made to remember.

The code has as many numbers as there are abstract states, and the clusters of the codes are the
abstract states. It keeps whatever varies most, so where noise varies more than the state, it keeps noise.
"""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from ppe_core.baselines.clusters import best_centres, nearest
from ppe_core.baselines.descent import LEARNING_RATES, descend, draw_batches, split_off
from ppe_core.baselines.encoders import (
    HIDDEN,
    Linear,
    LinearGroup,
    encode,
    encoder_sizes,
    encoder_weights,
    read_inputs,
    read_like,
)
from ppe_core.baselines.layers import Episodes, LayerByLayer, OnEpoch
from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import AutoencoderSettings
from ppe_core.envs.base import Interaction
from ppe_core.nets.inputs import Standard
from ppe_core.seeding import Seeds

Array = np.ndarray


class Autoencoder:
    def __init__(self, settings: AutoencoderSettings, samples: int, seeds: Seeds) -> None:
        self.settings = settings
        self._layers = LayerByLayer(self._fit, settings.budget, samples, seeds)

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        return self._layers.learn(interaction, report)

    def _fit(self, episodes: Episodes, seed: int, on_epoch: OnEpoch) -> "ClusteredCodes":
        observations = episodes.observations[-1]
        encoder, standard = _Compressor(observations, self.settings, seed).train(self.settings.epochs, on_epoch)
        codes = np.concatenate(list(_codes(encoder, standard, observations)))
        centres = best_centres(codes, self.settings.budget, np.random.default_rng(seed))
        return ClusteredCodes(encoder, standard, centres)


class ClusteredCodes:
    """φ: the cluster that the code of an observation is in."""

    def __init__(self, encoder: list[Linear], standard: Standard, centres: Array) -> None:
        self._encoder = encoder
        self._standard = standard
        self._centres = centres

    def __call__(self, observations: Array) -> Array:
        parts = [nearest(codes, self._centres) for codes in _codes(self._encoder, self._standard, observations)]
        return np.concatenate(parts)

    @property
    def weights(self) -> dict[str, Array]:
        return encoder_weights(self._encoder, self._standard) | {"centres": self._centres}


class _Compressor:
    """A net that puts an observation through a narrow code and back together."""

    def __init__(self, observations: Array, settings: AutoencoderSettings, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.inputs = read_inputs(observations)
        self.learning_rate = LEARNING_RATES[observations.ndim - 1]
        decoder = [(settings.budget, HIDDEN), (HIDDEN, self.inputs.entries)]
        sizes = encoder_sizes(observations.shape[1:], settings.budget) + decoder
        self.net = LinearGroup(settings.restarts, sizes, self.generator)
        self.learned_from, self.judged_by = split_off(len(observations), self.generator)

    def train(self, epochs: int, on_epoch: OnEpoch) -> tuple[list[Linear], Standard]:
        """The encoder of the best member and how it wants its inputs."""
        least = descend(self.net, self.batches, self.losses, self.held_out, epochs, self.learning_rate, on_epoch)
        best = self.net.parameters[[int(least.argmin())]]
        return self.net.layers(best)[:-2], self.inputs.standard

    def batches(self) -> Iterator[Tensor]:
        return draw_batches(self.learned_from, self.generator)

    def losses(self, layers: list[Linear], rows: Tensor) -> Tensor:
        """The mean squared error of each member: [members]."""
        *encoder, hidden, last = layers
        inputs = self.inputs.take(rows)
        return (last(leaky_relu(hidden(encode(encoder, inputs)))) - inputs).square().mean((1, 2))

    def held_out(self, layers: list[Linear]) -> Tensor:
        return self.losses(layers, self.judged_by)


def _codes(encoder: list[Linear], standard: Standard, observations: Array) -> Iterator[Array]:
    """The codes of one member, some rows at a time: [n, budget]."""
    for rows in read_like(observations, standard):
        yield encode(encoder, rows)[0].numpy()
