"""PPO, the actor-critic baseline of the paper (section 6, appendix "PPO and PPO + RND Details").

A batch of episodes runs side by side; its steps are shuffled and cut into minibatches, and each update
is a pass over these. One net gives the policy's logits and the value. It sees the observation
alone, not the time step (the lock's observation contains it). What is learned in the end is the
policy of the best batch: the last one may be in the middle of a dip. Gradients are written by hand,
which leaves out all of autograd's bookkeeping.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import PPOSettings
from ppe_core.envs.base import Array, Interaction
from ppe_core.nets.mlp import Layer, MLPGroup
from ppe_core.nets.training import Adam
from ppe_core.seeding import Seeds

HIDDEN = (56, 56)
LEARNING_RATE = 1e-3
GRADIENT_CLIP = 10.0

Bonus = Callable[[Tensor], Tensor]  # what is seen after each action [n, entries] -> what its reward gains [n]


class Net:
    """One feed-forward net and its optimiser."""

    def __init__(self, inputs: int, outputs: int, generator: torch.Generator) -> None:
        layers = [Layer(1, *pair) for pair in pairwise((inputs, *HIDDEN, outputs))]
        self._group = MLPGroup(1, layers, generator)
        self._adam = Adam(self._group, LEARNING_RATE, GRADIENT_CLIP)

    def __call__(self, inputs: Tensor) -> Tensor:
        """[n, inputs] -> [n, outputs]"""
        return self._group.logits(inputs[None])[0]

    def descend(self, error: Tensor) -> None:
        """A step against the loss, given its derivative by the last outputs: [n, outputs]."""
        self._group.backward(error[None])
        self._adam.step()

    def weights(self) -> Array:
        return self._group.parameters[0].numpy().copy()

    def restore(self, weights: Array) -> None:
        self._group.parameters[0] = torch.from_numpy(weights)


class Experience(NamedTuple):
    """Steps of episodes and what the policy thought of them when it took them; a row a step."""

    observations: Tensor  # [rows, entries]
    actions: Tensor  # [rows]
    returns: Tensor  # [rows], from this step on
    advantages: Tensor  # [rows]
    log_probabilities: Tensor  # [rows], of the actions

    def minibatches(self, size: int, generator: torch.Generator) -> list["Experience"]:
        """All rows in random order, cut into pieces."""
        order = torch.randperm(len(self.returns), generator=generator)
        return [Experience(*piece) for piece in zip(*(rows[order].split(size) for rows in self))]


class PPO:
    """Clipped policy gradients; a bonus may be added to the rewards, which the reported returns leave out."""

    def __init__(self, settings: PPOSettings, episodes: int, seeds: Seeds, bonus: Bonus | None = None) -> None:
        self._settings = settings
        self._episodes = episodes
        self._seeds = seeds
        self._bonus = bonus

    def learn(self, interaction: Interaction, report: Callable[[Progress], None]) -> Learned:
        training, draws = (torch.Generator().manual_seed(self._seeds.integer(s)) for s in ("training", "collection"))
        (entries,) = interaction.observation_shape
        net = Net(entries, interaction.num_actions + 1, training)
        best, weights = -math.inf, net.weights()
        while interaction.episodes < self._episodes:
            size = min(self._settings.batch, self._episodes - interaction.episodes)
            experience, mean_return = self._collect(interaction, size, net, draws)
            if mean_return >= best:
                best, weights = mean_return, net.weights()
            minibatches = experience.minibatches(self._settings.batch, training)
            for _ in range(self._settings.updates):
                for minibatch in minibatches:
                    net.descend(loss_derivative(net(minibatch.observations), minibatch, self._settings))
            report(Progress(interaction.episodes, mean_return=mean_return))
        net.restore(weights)
        return Learned(
            act=lambda step, observations: net(torch.from_numpy(observations))[:, :-1].argmax(-1).numpy(),
            numbers={"best_mean_return": best},
            weights={"net": weights},
        )

    def _collect(
        self, interaction: Interaction, size: int, net: Net, draws: torch.Generator
    ) -> tuple[Experience, float]:
        """A batch of episodes, actions drawn from the policy, and its mean return without bonus."""
        episodes = interaction.begin(size)
        seen, said, taken, paid = [], [], [], []
        while not episodes.over:
            seen.append(torch.from_numpy(episodes.observations))
            said.append(net(seen[-1]))
            noise = torch.rand((size, interaction.num_actions), generator=draws).log_().neg_().log_()
            taken.append((said[-1][:, :-1] - noise).argmax(-1))  # the Gumbel way to draw from a softmax
            paid.append(torch.from_numpy(episodes.act(taken[-1].numpy())).float())
        rewards = torch.stack(paid)  # [horizon, episodes]
        mean_return = float(rewards.sum(0).mean())
        if self._bonus:
            after = torch.cat([*seen[1:], torch.from_numpy(episodes.observations)])
            rewards += self._bonus(after).view_as(rewards)
        returns = rewards.flip(0).cumsum(0).flip(0).view(-1)
        return judge(torch.cat(seen), torch.cat(said), torch.cat(taken), returns), mean_return


def judge(observations: Tensor, outputs: Tensor, actions: Tensor, returns: Tensor) -> Experience:
    """Steps with what follows from the net's outputs at that time: standardised advantages, log-probabilities."""
    log_probabilities, _ = softmax(outputs[:, :-1])
    advantages = returns - outputs[:, -1]
    advantages = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
    return Experience(
        observations, actions, returns, advantages, log_probabilities.gather(-1, actions[:, None]).view(-1)
    )


def loss_derivative(outputs: Tensor, experience: Experience, settings: PPOSettings) -> Tensor:
    """PPO's loss (clipped policy gradient, entropy, half the value's squared error) by the net's outputs."""
    log_probabilities, probabilities = softmax(outputs[:, :-1])
    actions = experience.actions[:, None]
    ratio = (log_probabilities.gather(-1, actions).view(-1) - experience.log_probabilities).exp_()
    gain = ratio * experience.advantages
    bounded = ratio.clamp_(1 - settings.clip, 1 + settings.clip) * experience.advantages
    pull = (gain * (gain <= bounded))[:, None]  # none where clipping is what bounds the gain
    minus_entropy = (probabilities * log_probabilities).sum(-1, keepdim=True)
    shift = torch.sub(pull, minus_entropy, alpha=settings.entropy)
    by_logits = torch.add(shift, log_probabilities, alpha=settings.entropy).mul_(probabilities)
    by_logits.scatter_add_(-1, actions, pull.neg_())
    by_value = outputs[:, -1] - experience.returns
    return torch.cat([by_logits, by_value[:, None]], 1).div_(len(outputs))


def softmax(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities and probabilities; for few actions much faster than torch's own."""
    shifted = logits - logits.amax(-1, keepdim=True)
    weights = shifted.exp()
    total = weights.sum(-1, keepdim=True)
    return shifted - total.log(), weights.div_(total)
