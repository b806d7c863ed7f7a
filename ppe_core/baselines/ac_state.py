"""AC-State: a multi-step inverse model with a discrete bottleneck (Lamb et al., 2022).

The net is asked for the first of k actions between x and the observation after them, for every k up
to the horizon. Looking further back than one step keeps apart what inverse dynamics merges, and the
answer still needs nothing exogenous.
"""

from collections.abc import Callable, Mapping

import torch

from ppe_core.baselines.bottleneck import Abstraction, Examples, Question, fit_bottleneck
from ppe_core.baselines.layers import Array, Episodes, LayerByLayer, OnEpoch
from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import ACStateSettings
from ppe_core.envs.base import Interaction
from ppe_core.seeding import Seeds


class ACState:
    """Explores with the covers it is given, by time step, and with its own where it is given none."""

    def __init__(
        self, settings: ACStateSettings, samples: int, seeds: Seeds, covers: Mapping[int, Array] | None = None
    ) -> None:
        self.settings = settings
        self._samples = samples
        self._seeds = seeds
        self._covers = covers or {}

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        layers = LayerByLayer(
            self._fit,
            self.settings.budget,
            self._samples,
            self._seeds,
            history=interaction.horizon,
            given=self._covers,
        )
        return layers.learn(interaction, report)

    def _fit(self, episodes: Episodes, seed: int, on_epoch: OnEpoch) -> Abstraction:
        before, after = episodes.observations[:-1], episodes.observations[-1]
        question = first_action(torch.from_numpy(episodes.actions), episodes.num_actions)
        return fit_bottleneck(before.reshape(-1, *after.shape[1:]), after, question, self.settings, seed, on_epoch)


def first_action(actions: torch.Tensor, num_actions: int) -> Question:
    """Which action was taken at x, so many steps before x'? For every time step of the episodes."""
    count, length = actions.shape

    def examples(episodes: torch.Tensor, generator: torch.Generator) -> Examples:
        steps, rows = torch.arange(length).repeat_interleave(len(episodes)), episodes.repeat(length)
        return Examples(steps * count + rows, rows, hint=steps, answer=actions[rows, steps])

    return Question(examples, hints=length, answers=num_actions)
