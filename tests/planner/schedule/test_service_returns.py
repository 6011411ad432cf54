"""Two services in one loan: each has its GPUs back at its own time."""

from __future__ import annotations

import dataclasses

import pytest

from models.effective import EffectivePolicy
from models.lending import DemandCurve, LendingLimits, PoolLending
from models.moments import local_text
from models.plan import PlanResult
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import cluster, hours, node, spec, waiting
from planner.verify.check import verify

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def _night(later: tuple[int, ...]) -> tuple[PlanResult, Snapshot, EffectivePolicy]:
    """Two nodes of 4 GPUs, chat keeps one of each, and so does search; both need all they own again in the morning."""
    gangs = (waiting("short", 3, "2h"), waiting("long", 3, "3h"))
    services = tuple(
        Pod("svc", f"{name}-0", spec(1), node=place, phase="Running", labels={"app": name})
        for name, place in (("chat", "n0"), ("search", "n1"))
    )
    named = [{"name": n, "selector": {"app": n}} for n in ("chat", "search")]
    snapshot, policy = cluster((node("n0", 4), node("n1", 4)), gangs, policy={"services": named})
    snapshot = dataclasses.replace(snapshot, pods=services)
    early = (1, 1, 4, 4, 4)
    lendable = tuple(8 - a - b for a, b in zip(early, later, strict=True))
    limits = LendingLimits(
        edges=hours(5).edges,
        pools=(PoolLending(pool="p", owned_gpus=8, lendable_gpus=lendable, slow_gpus=lendable),),
        demand=(
            DemandCurve(service="chat", pool="p", forecast=early, held=early),
            DemandCurve(service="search", pool="p", forecast=later, held=later),
        ),
    )
    options = ScheduleOptions(horizon_s=5 * 3600, bucket_s=3600, limits=LIMITS)
    return make_schedule(snapshot, policy, limits, options, guard=False), snapshot, policy


def test_each_service_has_its_own_leave_by() -> None:
    """Both got 04:00, the later one: chat has to have its GPUs back two hours earlier."""
    result, snapshot, policy = _night((1, 1, 1, 1, 4))
    assert result.schedule is not None
    (loan,) = result.schedule.loans
    clock = {one.service: (one.leave_by, one.returned_by, one.slack_s) for one in loan.services}
    at = [_text(result, bucket) for bucket in range(5)]
    assert clock == {"chat": (at[2], at[2], 0), "search": (at[4], at[3], 3600)}
    assert verify(snapshot, policy, result).violations == ()


def _text(result: PlanResult, bucket: int) -> str:
    assert result.schedule is not None
    return local_text(result.schedule.edges[bucket], result.schedule.timezone)


@pytest.mark.parametrize("field", ["leave_by", "service"])
def test_another_time_is_found(field: str) -> None:
    result, snapshot, policy = _night((1, 1, 1, 1, 4))
    schedule = result.schedule
    assert schedule is not None
    (loan,) = schedule.loans
    other = {"leave_by": loan.leave_by, "service": "mail"}[field]
    wrong = loan.services[0].model_copy(update={field: other})
    loan = loan.model_copy(update={"services": (wrong, *loan.services[1:])})
    changed = schedule.model_copy(update={"loans": (loan,)})
    result = result.model_copy(update={"schedule": changed})
    assert any("services" in one.message for one in verify(snapshot, policy, result).violations)
