"""Measured use: what pods hold is not what works; idle is only what was measured as such."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.checks import check_snapshot
from models.effective import resolve_policy
from models.moments import epoch_seconds
from models.policy import Policy, parse_policy
from models.readers import read_snapshot
from models.readers.input_files import memory_file
from models.snapshot import PodUse, Snapshot
from models.use import idle_gangs, measured_use
from models.writers.anonymize import anonymize
from models.writers.snapshot_json import snapshot_to_json
from planner.live.prometheus import ask_range
from planner.report.inspect_report import inspect_report
from planner.report.inspect_result import inspect
from planner.testing.api_server import failing, serving
from planner.testing.prometheus import FakePrometheus
from planner.usecases.inputs.measured import with_use

QUERY = "DCGM_FI_DEV_GPU_UTIL"
STEP = 300
NOW = (epoch_seconds("2026-11-01T12:00:00Z") or 0) // STEP * STEP
HOUR = 3600


def pod(name: str, gpus: int = 4, started: str = "2026-10-31T00:00:00Z", **spec: Any) -> Any:
    gang = name.rpartition("-")[0]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "ml",
            "name": name,
            "creationTimestamp": started,
            "annotations": {"scheduling.k8s.io/group-name": gang},
        },
        "spec": {
            "nodeName": "n",
            "schedulerName": "volcano",
            "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": str(gpus)}}}],
            **spec,
        },
        "status": {"phase": "Running", "startTime": started},
    }


def group(name: str, queue: str) -> Any:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"namespace": "ml", "name": name, "creationTimestamp": "2026-10-31T00:00:00Z"},
        "spec": {"minMember": 1, "queue": queue},
        "status": {"phase": "Running"},
    }


def cluster(*pods: Any) -> Snapshot:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n", "creationTimestamp": "2026-11-01T11:50:00Z"},
        "status": {"allocatable": {"cpu": "64", "nvidia.com/gpu": "16", "pods": "100"}},
    }
    groups = [group("train", "research"), group("notebook", "eval")]
    data = json.dumps([node, *groups, *pods]).encode()
    return read_snapshot([memory_file("cluster.json", data)])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, naps: Any) -> Iterator[FakePrometheus]:
    from planner.live import prometheus

    fake = FakePrometheus()
    with serving(fake.respond) as fake.url:
        monkeypatch.setattr(
            prometheus,
            "ask_range",
            lambda query: ask_range(query, patience=naps.patience(), clock=lambda: NOW),
        )
        yield fake


def policy(server: FakePrometheus, **use: Any) -> Policy:
    query = {"url": server.url, "query": QUERY, "step": STEP, "range": "7d"}
    return parse_policy({"use": {"prometheus": query, **use}}, source="policy")


def series(name: str, value: Callable[[int], Any], **labels: str) -> tuple[dict[str, str], Any]:
    return {"__name__": QUERY, "namespace": "ml", "pod": name, **labels}, value


def test_a_gang_is_idle_since_its_last_work(server: FakePrometheus) -> None:
    """train works; both pods of notebook did, one of them until three hours ago."""
    server.series[QUERY] = [
        series("train-0", lambda at: 90),
        series("notebook-0", lambda at: 50 if at <= NOW - 5 * HOUR else 0),
        series("notebook-1", lambda at: 50 if at <= NOW - 3 * HOUR else 0),
    ]
    pods = [pod("train-0", 8), pod("notebook-0", 2), pod("notebook-1", 2)]
    rules = policy(server)
    found = with_use(cluster(*pods), rules)
    by_pod = found.use_by_pod
    assert by_pod["ml/train-0"].idle_s == 0
    assert by_pod["ml/train-0"].worked_permille == 900
    assert by_pod["ml/notebook-0"].idle_s == 5 * HOUR - STEP
    use = measured_use(found, rules)
    assert use is not None
    first = use.gangs[0]
    assert (first.gang, first.queue, first.gpus, first.idle_s) == (
        "ml/notebook",
        "eval",
        4,
        3 * HOUR - STEP,
    )
    assert list(idle_gangs(use)) == ["ml/notebook"]
    assert list(idle_gangs(measured_use(found, policy(server, idle_after="4h")))) == []


def test_gpu_hours_per_queue_say_allocated_worked_and_idle(server: FakePrometheus) -> None:
    """36 hours since the start: 433 values of 300 s; two GPUs work half of the time at 50 %."""
    begin = NOW - 36 * HOUR
    server.series[QUERY] = [series("notebook-0", lambda at: 50 if at < begin + 18 * HOUR else 0)]
    found = with_use(cluster(pod("notebook-0", 2)), policy(server))
    use = measured_use(found, policy(server))
    assert use is not None
    (queue,) = use.queues
    seconds = 433 * STEP
    assert queue.allocated_gpu_s == 2 * seconds
    assert queue.idle_gpu_s == 2 * (433 - 216) * STEP
    mean = round(10 * 50 * 216 / 433)
    assert queue.worked_gpu_s == 2 * seconds * mean // 1000
    assert (queue.allocated_gpus, queue.idle_gpus, queue.unmeasured_gpus) == (2, 2, 0)


def test_an_earlier_pod_of_the_same_name_does_not_count(server: FakePrometheus) -> None:
    started = "2026-11-01T11:00:00Z"
    server.series[QUERY] = [series("train-0", lambda at: 0 if at >= NOW - HOUR else 100)]
    found = with_use(cluster(pod("train-0", started=started)), policy(server))
    (use,) = found.use
    assert use == PodUse("ml/train-0", 13 * STEP, 0, 13 * STEP, HOUR)


def test_several_gpus_of_a_pod_are_idle_only_together(server: FakePrometheus) -> None:
    server.series[QUERY] = [
        series("train-0", lambda at: 0, gpu="0"),
        series("train-0", lambda at: 60, gpu="1"),
    ]
    (use,) = with_use(cluster(pod("train-0", 2)), policy(server)).use
    assert (use.idle_s, use.worked_permille) == (0, 300)


def test_labels_of_the_exporter_itself_do_not_count(server: FakePrometheus) -> None:
    labels = {"exported_namespace": "ml", "exported_pod": "train-0"}
    server.series[QUERY] = [series("dcgm-exporter-x", lambda at: 0, **labels)]
    assert [one.pod for one in with_use(cluster(pod("train-0")), policy(server)).use] == [
        "ml/train-0"
    ]


def test_what_is_not_measured_up_to_the_end_is_not_idle(server: FakePrometheus) -> None:
    server.series[QUERY] = [
        series("notebook-0", lambda at: 0 if at < NOW - HOUR else None),
        ({"__name__": QUERY, "gpu": "0"}, lambda at: 0),
    ]
    found = with_use(cluster(pod("notebook-0"), pod("train-0")), policy(server))
    assert found.use_by_pod["ml/notebook-0"].idle_s is None
    use = measured_use(found, policy(server))
    assert idle_gangs(use) == {}
    assert use is not None
    assert {one.queue: one.unmeasured_gpus for one in use.queues} == {"eval": 4, "research": 4}
    told = [one.message for one in found.findings if one.code == "use_unknown"]
    assert told == [
        "1 of 2 running pods with GPUs are not measured, e.g. ml/train-0",
        "1 of 2 series have no labels namespace and pod",
    ]


def test_a_gap_ends_what_is_known_to_be_idle(server: FakePrometheus) -> None:
    hole = range(NOW - 3 * HOUR, NOW - 2 * HOUR)
    server.series[QUERY] = [series("train-0", lambda at: None if at in hole else 0)]
    (use,) = with_use(cluster(pod("train-0")), policy(server)).use
    assert use.idle_s == 2 * HOUR


def test_a_server_that_cannot_be_asked_is_a_finding(server: FakePrometheus) -> None:
    server.acts = [failing(500)] * 9
    found = with_use(cluster(pod("train-0")), policy(server))
    assert found.use == ()
    assert [one.code for one in found.findings] == ["use_unknown"]


def test_an_old_snapshot_is_not_judged_by_the_use_of_now(server: FakePrometheus) -> None:
    server.series[QUERY] = [series("train-0", lambda at: 0)]
    old = cluster(pod("train-0"))
    later = {"url": server.url, "query": QUERY}
    import planner.live.prometheus as asked

    now = asked.ask_range
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked, "ask_range", lambda q: ask_range(q, clock=lambda: NOW + 3 * 86_400))
        found = with_use(old, parse_policy({"use": {"prometheus": later}}, source="p"))
    assert now is asked.ask_range
    assert found.use == ()
    assert "says nothing of it" in found.findings[0].message


def test_it_is_kept_with_the_snapshot_and_not_asked_for_again(
    server: FakePrometheus, tmp_path: Path
) -> None:
    server.series[QUERY] = [series("train-0", lambda at: 0)]
    found = with_use(cluster(pod("train-0")), policy(server))
    assert found.digest != cluster(pod("train-0")).digest
    again = read_snapshot([memory_file("s.json", snapshot_to_json(found))])
    assert again.use == found.use
    assert again.digest == found.digest
    asked = len(server.requests)
    assert with_use(again, policy(server)) is again
    assert len(server.requests) == asked
    hidden = anonymize(found)
    assert hidden.use[0].pod == hidden.pods[0].full_name != "ml/train-0"


def test_the_finding_and_the_section_say_measured(server: FakePrometheus) -> None:
    server.series[QUERY] = [series("train-0", lambda at: 0)]
    rules = policy(server)
    found = with_use(cluster(pod("train-0", 8)), rules)
    effective = resolve_policy(found, rules, {})
    findings = check_snapshot(found, effective)
    (idle,) = [one for one in findings if one.code == "allocated_idle"]
    assert idle.message == (
        "gang ml/train of queue research holds 8 GPUs that have not worked for 36 h 00 min "
        "(measured; use below 1 %)"
    )
    report = inspect_report(inspect(found, findings, effective))
    (section,) = [one for one in report.sections("table", 10) if one.anchor == "use"]
    gangs, queues = section.tables
    assert gangs.rows == (("ml/train", "research", "8", "1 d 12 h", "0.0 %"),)
    assert queues.rows[0][:4] == ("research", "8", "8", "0")
    assert "measured" in queues.columns[-1].unit
    cut = inspect_report(inspect(found, findings, effective), queues=("eval",))
    assert cut.document.use.gangs == ()  # type: ignore[attr-defined]
