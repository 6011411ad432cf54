"""Raw objects of any kind into collections of typed values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from models.cluster import HyperNode, Node, PodDisruptionBudget, PriorityClass, SchedulerConfig
from models.findings import Finding
from models.foreign_workloads import OTHER_SYSTEMS, ForeignWorkload
from models.queues import Queue
from models.readers.cluster_rules import (
    read_disruption_budget,
    read_hyper_node,
    read_priority_class,
)
from models.readers.collection import Collection, Origin
from models.readers.controllers import Controller, read_controller
from models.readers.fields import BadObject, mapping, text
from models.readers.foreign_workloads import read_foreign_workload
from models.readers.kinds import KINDS, VOLCANO
from models.readers.metadata import MetaReader
from models.readers.nodes import odd_amounts, read_node, within_reason
from models.readers.pod_groups import GroupRecord, read_pod_group
from models.readers.pod_specs import PodSpecReader
from models.readers.pods import read_pod
from models.readers.problems import BadFile
from models.readers.queues import read_queue
from models.readers.scheduler_config import holds_scheduler_config, read_scheduler_config
from models.readers.times import Clock
from models.readers.volcano_jobs import read_volcano_job
from models.workloads import Gang, Pod

_SHARED_OBJECTS: Final = frozenset(
    {"Namespace/kube-system", "Queue/root", "Queue/default", "PriorityClass/system-node-critical"}
)


class Intake:
    """Takes raw objects one by one and keeps what scheduling needs of them."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.metas = MetaReader(self.clock)
        self.specs = PodSpecReader()
        self.nodes: Collection[Node] = Collection("node")
        self.pods: Collection[Pod] = Collection("pod")
        self.groups: Collection[GroupRecord] = Collection("podgroup")
        self.jobs: Collection[Gang] = Collection("job")
        self.gangs: Collection[Gang] = Collection("gang")
        self.queues: Collection[Queue] = Collection("queue")
        self.priority_classes: Collection[PriorityClass] = Collection("priorityclass")
        self.disruption_budgets: Collection[PodDisruptionBudget] = Collection("poddisruptionbudget")
        self.hyper_nodes: Collection[HyperNode] = Collection("hypernode")
        self.schedulers: Collection[SchedulerConfig] = Collection("configmap")
        self.controllers: Collection[Controller] = Collection("controller")
        self.workloads: Collection[ForeignWorkload] = Collection("workload")
        self.ignored: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.two_clusters: list[Finding] = []
        self._uids: dict[str, tuple[str, str]] = {}
        self._takers = self._taker_table()

    def take(self, raw: Mapping[str, Any], file: str) -> None:
        """Keep one object, or count it as ignored.

        Raises
        ------
        BadObject
            A field of it cannot be understood.
        """
        kind, group = text(raw, "kind"), text(raw, "apiVersion").rpartition("/")[0]
        taker = self._takers.get((group, kind))
        origin = _origin(raw, file)
        self._compare_clusters(kind, raw, origin)
        if taker is None or (group, kind) in OTHER_SYSTEMS:
            self.ignored[f"{kind}.{group}" if group else kind] += 1
        if taker is not None:
            self.clock.kind = kind
            taker(raw, origin)

    def forget(self, file: str) -> None:
        """Drop what was taken from a file, to read it anew."""
        for one in vars(self).values():
            if isinstance(one, Collection):
                one.forget(file)
        for name in [name for name, (_, source) in self._uids.items() if source == file]:
            del self._uids[name]

    def note(self, finding: Finding | None) -> None:
        """Keep a finding, if there is one."""
        if finding is not None:
            self.findings.append(finding)

    def _taker_table(self) -> dict[tuple[str, str], Callable[[Mapping[str, Any], Origin], None]]:
        table = {
            ("", "Node"): self._take_node,
            ("", "Pod"): self._take_pod,
            ("", "ConfigMap"): self._take_config_map,
            ("scheduling.k8s.io", "PriorityClass"): self._take_priority_class,
            ("policy", "PodDisruptionBudget"): self._take_disruption_budget,
            ("batch", "Job"): self._take_controller,
            (VOLCANO, "PodGroup"): self._take_group,
            (VOLCANO, "Queue"): self._take_queue,
            ("batch.volcano.sh", "Job"): self._take_job,
            ("topology.volcano.sh", "HyperNode"): self._take_hyper_node,
        }
        table |= dict.fromkeys(OTHER_SYSTEMS, self._take_foreign_workload)
        controllers = {(one.group, one.kind) for one in KINDS} - table.keys()
        return table | dict.fromkeys(controllers, self._take_controller)

    def _take_node(self, raw: Mapping[str, Any], origin: Origin) -> None:
        node = read_node(raw, self.metas)
        self.note(odd_amounts(node))
        self.note(self.nodes.add(node.name, within_reason(node), origin))

    def _take_pod(self, raw: Mapping[str, Any], origin: Origin) -> None:
        pod = read_pod(raw, self.metas, self.specs)
        self.note(self.pods.add(pod.full_name, pod, origin))

    def _take_group(self, raw: Mapping[str, Any], origin: Origin) -> None:
        record = read_pod_group(raw, self.metas)
        self.note(self.groups.add(record.gang.full_name, record, origin))

    def _take_job(self, raw: Mapping[str, Any], origin: Origin) -> None:
        gang = read_volcano_job(raw, self.metas, self.specs)
        self.note(self.jobs.add(gang.full_name, gang, origin))

    def _take_queue(self, raw: Mapping[str, Any], origin: Origin) -> None:
        queue = read_queue(raw, self.metas)
        self.note(self.queues.add(queue.name, queue, origin))

    def _take_priority_class(self, raw: Mapping[str, Any], origin: Origin) -> None:
        found = read_priority_class(raw, self.metas)
        self.note(self.priority_classes.add(found.name, found, origin))

    def _take_disruption_budget(self, raw: Mapping[str, Any], origin: Origin) -> None:
        budget = read_disruption_budget(raw, self.metas)
        self.note(self.disruption_budgets.add(f"{budget.namespace}/{budget.name}", budget, origin))

    def _take_hyper_node(self, raw: Mapping[str, Any], origin: Origin) -> None:
        found = read_hyper_node(raw, self.metas)
        self.note(self.hyper_nodes.add(found.name, found, origin))

    def _take_controller(self, raw: Mapping[str, Any], origin: Origin) -> None:
        found = read_controller(raw, self.metas, self.specs)
        self.note(self.controllers.add(f"{found.kind}/{found.meta.full_name}", found, origin))

    def _take_foreign_workload(self, raw: Mapping[str, Any], origin: Origin) -> None:
        group, kind = text(raw, "apiVersion").rpartition("/")[0], text(raw, "kind")
        system = OTHER_SYSTEMS[group, kind]
        found = read_foreign_workload(raw, system, self.metas, self.specs)
        if found is not None:
            self.note(self.workloads.add(f"{system}/{found.full_name}", found, origin))

    def _take_config_map(self, raw: Mapping[str, Any], origin: Origin) -> None:
        if not holds_scheduler_config(raw):
            self.ignored["ConfigMap"] += 1
            return
        try:
            config = read_scheduler_config(raw, self.metas)
        except (BadFile, BadObject) as error:
            name = self.metas.read(raw).full_name
            remedy = "export the ConfigMap again, or give queue model and evictions in the policy"
            self.note(
                Finding(
                    "scheduler_config_unreadable", "error", f"configmap/{name}", str(error), remedy
                )
            )
            return
        self.note(self.schedulers.add(config.source, config, origin))

    def _compare_clusters(self, kind: str, raw: Mapping[str, Any], origin: Origin) -> None:
        """The same node, or an object that every cluster has once, with two uids: these are two clusters."""
        meta = raw.get("metadata")
        name = f"{kind}/{meta.get('name')}" if isinstance(meta, dict) else ""
        if not origin.uid or not (kind == "Node" or name in _SHARED_OBJECTS):
            return
        have, file = self._uids.setdefault(name, (origin.uid, origin.file))
        if have != origin.uid:
            self.two_clusters.append(
                Finding(
                    "two_clusters",
                    "error",
                    origin.file,
                    f"{name} is another object (uid) than in {file}: the files come from two clusters",
                    "give the files of one cluster at a time",
                )
            )


def _origin(raw: Mapping[str, Any], file: str) -> Origin:
    meta = mapping(raw, "metadata")
    uid, version = meta.get("uid"), str(meta.get("resourceVersion") or "")
    number = int(version) if version.isdecimal() and len(version) < 20 else -1
    return Origin(file, uid if isinstance(uid, str) else "", number)
