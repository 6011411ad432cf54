"""Asking for less: a smaller minMember, or smaller minima of roles, that fit beside the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.edits.new_gangs import SetGang
from planner.encode.minimum import least_requests
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import Candidate
from planner.explain.fixes.role_size import fewer_of_roles
from planner.problem.placement import Demand, IntArray


def smaller(bench: Bench, demand: Demand, queues: Mapping[int, IntArray]) -> Candidate | None:
    """The largest minMember with which it fits, or the largest minima of its roles; none where it has subgroups.

    With one role its own minimum goes with minMember: below the sum of the minima these do not bind.
    """
    gang = bench.prepared.cases[demand.gang].gang
    if demand.grouped:
        return None
    if gang.roles_bind and len(gang.role_minimum) > 1:
        return fewer_of_roles(bench, demand, queues)
    if gang.min_member < 2:
        return None
    demand = replace(demand, role_need=())
    most = min(demand.need, gang.min_member) - 1
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(bench, demand, middle, queues):
            low = middle
        else:
            high = middle - 1
    if low < 1:
        return None
    minimum = gang.min_member - (demand.need - low)
    return Candidate(
        "lower_min_member",
        f"lower its minMember from {gang.min_member:,} to {minimum:,}",
        lambda name: (SetGang(gangs=name, min_member=minimum),),
        demand.need - low,
        (),
        {"minMember": minimum},
    )


def _fits(bench: Bench, demand: Demand, need: int, queues: Mapping[int, IntArray]) -> bool:
    less = replace(demand, need=need)
    minimum = least_requests(less, bench.problem.requests, lambda _, __: None)
    if minimum is None:
        return False
    return bench.fits(replace(less, minimum=minimum), queues=queues)
