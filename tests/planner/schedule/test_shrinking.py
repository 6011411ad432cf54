"""An elastic gang that runs gives back the pods above its minimum, and goes on with the others."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from models.lending import DemandCurve, LendingLimits, PoolLending
from models.plan import PlanResult
from models.schedule import ScheduledGang
from models.workloads import Gang, Pod
from planner.manifests.build import night_manifests
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import NOW, cluster, hours, node, spec
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.inputs.lending import LendingSource

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def _running(result: PlanResult, name: str) -> ScheduledGang:
    assert result.schedule is not None
    return next(g for g in result.schedule.gangs if g.name == name and g.status == "running")


def test_it_loses_four_pods_in_the_morning_and_goes_on_with_eight(shared: Path) -> None:
    """It was stopped whole at 06:00, and its own eight GPUs were idle afterwards."""
    folder = shared / "cases" / "faults"
    given = read_checked([str(folder / "s7.json")], policy_file=folder / "s7.pol.yaml")
    result = make_schedule(
        given.snapshot,
        given.policy,
        LendingSource(given.snapshot, given.policy.policy),
        ScheduleOptions(horizon_s=12 * 3600, limits=LIMITS),
        guard=False,
    )
    entry = _running(result, "el")
    gpus: dict[str, int] = {}
    for run in entry.runs:
        gpus[run.ends_at] = gpus.get(run.ends_at, 0) + run.gpus
    assert gpus == {"2026-11-20T06:00:00Z": 4, "2026-11-20T14:00:00Z": 8}
    assert [len(shrink.pods) for shrink in entry.shrinks] == [4]
    assert entry.work_gpu_seconds == (12 * 3 + 8 * 8) * 3600
    assert result.summary.missed_returns == 0


def _night(minimum: int, *, kept: bool = False) -> PlanResult:
    """One node of 8 GPUs, six of them run a gang; a service is back with six pods of one GPU after two hours."""
    marks = {"volcano.sh/preemptable": "false"} if kept else {}
    gang = Gang(
        "ns", "el", queue="q", min_member=minimum, created=NOW,
        annotations={"gangplan.io/runtime": "9h"},
    )  # fmt: skip
    pods = tuple(
        Pod(
            "ns", f"el-{n}", spec(1), gang="ns/el", node="n0", phase="Running",
            created=NOW, started=NOW, annotations=marks,
        )
        for n in range(6)
    )  # fmt: skip
    chat = Pod("svc", "chat-0", spec(1), node="n0", phase="Running", labels={"app": "chat"})
    service = {"services": [{"name": "chat", "selector": {"app": "chat"}}]}
    snapshot, policy = cluster((node("n0"),), (gang,), policy=service)
    snapshot = dataclasses.replace(snapshot, pods=(*pods, chat))
    held = (1, 1, 6, 6)
    pool = PoolLending(pool="p", owned_gpus=6, lendable_gpus=(5, 5, 0, 0), slow_gpus=(5, 5, 0, 0))
    curve = DemandCurve(service="chat", pool="p", forecast=held, held=held)
    limits = LendingLimits(edges=hours(4).edges, pools=(pool,), demand=(curve,))
    options = ScheduleOptions(horizon_s=4 * 3600, bucket_s=3600, limits=LIMITS)
    return make_schedule(snapshot, policy, limits, options, guard=False)


def test_it_shrinks_to_its_minimum_and_no_further() -> None:
    two = _running(_night(2), "el")
    assert {(run.end_bucket, run.gpus) for run in two.runs} == {(2, 4), (4, 2)}
    whole = _running(_night(3), "el")
    assert [run.end_bucket for run in whole.runs] == [2]
    assert whole.shrinks == ()


def test_what_may_not_be_stopped_does_not_shrink_either() -> None:
    result = _night(2, kept=True)
    assert [run.end_bucket for run in _running(result, "el").runs] == [4]
    assert result.summary.missed_returns > 0


def test_manifests_let_the_pods_go_that_leave_and_no_others(shared: Path) -> None:
    folder = shared / "cases" / "faults"
    given = read_checked([str(folder / "s7.json")], policy_file=folder / "s7.pol.yaml")
    result = make_schedule(
        given.snapshot,
        given.policy,
        LendingSource(given.snapshot, given.policy.policy),
        ScheduleOptions(horizon_s=12 * 3600, limits=LIMITS),
        guard=False,
    )
    files = night_manifests(given.snapshot, result, given.policy)
    (text,) = [one.text for one in files if one.path == "evictions.csv"]
    (_, line) = text.strip().splitlines()
    (names,) = [set(s.pods) for s in _running(result, "el").shrinks]
    listed = {word.removeprefix("pod/") for word in line.split() if word.startswith("pod/")}
    assert {f"b/{name.rstrip(',')}" for name in listed} == names
