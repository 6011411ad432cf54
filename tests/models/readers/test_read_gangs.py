"""How pods, PodGroups and Jobs become gangs."""

from __future__ import annotations

from typing import Any

import pytest

from models.resources import Resources


def gang_of(snapshot: Any, name: str) -> Any:
    return snapshot.gang_by_name[name]


def test_pods_join_the_group_that_they_name_by_either_annotation(read: Any, objects: Any) -> None:
    other = objects.pod("b", meta={"annotations": {"scheduling.volcano.sh/group-name": "train"}})
    snapshot = read(
        objects.group("train", 2, queue="q"),
        objects.pod("a", group="train"),
        other,
        objects.pod("c"),
    )
    gang = gang_of(snapshot, "ml/train")
    assert [pod.name for pod in snapshot.pods_of(gang)] == ["a", "b"]
    assert (gang.kind, gang.queue, gang.min_member) == ("PodGroup", "q", 2)
    assert gang_of(snapshot, "ml/c").kind == "implicit"


def test_a_job_names_the_gang_and_both_names_find_it(read: Any, objects: Any) -> None:
    job = objects.job(
        "train",
        objects.task("master", 1),
        objects.task("worker", 4, minAvailable=2),
        meta={
            "annotations": {"volcano.sh/sla-waiting-time": "1h", "owner": "me"},
            "labels": {"team": "a"},
        },
        policies=[{"event": "PodEvicted", "action": "RestartJob"}],
        maxRetry=5,
        status={"retryCount": 2, "state": {"phase": "Running"}},
    )
    group = objects.group(
        "train-0a1b", 3, owner=("Job", "train"), minTaskMember={"master": 1, "worker": 2}, queue="q"
    )
    pods = [
        objects.pod(
            f"train-worker-{index}",
            group="train-0a1b",
            meta={"annotations": {"volcano.sh/task-spec": "worker"}},
        )
        for index in range(2)
    ]
    snapshot = read(job, group, *pods)
    (gang,) = snapshot.gangs
    assert gang.full_name == "ml/train"
    assert gang.aliases == ("ml/train", "ml/train-0a1b")
    assert snapshot.gang_by_name["ml/train-0a1b"] is gang
    assert (gang.kind, gang.min_member, gang.queue) == ("Job", 3, "q")
    assert gang.role_minimum == {"master": 1, "worker": 2}
    assert {one.role: one.replicas for one in gang.templates} == {"master": 1, "worker": 4}
    assert gang.annotations == {"volcano.sh/sla-waiting-time": "1h"}
    assert gang.labels == {"team": "a"}
    assert gang.restarts_on_eviction
    assert (gang.retry_count, gang.max_retry) == (2, 5)
    assert [pod.role for pod in snapshot.pods] == ["worker", "worker"]


def test_a_manifest_without_status_is_a_gang(read: Any, objects: Any) -> None:
    job = objects.job(
        "eval",
        objects.task("main", 4),
        minAvailable=4,
        queue="evaluation",
        schedulerName="volcano",
        priorityClassName="low",
    )
    snapshot = read(
        job,
        objects.queue("evaluation", weight=30, reclaimable=True, capability={"nvidia.com/gpu": 64}),
    )
    (gang,) = snapshot.gangs
    assert (gang.queue, gang.min_member, gang.phase) == ("evaluation", 4, "")
    (template,) = gang.templates
    assert template.replicas == 4
    assert template.spec.request == {"nvidia.com/gpu": 8}
    assert (template.spec.scheduler_name, template.spec.priority_class_name) == ("volcano", "low")
    assert snapshot.queue_by_name["evaluation"].capability == {"nvidia.com/gpu": 64}


