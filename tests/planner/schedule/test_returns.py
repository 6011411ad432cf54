"""Returns are kept pod by pod on nodes, or told first as missed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from models.lending import DemandCurve, LendingLimits, PoolLending
from models.nightly.run import NightRun
from models.plan import PlanResult
from models.snapshot import PodUse
from models.workloads import Pod
from planner.problem.limits import Limits
from planner.report.night_metrics import metrics_text
from planner.report.schedule_report import schedule_report
from planner.schedule.encode.service_pods import DELETION_COST
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import cluster, hours, node, running, spec, waiting
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.inputs.lending import LendingSource
from planner.usecases.requirements import missed_requirements, parse_requirement

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)
CHAT = {"services": [{"name": "chat", "selector": {"app": "chat"}}]}


def _shared(folder: Path, name: str, policy: str, hours: int = 12) -> PlanResult:
    given = read_checked([str(folder / name)], policy_file=folder / policy)
    return make_schedule(
        given.snapshot,
        given.policy,
        LendingSource(given.snapshot, given.policy.policy),
        ScheduleOptions(horizon_s=3600 * hours, limits=LIMITS),
    )


def _chat(number: int, where: str, gpus: int, cost: str = "") -> Pod:
    marks = {DELETION_COST: cost} if cost else {}
    return Pod(
        "svc",
        f"chat-{number}",
        spec(gpus),
        node=where,
        phase="Running",
        labels={"app": "chat"},
        annotations=marks,
        started=f"2026-09-15T1{number}:00:00Z",
    )


def _night(world, held: tuple[int, ...], owned: int) -> PlanResult:
    """A schedule with limits that follow from what is kept for chat in pool p, hour by hour."""
    horizon = hours(len(held))
    lendable = tuple(owned - one for one in held)
    limits = LendingLimits(
        edges=horizon.edges,
        pools=(
            PoolLending(pool="p", owned_gpus=owned, lendable_gpus=lendable, slow_gpus=lendable),
        ),
        demand=(DemandCurve(service="chat", pool="p", forecast=held, held=held),),
    )
    options = ScheduleOptions(horizon_s=3600 * len(held), bucket_s=3600, limits=LIMITS)
    return make_schedule(*world, limits, options, guard=False)


def _with(world, pods: tuple[Pod, ...]):
    snapshot, policy = world
    every = tuple(sorted((*snapshot.pods, *pods), key=lambda one: one.full_name))
    return dataclasses.replace(snapshot, pods=every), policy


def _places(result: PlanResult) -> set[tuple[str, int, int, int]]:
    assert result.schedule is not None
    return {
        (one.node, one.start_bucket, one.end_bucket, one.gpus)
        for one in result.schedule.service_places
    }


def test_a_missed_return_is_told_first_everywhere(shared: Path) -> None:
    """It was told as kept: "all back by 14:00", slack 0, exit code 0."""
    result = _shared(shared / "cases" / "faults", "s8.json", "s7.pol.yaml")
    assert result.schedule is not None
    (missed,) = result.schedule.missed_returns
    assert (missed.service, missed.gpus, missed.gpu_seconds) == ("chat", 4, 4 * 8 * 3600)
    assert (missed.due_at, missed.back_at) == ("2026-11-20T06:00:00Z", "2026-11-20T14:00:00Z")
    assert result.summary.sentence.startswith(
        "4 GPUs of chat (NVIDIA-H100) are missing from 2026-11-20T06:00"
    )
    assert result.certificate.tiers[0].value == 4 * 8 * 3600
    assert schedule_report(result).key_figures[0].label == "Not back in time"
    assert [loan.slack_s for loan in result.schedule.loans] == [-8 * 3600]
    metric = 'gangplan_loan_return_slack_seconds{service="chat"} -28800.0'
    assert metric in metrics_text(NightRun(), result)
    asked = [parse_requirement("missedReturns==0")]
    assert missed_requirements(asked, result.summary)


def test_a_pod_of_a_service_comes_back_to_one_node(shared: Path) -> None:
    """Eight GPUs came back as 4 + 4 on two nodes, and the service's pod needs 8 of one."""
    result = _shared(shared / "cases" / "faults", "s11.json", "s11.pol.yaml")
    assert result.schedule is not None
    assert result.schedule.missed_returns == ()
    back = [p for p in result.schedule.service_places if p.start_bucket and not p.names]
    assert [(one.pods, one.gpus) for one in back] == [(1, 8)]
    away = [g.name for g in result.schedule.gangs if g.status == "running" and g.reasons]
    assert away in (["g2"], ["g4"])
    assert back[0].node == {"g2": "n1", "g4": "n2"}[away[0]]


