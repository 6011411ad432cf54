"""Every way in which objects may come: JSON, YAML, lists, documents, gzip, folders, standard input, snapshots."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError
from models.readers import read_snapshot
from models.snapshot import Snapshot
from models.writers.snapshot_json import snapshot_to_json

YAML = """\
apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: n1
    labels: {rank: "1", flag: 'yes', plain: abc}
  status:
    allocatable: {cpu: 64, memory: 512Gi, pods: "110", nvidia.com/gpu: 8}
- apiVersion: v1
  kind: Pod
  metadata: {name: p, namespace: ml, creationTimestamp: 2026-01-01T00:00:00Z}
  spec:
    containers:
    - resources: {requests: {cpu: 1.5, memory: 1e9}}
kind: List
metadata:
  resourceVersion: ""
"""


@pytest.fixture
def items(objects: Any) -> list[Any]:
    return [
        objects.node("n1"),
        objects.node("n2"),
        objects.group("g", 2),
        objects.pod("a", group="g"),
    ]


def as_list(items: list[Any]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def content(snapshot: Snapshot) -> tuple[Any, ...]:
    return snapshot.nodes, snapshot.pods, snapshot.gangs, snapshot.digest


def test_yaml_list(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(YAML)
    snapshot = read_snapshot([tmp_path / "a"])
    (node,), (pod,) = snapshot.nodes, snapshot.pods
    assert node.allocatable == {
        "cpu": 64_000,
        "memory": 512 * 1024**3,
        "pods": 110,
        "nvidia.com/gpu": 8,
    }
    assert node.labels == {"flag": "yes", "plain": "abc", "rank": "1"}
    assert pod.spec.request == {"cpu": 1500, "memory": 10**9}
    assert snapshot.as_of == pod.created == "2026-01-01T00:00:00Z"
    assert [(one.format, one.objects) for one in snapshot.sources] == [("yaml", 2)]


def test_all_forms_give_the_same_snapshot(tmp_path: Path, items: list[Any]) -> None:
    import yaml

    forms = {
        "list.json": as_list(items).encode(),
        "indented.json": json.dumps(json.loads(as_list(items)), indent=4).encode(),
        "array.json": json.dumps(items).encode(),
        "rows.json": "\n".join(json.dumps(one) for one in items).encode(),
        "appended.json": (as_list(items[:2]) + "\n" + as_list(items[2:])).encode(),
        "nested.json": as_list(
            [{"kind": "List", "items": items[:3]}, {"kind": "List", "items": items[3:]}]
        ).encode(),
        "list.yaml": yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}).encode(),
        "documents.yaml": yaml.safe_dump_all(items, explicit_start=True).encode(),
        "windows.yaml": yaml.safe_dump_all(items, explicit_start=True)
        .replace("\n", "\r\n")
        .encode(),
        "flow.yaml": ("---\n" + as_list(items)).encode(),
        "marked.json": b"\xef\xbb\xbf" + as_list(items).encode(),
        "wide.json": as_list(items).encode("utf-16"),
        "packed": gzip.compress(as_list(items).encode()),
        "members": gzip.compress(as_list(items[:2]).encode())
        + gzip.compress(as_list(items[2:]).encode()),
        "comment.yaml": b"# exported\n\n" + yaml.safe_dump_all(items, explicit_start=True).encode(),
    }
    found = {}
    for name, data in forms.items():
        (tmp_path / name).write_bytes(data)
        found[name] = content(read_snapshot([tmp_path / name]))
    first = found.pop("list.json")
    assert len(first[0]) == 2
    for name, other in found.items():
        assert other == first, name


def test_one_path_needs_no_list(tmp_path: Path, items: list[Any]) -> None:
    (tmp_path / "a.json").write_text(as_list(items))
    assert len(read_snapshot(str(tmp_path / "a.json")).nodes) == 2


def test_order_and_splitting_do_not_matter(tmp_path: Path, items: list[Any]) -> None:
    (tmp_path / "all.json").write_text(as_list(items))
    folder = tmp_path / "parts"
    (folder / "deep").mkdir(parents=True)
    for index, one in enumerate(reversed(items)):
        place = folder / "deep" if index % 2 else folder
        (place / f"{index}.json").write_text(json.dumps(one))
    whole, parts = read_snapshot([tmp_path / "all.json"]), read_snapshot([folder])
    assert content(parts) == content(whole)
    assert len(parts.sources) == 4


def test_typed_lists_name_the_kind_once(tmp_path: Path, objects: Any) -> None:
    node = objects.node()
    del node["apiVersion"], node["kind"]
    (tmp_path / "raw.json").write_text(
        json.dumps({"kind": "NodeList", "apiVersion": "v1", "items": [node]})
    )
    assert [one.name for one in read_snapshot([tmp_path / "raw.json"]).nodes] == ["n1"]


def test_standard_input(items: list[Any]) -> None:
    snapshot = read_snapshot(["-"], stdin=io.BytesIO(gzip.compress(as_list(items).encode())))
    assert len(snapshot.nodes) == 2
    assert snapshot.sources[0].name == "standard input"
    with pytest.raises(InputError, match="not connected"):
        read_snapshot(["-"])


def test_a_pipe_is_read_forward_only(items: list[Any]) -> None:
    inside, outside = os.pipe()
    os.write(outside, as_list(items).encode())
    os.close(outside)
    with os.fdopen(inside, "rb") as stream:
        assert len(read_snapshot(["-"], stdin=stream).nodes) == 2


def test_folders_leave_out_hidden_files_and_links_to_nowhere(
    tmp_path: Path, items: list[Any]
) -> None:
    (tmp_path / "a.json").write_text(as_list(items))
    (tmp_path / ".hidden").write_text("}{")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x").write_text("}{")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    os.mkfifo(tmp_path / "pipe")
    assert [one.name for one in read_snapshot([tmp_path]).sources] == [f"{tmp_path.name}/a.json"]


def test_names_are_as_given_and_never_absolute(
    tmp_path: Path, items: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text(as_list(items))
    monkeypatch.chdir(tmp_path)
    assert read_snapshot(["in/a.json"]).sources[0].name == "in/a.json"
    assert read_snapshot([tmp_path / "in" / "a.json"]).sources[0].name == "in/a.json"
    assert len(read_snapshot(["in", "in/a.json"]).sources) == 1


def test_anchors_and_merge_keys(tmp_path: Path) -> None:
    text = """
