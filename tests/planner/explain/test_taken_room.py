from __future__ import annotations

from collections.abc import Callable

from planner.testing.by_hand import gpu_node, gpu_queue, work

Explain = Callable[..., dict[str, dict]]


def test_a_gang_of_higher_priority_takes_the_room(explain: Explain) -> None:
    high, low = work("high", gpus=6, priority=10), work("low", gpus=4)
    found = explain(gpu_node("n1"), gpu_queue("q"), high, low, start=("high",))
    assert list(found["low"]) == ["cluster_capacity", "lower_priority"]
    resource, lower = found["low"].values()
    assert resource.message == (
        "needs 4 GPUs; of 8 GPUs free on the only node, 2 GPUs are left after the plan"
    )
    assert resource.data["short"][0]["freeBefore"] == 8
    assert lower.message == (
        "the room goes first to 1 gang of higher priority in its queue (ml/high)"
    )
    assert lower.data == {"gangs": ["ml/high"], "total": 1, "inQueue": 1, "elsewhere": 0}


def test_a_gang_of_the_same_rank_is_chosen_instead(explain: Explain) -> None:
    one, two = work("one", gpus=6), work("two", gpus=4)
    found = explain(gpu_node("n1"), gpu_queue("q"), one, two, start=("one",))
    assert list(found["two"]) == ["cluster_capacity", "lower_priority"]
    choice = found["two"]["lower_priority"]
    assert choice.message == (
        "it waits by choice: starting it would displace 1 gang of the same rank (ml/one), "
        "6 GPUs against its 4"
    )
    assert choice.data["choice"] is True
    assert choice.data["gangs"] == ["ml/one"]


def test_a_higher_gang_that_takes_too_little_is_not_blamed(explain: Explain) -> None:
    """Without the high one 6 of 8 GPUs would still be taken by its equal."""
    gangs = (work("high", gpus=1, priority=10), work("same", gpus=6), work("new", gpus=4))
    found = explain(gpu_node("n1"), gpu_queue("q"), *gangs, start=("high", "same"))
    assert set(found["new"]) == {"cluster_capacity", "lower_priority"}
    assert found["new"]["lower_priority"].data["gangs"] == ["ml/same"]


def test_a_high_gang_on_other_nodes_is_not_named(explain: Explain) -> None:
    nodes = (gpu_node("n1"), gpu_node("n2", 2))
    gangs = (
        work("high", gpus=8, priority=10),
        work("small", gpus=2, priority=10),
        work("new", gpus=8),
    )
    found = explain(*nodes, gpu_queue("q"), *gangs, start=("high", "small"))
    assert found["new"]["lower_priority"].data["gangs"] == ["ml/high"]


def test_entitled_gangs_of_other_queues_go_first(explain: Explain) -> None:
    queues = (gpu_queue("q", deserved=0), gpu_queue("r", deserved=8))
    gangs = (work("theirs", gpus=8, queue="r"), work("mine", gpus=4))
    found = explain(gpu_node("n1"), *queues, *gangs, start=("theirs",))
    message = found["mine"]["lower_priority"].message
    assert "1 gang of other queues within what these deserve (ml/theirs)" in message
    assert found["mine"]["lower_priority"].data["elsewhere"] == 1


def test_other_queues_of_the_same_rank_do_not_go_first(explain: Explain) -> None:
    queues = (gpu_queue("q"), gpu_queue("r"))
    gangs = (work("theirs", gpus=8, queue="r"), work("mine", gpus=4))
    found = explain(gpu_node("n1"), *queues, *gangs, start=("theirs",))
    assert "goes first" not in found["mine"]["lower_priority"].message
    assert found["mine"]["lower_priority"].data["elsewhere"] == 1


def test_an_older_gang_inside_the_share_goes_before_an_equal_beyond_it(explain: Explain) -> None:
    queue = gpu_queue("q", deserved=8)
    gangs = (work("old", gpus=8), work("young", gpus=8, created=1))
    found = explain(gpu_node("n1"), queue, *gangs, start=("old",))
    message = found["young"]["lower_priority"].message
    assert message == "the room goes first to 1 gang of its queue within what it deserves (ml/old)"


def test_room_in_the_queue_can_be_what_is_taken(explain: Explain) -> None:
    nodes = (gpu_node("n1"), gpu_node("n2"))
    high, low = work("high", gpus=6, priority=10), work("low", gpus=4)
    found = explain(*nodes, gpu_queue("q", capability=8), high, low, start=("high",))
    assert list(found["low"]) == ["quota", "lower_priority"]
    assert found["low"]["lower_priority"].data["gangs"] == ["ml/high"]


def test_throughput_knows_no_ranks(explain: Explain) -> None:
    high, low = work("high", gpus=6, priority=10), work("low", gpus=4)
    found = explain(
        gpu_node("n1"), gpu_queue("q"), high, low, start=("high",), objective="throughput"
    )
    assert found["low"]["lower_priority"].data["choice"] is True


def test_listed_tiers_give_the_order(explain: Explain) -> None:
    high, low = work("high", gpus=6, priority=10), work("low", gpus=4)
    found = explain(
        gpu_node("n1"),
        gpu_queue("q"),
        high,
        low,
        start=("low",),
        objective=("rest.2.gpus", "rest.1.gpus"),
    )
    assert found["high"]["lower_priority"].data["gangs"] == ["ml/low"]


def test_cluster_scope_compares_priorities_of_all_queues(explain: Explain) -> None:
    queues = (gpu_queue("q", deserved=8), gpu_queue("r"))
    gangs = (work("high", gpus=8, queue="r", priority=10), work("mine", gpus=4))
    start = ("high",)
    found = explain(gpu_node("n1"), *queues, *gangs, start=start, priority_scope="cluster")
    assert found["mine"]["lower_priority"].data["gangs"] == ["ml/high"]
    found = explain(gpu_node("n1"), *queues, *gangs, start=start)
    assert "whose turn comes later" in found["mine"]["lower_priority"].message


def test_many_takers_are_counted_and_a_few_named(explain: Explain) -> None:
    gangs = [work(f"high{i}", gpus=1, priority=10) for i in range(8)]
    start = tuple(f"high{i}" for i in range(8))
    found = explain(gpu_node("n1"), gpu_queue("q"), *gangs, work("low", gpus=8), start=start)
    message = found["low"]["lower_priority"].message
    assert "8 gangs of higher priority in its queue" in message
    assert "(ml/high0, ml/high1, ml/high2 and 5 more)" in message
    assert len(found["low"]["lower_priority"].data["gangs"]) == 8


def test_gangs_that_ask_for_the_same_share_their_reasons(explain: Explain) -> None:
    twins = [work(f"twin{i}", gpus=8, created=i) for i in range(3)]
    found = explain(gpu_node("n1"), gpu_queue("q"), *twins, start=("twin0",))
    assert set(found) == {"twin1", "twin2"}
    assert found["twin1"]["cluster_capacity"] is found["twin2"]["cluster_capacity"]
