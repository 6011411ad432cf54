from __future__ import annotations

import io
from dataclasses import replace
from datetime import date

import pytest

from models.history.night import PastFigures
from models.history.trend import Trend, TrendPoint
from models.nightly.reader import Reader
from models.plan import GangEntry, NodeEntry, PlanResult, Reason, Verification
from models.resources import Resources
from models.schedule import Duration
from models.workloads import GangCondition
from planner.manifests.build import night_manifests
from planner.report.formats import write_report
from planner.report.gpus import gpu_names
from planner.report.night.asks import MOST, asks_of, asks_section
from planner.report.night.congestion import congestion_section, pool_loads
from planner.report.night.failing import failing_gangs, failing_section
from planner.report.night.long_waits import long_waits, long_waits_section
from planner.report.night.payoff import payoff_section, payoffs
from planner.report.night.report import night_report
from planner.report.night.subject import NightSubject
from planner.report.night.trend import FIGURES, trend_section
from planner.testing.nights_by_hand import HOUR, NightByHand, schedule_of, scheduled, whole_night

GPU = "nvidia.com/gpu"
WHOLE = (
    "decisions", "over-time", "starts", "queues", "not-within-horizon", "loans", "long-waits", "failing",
    "congestion", "payoff", "trend", "method", "findings",
)  # fmt: skip


@pytest.fixture(scope="module")
def night() -> NightByHand:
    return whole_night()


def subject_of(result: PlanResult, **more: object) -> NightSubject:
    assert result.schedule is not None
    return NightSubject(result=result, schedule=result.schedule, **more)  # type: ignore[arg-type]


def test_the_whole_report_has_all_parts_in_order(night: NightByHand) -> None:
    report = night_report(night.result, snapshot=night.snapshot)
    assert tuple(section.anchor for section in report.sections("page", 100)) == WHOLE


@pytest.mark.parametrize(
    ("reader", "anchors"),
    [
        (Reader("platform"), set(WHOLE) - {"queues"}),
        (Reader("capacity"), {"decisions", "queues", "long-waits", "failing", "congestion", "payoff", "trend"}),
        (
            Reader("tenant", "batch"),
            {"decisions", "over-time", "starts", "queues", "not-within-horizon", "long-waits", "failing", "findings"},
        ),
        (Reader("service", "chat"), {"decisions", "loans"}),
    ],
)  # fmt: skip
def test_each_reader_gets_their_parts(
    night: NightByHand, reader: Reader, anchors: set[str]
) -> None:
    report = night_report(night.result, reader, snapshot=night.snapshot)
    found = [section.anchor for section in report.sections("page", 100)]
    assert set(found) == anchors
    assert [anchor for anchor in WHOLE if anchor in anchors] == found


@pytest.mark.parametrize("form", ["html", "md", "table", "json"])
@pytest.mark.parametrize("kind", ["platform", "capacity", "tenant batch", "service chat"])
def test_every_form_of_every_cut_is_written(night: NightByHand, form: str, kind: str) -> None:
    from models.nightly.reader import parse_reader

    out = io.StringIO()
    report = night_report(night.result, parse_reader(kind), snapshot=night.snapshot)
    write_report(report, form, stream=out, width=120)
    assert len(out.getvalue()) > 300


