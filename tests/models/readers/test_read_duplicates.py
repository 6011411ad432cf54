"""The same object twice, and two clusters at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError
from models.readers import read_snapshot


def versioned(raw: Any, version: str, **status: Any) -> Any:
    meta = {**raw["metadata"], "resourceVersion": version}
    return {**raw, "metadata": meta, "status": {**raw.get("status", {}), **status}}


def test_identical_copies_merge_silently(read: Any, objects: Any) -> None:
    pod = objects.pod("a")
    snapshot = read(versioned(pod, "5"), versioned(pod, "5"), versioned(pod, "9"))
    assert len(snapshot.pods) == 1
    assert not snapshot.findings


def test_copies_that_differ_only_in_dropped_fields_merge_silently(read: Any, objects: Any) -> None:
    node = objects.node()
    snapshot = read(
        versioned(node, "5", images=[{"sizeBytes": 1}]), versioned(node, "6", images=[])
    )
    assert not snapshot.findings


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_newer_of_differing_copies_counts(
    tmp_path: Path, objects: Any, order: tuple[int, int]
) -> None:
    pod = objects.pod("a")
    copies = [
        versioned(pod, "99"),
        versioned({**pod, "spec": {**pod["spec"], "nodeName": "n1"}}, "100", phase="Running"),
    ]
    for place, index in enumerate(order):
        (tmp_path / f"{place}.json").write_text(json.dumps(copies[index]))
    snapshot = read_snapshot([tmp_path])
    assert [one.node for one in snapshot.pods] == ["n1"]
    (finding,) = snapshot.findings
    assert (finding.code, finding.severity, finding.object) == (
        "conflicting_copies",
        "warning",
        "pod/ml/a",
    )
    assert "resourceVersion 100 counts, 99 does not" in finding.message
    assert "0.json" in finding.message
    assert "1.json" in finding.message


def test_without_version_the_choice_does_not_depend_on_order(read: Any, objects: Any) -> None:
    first, second = objects.queue("q", weight=1), objects.queue("q", weight=2)
    one, other = read(first, second), read(second, first)
    assert one.queues == other.queues
    assert one.digest == other.digest
    assert one.findings[0].code == "conflicting_copies"


def test_every_kind_is_compared(read: Any, objects: Any) -> None:
    group, job = objects.group("g", 1), objects.job("j", objects.task("t", 1))
    other_group, other_job = objects.group("g", 2), objects.job("j", objects.task("t", 2))
    snapshot = read(group, other_group, job, other_job)
    assert sorted(one.object for one in snapshot.findings) == ["job/ml/j", "podgroup/ml/g"]


@pytest.mark.parametrize(
    ("kind", "version", "name"),
    [
        ("Node", "v1", "n1"),
        ("Namespace", "v1", "kube-system"),
        ("Queue", "scheduling.volcano.sh/v1beta1", "default"),
        ("PriorityClass", "scheduling.k8s.io/v1", "system-node-critical"),
    ],
)
def test_two_clusters(tmp_path: Path, objects: Any, kind: str, version: str, name: str) -> None:
    for index in range(2):
        raw = objects.obj(kind, version, name, meta={"uid": f"uid-{index}"})
        (tmp_path / f"{index}.json").write_text(json.dumps(raw))
    with pytest.raises(InputError, match="come from two clusters") as caught:
        read_snapshot([tmp_path])
    assert caught.value.findings[0].code == "two_clusters"
    assert "1.json" in caught.value.findings[0].object


def test_the_same_pod_name_with_another_uid_is_a_later_pod(read: Any, objects: Any) -> None:
    first = objects.pod("w-0", meta={"uid": "a", "resourceVersion": "1"})
    second = objects.pod(
        "w-0", meta={"uid": "b", "resourceVersion": "2"}, node="n1", phase="Running"
    )
    (pod,) = read(first, second).pods
    assert pod.node == "n1"
