from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.cluster import HyperNode, HyperNodeMember, Node
from models.findings import Finding
from models.readers import read_snapshot
from models.selectors import LabelSelector
from models.snapshot import Snapshot, Source
from models.workloads import Gang, Pod, PodSpec
from models.writers.snapshot_json import snapshot_digest, snapshot_to_json, write_snapshot

FIXTURE = Path(__file__).parents[1] / "readers" / "fuzz_fixture.yaml"


def read_back(data: bytes) -> Snapshot:
    return read_snapshot(["-"], stdin=io.BytesIO(data))


def test_round_trip_of_every_kind(tmp_path: Path) -> None:
    snapshot = read_snapshot([FIXTURE])
    again = read_back(snapshot_to_json(snapshot))
    assert again == snapshot
    assert again.digest == snapshot_digest(again) == snapshot.digest
    with (tmp_path / "s.json").open("wb") as stream:
        write_snapshot(snapshot, stream)
    assert read_snapshot([tmp_path / "s.json"]) == snapshot


def test_round_trip_of_the_conformance_snapshots(shared: Path) -> None:
    for path in sorted((shared / "cases" / "volcano").glob("*.snapshot.yaml")):
        snapshot = read_snapshot([path])
        assert read_back(snapshot_to_json(snapshot)) == snapshot


def test_what_differs_from_nothing_survives() -> None:
    snapshot = Snapshot(
        pods=(
            Pod("ml", "a", PodSpec(node_affinity=())),
            Pod("ml", "b", PodSpec(node_affinity=None, priority=0)),
        ),
        hyper_nodes=(
            HyperNode("h", 0, members=(HyperNodeMember("Node", labels=LabelSelector()),)),
        ),
        gangs=(Gang("ml", "g", max_retry=0, preemptable=False, min_member=0),),
        findings=(Finding("code", "info", "o", "m"),),
        sources=(Source("é.json", "json", 3),),
    )
    snapshot = replace(snapshot, digest=snapshot_digest(snapshot))
    assert read_back(snapshot_to_json(snapshot)) == snapshot


def test_specifications_are_written_once_and_shared_when_read() -> None:
    spec = PodSpec(scheduler_name="volcano")
    pods = tuple(Pod("ml", f"p{index}", spec) for index in range(5))
    document = json.loads(snapshot_to_json(Snapshot(pods=pods)))
    assert document["podSpecs"] == [{"schedulerName": "volcano"}]
    assert [pod["spec"] for pod in document["pods"]] == [0] * 5
    read = read_back(json.dumps(document).encode())
    assert all(pod.spec is read.pods[0].spec for pod in read.pods)


def test_the_digest_is_of_the_cluster_only() -> None:
    base = Snapshot(nodes=(Node("n1", labels={"b": "2", "a": "1"}),))
    digest = snapshot_digest(base)
    assert len(digest) == 64
    assert snapshot_digest(replace(base, sources=(Source("x", "json"),), digest="y")) == digest
    assert snapshot_digest(replace(base, findings=(Finding("c", "info", "o", "m"),))) == digest
    assert snapshot_digest(Snapshot(nodes=(Node("n1", labels={"a": "1", "b": "2"}),))) == digest
    assert snapshot_digest(Snapshot(nodes=(Node("n2"),))) != digest
    assert snapshot_digest(replace(base, as_of="2026-01-01T00:00:00Z")) != digest


@pytest.mark.parametrize(
    "change", [{"nodes": [{"name": "b"}, {"name": "a"}]}, {"nodes": [{"name": "a"}] * 2}]
)
def test_names_must_be_unique_and_sorted(change: object) -> None:
    document = {"kind": "GangplanSnapshot", "schemaVersion": 1, **change}  # type: ignore[dict-item]
    with pytest.raises(Exception, match="not unique and sorted"):
        read_back(json.dumps(document).encode())