def test_decisions_are_at_most_five_and_gains_are_planned_ones(night: NightByHand) -> None:
    files = night_manifests(night.snapshot, night.result, night.policy)
    assert night.result.schedule is not None
    fixes = [f"change {number}" for number in range(7)]
    waits = tuple(
        scheduled(
            f"w{number}",
            status="waits",
            gpus=8 * (number + 1),
            duration=Duration(seconds=HOUR, low_s=HOUR, high_s=HOUR, source="annotation"),
            fixes=(fix,),
            reasons=(Reason(code="cluster_capacity", message="full"),),
        )
        for number, fix in enumerate(fixes)
    )
    schedule = night.result.schedule.model_copy(
        update={"gangs": (*night.result.schedule.gangs, *waits), "work_gpu_seconds": 1000 * HOUR}
    )
    checked = Verification(violations=())
    result = night.result.model_copy(update={"schedule": schedule, "verification": checked})
    subject = subject_of(result, manifests=files)
    found = asks_of(subject)
    assert [ask.planned for ask in found] == [True] + [False] * (len(found) - 1)
    assert [ask.gpu_seconds for ask in found] == sorted(
        (a.gpu_seconds for a in found), reverse=True
    )
    section = asks_section(subject)
    rows = section.tables[0].rows
    assert len(rows) == MOST < len(found)
    assert rows[0][1].startswith("Follow the schedule: ")
    assert rows[0][3:] == ("1,000.0", "manifests/README.md")
    assert {row[3] for row in rows[1:]} == {"-"}  # nobody planned a change: no gain is promised
    assert f"{len(found) - MOST} smaller points left out." in section.tables[0].notes
    fix = next(ask for ask in found if ask.text.startswith("Change 6"))
    assert (fix.gpus, fix.gpu_seconds) == (56, 56 * HOUR)
    assert fix.how == "gangplan explain snapshot.json.gz --gang ml/w6"


def test_closed_nodes_are_a_decision(night: NightByHand) -> None:
    closed = NodeEntry(name="n 1", allocatable=Resources({GPU: 8}), conditions=("unschedulable",))
    subject = subject_of(night.result.model_copy(update={"nodes": (closed,)}))
    (ask,) = (one for one in asks_of(subject) if one.text.startswith("Bring back"))
    assert (ask.gpus, ask.gpu_seconds) == (8, 8 * 8 * HOUR)
    assert ask.how == "kubectl uncordon 'n 1'"


def test_gangs_that_failed_are_listed_the_worst_first(night: NightByHand) -> None:
    snapshot = night.snapshot
    condition = GangCondition("Failed", "BackoffLimitExceeded")
    usual = GangCondition("Unschedulable", "NotEnoughResources")
    gangs = tuple(
        replace(one, failed_pods=4, conditions=(usual, condition)) if one.name == "leaves" else one
        for one in snapshot.gangs
    )
    pods = tuple(
        replace(pod, restarts=9, reason="CrashLoopBackOff") if pod.name == "ends-0" else pod
        for pod in snapshot.pods
    )
    changed = replace(snapshot, gangs=gangs, pods=pods)
    found = failing_gangs(changed, (GPU,))
    assert [one.gang.name for one in found] == ["leaves", "tired", "podgroup-ends"]
    leaves, tired, ends = found
    assert (leaves.failed_pods, leaves.gpus, leaves.says) == (
        4,
        8,
        ("Failed: BackoffLimitExceeded",),
    )
    assert (tired.retries, tired.gpus) == (2, 0)
    assert (ends.restarts, ends.says) == (9, ("CrashLoopBackOff (1 pod)",))
    rows = failing_section(subject_of(night.result, snapshot=changed), (GPU,), 2).tables[0].rows
    assert rows[0][2] == "0 of 3"
    assert len(rows) == 2
    ask = next(
        a for a in asks_of(subject_of(night.result, snapshot=changed)) if "Look at" in a.text
    )
    assert "ml/leaves (4 failed pods)" in ask.text


def test_without_a_snapshot_failures_are_unknown_not_none(night: NightByHand) -> None:
    section = failing_section(subject_of(night.result), gpu_names(night.result), 10)
    assert "holds no retries" in section.lead
    assert section.tables == ()


