"""PPE as run in practice (algorithm 5 of the paper): one classification problem a time step."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter

import numpy as np

from ppe_core.config import PPESettings
from ppe_core.envs.base import Array, Interaction
from ppe_core.nets.recipes import recipe_for
from ppe_core.nets.training import Classifier, Epoch, fit_classifier
from ppe_core.ppe.collect import collect
from ppe_core.ppe.decoder import decode
from ppe_core.ppe.eliminate import eliminate
from ppe_core.ppe.gaps import losses, paper_gap, signature_gap, signatures, tied_losses
from ppe_core.ppe.level import Level
from ppe_core.ppe.paths import empty_cover, extend
from ppe_core.seeding import Seeds

OnEpoch = Callable[[int, int, Epoch], None]  # level, epoch, losses


class TooManyPaths(Exception):
    """Paths that should have merged did not, and the next time step is out of reach."""


class PPE:
    def __init__(self, settings: PPESettings, samples: int, seeds: Seeds) -> None:
        self.settings = settings
        self.samples = samples
        self.seeds = seeds

    def learn(
        self, interaction: Interaction, done: Sequence[Level] = (), on_epoch: OnEpoch | None = None
    ) -> Iterator[tuple[Level, Classifier]]:
        """Yield each time step as it is finished; steps in `done` are taken as they are."""
        for earlier in done:
            interaction.record(earlier.returns, len(earlier.returns) * earlier.h)
        level: Level | None = done[-1] if done else None
        for _ in range(len(done), interaction.horizon):
            level, classifier = self._level(interaction, level, on_epoch)
            yield level, classifier

    def decode(self, classifier: Classifier, level: Level, observations: Array) -> Array:
        """The recovered state of each observation, named by a path of the level."""
        return decode(classifier.probabilities(observations), level.survivor, self.settings.decoder)

    def _level(
        self, interaction: Interaction, before: Level | None, on_epoch: OnEpoch | None
    ) -> tuple[Level, Classifier]:
        paths = extend(before.cover if before else empty_cover(), interaction.num_actions)
        count, h = paths.shape
        self._check_size(h, count)
        threshold = self.settings.threshold / count
        recipe = recipe_for(self.settings.recipe, interaction.observation_shape)
        surprise = partial(tied_losses, threshold=threshold) if recipe.tie else losses
        clock = [perf_counter()]

        episodes = interaction.episodes
        data = collect(interaction, paths, self.samples, self.settings.sampling, self.seeds.generator("collection", h))
        clock.append(perf_counter())
        fit = fit_classifier(
            data.observations,
            data.labels,
            count,
            recipe,
            self.seeds.integer("training", h),
            surprise,
            before.weights if before else None,
            (lambda epoch, mean: on_epoch(h, epoch, mean)) if on_epoch else None,
        )
        clock.append(perf_counter())
        fresh = fit.predictions[fit.held_out], data.labels[fit.held_out]
        means = signatures(*fresh)
        gaps = {"paper": paper_gap(fit.predictions), "signature": signature_gap(means, threshold)}
        survivor = eliminate(gaps[self.settings.gap], threshold)
        clock.append(perf_counter())

        level = Level(
            h=h,
            paths=paths,
            survivor=survivor,
            paper_gap=gaps["paper"],
            signature_gap=gaps["signature"],
            signatures=means,
            threshold=threshold,
            rewards=_mean_by_label(data.rewards, data.labels, count),
            returns=interaction.returns[episodes:],
            curve=np.array(fit.curve),
            held_out_losses=surprise(*fresh),
            weights=fit.classifier.weights(),
            seconds=dict(zip(("collect", "train", "eliminate"), np.diff(clock).tolist())),
        )
        return level, fit.classifier

    def _check_size(self, h: int, count: int) -> None:
        limit = min(self.settings.max_paths, self.samples)
        if count > limit:
            reason = "max_paths" if limit == self.settings.max_paths else "samples"
            raise TooManyPaths(
                f"time step {h} would have {count} paths, more than {reason} = {limit}: "
                "too few paths were merged before it"
            )


def _mean_by_label(values: Array, labels: Array, count: int) -> Array:
    totals = np.bincount(labels, weights=values, minlength=count)
    return totals / np.maximum(np.bincount(labels, minlength=count), 1)
