"""Policy key ``domain_resources`` as rooms that domains share: pods ask for them under a name of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.findings import Finding, InputError
from models.pod_labels import created_labels
from models.policy_domains import CLUSTER, DomainResource, domain_requests
from models.rules import RuleId
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.encode.pod_rules.shared import Shared
from planner.problem.rule_names import domain_name
from planner.problem.topology import TopologyForest


def with_domain_resources(
    snapshot: Snapshot, resources: Mapping[str, DomainResource], forest: TopologyForest
) -> tuple[Snapshot, tuple[Shared, ...]]:
    """The snapshot with what pods ask for, and the rooms.

    Raises
    ------
    InputError
        A resource is per something that is no level of the topology and no label of a node.
    """
    if not resources:
        return snapshot, ()
    shared = tuple(_shared(name, one, snapshot, forest) for name, one in resources.items())
    return _Asking(snapshot, resources).snapshot(), shared


def _shared(name: str, one: DomainResource, snapshot: Snapshot, forest: TopologyForest) -> Shared:
    domains = domains_per(name, one.per, snapshot, forest)
    return Shared(
        name=domain_name(name),
        title=name,
        unit=one.unit,
        rule=RuleId.DOMAIN_RESOURCES,
        domain_of=domains,
        whole={domain: one.capacity_of(domain) for domain in set(domains.values())},
        closed=True,
    )


def domains_per(name: str, per: str, snapshot: Snapshot, forest: TopologyForest) -> dict[str, str]:
    """Node to its domain: the whole cluster, a level of the forest by name or tier, or values of a label."""
    if per == CLUSTER:
        return {node.name: CLUSTER for node in snapshot.nodes}
    named = dict(forest.tier_of_name)
    titles = {level.name: level.tier for level in forest.levels}
    tier = named.get(per, titles.get(per))
    if tier is None and per.isascii() and per.isdecimal():
        tier = int(per[:10])
    found: dict[str, str] = {}
    for domain in forest.domains:
        if domain.tier == tier:
            for index in domain.nodes:
                found.setdefault(snapshot.nodes[index].name, domain.name)
    if not found:
        found = {node.name: value for node in snapshot.nodes if (value := node.labels.get(per))}
    if not found:
        raise _unknown(name, per, sorted({*named, *titles}))
    return found


def _unknown(name: str, per: str, known: list[str]) -> InputError:
    key = f"policy key 'domain_resources.{name}.per'"
    levels = ", ".join(known) or "none"
    message = f"{key}: {per!r} is no level of the topology (levels: {levels}) and no node has such a label"
    if per in known:
        message = f"{key}: no node is in a domain of the level {per!r}"
    remedy = "name a level, a node label key, or cluster"
    return InputError(
        message, [Finding("policy_invalid_value", "error", "policy", message, remedy)]
    )


class _Asking:
    """Adds requests to pods and templates; equal ones share a specification."""

    def __init__(self, snapshot: Snapshot, resources: Mapping[str, DomainResource]) -> None:
        self._old, self._resources = snapshot, resources
        self._specs: dict[tuple[object, ...], PodSpec] = {}

    def snapshot(self) -> Snapshot:
        """The snapshot with requests of all pods that hold a node or wait, and of all templates."""
        old = self._old
        pods = tuple(self._pod(pod) for pod in old.pods)
        return replace(old, pods=pods, gangs=tuple(self._gang(gang) for gang in old.gangs))

    def _pod(self, pod: Pod) -> Pod:
        if not (pod.holds_node or pod.pending):
            return pod
        gang = self._old.gang_by_name.get(pod.gang)
        spec = self._spec(pod.spec, pod.namespace, pod.labels, pod.annotations, gang)
        return pod if spec is pod.spec else replace(pod, spec=spec)

    def _gang(self, gang: Gang) -> Gang:
        if not gang.templates:
            return gang
        made = []
        for one in gang.templates:
            labels = created_labels(gang, one)
            spec = self._spec(one.spec, gang.namespace, labels, one.annotations, gang)
            made.append(replace(one, spec=spec))
        return replace(gang, templates=tuple(made))

    def _spec(
        self,
        spec: PodSpec,
        namespace: str,
        labels: Mapping[str, str],
        annotations: Mapping[str, str],
        gang: Gang | None,
    ) -> PodSpec:
        asked = domain_requests(self._resources, namespace, labels, annotations, gang)
        if not asked:
            return spec
        key = (spec, *sorted(asked.items()))
        if key not in self._specs:
            more = {domain_name(name): amount for name, amount in asked.items()}
            self._specs[key] = replace(spec, request=spec.request.plus(more))
        return self._specs[key]