@pytest.mark.parametrize(
    ("tasks", "minima", "total"),
    [
        ([{"replicas": 3}], {"t0": 3}, 3),
        ([{"replicas": 3, "minAvailable": 1}, {"replicas": 2}], {"t0": 1, "t1": 2}, 3),
        ([{"replicas": 3, "minAvailable": 0}], {"t0": 0}, 0),
        (
            [
                {
                    "replicas": 8,
                    "partitionPolicy": {
                        "totalPartitions": 4,
                        "partitionSize": 2,
                        "minPartitions": 3,
                    },
                }
            ],
            {"t0": 6},
            6,
        ),
        (
            [{"replicas": 8, "partitionPolicy": {"totalPartitions": 4, "partitionSize": 2}}],
            {"t0": 8},
            8,
        ),
    ],
)
def test_minima_of_a_job_without_group(
    read: Any, objects: Any, tasks: Any, minima: Any, total: int
) -> None:
    made = [objects.task(f"t{index}", **fields) for index, fields in enumerate(tasks)]
    (gang,) = read(objects.job("j", *made)).gangs
    assert gang.role_minimum == minima
    assert gang.min_member == total


def test_partitions_depend_and_topology(read: Any, objects: Any) -> None:
    partition = {
        "totalPartitions": 2,
        "partitionSize": 4,
        "minPartitions": 1,
        "networkTopology": {"mode": "hard", "highestTierAllowed": 1},
    }
    task = objects.task("worker", 8, partitionPolicy=partition, dependsOn={"name": ["master"]})
    job = objects.job(
        "j", objects.task("master", 1), task, networkTopology={"highestTierName": "spine"}
    )
    (gang,) = read(job).gangs
    worker = gang.template("worker")
    assert (worker.partition_size, worker.depends_on) == (4, ("master",))
    (policy,) = gang.subgroups
    assert (policy.size, policy.min_subgroups, policy.topology.highest_tier_allowed) == (4, 1, 1)
    assert gang.topology.binds
    assert (gang.topology.mode, gang.topology.highest_tier_name) == ("hard", "spine")


def test_subgroups_and_topology_of_a_group(read: Any, objects: Any) -> None:
    group = objects.group(
        "g",
        4,
        subGroupPolicy=[
            {
                "name": "parts",
                "labelSelector": {"matchLabels": {"a": "b"}},
                "matchLabelKeys": ["volcano.sh/partition-id"],
                "subGroupSize": 2,
                "minSubGroups": 2,
            }
        ],
        networkTopology={"mode": "soft", "highestTierAllowed": 2},
    )
    (gang,) = read(group).gangs
    (policy,) = gang.subgroups
    assert (policy.name, policy.match_label_keys, policy.size, policy.min_subgroups) == (
        "parts",
        ("volcano.sh/partition-id",),
        2,
        2,
    )
    assert policy.selector.matches({"a": "b"})
    assert not gang.topology.binds


def test_a_group_without_job_asks_for_what_its_pods_leave(read: Any, objects: Any) -> None:
    group = objects.group(
        "g",
        2,
        minResources={"nvidia.com/gpu": "5", "cpu": "3"},
        status={"phase": "Pending", "running": 1},
    )
    snapshot = read(
        group, objects.pod("a", group="g", meta={"labels": {"volcano.sh/task-spec": "worker"}})
    )
    (gang,) = snapshot.gangs
    (template,) = gang.templates
    assert (template.role, template.replicas) == ("", 1)
    assert template.spec.request == {"nvidia.com/gpu": 4}  # the pod has 1 GPU and 4 CPUs already
    assert gang.min_resources == Resources({"cpu": 3000, "nvidia.com/gpu": 5})
    assert snapshot.pods[0].role == "worker"
    assert (gang.phase, gang.reported_running) == ("Pending", 1)


def test_pods_with_the_roles_of_the_group_are_not_promised_twice(read: Any, objects: Any) -> None:
    group = objects.group("g", 2, minResources={"nvidia.com/gpu": 2}, minTaskMember={"worker": 2})
    marks = {"labels": {"volcano.sh/task-spec": "worker"}}
    snapshot = read(
        group, objects.pod("a", group="g", meta=marks), objects.pod("b", group="g", meta=marks)
    )
    assert snapshot.gangs[0].templates == ()
    assert [pod.role for pod in snapshot.pods] == ["worker", "worker"]


@pytest.mark.parametrize(
    "phase", ["Aborted", "Completed", "Completing", "Failed", "Terminated", "Terminating"]
)
def test_a_terminal_job_asks_for_nothing(read: Any, objects: Any, phase: str) -> None:
    done = objects.pod("j-0", owner=("Job", "j"), phase="Succeeded")
    (gang,) = read(
        objects.job("j", objects.task("t", 2), status={"state": {"phase": phase}}), done
    ).gangs
    assert gang.finished
    assert gang.templates == ()


