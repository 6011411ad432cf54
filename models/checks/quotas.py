"""Queue amounts that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import against_text, amount_text
from models.queues import Queue
from models.resources import BASE_DIMENSIONS, Resources

_SEE_ALL = "kubectl get queues -o yaml"


def excess(have: Mapping[str, int], limit: Mapping[str, int]) -> list[str]:
    """Words for every dimension in which an amount is above a listed limit."""
    return [
        against_text(name, amount, limit[name])
        for name, amount in have.items()
        if name in limit and amount > limit[name]
    ]


def ceiling(queue: Queue) -> dict[str, int]:
    """Listed capability; cpu and memory of 0 are no limit."""
    return {
        name: amount
        for name, amount in queue.capability.items()
        if amount > 0 or name not in BASE_DIMENSIONS
    }


def deserved_above_capability(subject: Subject) -> Iterator[Hit]:
    """deserved(queue) > capability(queue)."""
    for queue in subject.snapshot.queues:
        over = excess(queue.deserved, ceiling(queue))
        if over:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} deserves more than its own capability allows: {', '.join(over)}",
            )


def guarantee_above_capability(subject: Subject) -> Iterator[Hit]:
    """guarantee(queue) > capability(queue)."""
    for queue in subject.snapshot.queues:
        over = excess(queue.guarantee, ceiling(queue))
        if over:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} is guaranteed more than its own capability allows: {', '.join(over)}",
            )


def negative_amount(subject: Subject) -> Iterator[Hit]:
    """An amount of a node, a queue or a waiting pod is below 0."""
    for owner, amounts in _named_amounts(subject):
        below = [amount_text(name, amount) for name, amount in amounts.items() if amount < 0]
        if below:
            yield Hit(owner, f"{owner} has amounts below 0: {', '.join(below)}")


def _named_amounts(subject: Subject) -> Iterator[tuple[str, Resources]]:
    for node in subject.snapshot.nodes:
        yield f"node/{node.name}", node.allocatable
    for queue in subject.snapshot.queues:
        for amounts in (queue.capability, queue.deserved, queue.guarantee):
            yield f"queue/{queue.name}", amounts
    for demand in subject.demands:
        yield demand.owner, demand.spec.request


CHECKS = (
    Check(
        "deserved_above_capability",
        "warning",
        "A queue deserves more than its own capability; the entitlement is cut down to the capability.",
        "raise the capability or lower deserved",
        noun="queues",
        phrase="deserve more than their capability",
        see_all=_SEE_ALL,
        find=deserved_above_capability,
    ),
    Check(
        "guarantee_above_capability",
        "warning",
        "A queue is guaranteed more than its own capability; what is above it is reserved and never used.",
        "raise the capability or lower the guarantee",
        noun="queues",
        phrase="are guaranteed more than their capability",
        see_all=_SEE_ALL,
        find=guarantee_above_capability,
    ),
    Check(
        "negative_amount",
        "warning",
        "An amount of a node, a queue or a waiting pod is below 0.",
        "correct the amount",
        noun="amounts",
        phrase="are below 0",
        see_all="kubectl get nodes,queues,pods -A -o yaml",
        find=negative_amount,
    ),
)
