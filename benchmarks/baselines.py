"""PPO beside Stable-Baselines3's on the same lock, with the same batches: steps a second, and what they learn."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from stable_baselines3 import PPO as TheirPPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

from benchmarks.timing import Row
from ppe_core.config import PPOSettings, RunConfig
from ppe_core.envs.gymnasium_adapter import register_all
from ppe_core.experiments.run import run

BATCH = PPOSettings().batch  # episodes a rollout, rows of a gradient step
TURNS = 3
EASY_EPISODES = 40 * BATCH
TRIALS = 500


def measure() -> Iterator[Row]:
    register_all()
    ours, theirs = (max(rate(5) for _ in range(TURNS)) for rate in (_our_rate, _their_rate))
    what = "environment steps a second of PPO, learning included (lock, H=5) / of Stable-Baselines3's"
    yield Row(what, f"{ours / theirs:.1f}× ({ours:,.0f}, {theirs:,.0f})", "≥ 10×", ours >= 10 * theirs)
    ours, theirs = run(_easy()).value, _their_return()
    yield Row("return on the lock with H=2, of PPO and of Stable-Baselines3's", f"{ours:.3f}, {theirs:.3f}",
              "within 5%", abs(ours - theirs) <= 0.05 * max(ours, theirs))  # fmt: skip


def _our_rate(horizon: int) -> float:
    config = RunConfig.from_flat({"learner": "ppo", "horizon": horizon, "samples": 20 * BATCH})
    record = run(config)
    return record.episodes * horizon / record.seconds["train"]


def _their_rate(horizon: int) -> float:
    model = _their_model(horizon)
    steps = 4 * BATCH * horizon
    start = perf_counter()
    model.learn(steps)
    return steps / (perf_counter() - start)


def _their_return() -> float:
    model = _their_model(2)
    model.learn(EASY_EPISODES * 2)
    mean, _ = evaluate_policy(model, model.get_env(), n_eval_episodes=TRIALS)
    return float(mean)  # type: ignore[arg-type]


def _their_model(horizon: int) -> Any:
    """With the values of ours, as far as theirs has them, and as many episodes side by side."""
    settings = PPOSettings()
    locks = make_vec_env("PPE/CombinationLock-v0", n_envs=BATCH, env_kwargs={"horizon": horizon})
    return TheirPPO(
        "MlpPolicy", locks, n_steps=horizon, batch_size=BATCH, n_epochs=settings.updates, clip_range=settings.clip,
        ent_coef=settings.entropy, learning_rate=1e-3, max_grad_norm=10.0, gamma=1.0, gae_lambda=1.0,
        policy_kwargs={"net_arch": [56, 56]}, seed=0, device="cpu",
    )  # fmt: skip


def _easy() -> RunConfig:
    return RunConfig.from_flat({"learner": "ppo", "horizon": 2, "samples": EASY_EPISODES // 2})
