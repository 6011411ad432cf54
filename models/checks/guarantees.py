"""Whether all guarantees can be kept together: nothing in the queues' limits protects them jointly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import amount_text, counted, names_text
from models.queues import ROOT_QUEUE, Queue
from models.resources import PODS, Resources

Amounts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Owed:
    """What queues are still owed of their guarantees in one resource, beside what is there for it."""

    resource: str
    guaranteed: int
    owed: int
    queues: tuple[str, ...]
    free: int
    total: int

    @property
    def covered(self) -> bool:
        """Both the guarantees fit the cluster and what is owed fits into what is free."""
        return self.guaranteed <= self.total and self.owed <= self.free

    def text(self) -> str:
        """``12 nvidia.com/gpu still owed to 2 queues (a, b) of 20 guaranteed; 8 free, 64 in the cluster``."""
        names = f"{counted(len(self.queues), 'queue')} ({names_text(self.queues)})"
        owed = f"still owed to {names}" if self.queues else "still owed"
        return (
            f"{amount_text(self.resource, self.owed)} {owed} of "
            f"{amount_text(self.resource, self.guaranteed)} guaranteed; "
            f"{amount_text(self.resource, self.free)} free, "
            f"{amount_text(self.resource, self.total)} in the cluster"
        )


class GuaranteeBook:
    """Guarantees of a queue tree; without hierarchy every queue stands alone."""

    def __init__(self, queues: Sequence[Queue], *, hierarchy: bool) -> None:
        self._queues = {queue.name: queue for queue in queues if queue.name != ROOT_QUEUE}
        self._children: dict[str, list[str]] = {}
        for queue in self._queues.values():
            above = queue.parent_name if hierarchy else ROOT_QUEUE
            self._children.setdefault(above, []).append(queue.name)
        self.resources = sorted(
            {r for q in self._queues.values() for r, n in q.guarantee.items() if n > 0} - {PODS}
        )
        self._top_down = list(self._children.get(ROOT_QUEUE, ()))
        for name in self._top_down:  # grows while it is walked; circles are never reached
            self._top_down.extend(self._children.get(name, ()))

    def owed(self, used: Mapping[str, Amounts], free: Amounts, total: Amounts) -> list[Owed]:
        """Per guaranteed resource that the cluster offers: guaranteed, owed beyond use, and by whom.

        A parent is owed what its children are owed together, or its own guarantee beyond what its whole branch uses,
        whichever is more.
        """
        return [
            self._owed(resource, used, free.get(resource, 0), total[resource])
            for resource in self.resources
            if total.get(resource, 0) > 0
        ]

    def _owed(self, resource: str, used: Mapping[str, Amounts], free: int, total: int) -> Owed:
        guaranteed: dict[str, int] = {}
        owed: dict[str, int] = {}
        use: dict[str, int] = {}
        owing: list[str] = []
        for name in reversed(self._top_down):
            below = self._children.get(name, ())
            own = max(self._queues[name].guarantee.amount(resource), 0)
            inside = sum(owed[child] for child in below)
            use[name] = used.get(name, {}).get(resource, 0) + sum(use[child] for child in below)
            guaranteed[name] = max(own, sum(guaranteed[child] for child in below))
            owed[name] = max(own - use[name], inside)
            if owed[name] > inside:
                owing.append(name)
        tops = self._children.get(ROOT_QUEUE, ())
        return Owed(
            resource,
            guaranteed=sum(guaranteed[name] for name in tops),
            owed=sum(owed[name] for name in tops),
            queues=tuple(sorted(owing)),
            free=free,
            total=total,
        )


def free_amounts(subject: Subject) -> dict[str, int]:
    """Free amounts over Ready, uncordoned nodes; an over-full node counts 0."""
    free = dict.fromkeys(subject.offered, 0)
    for node in subject.snapshot.nodes:
        if not node.ready or node.unschedulable:
            continue
        used = subject.used_by_node.get(node.name, {})
        for name, amount in node.allocatable.items():
            left = amount - used.get(name, 0)
            if left > 0 and name in free:
                free[name] += left
    return free


def guarantee_not_covered(subject: Subject) -> Iterator[Hit]:
    """Sum of guarantees > total, or sum of what is owed of them > free sum of the nodes that take pods."""
    book = GuaranteeBook(subject.snapshot.queues, hierarchy=subject.policy.hierarchy)
    if not book.resources:
        return
    owed = book.owed(subject.running_by_queue, free_amounts(subject), subject.total)
    short = [one.text() for one in owed if not one.covered]
    if short:
        yield Hit("cluster/guarantee", f"not all guarantees can be kept now: {'; '.join(short)}")


def plan_message(
    queues: Sequence[Queue],
    *,
    hierarchy: bool,
    used: Mapping[str, Amounts],
    free: Amounts,
    total: Resources,
) -> str:
    """What remains uncovered after a plan with this use and room; "" where all guarantees can be kept."""
    book = GuaranteeBook(queues, hierarchy=hierarchy)
    short = [one.text() for one in book.owed(used, free, total) if not one.covered]
    return f"not all guarantees can be kept after the plan: {'; '.join(short)}" if short else ""


COVERED = Check(
    "guarantee_not_covered",
    "warning",
    "What queues are still owed of their guarantees is, taken together, more than is free (in the cluster now, or "
    "after the plan), or the guarantees sum up to more than the cluster has. Each queue's limit leaves room for the "
    "guarantees of the others, but nothing keeps the queues together from using it up.",
    "lower the guarantees, let borrowed work end or reclaim it, or add nodes",
    find=guarantee_not_covered,
)
CHECKS = (COVERED,)