@pytest.mark.parametrize("phase", ["Pending", "Running", "Restarting", "Aborting"])
def test_other_phases_still_ask(read: Any, objects: Any, phase: str) -> None:
    (gang,) = read(objects.job("j", objects.task("t", 2), status={"state": {"phase": phase}})).gangs
    assert not gang.finished
    assert gang.templates


def test_live_pods_keep_a_terminal_gang(read: Any, objects: Any) -> None:
    alive = objects.pod("a", group="g", node="n1", phase="Running")
    (gang,) = read(objects.group("g", 1, status={"phase": "Completed"}), alive).gangs
    assert not gang.finished
    (left,) = read(objects.group("g", 1, status={"phase": "Completed"})).gangs
    assert left.finished


def test_implicit_gangs(read: Any, objects: Any) -> None:
    replica_set = objects.obj(
        "ReplicaSet",
        "apps/v1",
        "web",
        "ml",
        meta={"annotations": {"scheduling.volcano.sh/group-min-member": "2"}},
    )
    marks = {"annotations": {"scheduling.volcano.sh/queue-name": "online"}}
    pods = [
        objects.pod(f"web-{index}", owner=("ReplicaSet", "web"), meta=marks) for index in range(3)
    ]
    bare = objects.pod(
        "bare", spec={"priority": 9}, meta={"creationTimestamp": "2026-01-01T00:00:00Z"}
    )
    foreign = objects.pod("other", scheduler="default-scheduler", owner=("ReplicaSet", "x"))
    snapshot = read(replica_set, *pods, bare, foreign)
    web, single = gang_of(snapshot, "ml/web"), gang_of(snapshot, "ml/bare")
    assert (web.kind, web.min_member, web.queue, web.online) == ("implicit", 2, "online", True)
    assert len(snapshot.pods_of(web)) == 3
    assert (single.min_member, single.queue, single.priority, single.online) == (
        1,
        "default",
        9,
        False,
    )
    assert single.created == "2026-01-01T00:00:00Z"
    assert snapshot.pod_by_name["ml/other"].gang == ""
    assert len(snapshot.gangs) == 2


def test_batch_jobs(read: Any, objects: Any) -> None:
    batch = objects.obj("Job", "batch/v1", "plain", "ml", spec={"suspend": True})
    group = objects.group("pg", 2, owner=("Job", "plain"), minResources={"cpu": 2})
    owned = objects.pod("plain-0", owner=("Job", "plain"))
    snapshot = read(batch, group, owned)
    (gang,) = snapshot.gangs
    assert (gang.full_name, gang.kind, gang.aliases) == ("ml/pg", "PodGroup", ("ml/pg", "ml/plain"))
    assert gang.suspended
    assert snapshot.pods_of(gang)[0].name == "plain-0"


def test_a_suspended_batch_job_under_volcano_waits(read: Any, objects: Any) -> None:
    def batch(name: str, scheduler: str, **meta: Any) -> Any:
        box = {"resources": {"requests": {"nvidia.com/gpu": 1}}}
        spec = {
            "suspend": True,
            "parallelism": 3,
            "template": {"spec": {"schedulerName": scheduler, "containers": [box]}},
        }
        return objects.obj("Job", "batch/v1", name, "ml", meta=meta, spec=spec)

    kueue = {"labels": {"kueue.x-k8s.io/queue-name": "q"}}
    marks = {"annotations": {"scheduling.volcano.sh/group-min-member": "3"}}
    snapshot = read(
        batch("a", "volcano", **marks),
        batch("b", "default-scheduler"),
        batch("c", "volcano", **kueue),
    )
    (gang,) = snapshot.gangs
    assert (gang.full_name, gang.suspended, gang.min_member) == ("ml/a", True, 3)
    assert gang.templates[0].replicas == 3


