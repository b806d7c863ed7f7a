"""PPE on the lock as one would first write it down: one episode at a time, autograd, the paper's recipe.

It uses the product for nothing, so that it can be held against all of it. Paths are compared by
their signatures on the validation set, which keeps the number of paths where it belongs; with the
paper's gap the reference would drown in missed merges and be slower still.
"""

import copy

import numpy as np
import torch

ACTIONS, NOISE, FLIP = 10, 0.1, 0.1


class PlainLock:
    """The combination lock, one step of one episode at a time."""

    def __init__(self, horizon: int, seed: int) -> None:
        self.horizon = horizon
        self.rng = np.random.default_rng(seed)
        self.good_a = self.rng.integers(ACTIONS, size=horizon)
        self.good_b = (self.good_a + self.rng.integers(1, ACTIONS, size=horizon)) % ACTIONS
        length = 4 + 2 * horizon
        matrix = np.ones((1, 1))
        while len(matrix) < length:
            matrix = np.block([[matrix, matrix], [matrix, -matrix]])
        self.hadamard = matrix[:, :length]

    def reset(self) -> None:
        self.time, self.kind = 0, 0
        self.bits = self.rng.integers(2, size=self.horizon)

    def step(self, action: int) -> float:
        good = (self.good_a, self.good_b)
        stays = self.kind < 2 and action == good[self.kind][self.time]
        turns = self.time == 0 and action == self.good_b[0]
        reward = 0.0
        if self.time == self.horizon - 1 and stays:
            reward = (1.0, 0.1)[self.kind]
        self.kind = self.kind if stays else 1 if turns else 2
        self.time += 1
        self.bits = np.where(self.rng.random(self.horizon) < FLIP, 1 - self.bits, self.bits)
        return reward

    def observe(self) -> np.ndarray:
        code = np.concatenate([np.eye(3)[self.kind], np.eye(self.horizon + 1)[self.time], self.bits])
        return self.hadamard @ (code + NOISE * self.rng.standard_normal(len(code)))


def plain_ppe(horizon: int, samples: int, seed: int) -> float:
    """The return of the plan that the reference finds."""
    torch.manual_seed(seed)
    lock = PlainLock(horizon, seed)
    cover: list[list[int]] = [[]]
    merges, rewards = [], []
    for _ in range(horizon):
        paths = [[*path, action] for path in cover for action in range(ACTIONS)]
        observations, labels, reward = collect(lock, paths, samples)
        predictions, validation = train(observations, labels, len(paths))
        survivor = eliminate(predictions[validation], labels[validation], len(paths))
        merges.append(survivor)
        rewards.append([reward[labels == path].mean() for path in range(len(paths))])
        cover = [paths[path] for path in sorted(set(survivor))]
    return follow(lock, plan(merges, rewards))


def collect(lock: PlainLock, paths: list[list[int]], samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    observations, labels, rewards = [], [], []
    for label, path in enumerate(paths):
        for _ in range(samples // len(paths)):
            lock.reset()
            for action in path:
                reward = lock.step(action)
            observations.append(lock.observe())
            labels.append(label)
            rewards.append(reward)
    return np.array(observations, np.float32), np.array(labels), np.array(rewards)


def train(observations: np.ndarray, labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The appendix's table; predictions for all observations and the indices of the validation set."""
    inputs, targets = torch.from_numpy(observations), torch.from_numpy(labels)
    order = torch.randperm(len(targets))
    validation, training = order[: len(order) // 5], order[len(order) // 5 :]
    net = torch.nn.Sequential(
        torch.nn.Linear(inputs.shape[1], 56), torch.nn.LeakyReLU(),
        torch.nn.Linear(56, 56), torch.nn.LeakyReLU(), torch.nn.Linear(56, count),
    )  # fmt: skip
    adam = torch.optim.Adam(net.parameters(), 1e-3)
    best_loss, best_net, waited = float("inf"), net, 0
    for _ in range(50):
        for batch in training[torch.randperm(len(training))].split(256):
            adam.zero_grad()
            torch.nn.functional.cross_entropy(net(inputs[batch]), targets[batch]).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 10.0)
            adam.step()
        with torch.no_grad():
            loss = float(torch.nn.functional.cross_entropy(net(inputs[validation]), targets[validation]))
        waited += 1
        if loss < best_loss:
            best_loss, best_net, waited = loss, copy.deepcopy(net), 0
        if waited == 20:
            break
    with torch.no_grad():
        return torch.softmax(best_net(inputs), 1).numpy(), validation.numpy()


def eliminate(predictions: np.ndarray, labels: np.ndarray, count: int) -> list[int]:
    signatures = [predictions[labels == path].mean(0) for path in range(count)]
    survivor = list(range(count))
    for i in range(count):
        for j in range(i + 1, count):
            if survivor[i] == i and survivor[j] == j and np.abs(signatures[i] - signatures[j]).sum() <= 0.625:
                survivor[j] = i
    return survivor


def plan(merges: list[list[int]], rewards: list[list[float]]) -> list[int]:
    value: dict[int, float] = dict.fromkeys(range(len(set(merges[-1]))), 0.0)
    choices: list[dict[int, tuple[int, int]]] = []
    for survivor, reward in zip(reversed(merges), reversed(rewards)):
        states = {path: state for state, path in enumerate(sorted(set(survivor)))}
        choice, before = {}, {}
        for parent in range(len(survivor) // ACTIONS):
            quality = [
                reward[parent * ACTIONS + action] + value[states[survivor[parent * ACTIONS + action]]]
                for action in range(ACTIONS)
            ]
            action = int(np.argmax(quality))
            choice[parent] = (action, states[survivor[parent * ACTIONS + action]])
            before[parent] = quality[action]
        value = before
        choices.insert(0, choice)
    state, actions = 0, []
    for choice in choices:
        action, state = choice[state]
        actions.append(action)
    return actions


def follow(lock: PlainLock, actions: list[int]) -> float:
    lock.reset()
    return sum(lock.step(action) for action in actions)
