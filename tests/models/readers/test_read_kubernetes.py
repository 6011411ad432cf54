"""Kubernetes core objects: every field that the snapshot has."""

from __future__ import annotations

from typing import Any

import pytest

from models.findings import InputError
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration


def test_node_fields(read: Any, objects: Any) -> None:
    node = objects.node("n1", creationTimestamp="2026-01-02T03:04:05+01:00")
    node["metadata"]["annotations"] = {"volcano.sh/node-vgpu-register": "x", "team": "secret"}
    node["spec"] = {
        "unschedulable": True,
        "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
    }
    node["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    node["status"]["conditions"] = [
        {"type": "Ready", "status": "Unknown", "lastHeartbeatTime": "2026-01-03T00:00:00Z"}
    ]
    snapshot = read(node)
    (found,) = snapshot.nodes
    assert found.allocatable == {
        "cpu": 64_000,
        "memory": 512 * 1024**3,
        "pods": 110,
        "nvidia.com/gpu": 7,
    }
    assert found.capacity.amount("nvidia.com/gpu") == 8
    assert found.labels == {"kubernetes.io/hostname": "n1"}
    assert found.annotations == {"volcano.sh/node-vgpu-register": "x"}
    assert found.taints == (Taint("gpu", "NoSchedule", "yes"),)
    assert found.unschedulable
    assert not found.ready
    assert found.created == "2026-01-02T02:04:05Z"
    assert snapshot.as_of == "2026-01-03T00:00:00Z"


def test_pod_state(read: Any, objects: Any) -> None:
    pods = [
        objects.pod("bound", node="n1", phase="Pending"),
        objects.pod("done", node="n1", phase="Succeeded"),
        objects.pod("evicted", phase="Failed", status={"reason": "Evicted"}),
        objects.pod(
            "leaving",
            node="n1",
            phase="Running",
            meta={"deletionTimestamp": "2099-01-01T00:00:00Z"},
        ),
        objects.pod(
            "unfit",
            status={
                "conditions": [
                    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
                ]
            },
        ),
        objects.pod(
            "up",
            node="n1",
            phase="Running",
            meta={"creationTimestamp": "2026-01-01T00:00:00Z"},
            status={
                "startTime": "2026-01-01T00:01:00Z",
                "containerStatuses": [{"restartCount": 2}, {"restartCount": 3}],
            },
        ),
    ]
    snapshot = read(*pods)
    by_name = snapshot.pod_by_name
    assert by_name["ml/bound"].running
    assert not by_name["ml/done"].holds_node
    assert by_name["ml/evicted"].reason == "Evicted"
    assert not by_name["ml/evicted"].pending
    assert by_name["ml/leaving"].holds_node
    assert not by_name["ml/leaving"].running
    assert by_name["ml/unfit"].reason == "Unschedulable"
    assert by_name["ml/unfit"].pending
    assert (by_name["ml/up"].restarts, by_name["ml/up"].started) == (5, "2026-01-01T00:01:00Z")
    assert (
        snapshot.as_of == "2026-01-01T00:01:00Z"
    )  # a deletion time lies in the future and does not count


def test_pod_specification(read: Any, objects: Any) -> None:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    selector = {
        "matchLabels": {"app": "a"},
        "matchExpressions": [{"key": "k", "operator": "Exists"}],
    }
    spec = {
        "priorityClassName": "high",
        "priority": 7,
        "preemptionPolicy": "Never",
        "terminationGracePeriodSeconds": 60,
        "activeDeadlineSeconds": 3600,
        "schedulingGates": [{"name": "wait"}],
        "nodeSelector": {"b": "2", "a": "1"},
        "tolerations": [
            {"key": "gpu", "operator": "Exists"},
            {"operator": "Exists", "effect": "NoExecute"},
        ],
        "affinity": {
            "nodeAffinity": {
                required: {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [
                                {"key": "z", "operator": "In", "values": ["1", "2"]}
                            ],
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["n1"]}
                            ],
                        }
                    ]
                }
            },
            "podAffinity": {
                required: [{"topologyKey": "rack", "labelSelector": selector, "namespaces": ["x"]}]
            },
            "podAntiAffinity": {
                required: [{"topologyKey": "host", "labelSelector": {}, "namespaceSelector": {}}]
            },
        },
        "topologySpreadConstraints": [
            {
                "topologyKey": "zone",
                "maxSkew": 2,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {},
            },
            {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"},
        ],
    }
    (pod,) = read(objects.pod("p", spec=spec)).pods
    found = pod.spec
    assert (found.priority_class_name, found.priority, found.preemption_policy) == (
        "high",
        7,
        "Never",
    )
    assert (found.grace_seconds, found.active_deadline_seconds) == (60, 3600)
    assert found.scheduling_gates == ("wait",)
    assert found.node_selector == (("a", "1"), ("b", "2"))
    assert found.tolerations == (
        Toleration("gpu", "Exists"),
        Toleration(operator="Exists", effect="NoExecute"),
    )
    one, name = Expression("z", "In", ("1", "2")), Expression("metadata.name", "In", ("n1",))
    assert found.node_affinity == (NodeSelectorTerm((one,), (name,)),)
    wanted = LabelSelector((("app", "a"),), (Expression("k", "Exists"),))
    assert found.pod_affinity == (PodAffinityTerm("rack", wanted, ("x",)),)
    assert found.pod_anti_affinity == (
        PodAffinityTerm("host", LabelSelector(), (), LabelSelector()),
    )
    assert found.spread == (SpreadConstraint("zone", 2, LabelSelector()),)
    assert found.special_rules == ()


