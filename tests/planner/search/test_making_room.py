"""Victims chosen node by node: costs, limits of surplus, queues and budgets, and moves that only improve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from models.cluster import PodDisruptionBudget
from models.queues import Queue
from models.resources import CPU, Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from planner.encode.prepared import prepare
from planner.encode.victims.victims import possible_victims
from planner.problem.victims import Victims
from planner.search.construct.node_losses import NodeLosses
from planner.search.construct.queue_spare import QueueSpare
from planner.search.construct.victim_selection import RoomMaker, cheapest_nodes
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.improve.anneal_victims import improve
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for


def maker_of(
    snapshot: Snapshot, allowed: Callable[[int], bool] = lambda kind: True, **keys: Any
) -> tuple[RoomMaker, Victims, int]:
    """A maker on the cluster as it is, all victims, and the shape of the only waiting gang."""
    keys = {"evict": ("preempt", "reclaim"), **keys}
    prepared = prepare(snapshot, policy_for(snapshot, "capacity", **keys), exact_least)
    victims = possible_victims(prepared)
    assert victims is not None
    problem = prepared.problem
    reclaimed = [k for k, one in enumerate(victims.kinds) if one.queue == "lent"]
    spare = QueueSpare(victims, reclaimed)
    losses = NodeLosses(problem, victims, allowed)
    waiting = next(one for one in problem.demands if not one.ready)
    maker = RoomMaker(problem, victims, losses, spare, problem.free, {})
    return maker, victims, waiting.items[0].shape


def names(maker: RoomMaker) -> set[str]:
    return {name.removeprefix("ml/") for name in maker.victims()}


def test_a_gang_over_two_nodes_pays_once() -> None:
    wide = work("wide", 2, 2, nodes=("n1", "n2"))
    alone = tuple(work(f"alone{i}", 1, 1, nodes=("n3",)) for i in range(2))
    nodes = tuple(gpu_node(f"n{i}", 2) for i in (1, 2, 3))
    snapshot = snapshot_of(*nodes, gpu_queue("q"), wide, *alone, work("new", 2, 2, priority=5))
    maker, _, shape = maker_of(snapshot)
    assert cheapest_nodes(maker, shape, 2, range(3), {}) == [0, 1]
    assert names(maker) == {"wide-0", "wide-1"}
    assert maker.price(2, shape) is not None
    assert maker.host(1, [])
    assert names(maker) == {"wide-0", "wide-1"}  # the first node still needs it
    assert maker.host(0, [])
    assert maker.hosts.cost == 0
    assert names(maker) == set()


def test_surplus_leaves_alone_and_only_as_far_as_it_goes() -> None:
    bulk = work("bulk", 4, 1, minimum=3, nodes=("n1",) * 4)
    snapshot = snapshot_of(gpu_node("n1", 4), gpu_queue("q"), bulk, work("new", 2, 1, priority=5))
    maker, _, shape = maker_of(snapshot)
    assert maker.give(0, shape)
    assert len(names(maker)) == 1
    assert maker.give(0, shape)
    assert len(names(maker)) == 4  # a second pod breaks the gang, so all of it goes


def test_what_is_not_needed_in_the_end_stays() -> None:
    small = work("small", 1, 1, nodes=("n1",))
    large = work("large", 1, 2, nodes=("n1",))
    snapshot = snapshot_of(
        gpu_node("n1", 3), gpu_queue("q"), small, large, work("new", 1, 2, priority=5)
    )
    maker, _, shape = maker_of(snapshot)
    assert maker.give(0, shape)
    assert names(maker) == {"large-0"}


def test_budgets_and_protected_kinds_bind() -> None:
    held = work("held", 2, minimum=1, nodes=("n1",) * 2)
    held = replace(held, pods=tuple(replace(pod, labels={"team": "blue"}) for pod in held.pods))
    snapshot = replace(
        snapshot_of(gpu_node("n1", 2), gpu_queue("q"), held, work("new", 2, priority=5)),
        disruption_budgets=(
            PodDisruptionBudget("ml", "one", LabelSelector(match_labels=(("team", "blue"),)), 1),
        ),
    )
    maker, _, shape = maker_of(snapshot, pdb=True)
    assert maker.give(0, shape)
    assert not maker.give(0, shape)
    assert len(names(maker)) == 1
    nobody, _, shape = maker_of(snapshot, allowed=lambda kind: False)
    assert not nobody.give(0, shape)


def test_a_queue_gives_back_no_more_than_it_borrowed() -> None:
    lent = Queue("lent", deserved=Resources({GPU: 2}))
    jobs = tuple(work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(4))
    owner = work("owner", 4, queue="own")
    snapshot = snapshot_of(gpu_node("n1", 4), lent, gpu_queue("own", deserved=4), *jobs, owner)
    maker, _, shape = maker_of(snapshot)
    given = [maker.give(0, shape) for _ in range(4)]
    assert given == [True, True, False, False]
    assert maker.host(0, [])
    assert maker.give(0, shape)


def test_a_guarantee_is_kept() -> None:
    lent = Queue("lent", deserved=Resources({GPU: 0}), guarantee=Resources({CPU: 2000}))
    jobs = tuple(work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(3))
    owner = work("owner", 3, queue="own")
    snapshot = snapshot_of(gpu_node("n1", 3), lent, gpu_queue("own", deserved=3), *jobs, owner)
    maker, _, shape = maker_of(snapshot)
    assert [maker.give(0, shape) for _ in range(2)] == [True, False]


def _scattered(rng: Random) -> list[Work]:
    slots = [f"n{i}" for i in range(12) for _ in range(4)]
    rng.shuffle(slots)
    found = []
    while slots:
        size = min(rng.choice((1, 1, 2, 4)), len(slots))
        places = tuple(slots.pop() for _ in range(size))
        found.append(work(f"job{len(found)}", size, 1, queue="lent", nodes=places))
    return found


def test_moves_never_end_worse_and_leave_every_pod_a_place() -> None:
    rng = Random(3)
    nodes = tuple(gpu_node(f"n{i}", 4) for i in range(12))
    queues = (gpu_queue("lent", deserved=0), gpu_queue("own", deserved=48))
    better = 0
    for _ in range(5):
        snapshot = snapshot_of(*nodes, *queues, *_scattered(rng), work("new", 3, 4, queue="own"))
        maker, victims, shape = maker_of(snapshot)
        assert len(cheapest_nodes(maker, shape, 3, range(12), {})) == 3
        before = maker.hosts.cost
        improve(maker, {shape: range(12)}, Random(1), 2_000, lambda: False)
        assert maker.hosts.cost <= before
        better += maker.hosts.cost < before
        hosts = {node for node, shapes in maker.hosts.shapes.items() if shapes}
        assert len(hosts) == 3
        gone = frozenset(maker.victims())
        kept = [one.node for one in victims.pods if not gone.issuperset(one.names)]
        assert hosts.isdisjoint(kept)
    assert better


def test_moves_stop_when_told_to() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 1), gpu_queue("q"), work("old", nodes=("n1",)), work("new", priority=5)
    )
    maker, _, shape = maker_of(snapshot)
    assert maker.give(0, shape)
    looks: list[int] = []

    def stopped() -> bool:
        looks.append(1)
        return True

    improve(maker, {shape: [0]}, Random(1), 10_000, stopped)
    assert len(looks) == 1
    assert names(maker) == {"old-0"}
