"""Where a limit ends the search the plan is still correct and leaves no gang that fits beside it (P3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from models.plan import PlanResult
from models.resources import Resources
from models.snapshot import Snapshot
from planner.testing.oracle.best_vector import feasible
from planner.testing.oracle.situation import Situation
from planner.testing.random_snapshots import random_case


def _placements(snapshot: Snapshot, plan: PlanResult) -> Iterator[tuple[str, str, Resources]]:
    """Node, queue and request of every placed pod."""
    for entry in plan.gangs:
        gang = snapshot.gang_by_name[entry.full_name]
        for one in entry.pods:
            if one.action == "place" and one.node is not None:
                for name in one.names:
                    yield one.node, gang.queue, snapshot.pod_by_name[name].spec.request
                template = gang.template(one.role)
                for _ in range(one.count - len(one.names)):
                    assert template is not None
                    yield one.node, gang.queue, template.spec.request


@pytest.mark.parametrize("batch", range(3))
def test_no_waiting_gang_fits_beside_a_plan_made_in_no_time(
    batch: int,
    plan_of: Callable[..., PlanResult],
    started_by: Callable[[PlanResult], frozenset[str]],
) -> None:
    for seed in range(6000 + batch * 20, 6020 + batch * 20):
        case = random_case(seed)
        plan = plan_of(case.snapshot, case.policy, time_limit_s=0.0)
        placed = list(_placements(case.snapshot, plan))
        waiting = set(Situation(case.snapshot, case.policy).startable) - started_by(plan)
        for name in waiting:
            beside = feasible(case.snapshot, case.policy, [name], keep_fixed=placed)
            assert not beside, (case.name, name)
