import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from ppe_core.ppe.decoder import decode, decode_evenly

SURVIVOR = np.array([0, 1, 1, 1])  # path 0 has its state to itself, 1 to 3 share one


def test_printed_decoder_takes_the_smallest_index_near_the_maximum() -> None:
    predictions = np.array([[0.0, 0.30, 0.40, 0.30], [0.0, 0.2, 0.6, 0.2]])
    assert decode(predictions, SURVIVOR, "printed").tolist() == [1, 2]


def test_survivor_decoder_ignores_eliminated_paths() -> None:
    predictions = np.array([[0.30, 0.10, 0.60, 0.0], [0.1, 0.2, 0.6, 0.1]])
    assert decode(predictions, SURVIVOR, "survivors").tolist() == [0, 1]


def test_merged_decoder_adds_up_what_was_merged() -> None:
    predictions = np.array([[0.40, 0.25, 0.25, 0.10], [0.7, 0.1, 0.1, 0.1]])
    assert decode(predictions, SURVIVOR, "merged").tolist() == [1, 0]


@pytest.mark.parametrize(("decoder", "least"), [("merged", 0.99), ("survivors", 0.9), ("printed", 0.7)])
def test_every_decoder_works_on_a_recovered_lock(decoder: str, least: float) -> None:
    """Single outputs are weaker evidence than sums of merged ones: a survivor of the large state has
    1/28 of its probability to win with, and as printed the decoder names any one of its paths.
    """
    record = run(RunConfig.from_flat({"horizon": 3, "samples": 2000, "decoder": decoder}))
    assert record.exact_recovery
    assert record.levels[-1].truth.decoding_accuracy >= least


def test_evenly_a_class_is_as_probable_as_its_paths_are_on_average() -> None:
    """Three paths that stray together outweigh the one that leads there, but none of them does."""
    predictions = np.array([[0.4, 0.2, 0.2, 0.2]])
    survivor = np.array([0, 1, 1, 1])
    assert decode(predictions, survivor, "merged").tolist() == [1]
    assert decode_evenly(predictions, survivor).tolist() == [0]
