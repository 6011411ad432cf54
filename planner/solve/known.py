"""What an earlier search over at least as many plans tells a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.problem.linear import TierGoal

if TYPE_CHECKING:
    from planner.solve.tiers import TierResult


@dataclass(frozen=True, slots=True)
class KnownTier:
    """Value and bound of a tier in a search over at least as many plans."""

    value: int
    bound: int


def known_tiers(results: Sequence[TierResult]) -> dict[str, KnownTier]:
    """What the results of one search tell the next one."""
    return {
        one.goal.name: KnownTier(one.value, one.bound) for one in results if one.bound is not None
    }


def up_to_missing(
    known: Mapping[str, KnownTier], tiers: Sequence[TierGoal]
) -> dict[str, KnownTier]:
    """What is known, in its order, up to the first tier that gave something and is none here.

    What it gave may be had by the tiers after it: their bounds were found beside it. A shortfall alone gives nothing;
    it is that of the tiers above where no gang of its own starts.
    """
    names = {goal.name for goal in tiers}
    found = {}
    for name, one in known.items():
        if name in names:
            found[name] = one
        elif one.value and not name.endswith(".shortfall"):
            break
    return found
