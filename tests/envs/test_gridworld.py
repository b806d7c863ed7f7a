"""The visual gridworld against MiniGrid itself, the paper's figures and its own promises."""

from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Goal, Lava, Wall
from minigrid.minigrid_env import MiniGridEnv
from minigrid.wrappers import RGBImgObsWrapper

from ppe_core.config import RunConfig
from ppe_core.envs.base import Latent
from ppe_core.envs.gridworld import ACTIONS, CHUNK, Pose, VisualGridworld
from ppe_core.envs.gymnasium_adapter import GYMNASIUM_IDS, register_all
from ppe_core.envs.registry import make_environment
from ppe_core.layouts import NAMED, read_layout
from ppe_core.theory.oracle import exact_levels, optimal_value, plan_value, reachable_states

F, L, R, LF, RF = range(5)
SHORTEST = [F, F, F, F, RF, F, F, F]  # to the goal of the paper's layout


@cache
def gridworld(**settings: object) -> VisualGridworld:
    environment = make_environment(RunConfig.from_flat({"env": "grid", "horizon": 8} | settings))
    assert isinstance(environment, VisualGridworld)
    return environment


class PlainMiniGrid(MiniGridEnv):
    """MiniGrid as it comes, on one of our layouts."""

    def __init__(self, name: str) -> None:
        self.rows = read_layout(name).rows
        super().__init__(MissionSpace(lambda: "reach the goal"), width=len(self.rows[0]), height=len(self.rows),
                         max_steps=10**6, highlight=False)  # fmt: skip

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        things = {"x": Wall, "G": Goal, "L": Lava}
        for y, row in enumerate(self.rows):
            for x, cell in enumerate(row):
                if cell in things:
                    self.put_obj(things[cell](), x, y)
                elif cell == "S":
                    self.agent_pos, self.agent_dir = (x, y), 0
        self.mission = "reach the goal"


@pytest.mark.parametrize("name", NAMED)
def test_it_goes_where_minigrid_goes_and_looks_like_it(name: str) -> None:
    ours, plain = gridworld(layout=name, ellipses=0), RGBImgObsWrapper(PlainMiniGrid(name), tile_size=8)
    left, right, forward = (plain.unwrapped.actions[word] for word in ("left", "right", "forward"))
    primitives = [[forward], [left], [right], [left, forward], [right, forward]]
    rng = np.random.default_rng(0)
    image = plain.reset()[0]["image"]
    latent = ours.reset(1, rng)
    for action in rng.integers(len(ACTIONS), size=300):
        assert np.array_equal(ours.observe(latent, rng)[0], image)
        latent, rewards = ours.step(latent, np.array([action]), rng)
        ends = []
        for primitive in primitives[action]:
            seen, reward, end, _, _ = plain.step(primitive)
            ends.append((end, reward > 0))
        image = seen["image"]
        assert ours.poses[latent.endogenous[0]] == (*plain.unwrapped.agent_pos, plain.unwrapped.agent_dir)
        reached_end, reached_goal = ends[-1]
        assert rewards[0] == (-0.01 if not reached_end else 1.0 if reached_goal else -1.0)


def test_state_counts_on_the_papers_layout() -> None:
    levels = reachable_states(gridworld().endogenous, 10)
    assert [len(states) for states in levels] == [4, 13, 28, 44, 57, 65, 72, 80, 84, 84]


def test_bayes_cross_entropy_on_the_papers_layout() -> None:
    losses = [level.bayes_cross_entropy for level in exact_levels(gridworld().endogenous, 8)]
    assert losses == pytest.approx([0.2773, 0.5545, 1.0267, 1.3551, 1.5140, 1.6217, 1.6374, 1.6251], abs=5e-5)


def test_stepping_the_shortest_way_earns_the_optimal_value() -> None:
    for settings in ({}, {"absorbing": True}):
        environment = gridworld(**settings)
        _, rewards = environment.rollout(np.array([SHORTEST]), np.random.default_rng(0))
        assert rewards.sum() == pytest.approx(1 - 0.07)
        assert rewards.sum() == pytest.approx(optimal_value(environment.endogenous, 8))
        assert rewards.sum() == pytest.approx(plan_value(environment.endogenous, np.array(SHORTEST)))


def test_reaching_the_goal_pays_and_staying_there_does_not() -> None:
    _, rewards = gridworld().rollout(np.array([[*SHORTEST, L, R, F, L]]), np.random.default_rng(0))
    assert rewards[0, 7] == 1.0
    assert (rewards[0, 8:] == -0.01).all()


def test_without_absorbing_the_agent_walks_through_lava() -> None:
    environment = gridworld()
    latent, rewards = environment.rollout(np.array([[F, RF, F, F, F]]), np.random.default_rng(0))
    assert rewards[0].tolist() == [-0.01, -0.01, -0.01, -1.0, -0.01]
    assert environment.poses[latent.endogenous[0]] == Pose(2, 5, 1)


@pytest.mark.parametrize(("path", "end"), [([F, RF, F, F], Pose(2, 4, 1)), (SHORTEST, Pose(5, 5, 1))])
def test_absorbing_keeps_the_agent_for_nothing(path: list[int], end: Pose) -> None:
    environment = gridworld(absorbing="on")
    for action in range(5):
        latent, rewards = environment.rollout(np.array([[*path, action, action]]), np.random.default_rng(0))
        assert environment.poses[latent.endogenous[0]] == end
        assert rewards[0, len(path) :].tolist() == [0, 0]


@pytest.mark.parametrize("name", NAMED)
def test_every_named_layout_can_be_solved(name: str) -> None:
    assert optimal_value(gridworld(layout=name, absorbing=True).endogenous, 30) > 0


def test_a_drawn_layout_becomes_a_gridworld() -> None:
    environment = gridworld(layout="xxxxxx/xS.GLx/x....x/x....x/xxxxxx")
    assert environment.observation_shape == (40, 48, 3)
    assert optimal_value(environment.endogenous, 2) == pytest.approx(0.99)


def test_states_have_names() -> None:
    environment = gridworld()
    assert environment.state_name(environment.endogenous.likely_start) == "(1, 1) right"


def test_a_batch_looks_like_its_frames_one_by_one() -> None:
    environment, rng = gridworld(), np.random.default_rng(1)
    n = CHUNK + 3
    states = rng.integers(len(environment.poses), size=n)
    exogenous = environment.exogenous.start(n, rng)
    together = environment.observe(Latent(3, states, exogenous), rng)
    single = [environment.observe(Latent(3, states[i : i + 1], exogenous[i : i + 1]), rng)[0] for i in range(n)]
    assert np.array_equal(together, np.array(single))


def test_the_seed_decides_the_palette_and_the_generator_the_rest() -> None:
    def frames(seed: int, draw: int) -> np.ndarray:
        return gridworld(seed=seed).observe_states(np.arange(20), 4, np.random.default_rng(draw))

    assert np.array_equal(frames(0, 0), frames(0, 0))
    assert not np.array_equal(frames(0, 0), frames(1, 0))
    assert not np.array_equal(frames(0, 0), frames(0, 1))


def test_gymnasium_accepts_it() -> None:
    register_all()
    check_env(gymnasium.make(GYMNASIUM_IDS["grid"], horizon=4, seed=1).unwrapped)
