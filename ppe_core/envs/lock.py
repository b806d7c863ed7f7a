"""The combination lock (section 6 and appendix F of the paper).

Description: at every time step one action keeps type a on its way and another keeps type b on its
way; anything else leads to type c, for good. Only the last step pays.
Actions: A, of which each time step has two good ones, drawn per instance and never equal.
Observation: one-hot type (3), one-hot time (H + 1) and the exogenous bits, noisy and rotated by a
Hadamard matrix (see `emission`).
Reward: 1 for the last good action in type a, 0.1 in type b, 0 otherwise.
Start: type a. Episodes end after H actions.
"""

import numpy as np

from ppe_core.config import LockSettings
from ppe_core.envs.base import Array, Endogenous, Environment, Exogenous, Latent
from ppe_core.seeding import Seeds

TYPE_A, TYPE_B, TYPE_C = range(3)
REWARD_A, REWARD_B = 1.0, 0.1


class CombinationLock(Environment):
    def __init__(self, settings: LockSettings, horizon: int, seeds: Seeds) -> None:
        self.settings = settings
        self.horizon = horizon
        self.good_a, self.good_b = _good_actions(settings.actions, horizon, seeds.generator("layout"))
        self.endogenous = _endogenous(self.good_a, self.good_b, settings)
        bits = settings.bits(horizon)
        self.exogenous = FlippingBits(bits, settings.flip)
        self._code_length = 3 + (horizon + 1) + bits
        self.observation_shape = (self._observation_length(),)

    def observe(self, latent: Latent, rng: np.random.Generator) -> Array:
        n, length = len(latent.endogenous), self._code_length
        code = np.zeros((self.observation_shape[0], n), np.float32)  # entries first: rows are contiguous
        if self.settings.noise > 0:
            rng.standard_normal(out=code[:length], dtype=np.float32)
            code[:length] *= np.float32(self.settings.noise)
        code[latent.endogenous, np.arange(n)] += 1
        code[3 + latent.level] += 1
        code[4 + self.horizon : length] += latent.exogenous.T
        if self.settings.emission == "bernoulli":
            code[length:] = rng.integers(0, 2, (self.horizon, n), np.uint8)
        if self.settings.emission.startswith("hadamard"):
            code = hadamard_transform(code)
        return np.ascontiguousarray(code.T)

    def state_name(self, state: int) -> str:
        return f"type {'abc'[state]}"

    def _observation_length(self) -> int:
        if self.settings.emission.startswith("hadamard"):
            return 1 << (self._code_length - 1).bit_length()
        if self.settings.emission == "bernoulli":
            return self._code_length + self.horizon
        return self._code_length


class FlippingBits(Exogenous):
    """Independent fair bits, each flipped with the same probability at every step."""

    def __init__(self, bits: int, flip: float) -> None:
        self.bits = bits
        self.flip = flip

    def start(self, n: int, rng: np.random.Generator) -> Array:
        whole_bytes = rng.integers(0, 256, (n, -(-self.bits // 8)), np.uint8)
        return np.unpackbits(whole_bytes, axis=1, count=self.bits)

    def step(self, state: Array, rng: np.random.Generator) -> Array:
        return self.advance(state, 1, rng)

    def advance(self, state: Array, steps: int, rng: np.random.Generator) -> Array:
        """k flips in a row are one flip with probability (1 - (1 - 2p)^k) / 2."""
        flip = (1 - (1 - 2 * self.flip) ** steps) / 2
        return state ^ (rng.random(state.shape, np.float32) < flip)


def hadamard_transform(columns: Array) -> Array:
    """Sylvester's ±1 matrix times each column, by butterflies.

    Only additions, always in the same order: unlike a matrix product, no bit depends on the
    machine's linear algebra library or its number of threads.
    """
    size, n = columns.shape
    source, target = columns, np.empty_like(columns)
    half = 1
    while half < size:
        low, high = np.moveaxis(source.reshape(-1, 2, half, n), 1, 0)
        out = target.reshape(-1, 2, half, n)
        np.add(low, high, out=out[:, 0])
        np.subtract(low, high, out=out[:, 1])
        source, target = target, source
        half *= 2
    return source


def _good_actions(actions: int, horizon: int, rng: np.random.Generator) -> tuple[Array, Array]:
    good_a = rng.integers(actions, size=horizon)
    good_b = (good_a + rng.integers(1, actions, size=horizon)) % actions
    return good_a, good_b


def _endogenous(good_a: Array, good_b: Array, settings: LockSettings) -> Endogenous:
    horizon, steps = len(good_a), np.arange(len(good_a))
    arrival = np.full((horizon, 3, settings.actions), TYPE_C)
    arrival[steps, TYPE_A, good_a] = TYPE_A
    arrival[steps, TYPE_B, good_b] = TYPE_B
    arrival[0, TYPE_A, good_b[0]] = TYPE_B
    rewards = np.zeros((horizon, 3, settings.actions))
    rewards[-1, TYPE_A, good_a[-1]] = REWARD_A
    rewards[-1, TYPE_B, good_b[-1]] = REWARD_B
    if horizon == 1:
        rewards[-1, TYPE_A, good_b[-1]] = REWARD_B
    return Endogenous(
        start=_astray(np.array(TYPE_A), settings.start_eta),
        transitions=_astray(arrival, settings.eta),
        rewards=rewards,
    )


def _astray(states: Array, eta: float) -> Array:
    """Distributions at L1 distance eta from certainty: half of eta is spread over the other types."""
    certain = np.eye(3)[states]
    return (1 - eta / 2) * certain + eta / 4 * (1 - certain)
