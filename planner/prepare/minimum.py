"""The least that a gang still needs, per dimension."""

from __future__ import annotations

from collections.abc import Sequence

from planner.problem.placement import Demand, IntArray, Item

_MAX_SUBSETS = 20_000


def least_requests(demand: Demand, requests: IntArray) -> tuple[int, ...] | None:
    """Per dimension the least that any set of pods which makes the gang ready requests; None if there is no set.

    The dimension ``pods`` (the last, 1 per pod) gives the least number of pods. Without subgroups the cheapest pods
    of each role, then the cheapest of the rest, are a least set (a matroid with lower bounds); subgroups are chosen
    by enumeration over how many of each kind take part.
    """
    if demand.subgroups:
        return _least_with_subgroups(demand, requests)
    if not _possible(demand.items, demand):
        return None
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


def _least_with_subgroups(demand: Demand, requests: IntArray) -> tuple[int, ...] | None:
    """Try which subgroups take part; each that does has its size first, then pods are filled up to the need."""
    dimensions = requests.shape[1]
    best: list[int | None] = [None] * dimensions
    for chosen in _subgroup_choices(demand):
        items = [item for item in demand.items if _allowed(item, chosen)]
        floors = [
            (index, max(demand.subgroups[index].size - demand.subgroups[index].running, 0))
            for index in sorted(chosen)
        ]
        for d in range(dimensions):
            cost = _least_of_choice(
                items, demand, floors, [int(requests[i.shape, d]) for i in items]
            )
            if cost is not None and (best[d] is None or cost < best[d]):  # type: ignore[operator]
                best[d] = cost
    if any(cost is None for cost in best):
        return None
    return tuple(cost for cost in best if cost is not None)


def _subgroup_choices(demand: Demand) -> list[frozenset[int]]:
    """Sets of subgroups that receive pods, as far as there are enough complete ones; equal ones only once."""
    open_groups = [
        i for i, _ in enumerate(demand.subgroups) if any(i in one.subgroup for one in demand.items)
    ]
    kinds: dict[tuple[object, ...], list[int]] = {}
    for index in open_groups:
        kinds.setdefault(_kind(demand, index), []).append(index)
    choices: list[frozenset[int]] = [frozenset()]
    for members in kinds.values():
        sizes = range(len(members) + 1)
        choices = [one | frozenset(members[:size]) for one in choices for size in sizes]
        if len(choices) > _MAX_SUBSETS:
            break
    return [one for one in choices if _enough_complete(demand, one)]


def _kind(demand: Demand, index: int) -> tuple[object, ...]:
    items = tuple(
        (item.role, item.shape, item.count, tuple(g for g in item.subgroup if g != index))
        for item in demand.items
        if index in item.subgroup
    )
    return (demand.subgroups[index], items)


def _enough_complete(demand: Demand, chosen: frozenset[int]) -> bool:
    for policy, minimum in enumerate(demand.min_subgroups):
        complete = sum(
            index in chosen or group.counted >= group.size
            for index, group in enumerate(demand.subgroups)
            if group.policy == policy
        )
        if complete < minimum:
            return False
    return True


def _allowed(item: Item, chosen: frozenset[int]) -> bool:
    return all(group < 0 or group in chosen for group in item.subgroup)


def _least_of_choice(
    items: Sequence[Item], demand: Demand, floors: Sequence[tuple[int, int]], costs: Sequence[int]
) -> int | None:
    """Cheapest pods that fill the floors of the chosen subgroups, the roles and the need; None if there are too few.

    Floors of different policies may overlap in the same pods; taking them one after the other, counting what is
    taken already, gives an attainable set.
    """
    taken = [0] * len(items)
    order = sorted(range(len(items)), key=lambda index: costs[index])
    goals: list[tuple[list[int], int]] = [
        ([i for i in order if group in items[i].subgroup], need) for group, need in floors
    ]
    goals += [
        ([i for i in order if items[i].role == role], need) for role, need in demand.role_need
    ]
    goals.append((order, demand.need))
    for members, need in goals:
        missing = need - sum(taken[i] for i in members)
        for index in members:
            if missing <= 0:
                break
            take = min(items[index].count - taken[index], missing)
            taken[index] += take
            missing -= take
        if missing > 0:
            return None
    return sum(count * cost for count, cost in zip(taken, costs, strict=True))
