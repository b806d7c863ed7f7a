"""Distractors: Markov processes that no action touches, and what they may and may not hide."""

from functools import cache

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.distractors import ColourCast, Ellipses, wander
from ppe_core.envs.gridworld import DARK, VisualGridworld
from ppe_core.envs.registry import make_environment
from ppe_core.layouts import FLOOR, START

KINDS = ("ellipses", "flicker", "cast", "ghost", "none")
MOVING = KINDS[:-1]


@cache
def gridworld(**settings: object) -> VisualGridworld:
    environment = make_environment(RunConfig.from_flat({"env": "grid", "horizon": 8} | settings))
    assert isinstance(environment, VisualGridworld)
    return environment


def frames_and_bases(n: int = 600, **settings: object) -> tuple[np.ndarray, np.ndarray]:
    """Frames of random states with and without the distractor."""
    environment, rng = gridworld(**settings), np.random.default_rng(5)
    states = rng.integers(len(environment.poses), size=n)
    return environment.observe_states(states, 5, rng), environment.base_frames[states]


def agent(bases: np.ndarray) -> np.ndarray:
    """Where the agent is drawn at its full colour, and not mixed with the floor."""
    return (bases == (255, 0, 0)).all(-1)


@pytest.mark.parametrize("kind", KINDS)
def test_actions_do_not_touch_it(kind: str) -> None:
    environment = gridworld(distractor=kind)
    trajectories = []
    for action in range(environment.num_actions):
        rng = np.random.default_rng(2)
        latent = environment.reset(50, rng)
        trajectory = [latent.exogenous]
        for _ in range(8):
            latent, _ = environment.step(latent, np.full(50, action), rng)
            trajectory.append(latent.exogenous)
        trajectories.append(np.array(trajectory))
    assert all(np.array_equal(trajectories[0], other) for other in trajectories[1:])


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_state_follows_from_this_one_alone(kind: str) -> None:
    """Two histories that meet in a state go on alike, and neither state array is written to."""
    process = gridworld(distractor=kind).exogenous
    state = process.advance(process.start(40, np.random.default_rng(0)), 3, np.random.default_rng(1))
    met = state.copy()
    ahead = process.step(state, np.random.default_rng(2))
    assert np.array_equal(ahead, process.step(met, np.random.default_rng(2)))
    assert np.array_equal(state, met)


@pytest.mark.parametrize("kind", MOVING)
def test_it_moves_and_is_seen(kind: str) -> None:
    frames, bases = frames_and_bases(distractor=kind)
    assert (frames != bases).any(axis=(1, 2, 3)).mean() > 0.9
    process = gridworld(distractor=kind).exogenous
    state = process.start(100, np.random.default_rng(0))
    assert not np.array_equal(state, process.step(state, np.random.default_rng(1)))


def test_nothing_is_not_seen() -> None:
    assert np.array_equal(*frames_and_bases(distractor="none"))


@pytest.mark.parametrize(("stride", "steps"), [(1, 1), (2, 5), (3, 40), (9, 2)])
def test_many_steps_of_a_walk_at_once_have_the_law_of_single_steps(stride: int, steps: int) -> None:
    low, high, first, n = -2, 5, -1, 200_000
    size = high - low + 1
    folded = [*range(size), *reversed(range(size))]  # the line of whole numbers, folded onto the range
    one_step = np.zeros((size, size))
    for place in range(size):
        for move in (-stride, stride):
            one_step[place, folded[(place + move) % (2 * size)]] += 0.5
    law = np.linalg.matrix_power(one_step, steps)[first - low]
    walks = wander(np.full(n, first), np.array(low), np.array(high), stride, steps, np.random.default_rng(3))
    found = np.bincount(walks - low, minlength=size) / n
    assert np.abs(found - law).max() < 5 * np.sqrt(0.25 / n)


def test_flickering_pixels_forget_as_single_steps_do() -> None:
    process, rng = gridworld(distractor="flicker").exogenous, np.random.default_rng(4)
    dark = np.zeros((4000, 50), np.uint8)
    single = dark
    for _ in range(3):
        single = process.step(single, rng)
    assert process.advance(dark, 3, rng).mean() == pytest.approx((1 - 0.4**3) / 2, abs=0.01)
    assert single.mean() == pytest.approx((1 - 0.4**3) / 2, abs=0.01)


def test_ellipses_start_and_stay_in_their_quarters_and_keep_their_colour() -> None:
    process, rng = gridworld(speed=7).exogenous, np.random.default_rng(0)
    state = process.start(3000, rng)
    for level in range(4):
        left, top, right, bottom, colour = np.moveaxis(state, -1, 0)
        for near, far in ((left, right), (top, bottom)):
            assert (near.min(), near.max(), far.min(), far.max()) == (0, 28, 28, 56)
            assert near.mean() == pytest.approx(14, abs=0.5), f"not uniform any more at level {level}"
        assert set(np.unique(colour)) == set(range(8))
        moved = process.step(state, rng)
        assert np.array_equal(moved[..., 4], colour)
        state = moved


