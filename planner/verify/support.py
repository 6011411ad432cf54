"""Gangs that cannot be planned: unmodelled rules, no PodGroup, pods that will never be created."""

from __future__ import annotations

from models.plan import GangEntry
from models.workloads import Gang
from planner.verify.arrivals import promised
from planner.verify.needs import candidates
from planner.verify.state import State
from planner.verify.unsupported import may_be_unmodelled, spec_rules, topology_rules


def unmodelled_rules(state: State, gang: Gang) -> list[str]:
    """Required rules of a gang for which it waits; each once.

    Rules about other pods are among them where the document says that the gang waits for an unmodelled rule.
    """
    pods = state.snapshot.pods_of(gang)
    specs = {id(pod.spec): pod.spec for pod in candidates(state, gang)}
    for template in gang.templates:
        if promised(gang, pods, template) and not template.spec.scheduling_gates:
            specs[id(template.spec)] = template.spec
    rules = dict.fromkeys(topology_rules(gang, pods))
    for spec in specs.values():
        rules.update(dict.fromkeys(spec_rules(spec)))
    entry = state.entry_by_gang.get(gang.full_name)
    if not rules and entry is not None and is_unsupported(entry):
        for spec in specs.values():
            rules.update(dict.fromkeys(may_be_unmodelled(spec)))
    return list(rules)


def is_unsupported(entry: GangEntry) -> bool:
    """The entry says that the gang waits for a rule that is not modelled."""
    return entry.decision == "wait" and any(one.code == "unsupported" for one in entry.reasons)


def never_created(gang: Gang) -> bool:
    """A role depends on one that the job does not have: its controller will never create the pods."""
    roles = {template.role for template in gang.templates}
    return any(set(template.depends_on) - roles for template in gang.templates)
