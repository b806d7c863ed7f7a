"""What a learner would see: observations sampled to be looked at."""

import numpy as np
from PIL import Image

from ppe_core.config import RunConfig
from ppe_core.envs.base import Array, Environment
from ppe_core.envs.registry import make_environment
from ppe_core.figures.pictures import contact_sheet, heat_map
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import reachable_states

EPISODES = 6  # columns of a contact sheet
TIME_STEPS = 5  # at most, after the first observation
OBSERVATIONS = 12  # of each state in a heat map
STATES = 20  # at most, in a heat map


def observation_picture(config: RunConfig) -> Image.Image:
    """Images as episodes from top to bottom, vectors by the state they show."""
    environment = make_environment(config)
    rng = Seeds(config.seed).generator("evaluation")
    if len(environment.observation_shape) == 3:
        frames = sample_episodes(environment, rng)
        return contact_sheet(frames, [f"h = {h}" for h in range(len(frames))])
    states = reachable_states(environment.endogenous, environment.horizon)[-1][:STATES]
    groups = [environment.observe_states(np.full(OBSERVATIONS, s), environment.horizon, rng) for s in states]
    return heat_map(groups, [environment.state_name(s) for s in states])


def sample_episodes(environment: Environment, rng: np.random.Generator) -> Array:
    """Observations of episodes with random actions: [time steps, episodes, ...]."""
    latent = environment.reset(EPISODES, rng)
    observations = [environment.observe(latent, rng)]
    for _ in range(min(environment.horizon, TIME_STEPS)):
        latent, _ = environment.step(latent, rng.integers(environment.num_actions, size=EPISODES), rng)
        observations.append(environment.observe(latent, rng))
    return np.array(observations)
