"""Rows of a drill. Units: base units of the dimension, pods, gangs; seconds are data, never variables."""

from __future__ import annotations

from planner.drill.model.variables import DrillVariables, Terms
from planner.model.evictions import disruption_budgets, gang_losses
from planner.model.over_deserved import taken_above_deserved
from planner.problem.drill import DrillProblem
from planner.problem.linear import LinearModel

Asking = list[tuple[int, int]]
"""(column, need) of pods that may have room."""


def room_in_time(model: LinearModel, problem: DrillProblem, variables: DrillVariables) -> None:
    """I1 at every second t: ``sum_{t' <= t} request_d x_nt' <= room_nd + endings by t + sum_{v by t} v_d e_vn``."""
    by_node: dict[int, list[tuple[int, int, int]]] = {}
    for (need, node, second), column in variables.placed.items():
        by_node.setdefault(node, []).append((second, column, need))
    for node, columns in by_node.items():
        for second in variables.seconds[node]:
            asking = [(column, need) for when, column, need in columns if when <= second]
            if asking:
                _room(model, problem, variables, node, second, asking)


def _room(
    model: LinearModel,
    problem: DrillProblem,
    variables: DrillVariables,
    node: int,
    second: int,
    asking: Asking,
) -> None:
    """On an overcommitted node the right side may be below 0: it then binds only if a pod gets room there (z)."""
    free = problem.free_at(node, second)
    requests = {need: problem.needs[need].request for _, need in asking}
    asked = [d for d in range(len(free)) if any(request[d] for request in requests.values())]
    used: int | None = None
    if any(free[d] < 0 for d in asked):
        used = model.variable(0, 1)
        for column, _ in asking:
            model.at_most([(column, 1), (used, -model.upper[column])], 0, "node_capacity")
    for d in asked:
        terms: Terms = [(column, requests[need][d]) for column, need in asking]
        terms += _freed(problem, variables, node, second, d)
        if free[d] < 0 and used is not None:
            terms.append((used, -free[d]))
        model.at_most(terms, max(free[d], 0), "node_capacity")


def _freed(
    problem: DrillProblem, variables: DrillVariables, node: int, second: int, dimension: int
) -> Terms:
    kinds = problem.victims.kinds
    return [
        (column, -pods * kinds[kind].vector[dimension])
        for kind, column, pods in variables.evictions.by_group.get(variables.group_of[node], ())
        if kinds[kind].seconds <= second and kinds[kind].vector[dimension]
    ]


def pods_wanted(model: LinearModel, problem: DrillProblem, variables: DrillVariables) -> None:
    """``sum_nt x_snt <= pods_s``."""
    for number, need in enumerate(problem.needs):
        terms = [(c, 1) for (one, _, _), c in variables.placed.items() if one == number]
        model.at_most(terms, need.pods, "pods_wanted")


def queue_limits(model: LinearModel, problem: DrillProblem, variables: DrillVariables) -> None:
    """I4: new pods stay within the limits of their queue and its ancestors; who leaves gives back at once."""
    for one in problem.queue_rooms:
        terms: Terms = [
            (column, one.asked[need])
            for (need, _, _), column in variables.placed.items()
            if need in one.asked
        ]
        for kind, amount in one.returned.items():
            terms += variables.evictions.of_kind(kind, -amount)
        model.at_most(terms, one.room, "queue_limit")


def shares_kept(model: LinearModel, problem: DrillProblem, variables: DrillVariables) -> None:
    """I7: compared queues keep their guarantee and are above what they deserve when a pod is taken (r_v = sum e_v)."""
    evictions = variables.evictions
    reclaimed = variables.reclaimed
    for kind in sorted(problem.compared & evictions.totals.keys()):
        column = reclaimed[kind] = model.variable(0, evictions.totals[kind])
        model.equal([*evictions.of_kind(kind), (column, -1)], 0, "victim_entitlement")
    taken_above_deserved(model, evictions, reclaimed, lambda queue, level, place: [])


def gangs_stay_whole(model: LinearModel, problem: DrillProblem, variables: DrillVariables) -> None:
    """I3 and I7: a gang loses surplus or all; disruption budgets hold."""
    gang_losses(model, variables.evictions)
    disruption_budgets(model, variables.evictions)


CONSTRAINTS = (room_in_time, pods_wanted, queue_limits, shares_kept, gangs_stay_whole)
