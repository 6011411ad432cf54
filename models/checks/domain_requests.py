"""Requests of what domains share (``gangplan.io/domain-request``), and capacities of domains that nobody has."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.policy_domains import ANNOTATION, CLUSTER, annotated_requests


def domain_request_unknown(subject: Subject) -> Iterator[Hit]:
    """The annotation names a resource that the policy does not know: one hit per name."""
    known = subject.policy.policy.domain_resources
    owners: dict[str, list[str]] = {}
    for owner, text in _annotations(subject):
        for name in annotated_requests({ANNOTATION: text}) or ():
            if name not in known:
                owners.setdefault(name, []).append(owner)
    for name, objects in sorted(owners.items()):
        told = f"{counted(len(objects), 'object')} ({names_text(objects)}) "
        told += f"{'requests' if len(objects) == 1 else 'request'} {name!r} in annotation {ANNOTATION}, but "
        told += f"domain_resources of the policy has no {name!r}: it binds nothing"
        yield Hit(objects[0], told, remedy=_remedy(name, known))


def domain_request_unreadable(subject: Subject) -> Iterator[Hit]:
    """The annotation of a pod or template is no list of ``name=amount``; those of gangs are told elsewhere."""
    for owner, text in _annotations(subject, gangs=False):
        if annotated_requests({ANNOTATION: text}) is None:
            told = f"{owner}: annotation {ANNOTATION} is {text[:40]!r}, not name=amount pairs: it is ignored"
            yield Hit(owner, told)


def domain_capacity_unknown(subject: Subject) -> Iterator[Hit]:
    """A resource per node label has a capacity for a value that no node carries."""
    for resource, one in sorted(subject.policy.policy.domain_resources.items()):
        wanted = _domains(subject, one.per)
        for domain in sorted(set(one.capacities) - wanted) if wanted else ():
            near = difflib.get_close_matches(domain, sorted(wanted), 1, 0.5)
            kind = f"domain of tier {one.per}" if one.per.isdecimal() else one.per
            told = f"domain_resources.{resource}.capacities names {domain!r}, but no {kind} is called so"
            meant = f"did you mean {near[0]!r}? " if near else ""
            yield Hit(
                f"policy/domain_resources/{resource}",
                f"{told}: it counts nowhere",
                remedy=f"{meant}name a domain that nodes are in, or remove the entry",
            )


def _domains(subject: Subject, per: str) -> set[str]:
    """Names that a capacity may have: of levels of ``topology_labels`` the path, or the label alone."""
    if per == CLUSTER:
        return {CLUSTER}
    keys = subject.policy.policy.topology_labels
    if keys and not subject.snapshot.hyper_nodes:
        place = _level(per, keys)
        if place is not None:
            return set(_paths(subject, keys[: place + 1]))
    values = {node.labels[per] for node in subject.snapshot.nodes if per in node.labels}
    return values or {one.name for one in subject.snapshot.hyper_nodes}


def _level(per: str, keys: Sequence[str]) -> int | None:
    """Position of a level by its label, or by its tier (1 is the finest); None where it is none."""
    tier = int(per) if per.isascii() and per.isdecimal() and len(per) < 4 else 0
    if 0 < tier <= len(keys):
        return len(keys) - tier
    return keys.index(per) if per in keys else None


def _paths(subject: Subject, keys: Sequence[str]) -> Iterator[str]:
    for node in subject.snapshot.nodes:
        values = [value for key in keys if (value := node.labels.get(key))]
        if len(values) == len(keys):
            yield from ("/".join(values), values[-1])


def _annotations(subject: Subject, *, gangs: bool = True) -> Iterator[tuple[str, str]]:
    """Object and text of every such annotation, pods that have ended left out."""
    for pod in subject.snapshot.pods:
        if ANNOTATION in pod.annotations and (pod.holds_node or pod.pending):
            yield f"pod/{pod.full_name}", pod.annotations[ANNOTATION]
    for gang in subject.live_gangs:
        if gangs and ANNOTATION in gang.annotations:
            yield f"gang/{gang.full_name}", gang.annotations[ANNOTATION]
        for one in gang.templates:
            text = one.annotations.get(ANNOTATION)
            if text is not None and text != gang.annotations.get(ANNOTATION):
                yield f"gang/{gang.full_name}/{one.role}", text


def _remedy(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, list(known), 1, 0.5)
    if near:
        return f"did you mean {near[0]!r}? correct the annotation, or add {name!r} to domain_resources of the policy"
    return f"add {name!r} with per and capacity to domain_resources of the policy, or remove it from the annotation"


CHECKS = (
    Check(
        "domain_request_unknown",
        "warning",
        "The annotation `gangplan.io/domain-request` names a resource that the policy's `domain_resources` does not "
        "have; it binds nothing. One finding per name.",
        "add the resource to domain_resources of the policy, or correct the annotation",
        noun="resource names",
        phrase="are requested of domains, but not in domain_resources of the policy",
        see_all="gangplan inspect -o json",
        listed=LISTED_GROUPS,
        find=domain_request_unknown,
    ),
    Check(
        "domain_request_unreadable",
        "warning",
        "The annotation `gangplan.io/domain-request` of a pod or of a role's template cannot be read and is ignored.",
        "write it as name=amount pairs with whole numbers, for example storage=4,scratch=1",
        noun="annotations gangplan.io/domain-request",
        phrase="cannot be read",
        see_all="kubectl get pods -A -o yaml",
        find=domain_request_unreadable,
    ),
    Check(
        "domain_capacity_unknown",
        "warning",
        "`capacities` of a resource in the policy's `domain_resources` names a domain that no node is in.",
        "name a domain that nodes are in, or remove the entry",
        noun="capacities",
        phrase="are of domains that no node is in",
        see_all="domain_resources of the policy",
        listed=LISTED_GROUPS,
        find=domain_capacity_unknown,
    ),
)
