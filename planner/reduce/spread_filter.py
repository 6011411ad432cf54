"""Plans that keep topology spread constraints: gangs that a plan leaves uneven lose their pods."""

from __future__ import annotations

from planner.problem.placement import PlacementProblem
from planner.problem.spreads import counts_of
from planner.reduce.disaggregate import Assignment


def keeps_spreads(problem: PlacementProblem, assignment: Assignment) -> bool:
    """Whether all constraints hold."""
    if not problem.spreads:
        return True
    spots = ((one.shape, one.node, one.count) for one in assignment.placed(problem))
    return counts_of(problem.spreads, spots).broken() is None


def without_uneven(problem: PlacementProblem, assignment: Assignment) -> Assignment:
    """The plan without the gangs that break a constraint, the youngest first; the same object where none does."""
    while not keeps_spreads(problem, assignment):
        spots = ((one.shape, one.node, one.count) for one in assignment.placed(problem))
        found = counts_of(problem.spreads, spots).broken()
        assert found is not None
        one = problem.spreads[found[0]]
        guilty = [
            demand
            for demand, items in assignment.pods.items()
            if any(
                problem.demands[demand].items[item].shape in one.shapes | one.matching
                and any(count and one.place[node] == found[1] for node, count in places)
                for item, places in items.items()
            )
        ]
        last = max(guilty, key=lambda d: problem.gang_order[problem.demands[d].gang])
        assignment.pods.pop(last)
    return assignment
