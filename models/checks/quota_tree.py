"""Queue amounts that contradict those of parents and children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from models.checks.check import Check, Hit
from models.checks.quotas import ceiling, excess
from models.checks.subject import Subject
from models.checks.wording import against_text, names_text
from models.queues import ROOT_QUEUE, Queue
from models.resources import total_of

_SEE_ALL = "kubectl get queues -o yaml"


def children_deserved_above_parent(subject: Subject) -> Iterator[Hit]:
    """Sum of deserved over the children > deserved(parent), in dimensions that the parent lists."""
    for parent, children in _families(subject):
        over = excess(total_of(child.deserved for child in children), parent.deserved)
        if over:
            yield _family_hit(parent, children, "deserve", over)


def children_guarantee_above_parent(subject: Subject) -> Iterator[Hit]:
    """Sum of guarantee over the children > guarantee(parent); what the parent does not list is 0."""
    for parent, children in _families(subject):
        sums = total_of(child.guarantee for child in children)
        over = excess(sums, {name: parent.guarantee.amount(name) for name in sums})
        if over:
            yield _family_hit(parent, children, "are guaranteed", over)


def _families(subject: Subject) -> Iterator[tuple[Queue, tuple[Queue, ...]]]:
    """Parents other than the root (whose amounts are sums of its children's anyway) with their children."""
    for queue in subject.snapshot.queues:
        if queue.name != ROOT_QUEUE and queue.name in subject.children:
            yield queue, subject.children[queue.name]


def _family_hit(parent: Queue, children: Iterable[Queue], verb: str, over: list[str]) -> Hit:
    names = names_text([child.name for child in children])
    return Hit(
        f"queue/{parent.name}",
        f"the children of queue {parent.name} ({names}) together {verb} more than it: {', '.join(over)}",
    )


def capability_above_ancestor(subject: Subject) -> Iterator[Hit]:
    """capability(queue) > capability(nearest ancestor that lists the dimension)."""
    for queue in subject.snapshot.queues:
        if queue.name == ROOT_QUEUE or not queue.capability:
            continue
        inherited: dict[str, int] = {}
        owner: dict[str, str] = {}
        for ancestor in subject.ancestors(queue):
            for name, amount in ceiling(ancestor).items():
                if name not in inherited:
                    inherited[name], owner[name] = amount, ancestor.name
        over = [
            f"{against_text(name, amount, inherited[name])} of queue {owner[name]}"
            for name, amount in queue.capability.items()
            if name in inherited and amount > inherited[name]
        ]
        if over:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} has a capability above its ancestor's: {', '.join(over)}",
            )


CHECKS = (
    Check(
        "children_deserved_above_parent",
        "warning",
        "The children of a queue together deserve more than the queue itself. Volcano's admission refuses this; "
        "if it got in, it is only logged.",
        "lower the children's deserved or raise the parent's",
        noun="queues",
        phrase="have children that together deserve more than they do",
        see_all=_SEE_ALL,
        find=children_deserved_above_parent,
    ),
    Check(
        "children_guarantee_above_parent",
        "warning",
        "The children of a queue are guaranteed more than the queue itself, so other branches may use what was "
        "promised to them.",
        "raise the parent's guarantee to the sum of its children's, or lower theirs",
        noun="queues",
        phrase="have children that are together guaranteed more than they are",
        see_all=_SEE_ALL,
        find=children_guarantee_above_parent,
    ),
    Check(
        "capability_above_ancestor",
        "warning",
        "A queue's capability is above an ancestor's, which binds first.",
        "lower it to the ancestor's capability",
        noun="queues",
        phrase="have a capability above an ancestor's",
        see_all=_SEE_ALL,
        find=capability_above_ancestor,
    ),
)
