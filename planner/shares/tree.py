"""Queues as a tree of claims on one or several resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
LARGEST_WEIGHT = 65_535
LARGEST_SUM = 2**61
"""Sums of amounts over all claims stay below this, so that 64-bit integers cannot overflow."""


@dataclass(frozen=True, slots=True)
class ShareClaim:
    """What one queue claims; resource maps in base units.

    Attributes
    ----------
    parent
        Name of the queue above, "" for the top level.
    weight
        Part among siblings, 1 to :data:`LARGEST_WEIGHT` as Volcano accepts it.
    guarantee
        Floor, as far as it is asked for; absent = 0.
    limit
        Ceiling; absent = none.
    demand
        What the queue asks for. Of a queue with children the sum of theirs counts, not this.
    """

    name: str
    parent: str = ""
    weight: int = 1
    guarantee: Mapping[str, int] = field(default_factory=dict)
    limit: Mapping[str, int] = field(default_factory=dict)
    demand: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ShareTree:
    """Claims as arrays, rows in the order of the claims, columns in the order of ``resources``.

    Attributes
    ----------
    parent
        Row of the queue above, -1 at the top.
    limit
        Amounts of queues without a limit are the total.
    """

    names: tuple[str, ...]
    resources: tuple[str, ...]
    total: IntArray
    parent: IntArray
    weight: IntArray
    guarantee: IntArray
    limit: IntArray
    demand: IntArray

    @cached_property
    def levels(self) -> tuple[IntArray, ...]:
        """Rows per depth, top first, children of one parent side by side and in the order of the claims."""
        found: list[IntArray] = []
        depth = self._depths()
        order = np.lexsort((self.parent, depth))
        counts = np.bincount(depth) if len(depth) else np.zeros(0, dtype=np.int64)
        start = 0
        for count in counts.tolist():
            found.append(order[start : start + count])
            start += count
        return tuple(found)

    def _depths(self) -> IntArray:
        depth = np.zeros(len(self.names), dtype=np.int64)
        above = self.parent
        while np.any(above >= 0):
            depth += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        return depth

    @cached_property
    def inner(self) -> npt.NDArray[np.bool_]:
        """Which queues have children."""
        found = np.zeros(len(self.names), dtype=bool)
        found[self.parent[self.parent >= 0]] = True
        return found


def share_tree(total: Mapping[str, int], claims: Sequence[ShareClaim]) -> ShareTree:
    """Arrays of the claims on the resources of ``total``.

    Raises
    ------
    ValueError
        Two claims have one name, a parent is missing, queues are their own ancestors, a weight is out of range, or
        an amount is negative or so large that sums could overflow (divide in larger units then).
    """
    resources = tuple(sorted(total))
    row = {claim.name: index for index, claim in enumerate(claims)}
    if len(row) != len(claims):
        raise ValueError("two claims have the same name")
    missing = sorted({one.parent for one in claims if one.parent and one.parent not in row})
    if missing:
        raise ValueError(f"no claim of the parent queue {missing[0]}")
    _refuse_cycles(claims, row)
    if any(not 1 <= claim.weight <= LARGEST_WEIGHT for claim in claims):
        raise ValueError(f"weights must be between 1 and {LARGEST_WEIGHT:,}")
    totals = _amounts([[total[name] for name in resources]], len(resources))
    return ShareTree(
        names=tuple(claim.name for claim in claims),
        resources=resources,
        total=totals[0],
        parent=np.array([row.get(one.parent, -1) for one in claims], dtype=np.int64),
        weight=np.array([one.weight for one in claims], dtype=np.int64),
        guarantee=_amounts(
            [[c.guarantee.get(r, 0) for r in resources] for c in claims], len(total)
        ),
        limit=_amounts([[c.limit.get(r, total[r]) for r in resources] for c in claims], len(total)),
        demand=_amounts([[c.demand.get(r, 0) for r in resources] for c in claims], len(total)),
    )


def _refuse_cycles(claims: Sequence[ShareClaim], row: Mapping[str, int]) -> None:
    settled: set[str] = {""}
    for claim in claims:
        path: set[str] = set()
        name = claim.name
        while name not in settled:
            if name in path:
                raise ValueError(f"queue {name} is its own ancestor")
            path.add(name)
            name = claims[row[name]].parent
        settled |= path


def _amounts(rows: Sequence[Sequence[int]], columns: int) -> IntArray:
    largest = max((amount for row in rows for amount in row), default=0)
    smallest = min((amount for row in rows for amount in row), default=0)
    most = LARGEST_SUM // max(len(rows), 1)
    if smallest < 0 or largest > most:
        raise ValueError(f"amounts must be between 0 and {most:,} units for {len(rows):,} claims")
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)
