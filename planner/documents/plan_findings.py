"""Findings about the plan itself, told beside those about the input."""

from __future__ import annotations

from models.checks.guarantees import COVERED, plan_message
from models.plan import FindingEntry, PlanResult
from models.snapshot import Snapshot
from planner.encode.prepared import Prepared


def with_plan_findings(result: PlanResult, prepared: Prepared) -> PlanResult:
    """The document with a finding where the room left after the plan cannot cover what guarantees still owe.

    Room counts on Ready, uncordoned nodes only, as for the finding about the input.
    """
    limits, snapshot = prepared.limits, prepared.snapshot
    leaves = {entry.name for entry in result.queues if len(limits.below(entry.name)) == 1}
    message = plan_message(
        snapshot.queues,
        hierarchy=limits.hierarchy,
        used={entry.name: entry.after for entry in result.queues if entry.name in leaves},
        free=_free_after(result, snapshot),
        total=snapshot.total,
    )
    if not message:
        return result
    found = FindingEntry(
        code=COVERED.code,
        severity=COVERED.severity,
        object="plan/guarantee",
        message=message,
        remedy=COVERED.remedy,
    )
    told = result.snapshot.model_copy(update={"findings": (*result.snapshot.findings, found)})
    return result.model_copy(update={"snapshot": told})


def _free_after(result: PlanResult, snapshot: Snapshot) -> dict[str, int]:
    free = dict.fromkeys(snapshot.total, 0)
    for entry in result.nodes:
        node = snapshot.node_by_name[entry.name]
        if node.ready and not node.unschedulable:
            for name in free:
                free[name] += max(entry.allocatable.amount(name) - entry.after.amount(name), 0)
    return free
