"""What each action is worth at an observation, from examples in which one action each was tried.

Several nets are trained side by side on batches of their own, and the answer is their mean: there is
no held-out part, for what is left of the noise in one net is not in the others.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ppe_core.nets.architectures import Architecture, Net
from ppe_core.nets.inputs import Inputs, Standard
from ppe_core.nets.recipes import recipe_for
from ppe_core.nets.training import Adam

Array = np.ndarray
MEMBERS = 4
STEPS = 200
CHUNK = 1 << 22  # input entries that are judged at once


@dataclass(frozen=True)
class ActionValues:
    """Trained nets; what they say is relative to the mean and in units of the deviation of all examples."""

    architecture: Architecture
    net: Net
    standard: Standard

    def __call__(self, observations: Array) -> Array:
        """[n, ...] -> [n, actions]"""
        rows = torch.from_numpy(self.architecture.rows(observations))
        parts = []
        for part in rows.split(max(1, CHUNK // rows.shape[1])):
            inputs = self.standard(part)
            parts.append(self.net.logits(inputs.expand(self.net.members, *inputs.shape)).mean(0))
        return torch.cat(parts).numpy()


def fit_action_values(observations: Array, actions: Array, returns: Array, num_actions: int, seed: int) -> ActionValues:
    """Least squares on observations [n, ...] with the actions [n] that were tried there and what they returned [n]."""
    recipe = recipe_for("fast", observations.shape[1:])
    architecture = Architecture(recipe, observations.shape[1:])
    generator = torch.Generator().manual_seed(seed)
    inputs = Inputs(observations, architecture)
    net = architecture.build(MEMBERS, num_actions, generator)
    adam = Adam(net, recipe.learning_rate, recipe.clip)
    tried, targets = torch.from_numpy(actions), torch.from_numpy(_standardised(returns))
    for _ in range(STEPS):
        rows = torch.randint(len(tried), (MEMBERS, recipe.batch), generator=generator)
        net.backward(loss_derivative(net.logits(inputs.take(rows)), tried[rows], targets[rows]))
        adam.step()
    return ActionValues(architecture, net, inputs.standard)


def loss_derivative(said: Tensor, tried: Tensor, targets: Tensor) -> Tensor:
    """Half the squared error over all actions, by what was said [members, batch, actions].

    Of one action in A the return is known; counted A times it stands for the others, as every action is tried
    equally often.
    """
    _, batch, num_actions = said.shape
    error = torch.zeros_like(said)
    known = said.gather(-1, tried.unsqueeze(-1)) - targets.unsqueeze(-1)
    return error.scatter_(-1, tried.unsqueeze(-1), known * (num_actions / batch))


def _standardised(returns: Array) -> Array:
    deviation = returns.std()
    return ((returns - returns.mean()) / (deviation if deviation > 0 else 1.0)).astype(np.float32)
