"""The least that a gang lacks, per dimension, against trying every set of pods."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from planner.encode.minimum import least_requests
from planner.problem.placement import Demand, IntArray, Item, SubGroup
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.testing.problems import bare_demand


def _sets(demand: Demand) -> list[tuple[int, ...]]:
    """Pods per item of every set that makes the gang ready."""
    ranges = [range(0, item.count + 1, item.step) for item in demand.items]
    return [taken for taken in product(*ranges) if _ready(demand, taken)]


def _ready(demand: Demand, taken: tuple[int, ...]) -> bool:
    by_role: dict[str, int] = {}
    for item, count in zip(demand.items, taken, strict=True):
        by_role[item.role] = by_role.get(item.role, 0) + count
    if sum(taken) < demand.need or any(by_role.get(r, 0) < n for r, n in demand.role_need):
        return False
    complete = [0] * len(demand.min_subgroups)
    for number, group in enumerate(demand.subgroups):
        members = [i for i, item in enumerate(demand.items) if number in item.subgroup]
        new = sum(taken[i] for i in members)
        if new and group.running + new < group.size:
            return False
        complete[group.policy] += group.counted + new >= group.size
    return all(have >= least for have, least in zip(complete, demand.min_subgroups, strict=True))


def _brute_force(demand: Demand, requests: IntArray) -> tuple[int, ...] | None:
    shapes = [item.shape for item in demand.items]
    sums = [np.array(taken) @ requests[shapes] for taken in _sets(demand)]
    return tuple(int(amount) for amount in np.min(sums, axis=0)) if sums else None


def _random(rng: Random, *, steps: bool) -> tuple[Demand, IntArray]:
    shapes = rng.randint(1, 3)
    requests = np.array([[rng.randint(0, 4), rng.randint(1, 9), 1] for _ in range(shapes)])
    items = [
        Item(
            rng.choice("abc"),
            rng.randrange(shapes),
            rng.randint(1, 6),
            step=rng.choice((1, 2, 3)) if steps else 1,
        )
        for _ in range(rng.randint(1, 3))
    ]
    roles = [(role, rng.randint(1, 2)) for role in "ab" if rng.random() < 0.4]
    need = max(rng.randint(1, 9), sum(lacking for _, lacking in roles))
    return bare_demand(items, need=need, role_need=roles), requests


@pytest.mark.parametrize("steps", [False, True])
def test_random_gangs_equal_the_enumeration(steps: bool) -> None:
    impossible = 0
    for seed in range(150 if steps else 300):
        demand, requests = _random(Random(seed), steps=steps)
        wanted = _brute_force(demand, requests)
        impossible += wanted is None
        assert least_requests(demand, requests, exact_least) == wanted, (seed, demand)
    assert 0 < impossible < 200


def test_a_cheap_partition_may_cost_more_than_a_dear_pod() -> None:
    """The cheapest pod first took two pods of 4 where one of 5 is enough, because partitions come whole."""
    demand = bare_demand([Item("", 0, 4, step=2), Item("", 1, 1)], need=1)
    assert least_requests(demand, np.array([[4, 1], [5, 1]]), exact_least) == (5, 1)


def test_the_least_of_different_dimensions_may_come_from_different_pods() -> None:
    demand = bare_demand([(0, 3), (1, 3)], need=2)
    assert least_requests(demand, np.array([[0, 8, 1], [4, 1, 1]]), exact_least) == (0, 2, 2)


def _grouped(need: int, min_subgroups: int, *, running: int = 0) -> Demand:
    items = (
        Item("", 0, 2, subgroup=(0,)),
        Item("", 1, 2, subgroup=(1,)),
        Item("", 0, 1, subgroup=(-1,)),
    )
    groups = (SubGroup(0, 2, running, running), SubGroup(0, 2, 0, 0))
    return Demand(
        0, items, ready=False, need=need, subgroups=groups, min_subgroups=(min_subgroups,)
    )


@pytest.mark.parametrize(
    ("need", "groups", "running"),
    [(1, 0, 0), (1, 1, 0), (2, 1, 1), (3, 1, 0), (5, 2, 0), (6, 2, 0)],
)
def test_subgroups_come_complete_or_not_at_all(need: int, groups: int, running: int) -> None:
    demand = _grouped(need, groups, running=running)
    requests = np.array([[1, 7, 1], [3, 2, 1]])
    assert least_requests(demand, requests, exact_least) == _brute_force(demand, requests)
