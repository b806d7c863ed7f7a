import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.estimate import Estimates, in_words

LOCK = RunConfig()
GRID = RunConfig.from_flat({"env": "grid", "horizon": 8, "samples": 2000})


def test_more_work_takes_longer() -> None:
    seconds = Estimates().seconds
    assert seconds(LOCK) < seconds(LOCK.replace(horizon=10)) < seconds(GRID)
    assert seconds(LOCK) < 0.5  # what a page may run at once


def test_earlier_runs_of_the_kind_correct_the_estimate() -> None:
    fresh, slow_machine = Estimates(), Estimates()
    assert slow_machine.seconds(LOCK) == fresh.seconds(LOCK)
    other = LOCK.replace(horizon=10)
    for _ in range(3):
        slow_machine.add(other, 10 * fresh.seconds(other))
    assert slow_machine.seconds(LOCK) == pytest.approx(10 * fresh.seconds(LOCK))
    assert slow_machine.seconds(GRID) == fresh.seconds(GRID)


def test_one_odd_run_does_not_decide() -> None:
    fresh, once = Estimates(), Estimates()
    once.add(LOCK, 20 * fresh.seconds(LOCK))
    assert once.seconds(LOCK) < 11 * fresh.seconds(LOCK)
    for _ in range(3):
        once.add(LOCK, fresh.seconds(LOCK))
    assert once.seconds(LOCK) == pytest.approx(fresh.seconds(LOCK))


def test_the_runs_most_like_it_count() -> None:
    near, far = LOCK.replace(horizon=6), LOCK.replace(horizon=100)
    fresh = Estimates()
    mixed = Estimates([(near, 3 * fresh.seconds(near))] * 7 + [(far, 50 * fresh.seconds(far))] * 7)
    assert mixed.seconds(LOCK) == pytest.approx(3 * fresh.seconds(LOCK))


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.01, "≈ 0.1 s"), (0.34, "≈ 0.3 s"), (42.3, "≈ 42 s"), (200, "≈ 3 min"), (9000, "≈ 2.5 h")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
