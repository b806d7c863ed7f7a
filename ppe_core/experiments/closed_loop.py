"""A finished run's decoders put to use: count the latent model anew, plan on it, and let the policy act."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ppe_core.envs.base import Array, Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.run import one_thread
from ppe_core.nets.recipes import recipe_for
from ppe_core.nets.training import Classifier, restored
from ppe_core.planning.counted_model import CountedModel, Decoder, LatentPolicy, best_choices, count_model, follow
from ppe_core.ppe.decoder import decode_evenly
from ppe_core.ppe.level import Level
from ppe_core.seeding import Seeds


class ClosedLoop(NamedTuple):
    """What planning on the counted model came to."""

    model: CountedModel
    policy: LatentPolicy
    promise: float  # the return that the model expects of the policy
    returns: Array  # [episodes], of the policy in the world
    episodes: int  # used for counting


def closed_loop(record: RunRecord, samples: int, episodes: int) -> ClosedLoop:
    """Count N episodes a time step, plan, and try the policy in some more; all of them fresh."""
    levels = [level.found for level in record.levels]
    if record.stopped:
        raise ValueError(f"run: {record.config.id} stopped early, so it has no decoder of its last time steps")
    if not all(level.weights for level in levels):
        raise ValueError(f"run: {record.config.id} is stored without its classifiers; run it again")
    environment = make_environment(record.config)
    fresh = Seeds(Seeds(record.config.seed).integer("evaluation", record.config.horizon + 1))
    interaction = Interaction(environment, fresh)
    decoders = [even_decoder(record, level, environment.observation_shape) for level in levels]
    paths, sizes = [level.paths for level in levels], [len(level.states) for level in levels]
    with one_thread():
        model = count_model(interaction, paths, decoders, sizes, samples)
        counted = interaction.episodes
        choices, promise = best_choices(model)
        policy = LatentPolicy(choices, decoders)
        return ClosedLoop(model, policy, promise, follow(interaction, policy, episodes), counted)


def even_decoder(record: RunRecord, level: Level, observation_shape: tuple[int, ...]) -> Decoder:
    """The decoder of a time step that fits near-deterministic dynamics; it numbers states as the latent model does."""
    recipe = recipe_for(record.config.learner.recipe, observation_shape)
    classifier = restored(level.weights, recipe, observation_shape, len(level.paths))
    return partial(_decode, classifier, level)


def _decode(classifier: Classifier, level: Level, observations: Array) -> Array:
    named = decode_evenly(classifier.probabilities(observations), level.survivor)  # by a surviving path each
    return np.searchsorted(level.states, named)
