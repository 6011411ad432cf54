"""Several plans that were made, for a situation between them: the best beginning, and the tightest bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.plan import Tier
from planner.encode.prepared import Prepared
from planner.problem.placement import Standing
from planner.reduce.disaggregate import Assignment
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.solve.known import KnownTier


@dataclass(frozen=True)
class WarmFamily:
    """Plans of situations near each other, at least one; each speaks for itself, see :class:`WarmStart`.

    A plan of a tighter situation that is possible here is worth at least as much here, and one of a looser situation
    bounds what is possible: where both are worth the same nothing is left to search.
    """

    members: tuple[WarmStart, ...]

    @property
    def effort_s(self) -> float:
        """That of the first member."""
        return self.members[0].effort_s

    @property
    def documented(self) -> bool:
        """Their situations are known."""
        return False

    def suits(self, prepared: Prepared) -> bool:
        """Whether any of them can be taken over."""
        return any(one.suits(prepared) for one in self.members)

    def beginning(self, prepared: Prepared, placed_in: Sequence[Standing]) -> Assignment:
        """What starts most here, rank by rank; of equals that of the first member."""
        found = [one.beginning(prepared, placed_in) for one in self.members if one.suits(prepared)]
        return max(found, key=lambda one: _worth(prepared, placed_in, one))

    def bounds(self, prepared: Prepared, placed_in: Sequence[Standing]) -> dict[str, KnownTier]:
        """Bounds of the member that has the least above it, among those whose bounds hold here."""
        valid = [
            (tightness(one.tiers), number, bounds)
            for number, one in enumerate(self.members)
            if one.suits(prepared) and (bounds := one.bounds(prepared, placed_in))
        ]
        return min(valid)[2] if valid else {}


def tightness(tiers: Sequence[Tier]) -> tuple[tuple[bool, int], ...]:
    """Less where less is possible, tier after tier; a tier without a bound leaves everything possible."""
    return tuple(
        (tier.bound is None, (tier.bound or 0) * (1 if tier.sense == "max" else -1))
        for tier in tiers
    )


def _worth(
    prepared: Prepared, placed_in: Sequence[Standing], assignment: Assignment
) -> tuple[int, ...]:
    """GPUs and gangs that start, by class and rank, then all pods."""
    problem = prepared.problem
    kinds = sorted({(one.tier_class == "rest", one.rank) for one in placed_in})
    place = {kind: 2 * number for number, kind in enumerate(kinds)}
    found = [0] * (2 * len(kinds))
    for one in placed_in:
        if assignment.pods.get(one.demand) is not None:
            at = place[one.tier_class == "rest", one.rank]
            found[at] += problem.demands[one.demand].gpus
            found[at + 1] += 1
    pods = sum(
        count
        for items in assignment.pods.values()
        for spots in items.values()
        for _, count in spots
    )
    return (*found, pods)
