from __future__ import annotations

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families as plain_families

from models.nightly.run import NightRun
from models.plan import (
    Certificate,
    FindingEntry,
    NodeEntry,
    PlanResult,
    QueueEntry,
    RuleViolation,
    SnapshotEntry,
    Tier,
    Verification,
)
from models.resources import Resources
from planner.report.night_metrics import metrics_text
from planner.testing.nights_by_hand import whole_night

GPU = "nvidia.com/gpu"
RUN = NightRun(
    started_at="2026-09-15T19:00:00Z",
    finished_at="2026-09-15T19:00:30Z",
    stages={"read": 0.5, "search": 20.0},
)


def _result() -> PlanResult:
    tiers = (
        Tier(name="covered.1.gpu_hours", sense="max", unit="GPU-s", value=10, bound=11, gap=0.1),
        Tier(name="packing", sense="max", unit="GPUs", value=1),
    )
    return whole_night().result.model_copy(
        update={
            "snapshot": SnapshotEntry(
                as_of="2026-09-15T18:59:00Z",
                findings=(FindingEntry(code="c", severity="error", object="o", message="m"),),
            ),
            "certificate": Certificate(status="FEASIBLE", tiers=tiers),
            "verification": Verification(
                violations=(RuleViolation(rule="node_capacity", object="n", message="m"),), rules=3
            ),
            "nodes": (
                NodeEntry(
                    name="n0",
                    pool="lent",
                    allocatable=Resources({GPU: 8}),
                    before=Resources({GPU: 4}),
                    after=Resources({GPU: 6}),
                ),
                NodeEntry(
                    name="n1",
                    pool="lent",
                    allocatable=Resources({GPU: 8}),
                    conditions=("unschedulable",),
                ),
            ),
            "queues": (
                QueueEntry(
                    name='b"atch\n', deserved=Resources({GPU: 40}), lent=Resources({GPU: 7})
                ),
            ),
        }
    )


def _samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in open_families(text)
        for sample in family.samples
    }


def test_values_come_from_the_plan() -> None:
    found = _samples(metrics_text(RUN, _result()))

    def value(name: str, **labels: str) -> float | None:
        return found.get((f"gangplan_{name}", tuple(sorted(labels.items()))))

    assert value("plan_timestamp_seconds") == 1789498830
    assert value("plan_as_of_seconds") == 1789498740
    assert value("plan_status", status="FEASIBLE") == 1
    assert value("plan_status", status="OPTIMAL") == 0
    assert value("plan_gap_ratio", tier="covered.1.gpu_hours") == 0.1
    assert value("plan_gap_ratio", tier="packing") is None  # unknown is not 0
    assert value("solve_seconds", stage="search") == 20
    told = {
        state: value("gpus", pool="lent", state=state) for state in ("allocatable", "allocated")
    }
    assert told == {"allocatable": 16, "allocated": 4}
    assert value("gpus", pool="lent", state="planned") == 6
    assert value("gpus", pool="lent", state="unavailable") == 8
    assert value("gpus", pool="lent", state="lent") == 32
    assert value("queue_gpus", queue='b"atch\n', kind="deserved") == 40
    assert value("queue_gpus", queue='b"atch\n', kind="lent") == 7
    assert value("waiting_gpus", queue="batch") == 8
    assert value("gangs", status="waits") == 1
    assert value("loan_return_slack_seconds", service="chat") == 0
    assert value("verification_violations", rule="node_capacity") == 1
    assert value("verification_violations", rule="gang_ready") == 0
    assert value("input_findings", severity="error") == 1
    assert value("input_findings", severity="info") == 0


def test_every_sample_has_a_type_help_and_the_prefix() -> None:
    for family in open_families(metrics_text(RUN, _result())):
        assert family.type == "gauge"
        assert family.documentation
        assert family.name.startswith("gangplan_")
        assert not family.unit or family.name.endswith(family.unit)


def test_the_textfile_collector_reads_the_same() -> None:
    text = metrics_text(RUN, _result())
    plain = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in plain_families(text)
        for sample in family.samples
    }
    assert plain == _samples(text)
    assert text.endswith("# EOF\n")


def test_the_same_night_gives_the_same_text() -> None:
    assert metrics_text(RUN, _result()) == metrics_text(RUN, _result())


def test_a_plan_without_schedule_has_no_night_metrics() -> None:
    with pytest.raises(ValueError, match="no schedule"):
        metrics_text(RUN, PlanResult())