def test_no_affinity_differs_from_one_that_nothing_matches(read: Any, objects: Any) -> None:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}
    free, closed = read(
        objects.pod("a"), objects.pod("b", spec={"affinity": {"nodeAffinity": required}})
    ).pods
    assert free.spec.node_affinity is None
    assert closed.spec.node_affinity == ()


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ({"resourceClaims": [{"name": "g"}]}, "resourceClaims"),
        ({"containers": [{"resources": {"claims": [{"name": "g"}]}}]}, "resourceClaims"),
        (
            {"containers": [{"resources": {"limits": {"volcano.sh/vgpu-number": 1}}}] * 2},
            "GPU shares in several containers",
        ),
        ({"containers": [{"resources": {"limits": {"nvidia.com/gpumem": 1}}}]}, "gpuShare"),
        (
            {
                "containers": [
                    {"resources": {"limits": {"gangplan.io/gpu-milli": 500}}},
                    {"resources": {"limits": {"nvidia.com/gpu": 1}}},
                ]
            },
            "a GPU share beside whole GPUs",
        ),
    ],
)
def test_rules_that_no_field_holds_are_named(read: Any, objects: Any, spec: Any, rule: str) -> None:
    (pod,) = read(objects.pod("p", spec=spec)).pods
    assert pod.spec.special_rules == (rule,)


def test_rules_on_cards_come_from_annotations(read: Any, objects: Any) -> None:
    limits = {"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": 3000}
    spec = {"containers": [{"resources": {"limits": limits}}]}
    marks = {"volcano.sh/vgpu-mode": "mig", "nvidia.com/use-gputype": "A100"}
    plain, chosen = read(
        objects.pod("a", spec=spec), objects.pod("b", spec=spec, meta={"annotations": marks})
    ).pods
    assert (plain.spec.card_rules, plain.spec.special_rules) == ((), ())
    assert dict(chosen.spec.card_rules) == marks
    assert chosen.spec.special_rules == ("vgpu-mode mig",)


def test_requests_without_a_limit_are_named(read: Any, objects: Any) -> None:
    both = {
        "requests": {"a.example/x": 1, "nvidia.com/gpu": 1, "cpu": 1},
        "limits": {"nvidia.com/gpu": 1},
    }
    other = {"requests": {"hugepages-2Mi": "2Mi", "b.example/y": 0, "kubernetes.io/z": 1}}
    boxes = [{"resources": both}, {"resources": other}]
    (pod,) = read(objects.pod("p", spec={"containers": boxes})).pods
    assert pod.spec.requests_without_limit == ("a.example/x", "hugepages-2Mi")


def test_newest_time_of_each_kind(read: Any, objects: Any) -> None:
    node = objects.node(creationTimestamp="2026-01-01T00:00:00Z")
    node["status"]["conditions"] = [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-03T00:00:00Z"}
    ]
    pod = objects.pod("p", meta={"creationTimestamp": "2026-01-02T00:00:00Z"})
    snapshot = read(node, pod, objects.queue("q"))
    assert snapshot.newest == {"Node": "2026-01-03T00:00:00Z", "Pod": "2026-01-02T00:00:00Z"}
    assert snapshot.as_of == "2026-01-03T00:00:00Z"


def test_equal_specifications_are_one_value(read: Any, objects: Any) -> None:
    first, second, third = read(objects.pod("a"), objects.pod("b"), objects.pod("c", gpus=2)).pods
    assert first.spec is second.spec
    assert first.spec != third.spec


