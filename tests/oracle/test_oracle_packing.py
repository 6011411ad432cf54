from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import pytest

from models.resources import PODS
from planner.testing.oracle.gang_options import PodKind
from planner.testing.oracle.packing import Room, fits


def _kind(amounts: dict[str, int], nodes: str) -> PodKind:
    request = tuple(sorted((name, amount) for name, amount in amounts.items() if amount))
    return PodKind(request, tuple(nodes), "", (), exists=True, gpus=amounts.get("gpu", 0))


def _fits_by_trying_all(room: Room, demand: Counter[PodKind], closed: frozenset[str]) -> bool:
    pods = list(demand.elements())
    doors = [[n for n in kind.nodes if not (kind.gpus and n in closed)] for kind in pods]
    for chosen in itertools.product(*doors):
        used: Counter[tuple[str, str]] = Counter()
        for kind, node in zip(pods, chosen, strict=True):
            used[node, PODS] += 1
            for name, amount in kind.request:
                used[node, name] += amount
        if all(amount <= room[node].get(name, 0) for (node, name), amount in used.items()):
            return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_backtracking_agrees_with_trying_every_assignment(seed: int) -> None:
    rng = Random(seed)
    nodes = "abc"
    room = {
        node: {"gpu": rng.randint(-1, 6), "cpu": rng.randint(0, 9), PODS: rng.randint(1, 4)}
        for node in nodes
    }
    demand: Counter[PodKind] = Counter()
    for _ in range(rng.randint(2, 3)):
        doors = "".join(sorted(rng.sample(nodes, rng.randint(1, 3))))
        kind = _kind({"gpu": rng.randint(0, 3), "cpu": rng.randint(0, 4)}, doors)
        demand[kind] += rng.randint(1, 2)
    closed = frozenset(rng.sample(nodes, rng.choice((0, 0, 1))))
    assert fits(room, demand, closed) == _fits_by_trying_all(room, demand, closed)


def test_a_node_without_pod_slots_takes_nothing() -> None:
    assert not fits({"a": {"gpu": 8}}, {_kind({"gpu": 1}, "a"): 1})


def test_a_dimension_that_is_over_full_stops_only_pods_that_ask_for_it() -> None:
    room = {"a": {"gpu": -1, "cpu": 4, PODS: 9}}
    assert fits(room, {_kind({"cpu": 1}, "a"): 4})
    assert not fits(room, {_kind({"cpu": 1, "gpu": 1}, "a"): 1})


def test_without_nodes_only_nothing_fits() -> None:
    kind = _kind({"gpu": 1}, "")
    assert fits({}, Counter())
    assert not fits({}, Counter({kind: 1}))