def test_long_waits_count_from_creation(night: NightByHand) -> None:
    def waiting(name: str, created: str) -> GangEntry:
        return GangEntry(namespace="ml", name=name, queue="batch", decision="wait", created=created)

    entries = (
        waiting("bare", "2026-09-13T19:20:00Z"),
        waiting("held", "2026-09-15T18:20:00Z"),
        waiting("tired", "2026-09-10T19:20:00Z"),
        waiting("kept", ""),
    )
    subject = subject_of(night.result.model_copy(update={"gangs": entries}))
    assert [(gang.name, s) for gang, s in long_waits(subject)] == [
        ("tired", 5 * 86_400),
        ("bare", 2 * 86_400),
    ]
    section = long_waits_section(subject, 10)
    assert section.lead == "2 gangs waited for 1 d or more, together 1,344.0 GPU-h of waiting."
    assert section.tables[0].rows[0][4] == "not within the horizon"


def test_congestion_is_counted_in_gpu_hours() -> None:
    gangs = (
        scheduled("a", (0, 8), gpus=16, status="running"),
        scheduled("b", (4, 8), delay_s=4 * HOUR),
    )
    schedule = schedule_of(gangs, gpus=24, online=(0,) * 8)
    (load,) = pool_loads(subject_of(PlanResult(schedule=schedule)))
    assert load.offered == 24 * 8 * HOUR
    assert load.used == (16 * 8 + 8 * 4) * HOUR
    assert load.full_s == 4 * HOUR
    assert (load.later, load.delayed) == (1, 8 * 4 * HOUR)
    section = congestion_section(subject_of(PlanResult(schedule=schedule)), 10)
    assert section.tables[0].rows == (("lent", "24", "83.3", "32.0", "4 h", "1", "32.0"),)
    assert section.lead.startswith("0 pools of 1 at 90% or more")


def test_what_lending_and_eviction_bring() -> None:
    victim = GangEntry(
        namespace="ml",
        name="victim",
        queue="batch",
        decision="evict",
        reasons=(
            Reason(
                code="reclaimed",
                message="gives way",
                data={"gangs": ["ml/b"], "pods": 1, "gpus": 8, "lostGpuSeconds": 3 * HOUR},
            ),
        ),
    )
    gangs = (
        scheduled("a", (0, 4), lost_gpu_seconds=2 * HOUR),
        scheduled("b", (0, 2), work_gpu_seconds=16 * HOUR),
    )
    schedule = schedule_of(gangs, gpus=24, online=(0,) * 8)
    subject = subject_of(PlanResult(gangs=(victim,), schedule=schedule))
    lending, evicting = payoffs(subject)
    assert (lending.gained, lending.lost) == (48 * HOUR, 2 * HOUR)
    assert (evicting.gained, evicting.lost, evicting.net) == (16 * HOUR, 3 * HOUR, 13 * HOUR)
    assert evicting.what == "for 1 gang, 1 gang gives way"
    assert payoff_section(subject).lead == "Together 59.0 GPU-h more work than without."
    nothing = subject_of(PlanResult(schedule=schedule_of((), gpus=8, online=(8,) * 8)))
    assert payoff_section(nothing).tables == ()


def test_the_trend_compares_with_known_nights(night: NightByHand) -> None:
    assert all(name in PastFigures.model_fields for name, _, _ in FIGURES)
    points = tuple(
        TrendPoint(
            night=date(2026, 9, day),
            figures=None if day == 13 else PastFigures(gpus_after=day, work_gpu_seconds=day * HOUR),
        )
        for day in (11, 12, 13, 14)
    )
    section = trend_section(subject_of(night.result, trend=Trend(points=points)))
    rows = {row[0]: row[1:] for row in section.tables[0].rows}
    assert rows["GPUs allocated after the plan"] == ("GPUs", "14", "-", "-", "11")
    assert rows["Work in the horizon"] == ("GPU-hours", "14", "-", "-", "11")
    assert "1 night without a plan" in section.lead
    assert all("<svg" in figure.draw() for figure in section.figures)
    alone = trend_section(subject_of(night.result, trend=Trend(points=points[:1])))
    assert alone.tables == ()


def test_a_plan_without_schedule_has_no_night_report() -> None:
    with pytest.raises(ValueError, match="no schedule"):
        night_report(PlanResult())
