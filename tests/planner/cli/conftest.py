"""A runner for verbs, small plans, and stand-ins for the parts that plan."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from models.plan import (
    Certificate,
    GangEntry,
    NodeEntry,
    PlanResult,
    PodGroupEntry,
    QueueEntry,
    Reason,
    SnapshotEntry,
    Summary,
    Tier,
    Verification,
)
from models.resources import Resources
from planner.cli.app import app

Gangplan = Callable[..., Result]
SNAPSHOT = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: gpu-1}
  status:
    allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}
    conditions: [{type: Ready, status: "True"}]
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata: {name: research}
  spec: {weight: 1}
  status: {state: Open}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {namespace: ml, name: train, creationTimestamp: "2026-11-01T10:00:00Z"}
  spec: {minMember: 2, queue: research}
  status: {phase: Pending}
- &pod
  apiVersion: v1
  kind: Pod
  metadata:
    namespace: ml
    name: train-0
    annotations: {scheduling.k8s.io/group-name: train}
  spec:
    schedulerName: volcano
    containers: [{name: main, resources: {requests: {cpu: "4", memory: 8Gi, nvidia.com/gpu: "2"}}}]
  status: {phase: Pending}
- <<: *pod
  metadata:
    namespace: ml
    name: train-1
    annotations: {scheduling.k8s.io/group-name: train}
"""


@pytest.fixture
def gangplan() -> Gangplan:
    """Runs ``gangplan`` with these arguments in this process."""
    runner = CliRunner()

    def run(*arguments: str | Path, stdin: str | None = None) -> Result:
        return runner.invoke(app, [str(one) for one in arguments], input=stdin)

    return run


@pytest.fixture
def snapshot_file(tmp_path: Path) -> Path:
    """A small export: one node with 8 GPUs and a waiting gang of two pods with 2 GPUs each."""
    path = tmp_path / "cluster.yaml"
    path.write_text(SNAPSHOT, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def small_plan(**changes: Any) -> PlanResult:
    """A verified plan with one started and one waiting gang."""
    started = GangEntry(
        namespace="ml",
        name="train",
        kind="PodGroup",
        queue="research",
        min_member=2,
        decision="start",
        pods=(
            PodGroupEntry(
                action="place", node="gpu-1", count=2, names=("ml/train-0", "ml/train-1")
            ),
        ),
        gpus=4,
        pods_after=2,
    )
    waiting = GangEntry(
        namespace="ml",
        name="large",
        kind="PodGroup",
        queue="research",
        min_member=2,
        decision="wait",
        reasons=(Reason(code="cluster_capacity", message="needs 16 GPUs, 4 are free"),),
        gpus=16,
    )
    gpus = Resources({"nvidia.com/gpu": 8})
    plan = PlanResult(
        summary=Summary(
            sentence="1 of 2 waiting gangs can start now.",
            gpus_allocatable=8,
            gpus_after=4,
            gangs_started=1,
            gangs_waiting=1,
            pods_placed=2,
        ),
        snapshot=SnapshotEntry(as_of="2026-11-01T10:00:00Z", digest="sha256:abc", nodes=1, pods=2),
        certificate=Certificate(
            status="OPTIMAL",
            tiers=(
                Tier(name="covered.1.gpus", sense="max", unit="GPU", value=4, bound=4, gap=0.0),
            ),
            properties="proved",
            reproducible=True,
        ),
        verification=Verification(rules=13),
        gangs=(started, waiting),
        queues=(QueueEntry(name="research", gangs_waiting=1, gangs_started=1),),
        nodes=(NodeEntry(name="gpu-1", allocatable=gpus, after=Resources({"nvidia.com/gpu": 4})),),
    )
    return plan.model_copy(update=changes)


@pytest.fixture
def a_plan() -> Callable[..., PlanResult]:
    """Makes the small plan, with changed parts."""
    return small_plan


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., PlanResult]], None]:
    """Put another function in the place of ``make_plan``."""

    def replace(function: Callable[..., PlanResult]) -> None:
        module = types.ModuleType("planner.usecases.planning")
        module.make_plan = function  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "planner.usecases.planning", module)

    return replace


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    """The small plan as a document."""
    path = tmp_path / "plan.json"
    path.write_text(small_plan().model_dump_json(by_alias=True), encoding="utf-8")
    return path
