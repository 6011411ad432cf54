"""The evictions of a plan as a table: who loses what, by which rule, for whom, and what is proved about it."""

from __future__ import annotations

from models.plan import (
    Certificate,
    GangEntry,
    PlanResult,
    PodGroupEntry,
    Reason,
    Summary,
    Tier,
)
from planner.report.frames import evictions_frame
from planner.report.plan_view import PlanView
from planner.report.sections.evictions import evictions_section
from planner.report.sections.plan import plan_sections


def _loser(
    name: str, code: str, pods: int, lost: int | None, *gangs: str, whole: bool = True
) -> GangEntry:
    data: dict[str, object] = {"gangs": list(gangs), "queue": "lent", "priority": 5, "pods": pods}
    if lost is not None:
        data |= {"gpus": pods, "lostGpuSeconds": lost}
    names = tuple(f"ml/{name}-{place}" for place in range(pods))
    return GangEntry(
        namespace="ml",
        name=name,
        queue="lent",
        priority=5,
        decision="evict" if whole else "shrink",
        pods=(PodGroupEntry(role="", action="evict", node="n1", count=pods, names=names),),
        reasons=(Reason(code=code, message="makes room", data=data),),
    )


def _tier(name: str, value: int, bound: int | None) -> Tier:
    return Tier(name=name, sense="min", unit="pods", value=value, bound=bound)


def _plan(*tiers: Tier) -> PlanResult:
    many = tuple(f"ml/new-{place}" for place in range(5))
    return PlanResult(
        summary=Summary(pods_evicted=5, gangs_evicted=1),
        certificate=Certificate(tiers=tiers),
        gangs=(
            _loser("small", "preempted", 1, 3600, "ml/urgent", whole=False),
            _loser("large", "reclaimed", 4, 36_000, *many),
        ),
    )


def test_the_dearest_loss_comes_first_with_its_rule_and_who_it_is_for() -> None:
    frame = evictions_frame(_plan())
    assert list(frame["gang"]) == ["ml/large", "ml/small"]
    assert list(frame["rule"]) == ["reclaim", "preempt"]
    assert list(frame["pods"]) == [4, 1]
    assert list(frame["lost_gpu_seconds"]) == [36_000, 3600]
    assert list(frame["nodes"]) == ["n1", "n1"]
    assert frame["room_for"][0].splitlines()[-1] == "ml/new-4"


def test_rows_have_units_and_name_few_gangs() -> None:
    section = evictions_section(PlanView(_plan()), "page", 50)
    (table,) = section.tables
    large, small = table.rows
    assert large[3:7] == ("everything", "4", "4", "10.0")
    assert large[-1] == "ml/new-0, ml/new-1, ml/new-2 and 2 more gangs"
    assert small[3] == "surplus"
    assert {column.unit for column in table.columns} >= {"pods", "GPUs", "GPU-hours"}
    assert section.lead.startswith("2 gangs lose 5 pods; 1 of them given up whole; 11.0 GPU-hours")


def test_what_is_proved_is_told_and_what_is_not_has_its_bound() -> None:
    proved = _plan(_tier("gangs_given_up", 1, 1), _tier("pods_evicted", 5, 5))
    lead = evictions_section(PlanView(proved), "page", 50).lead
    assert "Proved: no plan with these starts has fewer gangs given up, then fewer pods" in lead
    open_one = _plan(_tier("gangs_given_up", 1, 0), _tier("pods_evicted", 5, None))
    lead = evictions_section(PlanView(open_one), "page", 50).lead
    assert "Not proved least: gangs given up at least 0." in lead
    assert "Proved:" not in lead


def test_rows_beyond_the_limit_and_missing_numbers_are_told() -> None:
    section = evictions_section(PlanView(_plan()), "table", 1)
    (table,) = section.tables
    assert len(table.rows) == 1
    assert "1 more of the losses is not shown here" in table.notes[-1]
    unknown = PlanResult(gangs=(_loser("old", "reclaimed", 2, None, "ml/new"),))
    (table,) = evictions_section(PlanView(unknown), "page", 5).tables
    assert table.rows[0][5:7] == ("-", "-")


def test_the_section_is_there_only_where_somebody_is_evicted() -> None:
    for place in ("table", "wide", "page"):
        with_losses = plan_sections(PlanView(_plan()), place, 50, command="plan")
        without = plan_sections(PlanView(PlanResult()), place, 50, command="plan")
        assert "evictions" in {one.anchor for one in with_losses}
        assert "evictions" not in {one.anchor for one in without}
