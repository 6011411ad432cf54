from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

from models.effective import resolve_policy
from models.moments import local_text
from models.plan import GangEntry, PlanResult, PodGroupEntry, Reason
from models.policy import parse_policy
from models.schedule import Schedule, ScheduledGang, ScheduledQueue
from models.workloads import RoleTemplate
from planner.manifests.build import night_manifests
from planner.manifests.manifest_file import ManifestFile
from planner.testing.nights_by_hand import (
    BUCKETS,
    NOW,
    Object,
    nodes,
    pod,
    pod_group,
    queue,
    schedule_of,
    scheduled,
    snapshot_of,
    volcano_job,
    whole_night,
)

GPU = "nvidia.com/gpu"


def made(
    objects: list[Object], gangs: tuple[ScheduledGang, ...], *, lent: bool = False, **policy: Any
) -> tuple[ManifestFile, ...]:
    """Manifests of a night in which ten nodes belong to batch work, or are all lent."""
    snapshot = snapshot_of([*nodes(10), *objects])
    told = resolve_policy(snapshot, parse_policy({"now": local_text(NOW), **policy}, source="t"))
    return night_manifests(snapshot, PlanResult(schedule=_schedule(gangs, lent=lent)), told)


def _schedule(gangs: tuple[ScheduledGang, ...], *, lent: bool) -> Schedule:
    schedule = schedule_of(gangs, gpus=80, online=(0,) * BUCKETS)
    (pool,) = schedule.pools
    names = sorted({gang.queue for gang in gangs})
    queues = tuple(
        ScheduledQueue(
            name=name,
            used=tuple(
                sum(
                    gang.gpus
                    for gang in gangs
                    for run in gang.runs
                    if gang.queue == name and run.start_bucket <= bucket < run.end_bucket
                )
                for bucket in range(BUCKETS)
            ),
        )
        for name in names
    )
    own = pool if lent else pool.model_copy(update={"own": pool.capacity, "lent": (0,) * BUCKETS})
    return schedule.model_copy(update={"queues": queues, "pools": (own,)})


def borrowing() -> tuple[list[Object], tuple[ScheduledGang, ...]]:
    """Queue ``a`` runs 48 GPUs and deserves 24; ``b`` deserves 40, uses 8 and has a gang that starts at 5."""
    objects = [
        queue("a", deserved=24, capability=80),
        queue("b", deserved=40, capability=80),
        volcano_job("big", 48, queue="a"),
        volcano_job("small", queue="b"),
        volcano_job("later", 32, queue="b"),
    ]
    gangs = (
        scheduled("big", (0, 5), gpus=48, queue="a"),
        scheduled("small", (0, 8), queue="b"),
        scheduled("later", (5, 8), gpus=32, queue="b"),
    )
    return objects, gangs


def deserved_of(files: tuple[ManifestFile, ...]) -> list[tuple[str, str, Any]]:
    found = []
    for file in files:
        if "queue-" in file.path:
            body = yaml.safe_load(file.text)
            if "deserved" in body["spec"] and "capability" not in body["spec"]:
                step = file.path.partition("/")[0].rpartition("-")[2]
                found.append((step, body["metadata"]["name"], body["spec"]["deserved"][GPU]))
    return found


def test_borrowed_gpus_count_as_deserved_while_reclaim_would_take_them() -> None:
    objects, gangs = borrowing()
    files = made(objects, gangs, evict=["reclaim"], queue_model="capacity")
    assert deserved_of(files) == [
        ("entitle", "b", "16"),
        ("entitle", "a", "48"),
        ("release", "a", "24"),
        ("release", "b", "40"),
    ]
    undone = [file for file in files if "queue-restore" in file.path]
    assert {file.at for file in undone} == {NOW + 5 * 3600}
    assert "Keep borrowed GPUs from being reclaimed" in files[0].text


def test_nothing_is_shifted_where_nobody_reclaims() -> None:
    objects, gangs = borrowing()
    assert deserved_of(made(objects, gangs, evict=[], queue_model="capacity")) == []
    assert deserved_of(made(objects, gangs, evict=["reclaim"], queue_model="proportion")) == []
    nobody = tuple(gang for gang in gangs if gang.name != "later")
    assert deserved_of(made(objects, nobody, evict=["reclaim"], queue_model="capacity")) == []


def test_gpus_lent_by_online_services_stay_reclaimable() -> None:
    objects, gangs = borrowing()
    files = made(objects, gangs, lent=True, evict=["reclaim"], queue_model="capacity")
    assert deserved_of(files) == []


def test_a_borrower_without_an_entitlement_has_none_again() -> None:
    objects, gangs = borrowing()
    objects[0] = queue("a", deserved=0, capability=80)
    del objects[0]["spec"]["deserved"]
    files = made(objects, gangs, evict=["reclaim"], queue_model="capacity")
    assert ("release", "a", None) in deserved_of(files)
    assert ("entitle", "a", "32") in deserved_of(files)  # all that b can spare
    assert ("entitle", "b", "8") in deserved_of(files)


