import numpy as np

from ppe_core.ppe.paths import empty_cover, extend


def test_extending_the_empty_path_gives_every_action() -> None:
    assert extend(empty_cover(), 3).tolist() == [[0], [1], [2]]


def test_child_p_times_a_plus_a_is_path_p_then_action_a() -> None:
    cover = np.array([[0, 1], [2, 0]])
    paths = extend(cover, 3)
    for parent in range(2):
        for action in range(3):
            assert paths[parent * 3 + action].tolist() == [*cover[parent], action]
