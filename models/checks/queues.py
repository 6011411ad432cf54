"""Queue trees that are none, and queue settings that have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import amounts_text, counted, names_text
from models.queues import ROOT_QUEUE, Queue

LARGEST_WEIGHT = 65_535


def queue_parent_missing(subject: Subject) -> Iterator[Hit]:
    """A queue names a parent that the export does not hold."""
    if _stops(subject):
        return
    for queue in subject.snapshot.queues:
        parent = queue.parent_name
        if parent and parent != ROOT_QUEUE and parent not in subject.snapshot.queue_by_name:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} names parent {parent}, which does not exist{_tree_note(subject)}",
            )


def queue_cycle(subject: Subject) -> Iterator[Hit]:
    """Parents lead in a circle; one hit per circle."""
    if _stops(subject):
        return
    settled: set[str] = {ROOT_QUEUE}
    for queue in subject.snapshot.queues:
        path: dict[str, None] = {}
        name = queue.name
        while name and name not in settled and name not in path:
            path[name] = None
            found = subject.snapshot.queue_by_name.get(name)
            name = found.parent_name if found is not None else ""
        if name in path:
            names = list(path)
            circle = names[names.index(name) :]
            yield Hit(
                f"queue/{min(circle)}",
                f"queues are their own ancestors: {' > '.join((*circle, name))}{_tree_note(subject)}",
            )
        settled.update(path)


def _stops(subject: Subject) -> bool:
    """The fault stops every queue, which ``queue_tree_stops`` tells."""
    return subject.policy.hierarchy and subject.policy.admits_first


def _tree_note(subject: Subject) -> str:
    if subject.policy.hierarchy:
        return ": Volcano then switches off all queue decisions"
    return " (the queue tree does not count under this policy)"


def queue_tree_ignored(subject: Subject) -> Iterator[Hit]:
    """Queues have parents, but the policy plans without hierarchy."""
    if subject.policy.hierarchy:
        return
    nested = [queue.name for queue in subject.snapshot.queues if _nested(queue)]
    if nested:
        yield Hit(
            "policy/hierarchy",
            f"{counted(len(nested), 'queue')} {'names' if len(nested) == 1 else 'name'} a parent "
            f"({names_text(nested)}), but hierarchy is off "
            f"({subject.policy.origins.get('hierarchy', 'default')}): parents' limits do not bind",
        )


def _nested(queue: Queue) -> bool:
    return queue.parent not in ("", ROOT_QUEUE) and queue.name != ROOT_QUEUE


def queue_weight_out_of_range(subject: Subject) -> Iterator[Hit]:
    """``spec.weight`` is outside 1…65535."""
    for queue in subject.snapshot.queues:
        if not 1 <= queue.weight <= LARGEST_WEIGHT:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} has weight {queue.weight:,}; Volcano accepts 1 to {LARGEST_WEIGHT:,}",
            )


def deserved_under_proportion(subject: Subject) -> Iterator[Hit]:
    """``spec.deserved`` is set, but the queue model is proportion, which ignores it."""
    if subject.policy.queue_model != "proportion":
        return
    for queue in subject.snapshot.queues:
        if queue.deserved:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} sets deserved {amounts_text(queue.deserved)}, but the queue model is proportion "
                f"({subject.policy.origins.get('queue_model', 'default')}): it is ignored, weight "
                f"{queue.weight:,} decides",
            )


def capability_is_ceiling(subject: Subject) -> Iterator[Hit]:
    """A queue has a capability, and neither deserved nor guarantee."""
    for queue in subject.snapshot.queues:
        floor = any(queue.deserved.values()) or any(queue.guarantee.values())
        if queue.name != ROOT_QUEUE and any(queue.capability.values()) and not floor:
            share = (
                f"; its share follows from weight {queue.weight:,}"
                if subject.policy.queue_model == "proportion"
                else ""
            )
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} has capability {amounts_text(queue.capability)}, no deserved and no guarantee: "
                f"capability is a ceiling: nothing is guaranteed{share}",
            )


CHECKS = (
    Check(
        "queue_parent_missing",
        "warning",
        "A queue names a parent that does not exist. With hierarchy Volcano then switches off all queue decisions.",
        "create the parent queue or correct spec.parent",
        noun="queues",
        phrase="name a parent that does not exist",
        see_all="kubectl get queues -o yaml",
        find=queue_parent_missing,
    ),
    Check(
        "queue_cycle",
        "warning",
        "Queues are their own ancestors. With hierarchy Volcano then switches off all queue decisions.",
        "give one of them another parent",
        noun="circles of queues",
        phrase="were found",
        see_all="kubectl get queues -o yaml",
        find=queue_cycle,
    ),
    Check(
        "queue_tree_ignored",
        "info",
        "Queues have parents, but the policy plans without hierarchy, so parents' limits do not bind.",
        "set hierarchy: true (queue model capacity) if the scheduler's capacity plugin has enabledHierarchy",
        find=queue_tree_ignored,
    ),
    Check(
        "queue_weight_out_of_range",
        "warning",
        "A queue's weight is outside 1 to 65535.",
        "set spec.weight to a number in that range",
        noun="queues",
        phrase="have a weight out of range",
        see_all="kubectl get queues -o yaml",
        find=queue_weight_out_of_range,
    ),
    Check(
        "deserved_under_proportion",
        "warning",
        "`spec.deserved` is set, but the queue model is proportion, which does not read it.",
        "use the capacity plugin (policy queue_model: capacity) or express the share as a weight",
        noun="queues",
        phrase="set deserved, which the queue model proportion ignores",
        see_all="kubectl get queues -o yaml",
        find=deserved_under_proportion,
    ),
    Check(
        "capability_is_ceiling",
        "info",
        "A queue has a capability, but neither deserved nor guarantee. Capability is a ceiling: nothing is guaranteed.",
        "set deserved for an entitlement that others may borrow, or guarantee for a reserve that nobody else uses",
        noun="queues",
        phrase="have a capability, but neither deserved nor guarantee: nothing is guaranteed to them",
        see_all="kubectl get queues -o yaml",
        find=capability_is_ceiling,
    ),
)
