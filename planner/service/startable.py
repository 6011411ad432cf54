"""Which waiting gangs fit alone beside the running pods."""

from __future__ import annotations

from planner.prepare.alone import ExactFit, fits
from planner.prepare.fit import Room
from planner.problem.placement import PlacementProblem


def startable_demands(problem: PlacementProblem, exact: ExactFit) -> frozenset[int]:
    """Indices of the demands that wait and fit alone; equal demands are judged once."""
    room = Room(problem)
    known: dict[tuple[object, ...], bool] = {}
    found: set[int] = set()
    for index, demand in enumerate(problem.demands):
        if demand.ready:
            continue
        items = tuple((i.role, i.shape, i.count, i.step, i.subgroup) for i in demand.items)
        key = (demand.queue, demand.need, demand.role_need, items, demand.subgroups)
        if key not in known:
            known[key] = fits(problem, demand, room, exact)
        if known[key]:
            found.add(index)
    return frozenset(found)
