import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.estimate import estimate_seconds, in_words

LOCK = RunConfig()
GRID = RunConfig.from_flat({"env": "grid", "horizon": 8, "samples": 2000})


def test_more_work_takes_longer() -> None:
    assert estimate_seconds(LOCK) < estimate_seconds(LOCK.replace(horizon=10)) < estimate_seconds(GRID)
    assert estimate_seconds(LOCK) < 0.5  # what a page may run at once


def test_earlier_runs_of_the_kind_correct_the_estimate() -> None:
    slow_machine = [(LOCK.replace(horizon=10), 10 * estimate_seconds(LOCK.replace(horizon=10)))]
    assert estimate_seconds(LOCK, slow_machine) == pytest.approx(10 * estimate_seconds(LOCK))
    assert estimate_seconds(GRID, slow_machine) == estimate_seconds(GRID)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.01, "≈ 0.1 s"), (0.34, "≈ 0.3 s"), (42.3, "≈ 42 s"), (200, "≈ 3 min"), (9000, "≈ 2.5 h")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
