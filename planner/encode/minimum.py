"""The least that a gang still needs, per dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.problem.placement import Demand, IntArray, Item

ExactLeast = Callable[[Demand, IntArray], tuple[int, ...] | None]
"""Finds the least by search, for gangs with subgroups or partitions."""


def least_requests(demand: Demand, requests: IntArray, exact: ExactLeast) -> tuple[int, ...] | None:
    """Per dimension the least that any set of pods which makes the gang ready requests; None if there is no set.

    The dimension ``pods`` (the last, 1 per pod) gives the least number of pods. Without subgroups the cheapest pods
    of each role, then the cheapest of the rest, are a least set (a matroid with lower bounds); with subgroups, which
    cross the roles, and with partitions, where a cheap one may bring more pods than are needed, it is searched for.
    """
    if demand.grouped or (len(demand.items) > 1 and any(one.step > 1 for one in demand.items)):
        return exact(demand, requests)
    if not _possible(demand.items, demand):
        return None
    if len(demand.items) == 1:  # whatever it costs, it is so many pods
        pods = _least(demand.items, demand, [1])
        return tuple(pods * amount for amount in requests[demand.items[0].shape].tolist())
    return tuple(
        _least(demand.items, demand, [int(requests[item.shape, d]) for item in demand.items])
        for d in range(requests.shape[1])
    )


def _possible(items: Sequence[Item], demand: Demand) -> bool:
    by_role: dict[str, int] = {}
    for item in items:
        by_role[item.role] = by_role.get(item.role, 0) + item.count // item.step * item.step
    enough = all(by_role.get(role, 0) >= need for role, need in demand.role_need)
    return enough and sum(by_role.values()) >= demand.need


def _least(items: Sequence[Item], demand: Demand, costs: Sequence[int]) -> int:
    """Cheapest pods of each role first, then the cheapest of what is left up to the number needed."""
    left = [item.count // item.step * item.step for item in items]
    order = sorted(range(len(items)), key=lambda index: costs[index])
    total = taken = 0
    wanted = [(role, need) for role, need in demand.role_need]
    for role, need in [*wanted, (None, 0)]:
        missing = need if role is not None else max(demand.need - taken, 0)
        for index in order:
            if missing <= 0:
                break
            if role is not None and items[index].role != role:
                continue
            step = items[index].step
            take = min(left[index], -(-missing // step) * step)
            left[index] -= take
            taken += take
            missing -= take
            total += take * costs[index]
    return total
