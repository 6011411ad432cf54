"""Why every gang waits that waits after the plan: all binding reasons, with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from models.plan import Reason
from planner.explain.binding import Bindings
from planner.explain.ground import Search
from planner.explain.groups import (
    NOT_STARTABLE,
    WaitingGroup,
    objective_positions,
    waiting_groups,
)
from planner.explain.started import StartedGangs
from planner.explain.taken import TakenRoom, takers
from planner.prepare.alone import ExactFit
from planner.prepare.disaggregate import Assignment
from planner.prepare.fill import room_after
from planner.prepare.prepared import Prepared
from planner.problem.placement import Standing


def waiting_reasons(
    prepared: Prepared,
    assignment: Assignment,
    startable: frozenset[int],
    standings: Sequence[Standing],
    *,
    exact: ExactFit | None = None,
    deadline: Callable[[], bool] = lambda: False,
) -> dict[str, tuple[Reason, ...]]:
    """Reasons by full name of every gang that waits after the plan, at least one each; most actionable first.

    Gangs that ask for the same in the same place share their reasons, which are found once.

    Parameters
    ----------
    startable
        Indices into ``problem.demands`` of the gangs that fit alone beside the running pods.
    exact
        Settles fits that counting leaves open. Without it, or once ``deadline`` says True, such a fit supports no
        reason that claims more than that the gang found no place.
    """
    found = {
        case.gang.full_name: case.blocked
        for case in prepared.cases
        if case.blocked and not case.ready and not case.gang.finished
    }
    problem = prepared.problem
    positions = {
        demand: place
        for demand, place in objective_positions(prepared, standings).items()
        if demand in startable
    }
    waiting = [
        index
        for index, demand in enumerate(problem.demands)
        if not demand.ready and not assignment.pods.get(index)
    ]
    groups = waiting_groups(prepared, waiting, standings, positions)
    search = Search(exact, deadline)
    alone = [one for one in groups if one.position == NOT_STARTABLE]
    beaten = [one for one in groups if one.position != NOT_STARTABLE]
    explained = [
        *_alone(prepared, alone, search),
        *_beside_plan(prepared, assignment, beaten, standings, positions, search),
    ]
    for group, reasons in explained:
        for index in group.demands:
            found[problem.gang_names[problem.demands[index].gang]] = reasons
    return found


Explained = list[tuple[WaitingGroup, tuple[Reason, ...]]]


def _alone(prepared: Prepared, groups: Sequence[WaitingGroup], search: Search) -> Explained:
    """Gangs that do not fit even alone beside the running pods."""
    if not groups:
        return []
    bindings = Bindings(prepared, search)
    return [(one, bindings.of(one).reasons()) for one in groups]


def _beside_plan(
    prepared: Prepared,
    assignment: Assignment,
    groups: Sequence[WaitingGroup],
    standings: Sequence[Standing],
    positions: Mapping[int, int],
    search: Search,
) -> Explained:
    """Gangs that fit alone, judged by what the plan leaves."""
    if not groups:
        return []
    problem = prepared.problem
    after = room_after(problem, assignment)
    bindings = Bindings(prepared, search, assignment)
    started = StartedGangs(problem, assignment, positions, after.free)
    taken = TakenRoom(prepared, started, {one.demand: one.tier_class for one in standings})
    found: Explained = []
    for group, who in zip(groups, takers(problem, groups, started, after, search), strict=True):
        binding = bindings.of(group)
        if binding.untried:
            found.append((group, binding.reasons()))
            continue
        near = taken.near(group, binding.limits, binding.dimensions)
        if who == "same":
            binding = binding.told(taken.same(group, near, binding.missing))
        first = (taken.first(group, near),) if who == "first" else ()
        found.append((group, binding.reasons(first)))
    return found
