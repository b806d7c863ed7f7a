"""Bisim, an actor-critic on a representation learned by bisimulation (section 6, appendix "Bisimulation Details").

Two observations of the same time step should be as far apart in latent space as their rewards are,
plus the discounted distance (W2) of the Gaussians that a transition model predicts for what comes
next; nothing comes after the last step. Where all rewards are alike one point satisfies this: the
representation collapses. `latent_distance` says how far: it is how far apart the latents are that
different first actions lead to, relative to the untrained encoder.

The paper runs soft actor-critic with a continuous action that is cut into ten. Here the policy is a
softmax over the actions and learns from whole episodes by advantage actor-critic, one gradient step
a batch. As there, critic and model shape the latents, the actor does not; nothing sees the time step
but through the observation.
"""

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import BisimSettings
from ppe_core.envs.base import Interaction
from ppe_core.seeding import Seeds

FEATURES = 50
HIDDEN = 56
LEARNING_RATE = 1e-3
GRADIENT_CLIP = 10.0
PROBE = 1000  # the first, nearly random episodes, by which the latents are judged in the end
DEVIATIONS = (1e-2, 1.0)  # the range of the predicted standard deviations


class Batch(NamedTuple):
    """Episodes side by side."""

    observations: Tensor  # [horizon + 1, n, entries], the last after the last action
    actions: Tensor  # [horizon, n]
    rewards: Tensor  # [horizon, n]
    returns: Tensor  # [horizon, n], discounted, from this step on


