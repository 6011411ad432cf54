"""The incumbent of a search and what is proved about it: steps offer plans, nobody else decides the answer.

The store compares in the order of the objective's tiers and can only improve, as a solver's primal store does
(SCIP, ``src/scip/primal.c``). What a step proves is kept whether or not its plan is: a bound holds for every plan
that is no worse in the tiers above.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from planner.reduce.disaggregate import Assignment
from planner.search.outcome import Outcome
from planner.search.stages.bound.tier_bounds import kept_bounds
from planner.solve.tiers import TierResult

Admits = Callable[[Assignment], bool]
"""Whether a plan keeps every rule."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one offer did: the first tier that it changed, with value and bound before and after.

    ``seconds`` and ``work`` are those of the search up to the offer.
    """

    stage: str
    work: float
    seconds: float
    tier: str = ""
    value_before: int | None = None
    value_after: int | None = None
    bound_before: int | None = None
    bound_after: int | None = None


@dataclass
class SearchState:
    """The best plan that keeps every rule, all plans that were it before, and a log.

    Attributes
    ----------
    admits
        Asked only of plans that would be the incumbent.
    refused
        Plans that would have been better but break a rule.
    """

    admits: Admits = lambda plan: True
    best: Outcome | None = None
    incumbents: list[Outcome] = field(default_factory=list)
    log: list[Step] = field(default_factory=list)
    refused: int = 0
    began: float = field(default_factory=time.perf_counter)

    def offer(self, found: Outcome, stage: str, *, ties: bool = True) -> bool:
        """Take a plan where it is better than the incumbent, or with ``ties`` as good; its bounds in any case.

        Returns whether anything is better than before: the plan, or a bound.
        """
        before = self.best
        if before is None:
            if not self.admits(found.assignment):
                self.refused += 1
                return False
            self._take(found, before, stage)
            return True
        order = compare(found.tiers, before.tiers)
        same = found.assignment == before.assignment
        if order > 0 or (order == 0 and ties):
            if same or self.admits(found.assignment):
                tiers = kept_bounds(before.tiers, found.tiers)
                self._take(replace(found, tiers=tiers), before, stage)
                return order > 0 or tiers != before.tiers
            self.refused += 1
        return self.prove(found.tiers, stage)

    def prove(self, tiers: Sequence[TierResult], stage: str) -> bool:
        """Take the bounds that hold for the incumbent; returns whether one is sharper than before."""
        before = self.best
        if before is None:
            return False
        sharper = kept_bounds(tiers, before.tiers)
        if _bounds(sharper) == _bounds(before.tiers):
            return False
        self._take(replace(before, tiers=sharper), before, stage)
        return True

    def _take(self, found: Outcome, before: Outcome | None, stage: str) -> None:
        if before is None or before.assignment != found.assignment:
            self.incumbents.append(found)
        else:
            self.incumbents[-1] = found
        self.best = found
        self._write(found, before, stage)

    def _write(self, found: Outcome, before: Outcome | None, stage: str) -> None:
        seconds = time.perf_counter() - self.began
        old = () if before is None else before.tiers
        for place, one in enumerate(found.tiers):
            other = old[place] if place < len(old) else None
            if other is None or (one.value, one.bound) != (other.value, other.bound):
                self.log.append(
                    Step(
                        stage,
                        found.work,
                        seconds,
                        one.goal.name,
                        None if other is None else other.value,
                        one.value,
                        None if other is None else other.bound,
                        one.bound,
                    )
                )
                return


def compare(one: Sequence[TierResult], other: Sequence[TierResult]) -> int:
    """1 where the first vector of tiers is better, -1 where it is worse, 0 where they agree as far as both go."""
    for a, b in zip(one, other, strict=False):
        if a.value != b.value:
            return -1 if a.goal.is_worse(a.value, b.value) else 1
    return 0


def _bounds(tiers: Sequence[TierResult]) -> list[int | None]:
    return [one.bound for one in tiers]
