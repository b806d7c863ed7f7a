"""Homer: contrastive learning of a state abstraction (Misra et al., 2020; appendix F of the paper).

The net is asked whether a transition (x, a, x') was observed or is an imposter, whose x' comes from
another episode. Without exogenous noise φ(x') must keep the endogenous state to answer; with it,
φ(x') answers better by keeping exogenous bits that x has too.
"""

from collections.abc import Callable

import torch

from ppe_core.baselines.bottleneck import Abstraction, Examples, Question, fit_bottleneck
from ppe_core.baselines.descent import LEARNING_RATES
from ppe_core.baselines.layers import Episodes, LayerByLayer, OnEpoch
from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import HomerSettings
from ppe_core.envs.base import Interaction
from ppe_core.seeding import Seeds

IMPOSTER, OBSERVED = 0, 1
BOLD = LEARNING_RATES | {1: 3e-2}  # with smaller steps it often stays where two states of a lock are one


class Homer:
    def __init__(self, settings: HomerSettings, samples: int, seeds: Seeds) -> None:
        self.settings = settings
        self._layers = LayerByLayer(self._fit, settings.budget, samples, seeds)

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        return self._layers.learn(interaction, report)

    def _fit(self, episodes: Episodes, seed: int, on_epoch: OnEpoch) -> Abstraction:
        before, after = episodes.observations
        question = contrast(torch.from_numpy(episodes.actions[:, -1]), episodes.num_actions)
        return fit_bottleneck(before, after, question, self.settings, seed, on_epoch)


def contrast(actions: torch.Tensor, num_actions: int) -> Question:
    """Was (x, a, x') observed? As many transitions of the episodes as imposters."""

    def examples(episodes: torch.Tensor, generator: torch.Generator) -> Examples:
        answers = torch.full_like(episodes, OBSERVED), torch.full_like(episodes, IMPOSTER)
        return Examples(
            before=episodes.repeat(2),
            after=torch.cat([episodes, episodes.roll(1)]),
            hint=actions[episodes].repeat(2),
            answer=torch.cat(answers),
        )

    return Question(examples, hints=num_actions, answers=2, continuous_first=True, learning_rates=BOLD)
