"""A plan for now: who could take the room of what starts is kept from it, and everything is put back afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

from models.effective import EffectivePolicy, resolve_policy
from models.moments import local_text
from models.plan import (
    GangEntry,
    NodeEntry,
    PlanResult,
    PodGroupEntry,
    QueueEntry,
    SnapshotEntry,
)
from models.policy import parse_policy
from models.reasons import Reason
from models.resources import Resources
from models.snapshot import Snapshot
from planner.manifests.build import manifests_of, plan_manifests
from planner.manifests.manifest_file import ManifestFile
from planner.manifests.permitted import refused
from planner.testing.nights_by_hand import (
    NOW,
    POOL,
    batch_job,
    nodes,
    pod,
    pod_group,
    queue,
    snapshot_of,
    volcano_job,
)
from planner.testing.random_nodes import GPU

Made = tuple[Snapshot, PlanResult, EffectivePolicy]


def wait(name: str, *, gpus: int = 8, reason: str = "no_room") -> GangEntry:
    return GangEntry(
        namespace="ml",
        name=name,
        queue="batch",
        decision="wait",
        gpus=gpus,
        reasons=(Reason(code=reason, message="waits"),),
    )


def group(action: Any, node: str, *names: str) -> PodGroupEntry:
    named = tuple(f"ml/{name}" for name in names)
    return PodGroupEntry(role="worker", action=action, node=node, count=1, names=named)


@pytest.fixture(scope="module")
def made() -> Made:
    """Three full nodes: ``leaves`` makes room for ``first``, which ``kept`` and ``bare`` could take."""
    objects = [
        *nodes(3),
        queue("batch", deserved=16, capability=24),
        volcano_job("leaves", uid="6d1"),
        pod_group("leaves-6d1", owner="leaves"),
        pod("leaves-0", "leaves-6d1", node="n0", owner="leaves"),
        pod_group("stays"),
        pod("stays-0", "stays", node="n1"),
        volcano_job("first", uid="8f3"),
        batch_job("kept"),
        pod_group("podgroup-kept", owner="kept"),
        pod("kept-0", "podgroup-kept", owner="kept"),
        pod_group("bare"),
        pod("bare-0", "bare"),
        batch_job("huge", gpus=64),
        pod_group("podgroup-huge", owner="huge"),
        pod("huge-0", "podgroup-huge", gpus=64, owner="huge"),
        pod_group("never"),
        pod("never-0", "never"),
    ]
    eight = Resources({GPU: 8})
    start = {"namespace": "ml", "queue": "batch", "gpus": 8}
    gangs = (
        GangEntry(
            **start,
            name="leaves",
            kind="Job",
            decision="evict",
            pods=(group("evict", "n0", "leaves-0"),),
        ),
        GangEntry(**start, name="stays", decision="keep", pods=(group("keep", "n1", "stays-0"),)),
        GangEntry(
            **start, name="first", kind="Job", decision="start", pods=(group("place", "n0"),)
        ),
        wait("podgroup-kept"),
        wait("bare"),
        wait("podgroup-huge", gpus=64),
        wait("never", reason="never_fits"),
    )
    result = PlanResult(
        snapshot=SnapshotEntry(as_of=local_text(NOW)),
        gangs=gangs,
        nodes=tuple(
            NodeEntry(
                name=f"n{number}",
                pool=POOL,
                allocatable=eight,
                after=eight if number < 2 else Resources(),
                conditions=() if number < 2 else ("cordoned",),
            )
            for number in range(3)
        ),
        queues=(QueueEntry(name="batch", after=Resources({GPU: 16})),),
    )
    snapshot = snapshot_of(objects)
    policy = resolve_policy(snapshot, parse_policy({"now": local_text(NOW)}, source="test"))
    return snapshot, result, policy


@pytest.fixture(scope="module")
def files(made: Made) -> dict[str, ManifestFile]:
    return {one.path: one for one in plan_manifests(*made)}


def test_who_could_take_the_room_is_held_until_the_gangs_of_the_plan_run(
    files: dict[str, ManifestFile],
) -> None:
    held = files["01-0915-1920-hold/suspend-ml.kept.yaml"]
    assert yaml.safe_load(held.text)["spec"] == {"suspend": True}
    assert "it could take the room of ml/first (8 GPUs of pool lent)" in held.text
    freed = files["04-after-release/resume-ml.kept.yaml"]
    assert yaml.safe_load(freed.text)["spec"] == {"suspend": False}
    assert "# When: once the gangs of the plan run" in freed.text
    assert not [path for path in files if "huge" in path or "never" in path]


def test_a_queue_is_limited_to_the_plan_and_put_back(files: dict[str, ManifestFile]) -> None:
    """Nothing but a limit keeps ``bare`` from the room of ``first``."""
    limit = yaml.safe_load(files["02-0915-1920-limit/queue-limit-batch.yaml"].text)
    assert limit["spec"] == {"capability": {GPU: "16"}}
    back = yaml.safe_load(files["04-after-release/queue-restore-batch.yaml"].text)
    assert back["spec"] == {"capability": {GPU: "24"}, "deserved": {GPU: "16"}}


def test_what_is_stopped_for_the_plan_waits_for_room_again_afterwards(
    files: dict[str, ManifestFile],
) -> None:
    actions = {
        path: yaml.safe_load(one.text)["action"]
        for path, one in files.items()
        if path.endswith("ml.leaves.yaml")
    }
    assert actions == {
        "03-0915-1920-leave/abort-ml.leaves.yaml": "AbortJob",
        "04-after-release/resume-ml.leaves.yaml": "ResumeJob",
    }
    assert "leaves" in files["evictions.csv"].text


def test_all_is_permitted_and_told_in_the_readme(
    made: Made, files: dict[str, ManifestFile]
) -> None:
    for one in files.values():
        if one.path.endswith(".yaml"):
            assert refused(one.operation, yaml.safe_load(one.text)) == ()
    readme = files["README.md"].text
    assert readme.startswith("# Manifests for the plan\n")
    assert "a plan for **2026-09-15 19:20 UTC** (times in UTC)" in readme
    assert "## Step 4: once the gangs of the plan run, put back what was changed" in readme
    assert "## If the plan is given up" in readme
    assert "horizon" not in readme
    assert "resubmit/resubmit-ml.first.yaml" in files
    assert manifests_of(*made) == plan_manifests(*made)


def test_a_plan_that_tempts_nobody_needs_no_step(made: Made) -> None:
    snapshot, result, policy = made
    alone = tuple(one for one in result.gangs if one.name in ("stays", "first"))
    found = plan_manifests(snapshot, result.model_copy(update={"gangs": alone}), policy)
    assert [one.path for one in found] == ["README.md", "resubmit/resubmit-ml.first.yaml"]
    assert "No step: the scheduler follows the plan by itself" in found[0].text


def test_without_a_time_the_steps_are_now_and_after(made: Made) -> None:
    snapshot, result, policy = made
    timeless = result.model_copy(update={"snapshot": SnapshotEntry()})
    found = plan_manifests(snapshot, timeless, policy)
    assert {one.path.split("/")[0][:9] for one in found if one.path[0] == "0"} == {
        "01-now-ho",
        "02-now-li",
        "03-now-le",
        "04-after-",
    }
    assert "1970" not in "".join(one.text for one in found)


def test_a_job_without_a_retry_is_named_before_it_is_stopped(made: Made) -> None:
    snapshot, result, policy = made
    tired = tuple(
        replace(one, retry_count=2) if one.name == "leaves" else one for one in snapshot.gangs
    )
    found = plan_manifests(replace(snapshot, gangs=tired), result, policy)
    assert any("It has no retry left" in one.text for one in found if "-leave/" in one.path)