def test_what_differs_only_in_dropped_fields_is_one_specification(read: Any, objects: Any) -> None:
    box = {"name": "m", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    first, second = read(
        objects.pod("a", spec={"containers": [{**box, "env": [{"name": "A", "value": "1"}]}]}),
        objects.pod(
            "b", spec={"containers": [{**box, "command": ["run"]}], "volumes": [{"name": "v"}]}
        ),
    ).pods
    assert first.spec is second.spec


def test_priority_classes_budgets_hyper_nodes_and_queues(read: Any, objects: Any) -> None:
    snapshot = read(
        objects.obj("PriorityClass", "scheduling.k8s.io/v1", "high", value=100, globalDefault=True),
        objects.obj(
            "PodDisruptionBudget",
            "policy/v1",
            "all",
            "ml",
            spec={"selector": {}},
            status={"disruptionsAllowed": 2},
        ),
        objects.obj("PodDisruptionBudget", "policy/v1beta1", "none", "ml", spec={"selector": {}}),
        objects.obj(
            "HyperNode",
            "topology.volcano.sh/v1alpha1",
            "leaf",
            spec={
                "tier": 1,
                "tierName": "rack",
                "members": [
                    {"type": "Node", "selector": {"exactMatch": {"name": "n1"}}},
                    {"type": "Node", "selector": {"regexMatch": {"pattern": "^n[0-9]+$"}}},
                    {"type": "Node", "selector": {"labelMatch": {"matchLabels": {"a": "b"}}}},
                ],
            },
        ),
        objects.queue(
            "q",
            weight=3,
            parent="top",
            priority=5,
            reclaimable=False,
            capability={"nvidia.com/gpu": 0, "cpu": "4"},
            deserved={"cpu": "2"},
            guarantee={"resource": {"cpu": "1"}},
            affinity={
                "nodeGroupAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": ["a"]},
                "nodeGroupAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": ["b"]},
            },
        ),
    )
    (high,) = snapshot.priority_classes
    assert (high.value, high.global_default, high.preemption_policy) == (
        100,
        True,
        "PreemptLowerPriority",
    )
    every, none = snapshot.disruption_budgets
    assert (every.selector, every.disruptions_allowed) == (LabelSelector(), 2)
    assert none.selector is None
    (leaf,) = snapshot.hyper_nodes
    assert (leaf.tier, leaf.tier_name) == (1, "rack")
    assert [(one.exact_name, one.pattern, one.labels) for one in leaf.members] == [
        ("n1", "", None),
        ("", "^n[0-9]+$", None),
        ("", "", LabelSelector((("a", "b"),))),
    ]
    (queue,) = snapshot.queues
    assert queue.capability == {"cpu": 4000, "nvidia.com/gpu": 0}
    assert (queue.deserved, queue.guarantee) == ({"cpu": 2000}, {"cpu": 1000})
    assert (queue.weight, queue.parent, queue.priority, queue.reclaimable) == (3, "top", 5, False)
    assert queue.node_groups is not None
    assert (queue.node_groups.required, queue.node_groups.anti_preferred) == (("a",), ("b",))
    assert queue.state == "Open"


def test_old_queue_version_and_closed_state(read: Any, objects: Any) -> None:
    old = objects.obj(
        "Queue",
        "scheduling.volcano.sh/v1alpha1",
        "q",
        status={"state": "Closed", "allocated": {"cpu": "3"}},
    )
    (queue,) = read(old).queues
    assert (queue.state, queue.allocated) == ("Closed", {"cpu": 3000})


CONF = """
actions: "enqueue, allocate, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
- plugins:
  - name: capacity
    enableHierarchy: true
  - name: tdm
    arguments:
      tdm.revocable-zone.night: 22:00-06:00
      tdm.evict.period: 1m
      flag: true
"""


def test_scheduler_config_map(read: Any, objects: Any) -> None:
    data = {"volcano-scheduler.conf": CONF}
    config_map = objects.obj(
        "ConfigMap", "v1", "volcano-scheduler-configmap", "volcano-system", data=data
    )
    other = objects.obj("ConfigMap", "v1", "other", "ml", data={"x": "y"})
    snapshot = read(config_map, other)
    config = snapshot.scheduler
    assert config.source == "volcano-system/volcano-scheduler-configmap"
    assert config.actions == ("enqueue", "allocate", "reclaim", "backfill")
    assert [(one.name, one.tier) for one in config.plugins] == [
        ("priority", 0),
        ("gang", 0),
        ("capacity", 1),
        ("tdm", 1),
    ]
    assert config.plugin("capacity").enabled_hierarchy
    assert config.plugin("tdm").arguments == {
        "flag": "true",
        "tdm.evict.period": "1m",
        "tdm.revocable-zone.night": "22:00-06:00",
    }
    assert snapshot.ignored == {"ConfigMap": 1}