class Model(nn.Module):
    """The encoder and what stands on its latents."""

    def __init__(self, entries: int, num_actions: int, generator: torch.Generator) -> None:
        super().__init__()
        self.num_actions = num_actions
        self.encoder = network(generator, entries, HIDDEN, FEATURES)
        self.actor = network(generator, FEATURES, HIDDEN, num_actions)
        self.critic = network(generator, FEATURES, HIDDEN, 1)
        self.transition = network(generator, FEATURES + num_actions, HIDDEN, 2 * FEATURES)
        self.reward = network(generator, FEATURES, HIDDEN, 1)

    @torch.no_grad()
    def policy(self, observations: Tensor) -> Tensor:
        """Logits: [..., entries] -> [..., actions]"""
        return self.actor(self.encoder(observations))

    def predict(self, latents: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Means and standard deviations of the next latents, [..., features] each."""
        inputs = torch.cat([latents, functional.one_hot(actions, self.num_actions)], -1)
        means, raw = self.transition(inputs).chunk(2, -1)
        low, high = DEVIATIONS
        return means, low + (high - low) * raw.sigmoid()


class Bisim:
    """Advantage actor-critic whose latents also learn to be a bisimulation metric."""

    def __init__(self, settings: BisimSettings, episodes: int, seeds: Seeds) -> None:
        self._settings = settings
        self._episodes = episodes
        self._seeds = seeds

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        training, draws = (torch.Generator().manual_seed(self._seeds.integer(s)) for s in ("training", "collection"))
        (entries,) = interaction.observation_shape
        model = Model(entries, interaction.num_actions, training)
        adam = torch.optim.Adam(model.parameters(), LEARNING_RATE)
        start = deepcopy(model.encoder)
        first: list[Batch] = []
        while interaction.episodes < self._episodes:
            size = min(self._settings.batch, self._episodes - interaction.episodes)
            batch = collect(interaction, size, model, self._settings.discount, draws)
            if len(first) * self._settings.batch < PROBE:
                first.append(batch)
            loss = self._loss(model, batch, training)
            descend(loss, model, adam)
            report(Progress(interaction.episodes, float(loss.detach()), float(batch.rewards.sum(0).mean())))
        return Learned(
            act=lambda step, observations: model.policy(torch.from_numpy(observations)).argmax(-1).numpy(),
            numbers={"latent_distance": float(distance(model.encoder, first) / distance(start, first))},
            weights={name: weights.numpy().copy() for name, weights in model.state_dict().items()},
        )

    def _loss(self, model: Model, batch: Batch, generator: torch.Generator) -> Tensor:
        latents = model.encoder(batch.observations)
        before, after = latents[:-1], latents[1:].detach()
        means, deviations = model.predict(before, batch.actions)
        drawn = means + deviations * torch.randn(means.shape, generator=generator)
        return (
            actor_critic_loss(model, before, batch, self._settings.entropy)
            + functional.gaussian_nll_loss(means, after, deviations.square())
            + functional.mse_loss(model.reward(drawn)[..., 0], batch.rewards)
            + self._settings.bisimulation
            * bisimulation_loss(before, batch.rewards, means.detach(), deviations.detach(), self._settings.discount)
        )


def descend(loss: Tensor, model: Model, adam: torch.optim.Adam) -> None:
    """One gradient step, clipped."""
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_CLIP)
    adam.step()


def collect(interaction: Interaction, size: int, model: Model, discount: float, draws: torch.Generator) -> Batch:
    """Episodes with actions drawn from the policy."""
    episodes = interaction.begin(size)
    seen, taken, paid = [torch.from_numpy(episodes.observations)], [], []
    while not episodes.over:
        chances = model.policy(seen[-1]).softmax(-1)
        taken.append(chances.multinomial(1, generator=draws)[:, 0])
        paid.append(torch.from_numpy(episodes.act(taken[-1].numpy())).float())
        seen.append(torch.from_numpy(episodes.observations))
    returns = torch.stack(paid)
    for step in reversed(range(len(paid) - 1)):
        returns[step] += discount * returns[step + 1]
    return Batch(torch.stack(seen), torch.stack(taken), torch.stack(paid), returns)


@torch.no_grad()
def distance(encoder: nn.Module, batches: list[Batch]) -> Tensor:
    """How far apart first actions lead: the mean distance between the centres of the latents that follow each."""
    latents = encoder(torch.cat([batch.observations[1] for batch in batches]))
    actions = torch.cat([batch.actions[0] for batch in batches])
    return torch.pdist(torch.stack([latents[actions == action].mean(0) for action in actions.unique()])).mean()


def actor_critic_loss(model: Model, latents: Tensor, batch: Batch, entropy: float) -> Tensor:
    """Policy gradient with entropy (no gradient into the latents) and the value's squared error."""
    values = model.critic(latents)[..., 0]
    advantages = (batch.returns - values).detach()
    advantages = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
    log_probabilities = model.actor(latents.detach()).log_softmax(-1)
    taken = log_probabilities.gather(-1, batch.actions[..., None])[..., 0]
    minus_entropy = (log_probabilities.exp() * log_probabilities).sum(-1).mean()
    return functional.mse_loss(values, batch.returns) - (advantages * taken).mean() + entropy * minus_entropy


def bisimulation_loss(latents: Tensor, rewards: Tensor, means: Tensor, deviations: Tensor, discount: float) -> Tensor:
    """How far distances of latents are from those of rewards and of what is predicted to come next.

    Each episode is compared with its neighbour. W2 of two Gaussians with independent coordinates is
    the Euclidean distance of their means and deviations, taken together.
    """
    predicted = torch.cat([means, deviations], -1)
    distances, reward_distances, next_distances = (
        (rows - rows.roll(1, 1)).norm(dim=-1) for rows in (latents, rewards[..., None], predicted)
    )
    next_distances[-1] = 0  # nothing comes after the last step
    return functional.smooth_l1_loss(distances, reward_distances + discount * next_distances)


def network(generator: torch.Generator, *sizes: int) -> nn.Sequential:
    """A feed-forward net with LeakyReLU between its layers and PyTorch's default initialisation."""
    layers: list[nn.Module] = []
    for fan_in, fan_out in pairwise(sizes):
        linear = nn.utils.skip_init(nn.Linear, fan_in, fan_out)
        for parameter in linear.parameters():
            nn.init.uniform_(parameter, -(fan_in**-0.5), fan_in**-0.5, generator=generator)
        layers += [linear, nn.LeakyReLU()]
    return nn.Sequential(*layers[:-1])