def test_pods_of_a_group_that_is_not_there(read: Any, objects: Any) -> None:
    snapshot = read(objects.pod("a", group="gone"), objects.pod("b", group="gone"))
    (gang,) = snapshot.gangs
    assert (gang.full_name, gang.kind, gang.missing_group) == ("ml/gone", "PodGroup", True)
    assert len(snapshot.pods_of(gang)) == 2


def test_the_job_stands_in_for_a_group_that_is_not_there(read: Any, objects: Any) -> None:
    pod = objects.pod("j-t-0", group="j-123", owner=("Job", "j"))
    snapshot = read(objects.job("j", objects.task("t", 2)), pod)
    (gang,) = snapshot.gangs
    assert not gang.missing_group
    assert gang.aliases == ("ml/j", "ml/j-123")
    assert snapshot.pods[0].role == "t"


def test_same_names_in_two_namespaces(read: Any, objects: Any) -> None:
    snapshot = read(
        objects.group("g", 1),
        objects.group("g", 2, namespace="other"),
        objects.pod("p", group="g"),
        objects.pod("p", namespace="other", group="g"),
    )
    assert [(gang.full_name, gang.min_member) for gang in snapshot.gangs] == [
        ("ml/g", 1),
        ("other/g", 2),
    ]
    assert [pod.gang for pod in snapshot.pods] == ["ml/g", "other/g"]


def test_a_group_whose_owner_reference_was_stripped(read: Any, objects: Any) -> None:
    (gang,) = read(objects.group("j", 2), objects.job("j", objects.task("t", 2))).gangs
    assert (gang.kind, gang.min_member, len(gang.templates)) == ("Job", 2, 1)


def classes(objects: Any) -> list[Any]:
    return [
        objects.obj("PriorityClass", "scheduling.k8s.io/v1", "high", value=100),
        objects.obj("PriorityClass", "scheduling.k8s.io/v1", "usual", value=10, globalDefault=True),
    ]


def test_priority_by_class_and_default(read: Any, objects: Any) -> None:
    groups = [
        objects.group("a", priorityClassName="high"),
        objects.group("b"),
        objects.group("c", priorityClassName="system-node-critical"),
    ]
    snapshot = read(*classes(objects), *groups)
    assert [gang.priority for gang in snapshot.gangs] == [100, 10, 2_000_001_000]
    assert not snapshot.findings


def test_priority_of_a_class_that_is_not_there(read: Any, objects: Any) -> None:
    snapshot = read(
        *classes(objects),
        objects.group("a", priorityClassName="gone"),
        objects.pod("p", group="a", spec={"priority": 55}),
        objects.group("b", priorityClassName="lost"),
        objects.group("c", priorityClassName="lost"),
    )
    assert [gang.priority for gang in snapshot.gangs] == [55, 10, 10]
    (finding,) = snapshot.findings
    assert (finding.code, finding.severity, finding.object) == (
        "priority_unknown",
        "error",
        "priorityclass/lost",
    )
    assert "2 gangs" in finding.message


def test_marks_of_the_group(read: Any, objects: Any) -> None:
    kept = objects.group("a", meta={"annotations": {"volcano.sh/preemptable": "false"}})
    free = objects.group("b", meta={"labels": {"volcano.sh/preemptable": "true"}})
    first, second, third = read(kept, free, objects.group("c")).gangs
    assert (first.preemptable, second.preemptable, third.preemptable) == (False, True, None)


@pytest.mark.parametrize(
    ("policies", "restarts"),
    [
        ([{"event": "*", "action": "RestartJob"}], True),
        ([{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}], True),
        ([{"event": "PodEvicted", "action": "AbortJob"}], True),
        ([{"event": "*", "action": "TerminateJob"}], True),
        ([{"event": "PodEvicted", "action": "CompleteJob"}], True),
        ([{"event": "PodEvicted", "action": "RestartTask"}], False),
        ([{"event": "PodFailed", "action": "RestartJob"}], False),
    ],
)
def test_what_an_eviction_does(read: Any, objects: Any, policies: Any, restarts: bool) -> None:
    (gang,) = read(objects.job("j", objects.task("t", 1), policies=policies)).gangs
    assert gang.restarts_on_eviction is restarts
    (gang,) = read(objects.job("j", objects.task("t", 1, policies=policies))).gangs
    assert gang.restarts_on_eviction is restarts