def test_ellipse_corners_move_by_the_speed_away_from_the_ends() -> None:
    process, rng = gridworld(speed=2).exogenous, np.random.default_rng(0)
    state = process.start(500, rng)
    state[..., :4] = (10, 11, 40, 41)
    steps = process.step(state, rng) - state
    assert set(np.unique(steps[..., :4])) == {-2, 2}
    still = gridworld(speed=0).exogenous
    assert np.array_equal(still.advance(state, 9, rng), state)


def test_ellipses_scale_with_the_image() -> None:
    process = gridworld(layout="two-rooms").exogenous  # 72 × 56 pixels
    left, top, right, bottom, _ = np.moveaxis(process.start(3000, np.random.default_rng(0)), -1, 0)
    assert (left.max(), top.max(), right.max(), bottom.max()) == (36, 28, 72, 56)


def test_one_ellipse_is_drawn_where_its_box_says() -> None:
    environment = gridworld(ellipses=1)
    assert isinstance(environment.exogenous, Ellipses)
    frames = np.zeros((1, 56, 56, 3), np.uint8)
    environment.exogenous.draw(frames, np.ones((1, 56, 56), bool), np.array([[[4, 10, 40, 50, 3]]]))
    rows, columns = np.nonzero(frames[0].any(-1))
    assert (columns.min(), columns.max() + 1, rows.min(), rows.max() + 1) == (4, 40, 10, 50)


@pytest.mark.parametrize("settings", [{}, {"thickness": 4}, {"ellipse_style": "filled"}, {"distractor": "ghost"}])
def test_only_dark_floor_is_drawn_on(settings: dict) -> None:
    frames, bases = frames_and_bases(**settings)
    bright = bases.max(-1) >= DARK
    assert np.array_equal(frames[bright], bases[bright])
    assert agent(bases).any(axis=(1, 2)).all(), "there is an agent to hide in every frame"


def test_occluding_ellipses_hide_the_agent() -> None:
    frames, bases = frames_and_bases(ellipse_style="occluding")
    hidden = (agent(bases) & ~agent(frames)).sum(axis=(1, 2)) == agent(bases).sum(axis=(1, 2))
    assert 0.1 < hidden.mean() < 0.9


def test_more_and_thicker_ellipses_cover_more() -> None:
    def covered(**settings: object) -> float:
        frames, bases = frames_and_bases(**settings)
        return float((frames != bases).any(-1).mean())

    shares = [covered(**s) for s in ({"ellipses": 1}, {}, {"thickness": 3}, {"ellipse_style": "filled"},
                                     {"ellipse_style": "occluding"})]  # fmt: skip
    assert shares == sorted(shares) and len(set(shares)) == len(shares)


def test_a_colour_cast_shifts_every_pixel_of_a_channel_alike() -> None:
    frames = np.full((1, 4, 4, 3), 100, np.uint8)
    frames[0, 0, 0] = (250, 5, 100)
    ColourCast().draw(frames, np.ones((1, 4, 4), bool), np.array([[30, -20, 0]], np.int16))
    assert frames[0, 1, 1].tolist() == [130, 80, 100]
    assert frames[0, 0, 0].tolist() == [255, 0, 100]


def test_the_ghost_walks_over_floor_and_looks_like_a_blue_agent() -> None:
    environment = gridworld(distractor="ghost", layout="lava-crossing")
    rng = np.random.default_rng(0)
    state = environment.exogenous.start(200, rng)
    floor = set(environment.layout.cells(FLOOR + START))
    seen = set()
    for _ in range(30):
        state = environment.exogenous.step(state, rng)
        frames = np.zeros((200, 56, 56, 3), np.uint8)
        environment.exogenous.draw(frames, np.ones((200, 56, 56), bool), state)
        blue = (frames == (0, 0, 255)).all(-1)
        assert blue.any(axis=(1, 2)).all()
        _, y, x = blue.nonzero()
        seen |= set(zip((x // 8).tolist(), (y // 8).tolist()))
    assert seen == floor


def test_the_ghost_turns_or_moves_one_cell() -> None:
    process, rng = gridworld(distractor="ghost").exogenous, np.random.default_rng(0)
    state = process.start(1000, rng)
    ahead = process.step(state, rng)
    turned = (ahead // 4 == state // 4) & ((ahead - state) % 4 % 2 == 1)
    straight = ahead % 4 == state % 4
    assert (turned | straight).all()
    assert turned.mean() == pytest.approx(2 / 3, abs=0.06)