def test_a_broken_scheduler_config_is_a_finding(read: Any, objects: Any) -> None:
    broken = objects.obj("ConfigMap", "v1", "c", "v", data={"volcano-scheduler.conf": "a: [1"})
    snapshot = read(broken, objects.node())
    assert snapshot.scheduler is None
    assert [(one.code, one.object) for one in snapshot.findings] == [
        ("scheduler_config_unreadable", "configmap/v/c")
    ]


def test_ignored_and_missing_kinds_are_listed(read: Any, objects: Any) -> None:
    snapshot = read(
        objects.node(),
        objects.obj("Service", "v1", "s", "ml"),
        objects.obj("Service", "v1", "t", "ml"),
        objects.obj("PodGroup", "scheduling.x-k8s.io/v1alpha1", "g", "ml"),
        objects.obj("Secret", "v1", "k", "ml", data={"password": "aHVudGVyMg=="}),
    )
    assert snapshot.ignored == {"PodGroup.scheduling.x-k8s.io": 1, "Secret": 1, "Service": 2}
    assert "Node" not in snapshot.missing_kinds
    assert snapshot.missing_kinds["Queue.scheduling.volcano.sh"].startswith(
        "only the queue default"
    )
    assert len(snapshot.missing_kinds) == 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metadata": {}}, "name '' is not a name"),
        ({"metadata": {"name": "a\x1b[31m"}}, r"name 'a\\x1b\[31m' holds control characters"),
        ({"metadata": {"name": "<script>alert(1)</script>"}}, "is not a name"),
        ({"metadata": {"name": "n", "labels": ["a"]}}, "labels is a list, not a mapping"),
        ({"metadata": {"name": "n", "labels": {"a": "b\n"}}}, "control characters"),
        ({"metadata": {"name": "n", "creationTimestamp": "yesterday"}}, "is not a time"),
        ({"metadata": {"name": "n", "creationTimestamp": "2026-02-31T00:00:00Z"}}, "is not a time"),
        ({"metadata": None}, "metadata is missing"),
        ({"status": {"allocatable": {"cpu": "-4"}}}, "cpu: '-4' is negative"),
        ({"status": {"allocatable": {"cpu": "1e999999999"}}}, "exponent"),
        ({"status": {"allocatable": [1]}}, "allocatable is a list"),
        ({"status": "up"}, "status is 'up', not a mapping"),
        ({"spec": {"unschedulable": "maybe"}}, "not true or false"),
        ({"kind": None}, "kind is missing"),
        ({"apiVersion": None}, "apiVersion is missing"),
        ({"kind": "PlanResult"}, "plan document"),
    ],
)
def test_a_broken_object_is_named_with_its_file(
    read: Any, objects: Any, change: Any, message: str
) -> None:
    node = {**objects.node(), **change}
    with pytest.raises(InputError, match=message) as caught:
        read(objects.node("good"), node)
    (finding,) = caught.value.findings
    assert "export.json: " in finding.object
    assert finding.remedy
    assert (finding.object + finding.message).isprintable()
    assert caught.value.exit_code == 3


def test_all_broken_objects_are_reported_at_once(read: Any, objects: Any) -> None:
    bad = [{**objects.node(f"n{index}"), "status": "up"} for index in range(3)]
    with pytest.raises(InputError, match=r"\(and 2 more\)") as caught:
        read(*bad)
    assert len(caught.value.findings) == 3


def test_all_parts_of_rules_between_pods_are_read(read: Any, objects: Any) -> None:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    term = {"topologyKey": "z", "matchLabelKeys": ["v", "v"], "mismatchLabelKeys": ["team"]}
    spread = {
        "topologyKey": "z",
        "maxSkew": 2,
        "minDomains": 3,
        "matchLabelKeys": ["v"],
        "nodeAffinityPolicy": "Ignore",
        "nodeTaintsPolicy": "Honor",
    }
    spec = {
        "affinity": {"podAntiAffinity": {required: [term]}},
        "topologySpreadConstraints": [spread, {"topologyKey": "z"}],
    }
    (pod,) = read(objects.pod("p", spec=spec)).pods
    assert pod.spec.pod_anti_affinity == (
        PodAffinityTerm("z", same_labels=("v",), other_labels=("team",)),
    )
    assert pod.spec.spread == (
        SpreadConstraint("z", 2, None, 3, ("v",), ignores_affinity=True, honors_taints=True),
        SpreadConstraint("z", 1),
    )
    assert pod.spec.special_rules == ()
