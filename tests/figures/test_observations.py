"""Observations as strips of colour."""

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.experiments.samples import sample_observations
from ppe_core.figures.observations import observation_strips


def test_every_observation_is_a_row_and_a_gap_parts_the_states() -> None:
    seen = sample_observations(RunConfig(), level=1, count=4)
    figure = observation_strips({"a": seen[0], "c": seen[2]})
    rows = np.array(figure.data[0].z)
    np.testing.assert_array_equal(rows[:4], seen[0])
    assert np.isnan(rows[4]).all()
    np.testing.assert_array_equal(rows[5:], seen[2])


def test_looks_at_one_state_differ_and_repeat_with_the_seed() -> None:
    once, again = (sample_observations(RunConfig(), level=1, count=4) for _ in range(2))
    assert list(once) == [0, 1, 2]
    assert len(np.unique(once[0], axis=0)) == 4
    np.testing.assert_array_equal(once[0], again[0])
