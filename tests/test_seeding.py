import numpy as np

from ppe_core.seeding import STREAMS, Seeds


def test_same_seed_stream_and_level_draw_the_same() -> None:
    one, two = (Seeds(3).generator("training", 2).random(5) for _ in range(2))
    assert np.array_equal(one, two)
    assert Seeds(3).integer("training", 2) == Seeds(3).integer("training", 2)


def test_streams_levels_and_seeds_are_all_different() -> None:
    draws = {
        Seeds(seed).generator(stream, level).bytes(8) for seed in range(4) for stream in STREAMS for level in range(4)
    }
    assert len(draws) == 4 * len(STREAMS) * 4
