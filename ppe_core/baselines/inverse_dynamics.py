"""Inverse dynamics (ID): an abstraction that is good for telling the last action (appendix F of the paper).

The net is asked for the action between x and x'. φ(x') forgets the exogenous noise, but it need not
keep states apart that share no parent: x alone then says what an action could have led to.
"""

from collections.abc import Callable

import torch

from ppe_core.baselines.bottleneck import Abstraction, Examples, Question, fit_bottleneck
from ppe_core.baselines.layers import Episodes, LayerByLayer, OnEpoch
from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import IDSettings
from ppe_core.envs.base import Interaction
from ppe_core.seeding import Seeds


class InverseDynamics:
    def __init__(self, settings: IDSettings, samples: int, seeds: Seeds) -> None:
        self.settings = settings
        self._layers = LayerByLayer(self._fit, settings.budget, samples, seeds)

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        return self._layers.learn(interaction, report)

    def _fit(self, episodes: Episodes, seed: int, on_epoch: OnEpoch) -> Abstraction:
        before, after = episodes.observations
        actions = torch.from_numpy(episodes.actions[:, -1])
        question = last_action(actions, episodes.num_actions, self.settings.coarseness)
        return fit_bottleneck(before, after, question, self.settings, seed, on_epoch)


def last_action(actions: torch.Tensor, num_actions: int, coarseness: float) -> Question:
    """Which action led from x to x'? The coarsest φ that tells it is wanted."""

    def examples(episodes: torch.Tensor, generator: torch.Generator) -> Examples:
        return Examples(episodes, episodes, torch.zeros_like(episodes), actions[episodes])

    return Question(examples, hints=1, answers=num_actions, coarseness=coarseness)