def test_a_return_that_no_node_can_hold_is_missed() -> None:
    """Two nodes with a pod of 4 GPUs that may not be stopped on each: 8 GPUs are free, and no pod of 8 fits."""
    keep = {"volcano.sh/preemptable": "false"}
    runs = tuple(running(f"r{n}", 4, "9h", f"n{n}") for n in range(2))
    runs = tuple((g, dataclasses.replace(p, annotations=keep)) for g, p in runs)
    nodes = (node("n0"), node("n1"), node("n2"))
    world = _with(cluster(nodes, (), runs, policy=CHAT), (_chat(0, "n2", 8),))
    result = _night(world, (8, 8, 16, 16), 16)
    assert result.schedule is not None
    (missed,) = result.schedule.missed_returns
    assert (missed.gpus, missed.start_bucket, missed.back_at) == (8, 2, None)
    assert result.summary.missed_returns == 8 * 2 * 3600


def test_the_controller_removes_cheap_pods_first_then_those_of_fuller_nodes() -> None:
    nodes = (node("n0"), node("n1"))
    pods = (_chat(0, "n0", 2), _chat(1, "n0", 2), _chat(2, "n1", 2))
    result = _night(_with(cluster(nodes, (), policy=CHAT), pods), (6, 4, 2, 6), 6)
    # n0 has two of them: its newer one goes first, then the newest of the rest; both nodes get theirs back.
    assert _places(result) == {
        ("n0", 0, 4, 2), ("n0", 0, 1, 2), ("n0", 3, 4, 2), ("n1", 0, 2, 2), ("n1", 3, 4, 2)
    }  # fmt: skip
    dear = (_chat(0, "n0", 2, "5"), _chat(1, "n0", 2, "5"), _chat(2, "n1", 2, "-5"))
    result = _night(_with(cluster(nodes, (), policy=CHAT), dear), (6, 4, 4, 4), 6)
    assert _places(result) == {("n0", 0, 4, 4), ("n1", 0, 1, 2)}


def test_whole_nodes_are_lent_only_where_whole_nodes_are_free() -> None:
    """Four of eight GPUs stay on each of two nodes: 8 are lent, and no gang of 8 on one node may be promised them."""
    nodes = (node("n0"), node("n1"))
    pods = tuple(_chat(n, f"n{n // 4}", 2) for n in range(8))
    whole, halves = waiting("whole", 8, "1h"), waiting("halves", 4, "1h", pods=2)
    even = tuple(
        dataclasses.replace(one, annotations={DELETION_COST: f"{i % 4}"})
        for i, one in enumerate(pods)
    )
    world = _with(cluster(nodes, (whole,), policy=CHAT), even)
    result = _night(world, (16, 8, 8, 16), 16)
    assert result.schedule is not None
    assert [g.status for g in result.schedule.gangs] == ["waits"]
    world = _with(cluster(nodes, (halves,), policy=CHAT), even)
    result = _night(world, (16, 8, 8, 16), 16)
    assert result.schedule is not None
    assert [(g.status, g.runs[0].start_bucket) for g in result.schedule.gangs] == [("starts", 1)]


def test_a_service_that_was_gone_comes_back_in_pods_of_its_size() -> None:
    """All pods are removed for an hour: the pod that returns still needs 2 GPUs of one node, not 1."""
    world = _with(cluster((node("n0", 4),), (), policy=CHAT), (_chat(0, "n0", 2),))
    assert _places(_night(world, (2, 0, 1), 2)) == {("n0", 0, 1, 2), ("n0", 2, 3, 2)}


def test_an_idle_holder_leaves_for_a_return_where_the_policy_says_so() -> None:
    """Two gangs hold four GPUs each; a service needs four after an hour. The idle one ran longer than the other."""

    def leavers(*harm: str) -> list[str]:
        keys = {**CHAT, **({"harm": list(harm)} if harm else {})}
        world = cluster(
            (node("n0"),),
            (),
            (running("a-busy", 4, "3h", "n0"), running("z-idle", 4, "5h", "n0")),
            policy=keys,
        )
        snapshot, policy = world
        names = {one.gang: one.full_name for one in snapshot.pods}
        use = tuple(
            PodUse(names[gang], 7200, worked, idle, idle)
            for gang, worked, idle in (("ns/a-busy", 900, 0), ("ns/z-idle", 0, 7200))
        )
        result = _night((dataclasses.replace(snapshot, use=use), policy), (0, 4, 4, 4), 8)
        assert result.schedule is not None
        assert result.summary.missed_returns == 0
        assert result.verification is not None
        assert result.verification.violations == ()
        return [
            one.name
            for one in result.schedule.gangs
            if one.status == "running" and one.runs[-1].end_bucket == 1
        ]

    assert leavers() == ["a-busy"]
    assert leavers("idle", "gangs", "pods", "moves", "lost_work", "domains") == ["z-idle"]
