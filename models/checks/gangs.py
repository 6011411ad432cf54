"""Gangs that cannot start as they are written, or not under every rule they ask for."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.promises import SUSPENDED, no_more_text
from models.queues import ROOT_QUEUE
from models.workloads import Gang, PodSpec


def unknown_queue(subject: Subject) -> Iterator[Hit]:
    """Gangs name a queue that the export does not hold; one hit per queue."""
    known = subject.snapshot.queue_by_name
    for name, gangs in subject.gangs_by_queue.items():
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f" (did they mean {near[0]}?)" if near else ""
            yield Hit(
                f"queue/{name}",
                f"{_gangs(gangs)} {_ask(gangs)} for queue {name}, which does not exist{hint}",
                amount=len(gangs),
            )


def closed_queue(subject: Subject) -> Iterator[Hit]:
    """Gangs are in a queue that is not Open; one hit per queue."""
    for name, gangs in subject.gangs_by_queue.items():
        queue = subject.snapshot.queue_by_name.get(name)
        if queue is not None and queue.state != "Open":
            yield Hit(
                f"queue/{name}",
                f"queue {name} is {queue.state}: {_gangs(gangs)} in it {_get(gangs)} no new pods",
                amount=len(gangs),
            )


def inner_queue(subject: Subject) -> Iterator[Hit]:
    """Gangs are in a queue that has children, or in the root, while the queue tree counts; one hit per queue."""
    if not subject.policy.hierarchy:
        return
    for name, gangs in subject.gangs_by_queue.items():
        children = subject.children.get(name, ())
        if children or name == ROOT_QUEUE:
            has = f"has {counted(len(children), 'child queue')} ({names_text([c.name for c in children])})"
            yield Hit(
                f"queue/{name}",
                f"queue {name} {has if children else 'is the root'}, but holds {_gangs(gangs)}: "
                "only leaf queues may hold jobs",
                amount=len(gangs),
            )


def missing_pod_group(subject: Subject) -> Iterator[Hit]:
    """Pods name a PodGroup that the export does not hold."""
    for gang in subject.live_gangs:
        if gang.missing_group:
            pods = len(subject.snapshot.pods_of(gang))
            yield Hit(
                f"gang/{gang.full_name}",
                f"{counted(pods, 'pod')} {'names' if pods == 1 else 'name'} PodGroup {gang.full_name}, "
                "which is not in the export",
                amount=pods,
            )


def leftover_pod_group(subject: Subject) -> Iterator[Hit]:
    """PodGroups that ask for nothing any more."""
    for gang in subject.snapshot.gangs:
        if gang.finished and gang.kind == "PodGroup":
            phase = f" (phase {gang.phase})" if gang.phase else ""
            why = no_more_text(gang) or "it has no pods left that run or wait"
            yield Hit(
                f"gang/{gang.full_name}",
                f"PodGroup {gang.full_name}{phase} is a leftover: {why}. It is no demand and not planned",
                remedy=f"kubectl delete podgroup -n {gang.namespace} {gang.name}",
            )


def suspended_owner(subject: Subject) -> Iterator[Hit]:
    """PodGroups whose owner is suspended and has made fewer pods than they need."""
    for gang in subject.live_gangs:
        if gang.no_more == SUSPENDED:
            yield Hit(
                f"gang/{gang.full_name}",
                f"PodGroup {gang.full_name} waits for pods: {no_more_text(gang)}. None is planned until it is resumed",
            )


def missing_pods(subject: Subject) -> Iterator[Hit]:
    """PodGroups whose owner makes no pods beyond those that exist, which are fewer than they need."""
    for gang in subject.live_gangs:
        if gang.no_more and gang.no_more != SUSPENDED:
            pods = len(subject.snapshot.pods_of(gang))
            yield Hit(
                f"gang/{gang.full_name}",
                f"PodGroup {gang.full_name} needs {counted(gang.min_member, 'pod')} and has {pods:,}: "
                f"{no_more_text(gang)}",
            )


def min_member_above_replicas(subject: Subject) -> Iterator[Hit]:
    """minAvailable(job) > sum of replicas(role)."""
    for gang in subject.live_gangs:
        replicas = sum(template.replicas for template in gang.templates)
        if gang.kind == "Job" and gang.templates and gang.min_member > replicas:
            yield Hit(
                f"gang/{gang.full_name}",
                f"gang {gang.full_name} needs {counted(gang.min_member, 'pod')} to start, "
                f"its roles have {counted(replicas, 'replica')} in all",
            )


def role_minimum_above_replicas(subject: Subject) -> Iterator[Hit]:
    """minAvailable(role) > replicas(role), while role minima bind."""
    for gang in subject.live_gangs:
        if gang.kind != "Job" or not gang.roles_bind:
            continue
        short = [
            f"role {role} needs {counted(minimum, 'pod')}, has {counted(replicas, 'replica')}"
            for role, minimum in sorted(gang.role_minimum.items())
            if minimum > (replicas := _replicas(gang, role))
        ]
        if short:
            yield Hit(f"gang/{gang.full_name}", f"gang {gang.full_name}: {', '.join(short)}")


def _replicas(gang: Gang, role: str) -> int:
    template = gang.template(role)
    return template.replicas if template is not None else 0


def roles_ignored(subject: Subject) -> Iterator[Hit]:
    """Sum of the minima of two or more roles > minMember: Volcano then ignores the roles."""
    for gang in subject.live_gangs:
        minima = sum(gang.role_minimum.values())
        if len(gang.role_minimum) > 1 and not gang.roles_bind:
            roles = ", ".join(
                f"{role} {count}" for role, count in sorted(gang.role_minimum.items())
            )
            yield Hit(
                f"gang/{gang.full_name}",
                f"gang {gang.full_name}: the minima of its roles sum up to {counted(minima, 'pod')} ({roles}), "
                f"minMember is {gang.min_member:,}: roles are ignored, any {counted(gang.min_member, 'pod')} may start",
            )


def unsupported_rule(subject: Subject) -> Iterator[Hit]:
    """Waiting gangs ask for a rule that is not modelled; one hit per rule."""
    by_rule: dict[str, dict[str, None]] = {}
    for demand in subject.demands:
        for rule in _rules(demand.spec):
            by_rule.setdefault(rule, {})[demand.owner] = None
    for rule, owners in sorted(by_rule.items()):
        names = [owner.partition("/")[2] for owner in owners]
        yield Hit(
            f"rule/{rule}",
            f"{counted(len(names), 'gang')} {'requires' if len(names) == 1 else 'require'} {rule}, "
            f"which is not modelled: {names_text(names)}",
            amount=len(names),
        )


def _rules(spec: PodSpec) -> list[str]:
    return list(spec.special_rules)


def _gangs(gangs: tuple[Gang, ...]) -> str:
    return f"{counted(len(gangs), 'gang')} ({names_text([gang.full_name for gang in gangs])})"


def _ask(gangs: tuple[Gang, ...]) -> str:
    return "asks" if len(gangs) == 1 else "ask"


def _get(gangs: tuple[Gang, ...]) -> str:
    return "gets" if len(gangs) == 1 else "get"


CHECKS = (
    Check(
        "unknown_queue",
        "warning",
        "Gangs name a queue that the export does not hold; Volcano never schedules them. One finding per queue.",
        "create the queue, correct spec.queue, or export the queues too (kubectl get queues)",
        noun="queues",
        phrase="do not exist, but {total} gangs ask for them",
        see_all="the gangs that wait with queue_closed",
        listed=LISTED_GROUPS,
        find=unknown_queue,
    ),
    Check(
        "closed_queue",
        "warning",
        "Gangs are in a queue whose state is not Open; it gets no new pods, running pods stay. One finding per queue.",
        "open the queue (vcctl queue operate -a open) or move the gangs",
        noun="queues",
        phrase="are not Open; {total} gangs are in them",
        see_all="kubectl get queues",
        listed=LISTED_GROUPS,
        find=closed_queue,
    ),
    Check(
        "inner_queue",
        "warning",
        "With hierarchy, gangs are in a queue that has child queues. Volcano then switches off all queue decisions; "
        "here the gangs wait.",
        "move the gangs to a leaf queue",
        noun="queues",
        phrase="have children, but hold {total} gangs",
        see_all="the gangs that wait with queue_closed",
        listed=LISTED_GROUPS,
        find=inner_queue,
    ),
    Check(
        "missing_pod_group",
        "warning",
        "Pods name a PodGroup that the export does not hold; they are not admitted.",
        "export the PodGroups of all namespaces (kubectl get podgroups -A), or create the PodGroup",
        noun="PodGroups",
        phrase="are named by {total} pods, but are not in the export",
        see_all="kubectl get podgroups -A",
        find=missing_pod_group,
    ),
    Check(
        "leftover_pod_group",
        "info",
        "A PodGroup has nothing that runs or waits, and nothing will fill it: its owner has ended, is scaled to 0, is "
        "gone, or has a newer PodGroup, or its pods have all ended. It is no demand, is not planned and does not wait.",
        "delete it (kubectl delete podgroup), or set ttlSecondsAfterFinished so that it goes by itself",
        noun="PodGroups",
        phrase="are leftovers that nothing will fill: no demand, not planned",
        see_all="kubectl get podgroups -A",
        find=leftover_pod_group,
    ),
    Check(
        "suspended_owner",
        "info",
        "A PodGroup lacks pods and its owner (a PyTorchJob, RayCluster …) is suspended: no pod of it is planned.",
        "resume the owner (spec.suspend or spec.runPolicy.suspend: false) when it may run",
        noun="PodGroups",
        phrase="belong to suspended owners and lack pods",
        see_all="kubectl get podgroups -A",
        find=suspended_owner,
    ),
    Check(
        "missing_pods",
        "warning",
        "A PodGroup has fewer pods than minMember and its owner makes no more: it has ended, is scaled to 0, makes "
        "fewer pods, or makes all at once and has made fewer. It waits with `not_enough_pods`.",
        "look at the owner's events (kubectl describe): a quota or a webhook may refuse its pods; or lower minMember",
        noun="PodGroups",
        phrase="have fewer pods than they need, and get no more",
        see_all="the gangs that wait with not_enough_pods",
        find=missing_pods,
    ),
    Check(
        "min_member_above_replicas",
        "warning",
        "A Job's minAvailable is larger than the sum of its replicas; it never starts.",
        "lower minAvailable or raise the replicas",
        noun="gangs",
        phrase="need more pods than their roles have replicas",
        see_all="the gangs that wait with not_enough_pods",
        find=min_member_above_replicas,
    ),
    Check(
        "role_minimum_above_replicas",
        "warning",
        "A role's minAvailable is larger than its replicas; its Job never starts.",
        "lower the role's minAvailable or raise its replicas",
        noun="gangs",
        phrase="have a role whose minimum exceeds its replicas",
        see_all="the gangs that wait with not_enough_pods",
        find=role_minimum_above_replicas,
    ),
    Check(
        "roles_ignored",
        "warning",
        "The minima of a gang's roles (two or more) sum up to more than its minMember. Volcano then ignores the "
        "roles, and a start may lack a role altogether.",
        "set minAvailable to the sum of the roles' minima at least, or leave the roles' minima out",
        noun="gangs",
        phrase="have role minima above minMember, so that roles are ignored",
        see_all="kubectl get podgroups -A -o yaml",
        find=roles_ignored,
    ),
    Check(
        "unsupported_rule",
        "warning",
        "Waiting gangs have a required rule that is not modelled. Nothing is placed against such a rule: they wait "
        "with reason `unsupported`. One finding per rule.",
        "plan these gangs by hand, or take the rule away where it is not needed",
        noun="rules",
        phrase="are not modelled ({total} times required)",
        see_all="the gangs that wait with unsupported",
        listed=LISTED_GROUPS,
        find=unsupported_rule,
    ),
)
