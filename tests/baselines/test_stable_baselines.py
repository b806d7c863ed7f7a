"""The environments are ordinary ones: another library's PPO trains on the lock as it is."""

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

from ppe_core.envs.gymnasium_adapter import register_all


def test_stable_baselines3_solves_the_shortest_lock() -> None:
    register_all()
    lock = gymnasium.make("PPE/CombinationLock-v0", horizon=1, actions=4)
    model = PPO("MlpPolicy", lock, n_steps=256, batch_size=64, learning_rate=1e-2, seed=0, device="cpu")
    model.learn(2560)
    mean, _ = evaluate_policy(model, model.get_env(), n_eval_episodes=50)
    assert np.isclose(mean, 1.0)
