from ppe_core.experiments.fair_queue import FairQueue


def test_visitors_take_turns_and_the_order_is_known_beforehand() -> None:
    queue = FairQueue()
    for visitor, item in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("c", "c2")):
        queue.push(visitor, item)
    assert len(queue) == 6
    expected = list(queue)
    assert expected == ["a1", "b1", "c1", "a2", "c2", "a3"]
    assert [queue.pop() for _ in range(6)] == expected
    assert not queue


def test_what_is_removed_or_given_back_keeps_the_rest_in_order() -> None:
    queue = FairQueue()
    for item in ("a1", "a2", "a3"):
        queue.push("a", item)
    queue.remove("a2")
    assert queue.pop() == "a1"
    queue.push_back("a", "a1")
    assert list(queue) == ["a1", "a3"]
    queue.remove("nothing")
