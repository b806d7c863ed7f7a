"""Bisim, an actor-critic on a representation learned by bisimulation (section 6, appendix "Bisimulation Details").

Two observations should be as far apart in latent space as their rewards are, plus the discounted
distance (W2) of the Gaussians that a transition model predicts for what comes next. Where all
rewards are alike, one point satisfies this: the representation collapses, and `latent_spread` says
how far.

The paper runs soft actor-critic with a continuous action that is cut into ten. Here the policy is a
softmax over the actions and learns, on the same latents, from whole episodes by advantage
actor-critic. As there, only the critic and the model shape the latents, not the actor.
"""

from collections.abc import Callable, Iterator
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
DEVIATIONS = (1e-2, 1.0)  # the range of the predicted standard deviations


class Steps(NamedTuple):
    """Steps of a batch of episodes, a row each."""

    observations: Tensor  # [rows, entries]
    actions: Tensor  # [rows]
    rewards: Tensor  # [rows]
    after: Tensor  # [rows, entries], what is seen after the action
    returns: Tensor  # [rows], discounted, from this step on

    def minibatches(self, size: int, generator: torch.Generator) -> Iterator["Steps"]:
        """All rows in a new order, cut into pieces."""
        order = torch.randperm(len(self.returns), generator=generator)
        return (Steps(*piece) for piece in zip(*(rows[order].split(size) for rows in self)))


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

    def policy(self, observations: Tensor) -> Tensor:
        """Logits: [n, entries] -> [n, actions]"""
        return self.actor(self.encoder(observations))

    def predict(self, latents: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Means and standard deviations of the next latents, [n, features] each."""
        inputs = torch.cat([latents, functional.one_hot(actions, self.num_actions)], 1)
        means, raw = self.transition(inputs).chunk(2, 1)
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
        spreads = []
        while interaction.episodes < self._episodes:
            size = min(self._settings.batch, self._episodes - interaction.episodes)
            steps = collect(interaction, size, model, self._settings.discount, draws)
            spreads.append(spread(model, steps.observations))
            for minibatch in steps.minibatches(self._settings.batch, training):
                loss = self._loss(model, minibatch, training)
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_CLIP)
                adam.step()
            report(Progress(interaction.episodes, float(loss.detach()), float(steps.rewards.sum()) / size))
        return Learned(
            act=lambda step, observations: model.policy(torch.from_numpy(observations)).argmax(-1).numpy(),
            numbers={"latent_spread": spreads[-1] / spreads[0]},
            weights={name: weights.numpy().copy() for name, weights in model.state_dict().items()},
        )

    def _loss(self, model: Model, steps: Steps, generator: torch.Generator) -> Tensor:
        latents = model.encoder(steps.observations)
        means, deviations = model.predict(latents, steps.actions)
        next_latents = model.encoder(steps.after).detach()
        drawn = means + deviations * torch.randn(means.shape, generator=generator)
        return (
            actor_critic_loss(model, latents, steps, self._settings.entropy)
            + functional.gaussian_nll_loss(means, next_latents, deviations.square())
            + functional.mse_loss(model.reward(drawn)[:, 0], steps.rewards)
            + self._settings.bisimulation
            * bisimulation_loss(latents, steps.rewards, means.detach(), deviations.detach(), self._settings.discount)
        )


@torch.no_grad()
def collect(interaction: Interaction, size: int, model: Model, discount: float, draws: torch.Generator) -> Steps:
    """A batch of episodes with actions drawn from the policy."""
    episodes = interaction.begin(size)
    seen, taken, paid = [torch.from_numpy(episodes.observations)], [], []
    while not episodes.over:
        chances = model.policy(seen[-1]).softmax(-1)
        taken.append(chances.multinomial(1, generator=draws)[:, 0])
        paid.append(torch.from_numpy(episodes.act(taken[-1].numpy())).float())
        seen.append(torch.from_numpy(episodes.observations))
    returns = [torch.zeros(size)]
    for rewards in reversed(paid):
        returns.insert(0, rewards + discount * returns[0])
    columns = (seen[:-1], taken, paid, seen[1:], returns[:-1])
    return Steps(*(torch.cat(column) for column in columns))


@torch.no_grad()
def spread(model: Model, observations: Tensor) -> float:
    """The mean distance of the latents of observations from their centre."""
    latents = model.encoder(observations)
    return float((latents - latents.mean(0)).norm(dim=-1).mean())


def actor_critic_loss(model: Model, latents: Tensor, steps: Steps, entropy: float) -> Tensor:
    """Policy gradient with entropy (no gradient into the latents) and the value's squared error."""
    values = model.critic(latents)[:, 0]
    advantages = (steps.returns - values).detach()
    advantages = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
    log_probabilities = model.actor(latents.detach()).log_softmax(-1)
    taken = log_probabilities.gather(-1, steps.actions[:, None])[:, 0]
    minus_entropy = (log_probabilities.exp() * log_probabilities).sum(-1).mean()
    return functional.mse_loss(values, steps.returns) - (advantages * taken).mean() + entropy * minus_entropy


def bisimulation_loss(latents: Tensor, rewards: Tensor, means: Tensor, deviations: Tensor, discount: float) -> Tensor:
    """How far distances of latents are from those of rewards and predictions; each row meets its neighbour.

    Rows come shuffled, so neighbours are random pairs. W2 of two Gaussians with independent
    coordinates is the Euclidean distance of their means and deviations, taken together.
    """
    means_and_deviations = torch.cat([means, deviations], 1)
    distances, reward_distances, next_distances = (
        (rows - rows.roll(1, 0)).norm(dim=-1) for rows in (latents, rewards[:, None], means_and_deviations)
    )
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
