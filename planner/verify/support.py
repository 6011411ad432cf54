"""Gangs that cannot be planned: unmodelled rules, no PodGroup, pods that will never be created."""

from __future__ import annotations

from models.workloads import Gang
from planner.verify.arrivals import promised
from planner.verify.needs import candidates
from planner.verify.state import State
from planner.verify.unsupported import Repulsion, spec_rules, topology_rules


def unmodelled_rules(state: State, gang: Gang, repulsion: Repulsion) -> list[str]:
    """Required rules of a gang, or of running pods against it, for which it waits; each once.

    A gang with a pod that the anti-affinity of a running pod selects waits as a whole.
    """
    pods = state.snapshot.pods_of(gang)
    specs = {id(pod.spec): pod.spec for pod in candidates(state, gang)}
    for template in gang.templates:
        if promised(gang, pods, template) and not template.spec.scheduling_gates:
            specs[id(template.spec)] = template.spec
    rules = dict.fromkeys(topology_rules(gang, pods))
    for spec in specs.values():
        rules.update(dict.fromkeys(spec_rules(spec)))
    if repulsion:
        marks = [(pod.namespace, pod.labels) for pod in pods if pod.pending]
        marks += [(gang.namespace, template.labels) for template in gang.templates]
        if any(repulsion.against(namespace, labels) for namespace, labels in marks):
            rules["required podAntiAffinity of running pods"] = None
    return list(rules)


def never_created(gang: Gang) -> bool:
    """A role depends on one that the job does not have: its controller will never create the pods."""
    roles = {template.role for template in gang.templates}
    return any(set(template.depends_on) - roles for template in gang.templates)
