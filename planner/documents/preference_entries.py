"""What every gang prefers and does not get, in the plan document."""

from __future__ import annotations

from models.plan import UnmetPreference
from planner.encode.preferences.unmet import unmet_by_demand
from planner.encode.prepared import Prepared
from planner.reduce.disaggregate import Assignment


def unmet_preferences(
    prepared: Prepared, plan: Assignment
) -> dict[str, tuple[UnmetPreference, ...]]:
    """Gang that receives pods to the rules that they do not get, the most points first."""
    if prepared.preferred is None:
        return {}
    problem = prepared.problem
    found = unmet_by_demand(problem, prepared.preferred.wishes(plan.evicted), plan)
    return {
        problem.gang_names[problem.demands[demand].gang]: tuple(
            UnmetPreference(rule=one.words, pods=pods, points=pods * one.points)
            for one, pods in sorted(
                mine.items(), key=lambda entry: (-entry[1] * entry[0].points, entry[0].words)
            )
        )
        for demand, mine in found.items()
    }
