"""What gangs lose in a plan, and which smaller losses leave them legal."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planner.problem.victims import EACH_ALONE, VictimGang, VictimPods, Victims
from planner.reduce.minimal_pod_sets import TooManyError

MOST_PARTS = 500
"""Smaller losses of one gang that are listed."""

Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """What one gang loses; equal pods on one node that are gangs of their own make one loss.

    Attributes
    ----------
    entries
        Where the pods are; ``counts`` are how many go of each.
    gang
        Index into ``Victims.gangs``, or :data:`EACH_ALONE`.
    """

    entries: tuple[VictimPods, ...]
    counts: Counts
    gang: int

    def names(self, counts: Counts | None = None) -> Iterator[str]:
        """Pods that go, as many of each entry as ``counts`` says."""
        for one, count in zip(self.entries, counts or self.counts, strict=True):
            yield from one.names[:count]

    def kinds(self) -> Counter[int]:
        """Kind to pods that one gang loses."""
        found: Counter[int] = Counter()
        for one, count in zip(self.entries, self.counts, strict=True):
            if count:
                found[one.kind] += 1 if self.gang == EACH_ALONE else count
        return found


def losses(victims: Victims, evicted: Sequence[str]) -> list[Loss]:
    """All losses of a plan; of equal pods on a node the first names count as the ones that go."""
    gone = frozenset(evicted)
    groups: dict[tuple[int, int], list[tuple[VictimPods, int]]] = {}
    for one in victims.pods if gone else ():
        count = sum(name in gone for name in one.names)
        if count:
            gang = victims.kinds[one.kind].gang
            key = (gang, len(groups)) if gang == EACH_ALONE else (gang, 0)
            groups.setdefault(key, []).append((one, count))
    return [
        Loss(tuple(one for one, _ in entries), tuple(n for _, n in entries), gang)
        for (gang, _), entries in groups.items()
    ]


def smaller(victims: Victims, loss: Loss) -> list[Counts]:
    """Every smaller number of pods per entry that the gang may lose, the smallest first, none included.

    Raises
    ------
    TooManyError
        There are more than :data:`MOST_PARTS`.
    """
    total = 1
    for count in loss.counts:
        total *= count + 1
    if total > MOST_PARTS:
        raise TooManyError
    parts = sorted(itertools.product(*(range(n + 1) for n in loss.counts)), key=sum)
    return [one for one in parts if one != loss.counts and _legal(victims, loss, one)]


def _legal(victims: Victims, loss: Loss, counts: Counts) -> bool:
    if loss.gang == EACH_ALONE or not any(counts):
        return True
    gang = victims.gangs[loss.gang]
    roles: Counter[str] = Counter()
    groups: Counter[int] = Counter()
    for one, count in zip(loss.entries, counts, strict=True):
        roles[victims.kinds[one.kind].role] += count
        groups.update(dict.fromkeys(victims.kinds[one.kind].subgroups, count))
    if sum(counts) > min(gang.surplus, gang.running - 1):
        return False
    if any(roles[role] > spare for role, spare in gang.role_surplus.items()):
        return False
    return _whole_subgroups(gang, groups)


def _whole_subgroups(gang: VictimGang, gone: Counter[int]) -> bool:
    complete: Counter[int] = Counter()
    for place, group in enumerate(gang.subgroups):
        left = group.running - gone[place]
        if 0 < left < group.size and gone[place]:
            return False
        complete[group.policy] += left >= group.size
    return all(complete[policy] >= least for policy, least in enumerate(gang.min_subgroups))
