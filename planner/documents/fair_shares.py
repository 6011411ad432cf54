"""The fair optimum of every queue, shown beside Volcano's own numbers.

Weights from ``spec.weight``, floors from ``spec.guarantee``, ceilings from the queue's limit, demands from what its
pods request. Several resources are divided together; see :mod:`planner.shares.joint`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.findings import BackendError
from models.queues import ROOT_QUEUE
from models.resources import NO_RESOURCES, Resources
from planner.encode.prepared import Prepared
from planner.encode.queue_limits import QueueLimits, requested_by_queue
from planner.shares.closed_form import tree_shares
from planner.shares.joint import joint_shares
from planner.shares.tree import (
    LARGEST_SUM,
    LARGEST_WEIGHT,
    IntArray,
    ShareClaim,
    ShareTree,
    share_tree,
)

_LOGGER = logging.getLogger(__name__)

MOST_JOINT_QUEUES = 100
"""Queues up to which several resources are divided together; more take each resource on its own."""
_COARSER = 1024


@dataclass(frozen=True)
class FairShares:
    """Fair share per queue in base units.

    Attributes
    ----------
    rule
        ``joint``, ``per resource`` (one resource, more than :data:`MOST_JOINT_QUEUES` queues, or HiGHS failed), or
        ``all met`` where every demand fits.
    """

    rule: str = "all met"
    by_queue: Mapping[str, Resources] = field(default_factory=dict)

    def of(self, queue: str) -> Resources:
        """Share of a queue; nothing for one that takes no part."""
        return self.by_queue.get(queue, NO_RESOURCES)


def fair_shares(prepared: Prepared) -> FairShares:
    """Shares of all queues that hang below the root, of the resources that somebody requests.

    Amounts are whole base units. Where a resource is so plentiful that sums could overflow (bytes of many nodes for
    hundreds of queues), it is divided in units of 1,024 or a power of that, rounded down.
    """
    requested = requested_by_queue(prepared.snapshot)
    asked = {name for one in requested.values() for name, amount in one.items() if amount > 0}
    names = _participants(prepared.limits)
    total = {r: n for r, n in prepared.limits.total.items() if r in asked and n > 0}
    if not total or not names:
        return FairShares()
    units = {r: _unit(amount, len(names)) for r, amount in total.items()}
    largest = LARGEST_SUM // len(names)
    claims = [
        _claim(prepared.limits, name, _Measure(total, units, largest), requested) for name in names
    ]
    tree = share_tree({r: amount // units[r] for r, amount in total.items()}, claims)
    rule, shares = _divide(tree)
    return FairShares(rule, _by_queue(tree, shares, units))


def _participants(limits: QueueLimits) -> list[str]:
    """Queues whose ancestors lead to the root, by name; the root itself divides and takes no part."""
    found = []
    for name in sorted(limits.queues):
        last = limits.queues.get(limits.chain(name)[-1])
        rooted = last is not None and (not limits.hierarchy or last.parent_name == ROOT_QUEUE)
        if rooted and name != ROOT_QUEUE:
            found.append(name)
    return found


def _unit(amount: int, claims: int) -> int:
    unit = 1
    while amount // unit > LARGEST_SUM // claims:
        unit *= _COARSER
    return unit


@dataclass(frozen=True)
class _Measure:
    """Totals and units of the resources that are divided, and the largest number of units."""

    total: Mapping[str, int]
    units: Mapping[str, int]
    largest: int

    def whole(self, resource: str, amount: int) -> int:
        """Whole units of an amount; below 0 counts as 0."""
        return min(max(amount, 0) // self.units[resource], self.largest)

    def within(self, amounts: Mapping[str, int | None]) -> dict[str, int]:
        """Units of each resource, at most the total; what has no amount stays absent."""
        return {
            r: self.whole(r, min(amount, self.total[r]))
            for r, amount in amounts.items()
            if r in self.total and amount is not None
        }


def _claim(
    limits: QueueLimits, name: str, measure: _Measure, requested: Mapping[str, Resources]
) -> ShareClaim:
    """A queue's claim; a weight out of Volcano's range counts as the nearest one in it."""
    queue = limits.queues[name]
    above = queue.parent_name if limits.hierarchy else ""
    asked = requested.get(name, NO_RESOURCES)
    return ShareClaim(
        name,
        "" if above == ROOT_QUEUE else above,
        min(max(queue.weight, 1), LARGEST_WEIGHT),
        guarantee=measure.within(queue.guarantee),
        limit=measure.within({r: limits.ceiling(name, r) for r in measure.total}),
        demand={r: measure.whole(r, asked.amount(r)) for r in measure.total},
    )


def _divide(tree: ShareTree) -> tuple[str, IntArray]:
    alone = tree_shares(tree)
    leaves = ~tree.inner
    if (alone[leaves] >= tree.demand[leaves]).all():
        return "all met", alone
    if len(tree.resources) == 1 or len(tree.names) > MOST_JOINT_QUEUES:
        return "per resource", alone
    try:
        return "joint", joint_shares(tree).shares
    except BackendError as error:  # a number beside the plan is no reason to withhold the plan
        _LOGGER.warning("fair shares of each resource alone are shown: %s", error)
        return "per resource", alone


def _by_queue(tree: ShareTree, shares: IntArray, units: Mapping[str, int]) -> dict[str, Resources]:
    found: dict[str, Resources] = {}
    rows: Sequence[Sequence[int]] = shares.tolist()
    for name, row in zip(tree.names, rows, strict=True):
        amounts = {r: n * units[r] for r, n in zip(tree.resources, row, strict=True) if n}
        found[name] = Resources(amounts)
    return found
