"""The rule *a victim is needed* on plans by hand: one verdict of the verifier per worked example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from models.cluster import Node
from models.entries import gang_entries
from models.placement import Placement
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_snapshots import policy_for
from planner.verify import needed
from planner.verify.standing import RankedState
from planner.verify.victim_rules import check_needed, undecided_losses


def _state(snapshot: Snapshot, nodes: Mapping[str, str], *evicted: str) -> RankedState:
    """The plan that puts one pod per name on a node and evicts these pods, preempt only."""
    placed = []
    for name, node in nodes.items():
        gang = name.rpartition("-")[0]
        placed.append(
            Placement(gang=f"ml/{gang}", role="", node=node, count=1, names=(f"ml/{name}",))
        )
    gone = tuple(f"ml/{name}" for name in evicted)
    policy = policy_for(snapshot, "capacity", evict=("preempt",))
    entries = gang_entries(snapshot, tuple(placed), evicted=gone)
    return RankedState(snapshot, policy, PlanResult(gangs=entries))


def _needless(state: RankedState) -> set[str]:
    assert not list(undecided_losses(state))
    return {one.object.removeprefix("gang/ml/") for one in check_needed(state)}


def _three_nodes(*works: Work, deserved: int = 0) -> Snapshot:
    nodes = (gpu_node(f"n{number}", 1) for number in (1, 2, 3))
    queues = (gpu_queue("a"), gpu_queue("b", deserved=deserved or None))
    return snapshot_of(*nodes, *queues, *works)


def test_two_victims_are_one_too_many_where_a_node_is_free() -> None:
    """One node free: p of two pods takes it and one victim's; q of low priority would take what the other leaves."""
    snapshot = _three_nodes(
        work("v1", queue="a", nodes=("n1",)),
        work("v2", queue="a", nodes=("n2",)),
        work("p", 2, queue="a", priority=9),
        work("q", queue="a"),
    )
    swap = _state(snapshot, {"p-0": "n1", "p-1": "n2", "q-0": "n3"}, "v1-0", "v2-0")
    assert _needless(swap) == {"v1", "v2"}
    assert _needless(_state(snapshot, {"p-0": "n3", "p-1": "n2"}, "v2-0")) == set()


def test_a_victim_is_needed_where_what_goes_first_takes_the_room() -> None:
    """Two nodes free: h of another queue goes first; p of two pods would fit beside v alone, not beside v and h."""
    snapshot = _three_nodes(
        work("v", queue="a", nodes=("n1",)),
        work("h", queue="b"),
        work("p", 2, queue="a", priority=9),
        deserved=1,
    )
    assert _needless(_state(snapshot, {"h-0": "n3", "p-0": "n1", "p-1": "n2"}, "v-0")) == set()
    assert _needless(_state(snapshot, {"h-0": "n1", "p-0": "n2", "p-1": "n3"}, "v-0")) == set()


def test_two_victims_do_not_justify_each_other() -> None:
    """h may go to the nodes of v1 and v2 only: p1 and p2 start with one victim, and h waits."""

    def zoned(name: str) -> Node:
        return replace(gpu_node(name, 1), labels={"zone": "y" if name == "n3" else "x"})

    h = work("h", queue="b")
    spec = replace(h.pods[0].spec, node_selector=(("zone", "x"),))
    h = replace(h, pods=(replace(h.pods[0], spec=spec),))
    snapshot = snapshot_of(
        *(zoned(f"n{number}") for number in (1, 2, 3)),
        *(gpu_queue("a"), gpu_queue("b", deserved=1)),
        work("v1", queue="a", nodes=("n1",)),
        work("v2", queue="a", nodes=("n2",)),
        work("p1", queue="a", priority=9),
        work("p2", queue="a", priority=9),
        h,
    )
    both = _state(snapshot, {"h-0": "n1", "p1-0": "n2", "p2-0": "n3"}, "v1-0", "v2-0")
    assert _needless(both) == {"v1", "v2"}
    assert _needless(_state(snapshot, {"p1-0": "n2", "p2-0": "n3"}, "v2-0")) == set()


def test_what_is_too_much_work_is_said_and_no_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = _three_nodes(
        work("v1", queue="a", nodes=("n1",)),
        work("v2", queue="a", nodes=("n2",)),
        work("p", 2, queue="a", priority=9),
        work("q", queue="a"),
    )
    monkeypatch.setattr(needed, "MOST_WORK", 2)
    state = _state(snapshot, {"p-0": "n1", "p-1": "n2", "q-0": "n3"}, "v1-0", "v2-0")
    assert not list(check_needed(state))
    assert len(list(undecided_losses(state))) == 2
