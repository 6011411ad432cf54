"""Random small exports in kubectl form, and random plans on them, right and wrong ones."""

from __future__ import annotations

from random import Random
from typing import Any

from models.placement import Placement
from models.snapshot import Snapshot

GROUP, VERSION = "scheduling.volcano.sh", "scheduling.volcano.sh/v1beta1"
GPU = "nvidia.com/gpu"
ZONE, NODE_GROUP = "volcano.sh/revocable-zone", "volcano.sh/nodegroup-name"
Export = list[dict[str, Any]]


def random_policy(rnd: Random) -> dict[str, Any]:
    """A policy block without evictions."""
    model = rnd.choice(["capacity", "proportion"])
    policy: dict[str, Any] = {"queue_model": model, "evict": [], "now": "2026-08-20T23:30:00Z"}
    if model == "capacity":
        policy["hierarchy"] = rnd.random() < 0.5
    if rnd.random() < 0.15:
        policy["nodegroup"] = True
    if rnd.random() < 0.3:
        policy["revocable_zones"] = {"night": "22:00-06:00", "day": "06:00-22:00"}
    if rnd.random() < 0.2:
        policy["allow_moves"] = True
    return policy


def random_export(rnd: Random, *, hierarchy: bool) -> Export:
    """Nodes, queues, PodGroups with pods, and Volcano Jobs without."""
    nodes = [_node(rnd, index) for index in range(rnd.randint(1, 4))]
    queues = [_queue(rnd, name) for name in ("a", "b", "c", "default")[: rnd.randint(1, 4)]]
    if hierarchy:
        _make_tree(rnd, queues)
    items = [*nodes, *queues]
    names = [one["metadata"]["name"] for one in nodes]
    owners = [one["metadata"]["name"] for one in queues] + ["default"]
    for index in range(rnd.randint(1, 4)):
        queue = rnd.choice(owners)
        if rnd.random() < 0.25:
            items.append(_job(rnd, f"job{index}", queue))
        else:
            items += _gang(rnd, f"g{index}", queue, names)
    return items


def _node(rnd: Random, index: int) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": f"n{index}", "pool": rnd.choice(["x", "y"])}
    if rnd.random() < 0.4:
        labels[NODE_GROUP] = rnd.choice(["g1", "g2"])
    if rnd.random() < 0.2:
        labels[ZONE] = rnd.choice(["night", "day"])
    spec: dict[str, Any] = {}
    if rnd.random() < 0.15:
        spec["taints"] = [
            {"key": "t", "value": "v", "effect": rnd.choice(["NoSchedule", "PreferNoSchedule"])}
        ]
    if rnd.random() < 0.1:
        spec["unschedulable"] = True
    amounts = {"cpu": str(rnd.randint(2, 8)), "memory": "64Gi", "pods": str(rnd.randint(2, 9))}
    amounts[GPU] = str(rnd.choice([0, 2, 4, 4]))
    ready = "True" if rnd.random() < 0.92 else "False"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{index}", "labels": labels},
        "spec": spec,
        "status": {"allocatable": amounts, "conditions": [{"type": "Ready", "status": ready}]},
    }


def _queue(rnd: Random, name: str) -> dict[str, Any]:
    spec: dict[str, Any] = {"weight": rnd.randint(1, 4)}
    if rnd.random() < 0.4:
        spec["capability"] = {GPU: str(rnd.randint(0, 6))}
    if rnd.random() < 0.2:
        spec.setdefault("capability", {})["cpu"] = rnd.choice(["0", "3", "2500m"])
    if rnd.random() < 0.25:
        spec["guarantee"] = {"resource": {GPU: str(rnd.randint(1, 2))}}
    if rnd.random() < 0.4:
        spec["deserved"] = {GPU: str(rnd.randint(0, 5)), "cpu": str(rnd.randint(0, 5))}
    if rnd.random() < 0.5:
        spec["affinity"] = {
            "nodeGroupAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": ["g1"]},
            "nodeGroupAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": ["g2"]},
        }
    state = "Open" if rnd.random() < 0.93 else "Closed"
    return {
        "apiVersion": VERSION,
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"state": state},
    }


def _make_tree(rnd: Random, queues: Export) -> None:
    """Parents come earlier in the list, so there is no cycle."""
    for index, queue in enumerate(queues):
        if index and rnd.random() < 0.6:
            queue["spec"]["parent"] = queues[rnd.randrange(index)]["metadata"]["name"]
    if rnd.random() < 0.4:
        queues.append(_queue(rnd, "root"))


