from __future__ import annotations

import io
import json

import pytest

from models.cluster import Node
from models.effective import resolve_policy
from models.findings import Finding
from models.queues import Queue
from models.resources import Resources
from models.selectors import Taint
from models.snapshot import Snapshot, Source
from models.workloads import Gang, Pod, PodSpec, RoleTemplate
from planner.report.formats import write_report
from planner.report.inspect_document import InspectResult
from planner.report.inspect_report import inspect_report
from planner.report.inspect_result import inspect

GPU = "nvidia.com/gpu"
LABELS = {"nvidia.com/gpu.product": "H100"}
ALLOCATABLE = Resources({GPU: 8, "cpu": 128_000, "memory": 2**40, "pods": 110})


def spec(gpus: int) -> PodSpec:
    return PodSpec(request=Resources({GPU: gpus, "cpu": 4_000}), scheduler_name="volcano")


def pod(gang: str, index: int, *, gpus: int = 1, node: str | None = None, **more) -> Pod:
    phase = more.pop("phase", "Running" if node else "Pending")
    return Pod(
        "ml", f"{gang}-{index}", spec(gpus), gang=f"ml/{gang}", node=node, phase=phase, **more
    )


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    nodes = (
        Node("n1", allocatable=ALLOCATABLE, labels=LABELS),
        Node("n2", allocatable=ALLOCATABLE, labels=LABELS),
        Node("n3", allocatable=ALLOCATABLE, labels=LABELS, unschedulable=True),
        Node(
            "n4", allocatable=ALLOCATABLE, labels=LABELS, taints=(Taint("team", "NoSchedule", "x"),)
        ),
        Node("cpu", allocatable=Resources({"cpu": 64_000}), conditions={"Ready": "False"}),
    )
    gangs = (
        Gang("ml", "runs", queue="a", min_member=2, priority=10),
        Gang("ml", "stuck", queue="a", min_member=3, priority=100, created="2026-11-29T06:00:00Z"),
        Gang(
            "ml", "promised", kind="Job", queue="ghost", min_member=4, role_minimum={"lead": 1},
            templates=(RoleTemplate("lead", spec(8), 1), RoleTemplate("work", spec(2), 5)),
        ),
        Gang("ml", "short", queue="a", min_member=9),
        Gang("ml", "done", queue="a", min_member=1, finished=True),
    )  # fmt: skip
    pods = (
        *(pod("runs", index, gpus=2, node="n1") for index in range(2)),
        pod("stuck", 0, node="n1"),
        *(pod("stuck", index) for index in range(1, 4)),
        pod("short", 0),
        pod("old", 0, gpus=4, node="n3", terminating=True),
        pod("gone", 0, gpus=8, node="n2", phase="Succeeded"),
    )
    return Snapshot(
        nodes=nodes,
        pods=pods,
        gangs=gangs,
        queues=(
            Queue("a", weight=3, capability=Resources({GPU: 16}), deserved=Resources({GPU: 8})),
        ),
        as_of="2026-11-29T08:00:00Z",
        sources=(Source("cluster.json", "kubernetes", 18),),
        ignored={"Event": 7},
        missing_kinds={"HyperNode": "no topology"},
        digest="sha256:0123456789abcdef",
    )


@pytest.fixture(scope="module")
def result(snapshot) -> InspectResult:
    findings = (
        Finding("remark", "info", "node/n1", "says little"),
        Finding(
            "queue_missing", "error", "gang/ml/promised", "queue ghost is missing", "create it"
        ),
    )
    return inspect(snapshot, findings, resolve_policy(snapshot))


def text_of(result, fmt, **options):
    stream = io.StringIO()
    write_report(inspect_report(result, **options), fmt, stream=stream, width=170)
    return stream.getvalue()


def test_every_gpu_is_in_one_state(result):
    summary = result.summary
    assert summary.gpus_allocatable == 32
    assert (summary.gpus_used, summary.gpus_free_fragment) == (5 + 4, 3)
    assert (summary.gpus_free_whole, summary.gpus_unavailable) == (16, 4)
    assert summary.nodes_closed == 2


def test_classes_split_by_model_allocatable_and_taints(result):
    found = [(one.gpu_model, one.nodes, one.taints) for one in result.node_classes]
    assert found == [("H100", 3, ()), ("H100", 1, ("team=x:NoSchedule",)), ("", 1, ())]
    assert sum(one.gpus_free_whole for one in result.node_classes) == 16


def test_waiting_gangs_with_members_minimum_and_gpus(result):
    found = {one.full_name: one for one in result.waiting}
    assert list(found) == ["ml/stuck", "ml/promised", "ml/short"]
    stuck = found["ml/stuck"]
    assert (stuck.members, stuck.running, stuck.min_member, stuck.gpus) == (4, 1, 3, 2)
    assert stuck.waited_seconds == 7_200
    promised = found["ml/promised"]
    assert (promised.members, promised.gpus) == (6, 8 + 3 * 2)
    assert found["ml/short"].gpus is None


def test_queues_count_running_pods_and_name_missing_ones(result):
    found = {one.name: one for one in result.queues}
    assert list(found) == ["a", "default", "ghost"]
    assert found["a"].allocated[GPU] == 5
    assert (found["a"].gangs_running, found["a"].gangs_waiting) == (2, 2)
    assert found["default"].implicit
    assert found["ghost"].state == "missing"


def test_first_line_is_a_sentence_with_the_answer(result):
    first = text_of(result, "table").splitlines()[0]
    assert first.startswith("5 nodes in 3 classes: 9 of 32 GPUs allocated (28.1 %)")
    assert "3 of 5 gangs wait for 16 GPUs." in first


@pytest.mark.parametrize("fmt", ["table", "wide", "md", "html"])
def test_text_formats_show_inventory_waits_and_findings(result, fmt):
    text = text_of(result, fmt).replace("\\", "")
    for fact in ("H100", "team=x:NoSchedule", "ml/stuck", "2 h", "too few pods", "missing"):
        assert fact in text
    for fact in ("queue_missing", "create it", "HyperNode", "no topology", "Event", "0123456789ab"):
        assert fact in text
    assert text.index("queue ghost is missing") < text.index("says little")


def test_json_reads_back_to_the_same_value(result):
    text = text_of(result, "json")
    assert InspectResult.model_validate_json(text) == result
    assert json.loads(text)["kind"] == "InspectResult"


def test_filters_choose_gangs_and_queues_and_say_so(result):
    text = text_of(result, "table", queues=["ghost"])
    assert "ml/promised" in text
    assert "ml/stuck" not in text
    assert "Shown: 1 of 3 waiting gangs and 1 of 3 queues" in text


def test_csv_has_every_row(result, tmp_path):
    paths = write_report(inspect_report(result), "csv", out=tmp_path)
    lines = {path.stem: path.read_text("utf-8").splitlines() for path in paths}
    assert {name: len(rows) - 1 for name, rows in lines.items()} == {
        "node_classes": 3, "queues": 3, "waiting": 3, "findings": 2,
    }  # fmt: skip
    assert "allocatable_memory_bytes" in lines["node_classes"][0]


def test_an_empty_snapshot_is_worded():
    empty = Snapshot()
    result = inspect(empty, (), resolve_policy(empty))
    text = text_of(result, "table")
    assert "The snapshot has no node." in text
    assert "No gang waits." in text
    assert "Nothing was found wrong." in text
    assert "no time stamp" in text
    for fmt in ("html", "md", "wide"):
        assert text_of(result, fmt)
