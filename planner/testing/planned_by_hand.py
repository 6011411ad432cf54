"""Verified plans of clusters written by hand, and what a test asks of them."""

from __future__ import annotations

from models.cluster import HyperNode, Node
from models.plan import GangEntry, PlanResult
from models.queues import Queue
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, snapshot_of
from planner.testing.problems import policy_of
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20, deterministic=True, workers=1)


def planned(*parts: Node | Queue | Work | HyperNode, **keys: object) -> PlanResult:
    """The plan of these parts under a policy with these keys; it breaks no rule."""
    snapshot = snapshot_of(*parts)
    plan = make_plan(snapshot, policy_of(snapshot, **keys), LIMITS, guard=False)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    return plan


def entry_of(plan: PlanResult, name: str) -> GangEntry:
    """Entry of a gang."""
    return next(one for one in plan.gangs if one.name == name)


def nodes_of(plan: PlanResult, name: str) -> list[str]:
    """Nodes of a gang's placed pods, one for each pod, sorted."""
    pods = entry_of(plan, name).pods
    return sorted(one.node for one in pods for _ in range(one.count) if one.node)
