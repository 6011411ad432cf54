"""Every plan of a tiny case: all distributions of waiting pods over nodes with all sets of victims."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from math import comb

from models.entries import gang_entries
from models.placement import Placement
from models.plan import PlanResult, Reason
from planner.testing.oracle.gang_options import GangView, PodKind
from planner.testing.oracle.situation import Situation
from planner.testing.random_snapshots import RandomCase

Supply = list[tuple[GangView, PodKind, tuple[str, ...], int]]
_REASON = (Reason(code="reclaimed", message="makes room"),)


def supply_of(case: RandomCase) -> Supply:
    """Gang, kind, names and number of all pods that may come."""
    found: Supply = []
    for view in Situation(case.snapshot, case.policy).views.values():
        most: Counter[PodKind] = Counter()
        for option in view.options:
            for kind, count in option.counts:
                most[kind] = max(most[kind], count)
        for kind, count in most.items():
            names = tuple(sorted(name for name, one in view.kind_of.items() if one == kind))
            found.append((view, kind, names, count))
    return found


def victims_of(case: RandomCase) -> list[str]:
    """Running pods of gangs."""
    return [pod.full_name for pod in case.snapshot.pods if pod.running and pod.gang]


def number_of_plans(case: RandomCase) -> int:
    """Plans that :func:`every_plan` makes."""
    total: int = 2 ** len(victims_of(case))
    for _, kind, _, count in supply_of(case):
        total *= sum(_spreads(placed, len(kind.nodes)) for placed in range(count + 1))
    return total


def _spreads(pods: int, nodes: int) -> int:
    if nodes == 0:
        return int(pods == 0)
    return comb(pods + nodes - 1, nodes - 1)


def every_plan(case: RandomCase) -> Iterator[PlanResult]:
    """Right and wrong ones; a gang that loses pods receives none."""
    supply = supply_of(case)
    running = victims_of(case)
    pods = case.snapshot.pod_by_name
    choices = [list(_placements(*one)) for one in supply]
    for size in range(len(running) + 1):
        for evicted in itertools.combinations(running, size):
            losing = {pods[name].gang for name in evicted}
            for chosen in itertools.product(*choices):
                placed = [one for part in chosen for one in part]
                if losing.isdisjoint(one.gang for one in placed):
                    reasons = {gang.full_name: _REASON for gang in case.snapshot.gangs}
                    entries = gang_entries(case.snapshot, placed, reasons=reasons, evicted=evicted)
                    yield PlanResult(gangs=entries)


def _placements(
    view: GangView, kind: PodKind, names: tuple[str, ...], count: int
) -> Iterator[list[Placement]]:
    for spread in itertools.product(range(count + 1), repeat=len(kind.nodes)):
        if sum(spread) > count:
            continue
        left = list(names)
        placed = []
        for node, pods in zip(kind.nodes, spread, strict=True):
            if pods:
                taken, left = tuple(left[:pods]), left[pods:]
                placed.append(Placement(view.name, kind.role, node, pods, taken))
        yield placed
