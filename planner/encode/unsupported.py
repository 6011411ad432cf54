"""Required rules that the formulation does not model: a gang with one waits, it is never placed against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from models.readiness import Supply
from models.workloads import Gang, PodSpec

_ROLE_KEY = "volcano.sh/task-spec"


def unsupported_rules(gang: Gang, supplies: Sequence[Supply]) -> tuple[str, ...]:
    """Names of the gang's own required rules that are not modelled, sorted."""
    found: set[str] = set()
    if _keyless_subgroup_to_come(gang, supplies):
        found.add("networkTopology of one subgroup of pods that do not exist yet")
    for supply in supplies:
        found.update(rules_of_spec(supply.spec))
    return tuple(sorted(found))


def _keyless_subgroup_to_come(gang: Gang, supplies: Iterable[Supply]) -> bool:
    """Promised pods will all be one subgroup with a topology of its own, whatever their number."""
    keyless = [
        policy
        for policy in gang.subgroups
        if policy.topology is not None and policy.topology.binds and not policy.match_label_keys
    ]
    return any(
        policy.selector.matches({_ROLE_KEY: supply.role, **template.annotations, **template.labels})
        for policy in keyless
        for supply in supplies
        if supply.promised and (template := gang.template(supply.role)) is not None
    )


def rules_of_spec(spec: PodSpec) -> set[str]:
    """Names of a pod specification's required rules that are not modelled."""
    found = set(spec.special_rules)
    if spec.pod_affinity:
        found.add("podAffinity")
    if spec.pod_anti_affinity:
        found.add("podAntiAffinity")
    if spec.spread:
        found.add("topologySpreadConstraints")
    if spec.host_ports:
        found.add("hostPort")
    return found