def _pod_spec(rnd: Random) -> dict[str, Any]:
    amounts = {"cpu": rnd.choice(["500m", "1", "2"]), "memory": "1Gi"}
    if rnd.random() < 0.8:
        amounts[GPU] = str(rnd.choice([1, 1, 2]))
    spec: dict[str, Any] = {
        "schedulerName": "volcano" if rnd.random() < 0.95 else "default-scheduler",
        "containers": [{"name": "main", "resources": {"requests": amounts}}],
    }
    if rnd.random() < 0.1:
        spec["nodeSelector"] = {"pool": "x"}
    if rnd.random() < 0.1:
        operator = rnd.choice(["In", "NotIn", "Exists", "DoesNotExist"])
        expression: dict[str, Any] = {"key": "pool", "operator": operator}
        if operator.endswith("In"):
            expression["values"] = ["y"]
        terms = [{"matchExpressions": [expression]}]
        spec["affinity"] = {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
            }
        }
    if rnd.random() < 0.2:
        spec["tolerations"] = [{"key": "t", "operator": "Exists"}]
    return spec


def _gang(rnd: Random, name: str, queue: str, nodes: list[str]) -> Export:
    count, specs = rnd.randint(1, 5), [_pod_spec(rnd) for _ in range(rnd.randint(1, 2))]
    spec: dict[str, Any] = {"minMember": rnd.randint(0, count + 1), "queue": queue}
    if rnd.random() < 0.4:
        spec["minTaskMember"] = {"m": rnd.randint(0, 1), "w": rnd.randint(0, 2)}
    if rnd.random() < 0.3:
        spec["subGroupPolicy"] = [
            {
                "name": "s",
                "labelSelector": {"matchLabels": {"volcano.sh/task-spec": "w"}},
                "matchLabelKeys": ["part"] if rnd.random() < 0.7 else [],
                "subGroupSize": rnd.randint(1, 2),
                "minSubGroups": rnd.randint(0, 2),
            }
        ]
    group = {
        "apiVersion": VERSION,
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ml", "creationTimestamp": "2026-08-20T08:00:00Z"},
        "spec": spec,
        "status": {"phase": "Inqueue"},
    }
    return [group, *(_pod(rnd, name, index, rnd.choice(specs), nodes) for index in range(count))]


def _pod(
    rnd: Random, gang: str, index: int, shape: dict[str, Any], nodes: list[str]
) -> dict[str, Any]:
    role = rnd.choice(["m", "w", "w"])
    meta: dict[str, Any] = {
        "name": f"{gang}-{index}",
        "namespace": "ml",
        "labels": {"volcano.sh/task-spec": role, "part": str(rnd.randint(0, 1))},
        "annotations": {"scheduling.k8s.io/group-name": gang, "volcano.sh/task-spec": role},
    }
    if rnd.random() < 0.3:
        meta["annotations"][ZONE] = "*"
    if rnd.random() < 0.1:
        meta["annotations"]["volcano.sh/preemptable"] = "false"
    spec, phase = dict(shape), "Pending"
    if rnd.random() < 0.35:
        spec["nodeName"], phase = rnd.choice(nodes), rnd.choice(["Running", "Running", "Succeeded"])
        if rnd.random() < 0.15:
            meta["deletionTimestamp"] = "2026-08-20T09:00:00Z"
    elif rnd.random() < 0.07:
        spec["schedulingGates"] = [{"name": "gate"}]
    elif rnd.random() < 0.05:
        phase = "Failed"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": spec,
        "status": {"phase": phase},
    }


def _job(rnd: Random, name: str, queue: str) -> dict[str, Any]:
    tasks = [
        {"name": role, "replicas": rnd.randint(1, 3), "template": {"spec": _pod_spec(rnd)}}
        for role in ("m", "w")[: rnd.randint(1, 2)]
    ]
    total = sum(task["replicas"] for task in tasks)
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {
            "minAvailable": rnd.randint(1, total),
            "queue": queue,
            "schedulerName": "volcano",
            "tasks": tasks,
        },
    }


def random_placements(rnd: Random, snapshot: Snapshot) -> list[Placement]:
    """Placements for some gangs, mostly of pods that wait, enough for the minimum or one more or less."""
    names = [node.name for node in snapshot.nodes]
    found: list[Placement] = []
    for gang in snapshot.gangs:
        if rnd.random() < 0.4:
            continue
        pods = list(snapshot.pods_of(gang))
        fitting = [pod for pod in pods if pod.pending and not pod.spec.scheduling_gates]
        if rnd.random() < 0.1:
            fitting = [pod for pod in pods if not pod.running]
        rnd.shuffle(fitting)
        have = sum(pod.running or pod.phase == "Succeeded" for pod in pods)
        wanted = max(gang.min_member - have, 0) + rnd.choice([-1, 0, 0, 0, 1, 2])
        for pod in fitting[: max(wanted, 0)]:
            where = rnd.choice(names)
            found.append(Placement(gang.full_name, pod.role, where, 1, (pod.full_name,)))
        for template in gang.templates if not pods else ():
            count = rnd.randint(0, template.replicas + (rnd.random() < 0.15))
            found += [
                Placement(gang.full_name, template.role, rnd.choice(names), 1) for _ in range(count)
            ]
    return found
