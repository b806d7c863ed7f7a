"""PPO with random network distillation (section 6, appendix "PPO and PPO + RND Details").

A net learns to predict what a fixed random net says about an observation. Its error falls on what
was seen often; the raw error, times a weight, is added to the reward of the action that led there.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from ppe_core.baselines.learned import Learned, Progress
from ppe_core.baselines.ppo import PPO, Net
from ppe_core.config import RNDSettings
from ppe_core.envs.base import Interaction
from ppe_core.seeding import Seeds

FEATURES = 56  # outputs of the random net
STREAM_LEVEL = 1  # of the training stream; PPO's own nets start from level 0


class Distillation:
    """The bonus: each call says how new observations are, then learns them."""

    def __init__(self, entries: int, settings: RNDSettings, generator: torch.Generator) -> None:
        self._settings = settings
        self._target, self._predictor = (Net(entries, FEATURES, generator) for _ in range(2))
        self.mean = 0.0  # of the last call's prediction errors

    def __call__(self, observations: Tensor) -> Tensor:
        """[n, entries] -> [n]"""
        target = self._target(observations)
        novelty = (self._predictor(observations) - target).square().mean(-1)
        self.mean = float(novelty.mean())
        for _ in range(self._settings.updates):
            difference = self._predictor(observations) - target
            self._predictor.descend(difference * (2 / difference.numel()))
        return self._settings.bonus * novelty


class PPOWithRND:
    """PPO that is paid for what it could not predict."""

    def __init__(self, settings: RNDSettings, episodes: int, seeds: Seeds) -> None:
        self._settings = settings
        self._episodes = episodes
        self._seeds = seeds

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        generator = torch.Generator().manual_seed(self._seeds.integer("training", STREAM_LEVEL))
        (entries,) = interaction.observation_shape
        bonus = Distillation(entries, self._settings, generator)
        learned = PPO(self._settings, self._episodes, self._seeds, bonus).learn(interaction, report)
        return replace(learned, numbers=learned.numbers | {"prediction_error": bonus.mean})
