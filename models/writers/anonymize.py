"""A snapshot with all names replaced, in which the same things fit, wait and match."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeVar

from models.cluster import (
    HyperNode,
    Node,
    PodDisruptionBudget,
    PriorityClass,
    SchedulerConfig,
    SchedulerPlugin,
)
from models.findings import Finding
from models.foreign_workloads import ForeignWorkload
from models.queues import NodeGroupRules, Queue
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, Pod, RoleTemplate, SubGroupPolicy
from models.writers.rename_rules import RuleRenamer
from models.writers.renaming import Renaming
from models.writers.snapshot_json import snapshot_digest

_GROUP_KEY: Final = "volcano.sh/nodegroup-name"
_ZONE_KEY: Final = "volcano.sh/revocable-zone"
_ZONE_ARGUMENT: Final = "tdm.revocable-zone."
Named = TypeVar("Named", Node, Queue, PriorityClass, HyperNode)


def anonymize(snapshot: Snapshot) -> Snapshot:
    """Replace names of nodes, namespaces, pods, gangs, queues, classes, files and label values consistently.

    Kept are amounts, times, hardware labels, well-known label keys and what every cluster calls the same
    (``default``, ``root``, ``kube-system``). Selectors, affinities, host name labels and HyperNode patterns still
    select what they selected; a pattern becomes the list of the names that it matched.
    """
    return _Anonymizer(snapshot).run()


class _Anonymizer:
    def __init__(self, snapshot: Snapshot) -> None:
        self._old = snapshot
        self._new = _renaming(snapshot)
        self._rules = RuleRenamer(self._new)

    def run(self) -> Snapshot:
        old, new = self._old, self._new
        nodes = [node.name for node in old.nodes]
        domains = [one.name for one in old.hyper_nodes]
        found = Snapshot(
            nodes=_by_name(map(self._node, old.nodes)),
            pods=tuple(sorted(map(self._pod, old.pods), key=lambda one: one.full_name)),
            gangs=tuple(sorted(map(self._gang, old.gangs), key=lambda one: one.full_name)),
            queues=_by_name(map(self._queue, old.queues)),
            priority_classes=_by_name(
                replace(one, name=new.name(one.name)) for one in old.priority_classes
            ),
            disruption_budgets=tuple(
                sorted(
                    map(self._budget, old.disruption_budgets),
                    key=lambda one: (one.namespace, one.name),
                )
            ),
            hyper_nodes=_by_name(
                self._rules.hyper_node(one, nodes, domains) for one in old.hyper_nodes
            ),
            workloads=tuple(
                sorted(
                    map(self._workload, old.workloads), key=lambda one: (one.system, one.full_name)
                )
            ),
            scheduler=self._scheduler(old.scheduler) if old.scheduler else None,
            as_of=old.as_of,
            newest=old.newest,
            sources=tuple(
                replace(one, name=f"input-{number}") for number, one in enumerate(old.sources, 1)
            ),
            ignored=old.ignored,
            missing_kinds=old.missing_kinds,
            findings=tuple(map(self._finding, old.findings)),
            use=tuple(
                sorted(
                    (replace(one, pod=self._new.full_name(one.pod)) for one in old.use),
                    key=lambda one: one.pod,
                )
            ),
        )
        return replace(found, digest=snapshot_digest(found))

    def _budget(self, old: PodDisruptionBudget) -> PodDisruptionBudget:
        return replace(
            old,
            namespace=self._new.name(old.namespace),
            name=self._new.name(old.name),
            selector=self._rules.selector(old.selector),
        )

    def _workload(self, old: ForeignWorkload) -> ForeignWorkload:
        return replace(
            old,
            namespace=self._new.name(old.namespace),
            name=self._new.name(old.name),
            request=self._new.resources(old.request),
        )

    def _node(self, old: Node) -> Node:
        return replace(
            old,
            name=self._new.name(old.name),
            allocatable=self._new.resources(old.allocatable),
            capacity=self._new.resources(old.capacity),
            labels=self._new.labels(old.labels),
            annotations=self._new.annotations(old.annotations),
            taints=tuple(map(self._rules.taint, old.taints)),
        )

    def _pod(self, old: Pod) -> Pod:
        return replace(
            old,
            namespace=self._new.name(old.namespace),
            name=self._new.name(old.name),
            spec=self._rules.spec(old.spec),
            gang=self._new.full_name(old.gang),
            role=self._new.role(old.role),
            node=None if old.node is None else self._new.name(old.node),
            labels=self._new.labels(old.labels),
            annotations=self._new.annotations(old.annotations),
            owner_name=self._new.name(old.owner_name),
        )

    def _gang(self, old: Gang) -> Gang:
        return replace(
            old,
            namespace=self._new.name(old.namespace),
            name=self._new.name(old.name),
            aliases=tuple(sorted(map(self._new.full_name, old.aliases))),
            queue=self._new.name(old.queue),
            role_minimum={self._new.role(role): least for role, least in old.role_minimum.items()},
            subgroups=tuple(map(self._subgroup, old.subgroups)),
            templates=tuple(map(self._template, old.templates)),
            min_resources=self._new.resources(old.min_resources)
            if old.min_resources is not None
            else None,
            topology=self._topology(old.topology),
            priority_class_name=self._new.name(old.priority_class_name),
            labels=self._new.labels(old.labels),
            annotations=self._new.annotations(old.annotations),
            uid="",
        )

    def _template(self, old: RoleTemplate) -> RoleTemplate:
        return replace(
            old,
            role=self._new.role(old.role),
            spec=self._rules.spec(old.spec),
            labels=self._new.labels(old.labels),
            annotations=self._new.annotations(old.annotations),
            depends_on=tuple(map(self._new.role, old.depends_on)),
        )

    def _subgroup(self, old: SubGroupPolicy) -> SubGroupPolicy:
        selector = self._rules.selector(old.selector)
        return replace(
            old,
            name=self._new.role(old.name) if old.name else "",
            selector=old.selector if selector is None else selector,
            match_label_keys=tuple(map(self._new.key, old.match_label_keys)),
            topology=self._topology(old.topology),
        )

    def _topology(self, old: NetworkTopology | None) -> NetworkTopology | None:
        if old is None:
            return None
        return replace(old, highest_tier_name=self._new.value("", old.highest_tier_name))

    def _queue(self, old: Queue) -> Queue:
        return replace(
            old,
            name=self._new.name(old.name),
            parent=self._new.name(old.parent),
            capability=self._new.resources(old.capability),
            deserved=self._new.resources(old.deserved),
            guarantee=self._new.resources(old.guarantee),
            allocated=self._new.resources(old.allocated),
            node_groups=self._node_groups(old.node_groups) if old.node_groups else None,
        )

    def _node_groups(self, old: NodeGroupRules) -> NodeGroupRules:
        def new(groups: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(self._new.value(_GROUP_KEY, group) for group in groups)

        return NodeGroupRules(
            new(old.required), new(old.preferred), new(old.anti_required), new(old.anti_preferred)
        )

    def _scheduler(self, old: SchedulerConfig) -> SchedulerConfig:
        return replace(
            old,
            source=self._new.text(old.source),
            plugins=tuple(map(self._plugin, old.plugins)),
        )

    def _plugin(self, old: SchedulerPlugin) -> SchedulerPlugin:
        return replace(
            old,
            arguments={
                self._argument(key): self._new.text(value) for key, value in old.arguments.items()
            },
        )

    def _argument(self, key: str) -> str:
        if key.startswith(_ZONE_ARGUMENT):
            return _ZONE_ARGUMENT + self._new.value(_ZONE_KEY, key.removeprefix(_ZONE_ARGUMENT))
        return key

    def _finding(self, old: Finding) -> Finding:
        """Messages name files; both are replaced."""
        texts = [old.object, old.message]
        for number, source in enumerate(self._old.sources, 1):
            texts = [text.replace(source.name, f"input-{number}") for text in texts]
        return replace(old, object=self._new.text(texts[0]), message=self._new.text(texts[1]))


def _by_name(values: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(sorted(values, key=lambda one: one.name))


def _renaming(snapshot: Snapshot) -> Renaming:
    """New names for everything that has one."""
    new = Renaming()
    new.give("node", (node.name for node in snapshot.nodes))
    new.give("node-gone", (pod.node for pod in snapshot.pods if pod.node is not None))
    new.give(
        "space",
        {pod.namespace for pod in snapshot.pods}
        | {gang.namespace for gang in snapshot.gangs}
        | {one.namespace for one in snapshot.workloads},
    )
    new.give("space-other", (one.namespace for one in snapshot.disruption_budgets))
    new.give(
        "queue", {one.name for one in snapshot.queues} | {one.parent for one in snapshot.queues}
    )
    new.give("queue-unknown", (gang.queue for gang in snapshot.gangs))
    new.give("gang", (gang.name for gang in snapshot.gangs))
    new.give(
        "group", (alias.partition("/")[2] for gang in snapshot.gangs for alias in gang.aliases)
    )
    new.give("pod", (pod.name for pod in snapshot.pods))
    new.give("owner", (pod.owner_name for pod in snapshot.pods))
    new.give("workload", (one.name for one in snapshot.workloads))
    new.give("class", (one.name for one in snapshot.priority_classes))
    new.give("class-unknown", {gang.priority_class_name for gang in snapshot.gangs})
    new.give("class-of-pods", {pod.spec.priority_class_name for pod in snapshot.pods})
    new.give("address", _addresses(snapshot))
    new.give("budget", (one.name for one in snapshot.disruption_budgets))
    new.give("domain", (one.name for one in snapshot.hyper_nodes))
    members = (member for one in snapshot.hyper_nodes for member in one.members)
    new.give("member-gone", (member.exact_name for member in members))
    roles = {pod.role for pod in snapshot.pods}
    for gang in snapshot.gangs:
        roles |= {template.role for template in gang.templates} | set(gang.role_minimum)
    new.give_roles(roles)
    return new


def _addresses(snapshot: Snapshot) -> set[str]:
    """Addresses of nodes on which pods take ports."""
    specs = {id(pod.spec): pod.spec for pod in snapshot.pods}
    specs |= {id(one.spec): one.spec for gang in snapshot.gangs for one in gang.templates}
    return {port.ip for spec in specs.values() for port in spec.host_ports}