def test_a_queue_with_online_work_is_never_limited() -> None:
    objects = [queue("q", deserved=8), pod_group("bare", queue="q"), pod("bare-0", "bare")]
    gangs = (scheduled("bare", (4, 6), queue="q"),)
    assert any("queue-limit" in file.path for file in made(objects, gangs))
    served = [{"name": "web", "queue": "q", "namespace": "web"}]
    files = made(objects, gangs, services=served)
    assert not any("queue-" in file.path for file in files)
    assert "queue q cannot be limited (it holds online work too): watch it by hand" in files[0].text


def test_a_queue_that_is_no_object_cannot_be_limited() -> None:
    objects = [pod_group("bare", queue="default"), pod("bare-0", "bare")]
    files = made(objects, (scheduled("bare", (4, 6), queue="default"),))
    assert not any("queue-" in file.path for file in files)
    assert "it is no object of the export" in files[0].text


def test_a_first_capability_leaves_other_dimensions_open() -> None:
    first = queue("q", deserved=8)
    first["spec"]["deserved"]["cpu"] = "16"
    objects = [first, pod_group("bare", queue="q"), pod("bare-0", "bare")]
    files = made(objects, (scheduled("bare", (4, 6), queue="q"),))
    (limit,) = (file for file in files if "queue-limit" in file.path)
    spec = yaml.safe_load(limit.text)["spec"]
    assert spec == {"capability": {"cpu": "640000m", GPU: "0"}, "deserved": {GPU: "0"}}
    (undo,) = (file for file in files if "queue-restore" in file.path)
    assert yaml.safe_load(undo.text)["spec"] == {"capability": None, "deserved": {GPU: "8"}}


def _evicting(decision: str, code: str, **gang: Any) -> tuple[ManifestFile, ...]:
    night = whole_night()
    entry = GangEntry(
        namespace="ml",
        name="leaves",
        kind="Job",
        queue="batch",
        decision=decision,  # type: ignore[arg-type]
        pods=(
            PodGroupEntry(role="worker", action="keep", node="n0", count=2),
            PodGroupEntry(
                role="worker", action="evict", from_node="n0", count=1, names=("ml/leaves-0",)
            ),
        ),
        reasons=(Reason(code=code, message="makes room for ml/x"),),
        gpus=8,
    )
    gangs = tuple(
        replace(one, **gang) if one.name == "leaves" else one for one in night.snapshot.gangs
    )
    result = night.result.model_copy(update={"gangs": (entry,)})
    return night_manifests(replace(night.snapshot, gangs=gangs), result, night.policy)


def test_an_eviction_of_the_plan_that_nobody_else_does_is_a_command() -> None:
    files = _evicting("evict", "reclaimed")
    stop = next(file for file in files if "-leave/" in file.path)
    assert stop.at == NOW
    assert yaml.safe_load(stop.text)["action"] == "AbortJob"
    (listed,) = (file for file in files if file.path == "evictions.csv")
    assert "ml,leaves,Job,batch" in listed.text


def test_a_shrunk_job_gets_fewer_replicas_for_the_night() -> None:
    template = whole_night().snapshot.gang_by_name["ml/leaves"].templates[0]
    wider = RoleTemplate("worker", template.spec, replicas=3)
    files = _evicting("shrink", "reclaimed", templates=(wider,), role_minimum={"worker": 3})
    (less,) = (file for file in files if "shrink-" in file.path)
    (more,) = (file for file in files if "grow-" in file.path)
    assert yaml.safe_load(less.text) == [
        {"op": "test", "path": "/spec/tasks/0/name", "value": "worker"},
        {"op": "replace", "path": "/spec/tasks/0/replicas", "value": 2},
        {"op": "add", "path": "/spec/tasks/0/minAvailable", "value": 2},
    ]
    assert yaml.safe_load(more.text)[1:] == [
        {"op": "replace", "path": "/spec/tasks/0/replicas", "value": 3},
        {"op": "add", "path": "/spec/tasks/0/minAvailable", "value": 3},
    ]
    assert "jobs.batch.volcano.sh/leaves --type=json" in less.command


@pytest.mark.parametrize(
    ("retries", "spans", "held"), [(0, ((4, 6),), True), (1, ((4, 6),), False), (0, (), False)]
)
def test_a_hold_leaves_a_retry_for_a_failure(
    retries: int, spans: tuple[tuple[int, int], ...], held: bool
) -> None:
    objects = [queue("q", deserved=8), volcano_job("job", retries=retries, queue="q")]
    status = "starts" if spans else "waits"
    files = made(objects, (scheduled("job", *spans, status=status, queue="q"),))
    assert any("-hold/abort-" in file.path for file in files) == held
    assert any("queue-limit" in file.path for file in files) != held