kind: List
items:
- kind: Pod
  apiVersion: v1
  metadata: {name: a, namespace: ml}
  spec: &spec
    schedulerName: volcano
    containers: [&box {resources: &res {limits: {nvidia.com/gpu: 2}}, env: &env [{name: A}]}]
- kind: Pod
  apiVersion: v1
  metadata: {name: b, namespace: ml}
  spec:
    <<: *spec
    schedulerName: other
    containers: [{<<: *box, env: *env}, {resources: *res}]
"""
    (tmp_path / "a.yaml").write_text(text)
    first, second = read_snapshot([tmp_path / "a.yaml"]).pods
    assert first.spec.request == {"nvidia.com/gpu": 2}
    assert second.spec.request == {"nvidia.com/gpu": 4}
    assert second.spec.scheduler_name == "other"


def test_an_empty_file_among_others_is_a_kind_not_found(tmp_path: Path, items: list[Any]) -> None:
    (tmp_path / "nodes.json").write_text(as_list(items))
    (tmp_path / "hypernodes.json").write_text("\n")
    (tmp_path / "queues.json").write_text('{"kind": "List", "items": []}')
    snapshot = read_snapshot([tmp_path])
    assert {one.name.rpartition("/")[2]: one.objects for one in snapshot.sources} == {
        "hypernodes.json": 0,
        "nodes.json": 4,
        "queues.json": 0,
    }
    assert "HyperNode.topology.volcano.sh" in snapshot.missing_kinds


def test_a_snapshot_file_and_manifests_together(
    tmp_path: Path, items: list[Any], objects: Any
) -> None:
    (tmp_path / "all.json").write_text(as_list(items))
    (tmp_path / "base.json").write_bytes(snapshot_to_json(read_snapshot([tmp_path / "all.json"])))
    more = [
        objects.queue("q"),
        objects.job("new", objects.task("t", 2), queue="q"),
        objects.pod("b", group="g"),
    ]
    (tmp_path / "more.json").write_text(as_list(more))
    snapshot = read_snapshot([tmp_path / "base.json", tmp_path / "more.json"])
    assert [gang.full_name for gang in snapshot.gangs] == ["ml/g", "ml/new"]
    assert [pod.gang for pod in snapshot.pods] == ["ml/g", "ml/g"]
    assert [one.format for one in snapshot.sources] == ["json", "snapshot", "json"]
    assert "PodGroup.scheduling.volcano.sh" not in snapshot.missing_kinds
    assert "HyperNode.topology.volcano.sh" in snapshot.missing_kinds
    assert not snapshot.findings
