"""Lexicographic search: tier after tier, each decided before the next begins."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from planner.problem.linear import LinearModel, RawSolution, TierGoal
from planner.problem.meter import Meter
from planner.problem.tier_names import is_start
from planner.solve.backend import Backend, Pin, SolveLimits
from planner.solve.fused import Fused, block_of, fused
from planner.solve.highs import LpBounds
from planner.solve.known import KnownTier, up_to_missing
from planner.solve.scope import Scope

SMALL_MODEL = 400
"""Variables up to which the integer solver is as quick as a linear relaxation."""
SHARE = 0.5
"""Part of the remaining time that a tier of GPUs may use."""
SMALL_SHARE = 0.12
"""The same for the other tiers; they weigh less, and there are more of them."""


@dataclass(frozen=True, slots=True)
class TierResult:
    """Value and bound of one tier in the model; ``bound`` holds for the pins above it."""

    goal: TierGoal
    value: int
    bound: int | None
    seconds: float
    backend: str

    @property
    def closed(self) -> bool:
        """Value and bound agree."""
        return self.bound == self.value


FUSED_PARTS = 3
"""Shortfall, GPUs and gangs of a rank in one search."""
LEAST_LP_S = 1.0
"""Seconds for a relaxation that only makes numbers smaller."""
THRIFTY_SHARE = 0.7
"""The same in a first pass over a large model."""
RESTRICTED_SHARE = 0.15
"""Part of the remaining time for a search with most of what is decided fixed."""
WHOLE_MODEL = 8_000
"""Variables up to which the whole model is searched in a moment."""
WORTH_RESTRICTING = 0.75
"""Part of the columns that such a search may leave open at most to be quicker than the search of all."""
STALE_ROUNDS = 40
"""Neighbourhoods without a better solution after which there are no more."""
ROUND_SHARE = 0.2
"""Part of a tier's time for one neighbourhood."""

Complete = Callable[[tuple[int, ...], TierGoal, Sequence[float] | None], tuple[int, ...] | None]
"""Fills up a solution below a goal: (solution, goal, fractional solution) to a solution or None.

Without a fractional solution the goal's own tier counts as decided; with one it is rounded for that tier.
"""


TierSink = Callable[[TierGoal, int | None, int | None], None]
"""Called with (tier, value, bound) while the search runs."""


@dataclass(frozen=True, slots=True)
class Lexicographic:
    """Result of a search: the last solution and a result per tier that was reached."""

    values: tuple[int, ...] | None
    tiers: tuple[TierResult, ...]
    seconds: float


class TierSearch:
    """Solves tiers in order with one backend.

    A tier is decided without search where the incumbent meets the tier's ideal or the bound of the linear
    relaxation; otherwise the backend searches, for at most its share of the remaining time. Two neighbouring tiers
    to be maximised (GPUs, then gangs) are searched as one goal with an exact weight. After a search ``complete`` may
    fill up what the tiers below leave to chance.
    """

    def __init__(
        self,
        model: LinearModel,
        tiers: Sequence[TierGoal],
        backend: Backend,
        limits: SolveLimits,
        *,
        report: TierSink | None = None,
        stopped: Callable[[], bool] = lambda: False,
        complete: Complete | None = None,
        scope: Scope | None = None,
        tight: Callable[[tuple[int, ...]], tuple[int, ...]] = lambda values: values,
        known: Mapping[str, KnownTier] | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.meter = meter or Meter(deterministic=limits.deterministic)
        self.tight = tight
        self.known = up_to_missing(known or {}, tiers)
        self.complete = complete
        self.scope = scope
        self._scoped: tuple[frozenset[int], LinearModel] = (frozenset(), model)
        self._known_bounds: dict[str, int] = {}
        self.model = model
        self.tiers = tiers
        self.backend = backend
        self.limits = limits
        self.report = report
        self.stopped = stopped
        self._lp: LpBounds | None = None
        self._thrifty = self._quick = self._planned = False
        self._effort = math.inf
        self._relaxed_s: list[float] = []

    @property
    def relaxes(self) -> bool:
        """The model is large enough for linear relaxations to pay."""
        return self.model.size > SMALL_MODEL

    def run(
        self,
        incumbent: Sequence[int] | None,
        *,
        thrifty: bool = False,
        quick: bool = False,
        effort: float = math.inf,
    ) -> Lexicographic:
        """Search all tiers from an incumbent; without any solution ``values`` is None.

        Parameters
        ----------
        thrifty
            Search the whole model only where GPUs are the goal; gangs are counted, other tiers relaxed and rounded.
        quick
            Never search a model in integers that relaxing pays for: every tier is relaxed and rounded, so that all
            have a bound soon.
        effort
            The incumbent is a plan that was searched for before: seconds (or work) of integer search in all, tier
            after tier; every tier is relaxed whatever is left.
        """
        self._effort, self._planned = effort, effort < math.inf
        started, self._started = time.perf_counter(), self.meter.now()
        self._thrifty, self._quick = thrifty, quick and self.relaxes
        self._known_bounds = {}  # they hold for the values above of one run only
        earlier = {name: one.bound for name, one in self.known.items()}
        self._relaxed_s = []
        self._lp = LpBounds(self.model, workers=self.limits.workers) if self.relaxes else None
        best = tuple(incumbent) if incumbent is not None else None
        pins: list[Pin] = []
        results: list[TierResult] = []
        for index, goal in enumerate(self.tiers):
            left = self._left()
            if goal.name in earlier:
                self._known_bounds.setdefault(goal.name, earlier[goal.name])
            result, best = self._tier(index, pins, best, left)
            if result is None:
                break
            results.append(result)
            self._pin(pins, Pin(goal, result.value, result.bound))
            known = self.known.get(goal.name)
            if known is None or goal.is_worse(result.value, known.value):
                earlier = {}  # what stands beside a worse value was not searched then
            if self.report is not None:
                self.report(goal, result.value, result.bound)
        return Lexicographic(best, tuple(results), time.perf_counter() - started)

    def _left(self) -> float:
        """Seconds, or units of work, of the limit that nothing has used; every tier draws on the same ones."""
        return self.limits.seconds - (self.meter.now() - self._started)

    def _bounded(self, lp: LpBounds, goal: TierGoal, seconds: float) -> int | None:
        """A relaxation's bound, counted."""
        before = lp.work
        bound = lp.bound(goal, seconds=self._relaxing(seconds))
        self.meter.add(lp.work - before)
        return bound

    def _relaxing(self, seconds: float) -> float:
        """Limit of a relaxation; with deterministic limits none: whether it ends must not depend on the machine."""
        return math.inf if self.limits.deterministic else seconds

    def _pin(self, pins: list[Pin], pin: Pin) -> None:
        pins.append(pin)
        if self._lp is not None:
            self._lp.pin(pin)

    def _tier(
        self, index: int, pins: Sequence[Pin], best: tuple[int, ...] | None, left: float
    ) -> tuple[TierResult | None, tuple[int, ...] | None]:
        began, before = time.perf_counter(), self.meter.now()
        goal = self.tiers[index]
        self._gap = self._gap_of(index)
        value = goal.expression.value(best) if best is not None else None
        bound = _tighter(goal, goal.ideal, self._known_bounds.get(goal.name))
        backend = "counting" if bound == goal.ideal else self.backend.name
        counts_only = self._thrifty and goal.name.endswith(".gangs")
        relaxes = self._lp is not None and left > 0 and not self.stopped() and not counts_only
        if self._lp is not None and relaxes and not self._good(value, bound):
            relaxed = self._bounded(self._lp, goal, max(left * SHARE, 1.0))
            bound = _tighter(goal, bound, relaxed)
            backend = self._lp.name
            # For gangs nothing is rounded: the GPU tier before them was, a moment ago.
            rounds = not (goal.name.endswith(".gangs") or goal.relaxed)
            # A plan in hand is a better start than what is rounded, as long as it is searched from.
            searched = self._planned and self._effort > 0 and self.model.size <= WHOLE_MODEL
            rounds = rounds and not searched
            if relaxed is not None and rounds and not self._good(value, bound):
                best, value = self._completed(index, pins, best, self._lp.values())
            self._relaxed_s.append(self.meter.now() - before)
            hopeless = self._quick or goal.relaxed
            hopeless = hopeless or (self._thrifty and not goal.name.endswith(".gpus"))
            hopeless = hopeless or min(left, self._effort) <= 0
            if best is not None and not hopeless and not self._good(value, bound):
                guide = self._lp.values() if relaxed is not None else None
                best, value = self._restricted(index, pins, best, left, guide)
        budget = min(self._budget(index, left - (self.meter.now() - before)), self._effort)
        if best is not None and self._thrifty and not self._good(value, bound):
            parts, best = self._neighbourhoods(index, pins, best, bound, budget)
            value = goal.expression.value(best)
            budget = 0.0 if parts else budget
        # What only bounds a tier is relaxed; where the model is too small for that, its search gives the bound.
        bounded = goal.relaxed and self._lp is not None
        search = best is None or (budget > 0 and not (self._quick or bounded))
        if not self._good(value, bound) and search and not self.stopped():
            several = self._several(index, best, bound)
            model = self._in_scope(goal)
            found = self._search(model, several.goal if several else goal, pins, best, budget)
            backend = found.backend
            digits = several.bounds(found.bound) if several and found.bound is not None else ()
            bound = _tighter(goal, bound, digits[0] if digits else found.bound)
            if best is not None and not goal.relaxed and self._gains(several, best, found):
                best, value = self._taken(index, pins, best, found.values)
            elif best is None and found.values is not None:
                best, value = self._better(index, None, found.values)
            if several is not None and best is not None:
                self._know(several.parts, digits, best)
        if best is None or value is None:
            return None, None
        if bound is not None and goal.is_worse(bound, value):
            bound = value  # a float bound a hair on the wrong side of an exact value
        seconds = time.perf_counter() - began
        return TierResult(goal, value, bound, seconds, backend), best

    def _in_scope(self, goal: TierGoal) -> LinearModel:
        """The model for a goal: what cannot help it is left out."""
        outside = self.scope.outside(goal) if self.scope is not None else frozenset[int]()
        if outside != self._scoped[0]:
            upper = list(self.model.upper)
            for column in outside:
                upper[column] = self.model.lower[column]
            self._scoped = (outside, LinearModel(self.model.lower, upper, self.model.rows))
        return self._scoped[1] if outside else self.model

    def _restricted(
        self,
        index: int,
        pins: Sequence[Pin],
        best: tuple[int, ...],
        left: float,
        guide: Sequence[float] | None,
    ) -> tuple[tuple[int, ...], int]:
        """Search with most of what is decided as it is and what is out of scope left out."""
        goal = self.tiers[index]
        if self.scope is None:
            return best, goal.expression.value(best)
        model = self.scope.restrict(best, goal, guide)
        starts = is_start(goal.name)  # else gangs are fixed, which is most of the search
        if starts and _free(model) > WORTH_RESTRICTING * _free(self._in_scope(goal)):
            return best, goal.expression.value(best)  # as hard to search as the whole
        budget = min(left * RESTRICTED_SHARE, self._effort)
        several = self._several(index, best, goal.ideal, parts=2)
        if several is None and self._planned:
            several = self._tail(index, best)
        found = self._search(model, several.goal if several else goal, pins, None, budget)
        return self._taken(index, pins, best, found.values)

    def _several(
        self,
        index: int,
        best: tuple[int, ...] | None,
        bound: int | None,
        *,
        parts: int = FUSED_PARTS,
    ) -> Fused | None:
        """The tier and those after it about the same gangs, as far as numbers allow; None if it stays alone."""
        block = block_of(self.tiers, index)[:parts]
        if block[0].name.endswith(".shortfall") and (best is None or len(block) < FUSED_PARTS):
            return None
        if len(block) < 2 or bound is None:
            return None
        highest = [bound]
        for goal in block[1:]:
            most = _tighter(goal, goal.ideal, self._known_bounds.get(goal.name))
            if len(block) == FUSED_PARTS and self._lp is not None:
                most = _tighter(goal, most, self._bounded(self._lp, goal, LEAST_LP_S))
            highest.append(goal.ideal if most is None else most)
        values = [goal.expression.value(best) if best is not None else 0 for goal in block]
        return fused(block, highest, values, centred=len(block) == FUSED_PARTS)

    def _tail(self, index: int, best: tuple[int, ...]) -> Fused | None:
        """Elastic pods and the packing of nodes as one goal, where they are next to each other."""
        block = self.tiers[index : index + 2]
        grows = block[0].name.rpartition(".")[2] == "elastic"
        if not grows or [goal.name for goal in block[1:]] != ["packing"]:
            return None
        values = [goal.expression.value(best) for goal in block]
        highest = [_tighter(goal, goal.ideal, self._known_bounds.get(goal.name)) for goal in block]
        known = [most for most in highest if most is not None]
        return fused(block, known, values) if len(known) == len(block) else None

    def _gains(self, several: Fused | None, best: tuple[int, ...], found: RawSolution) -> bool:
        """Whether a search has to be looked at: not if it leaves a plan that was searched for before as it is."""
        if not self._planned or several is None or found.values is None:
            return found.values is not None or not self._planned
        goal = several.goal
        return goal.is_worse(goal.expression.value(best), goal.expression.value(found.values))

    def _know(
        self, parts: Sequence[TierGoal], bounds: Sequence[int], best: tuple[int, ...]
    ) -> None:
        """Keep the bounds of a search for several tiers: each holds where those before it are reached."""
        for place, (part, bound) in enumerate(zip(parts, bounds, strict=False)):
            if place:
                known = self._known_bounds.get(part.name)
                self._known_bounds[part.name] = bound if known is None else min(known, bound)
            if part.expression.value(best) != bound:
                return

    def _neighbourhoods(
        self,
        index: int,
        pins: Sequence[Pin],
        best: tuple[int, ...],
        bound: int | None,
        budget: float,
    ) -> tuple[bool, tuple[int, ...]]:
        """Search part after part of a solution while that helps; whether there were any parts, and the best found."""
        goal = self.tiers[index]
        random = Random(self.limits.seed)
        until = self.meter.now() + budget
        guide = self._lp.values() if self._lp is not None else None
        stale = rounds = 0
        while stale < STALE_ROUNDS and not self.stopped() and self.scope is not None:
            value = goal.expression.value(best)
            left = until - self.meter.now()
            if self._good(value, bound) or left <= 0:
                break
            part = self.scope.neighbourhood(best, goal, random, guide if rounds % 2 == 0 else None)
            if part is None:
                break
            rounds += 1
            found = self._search(part, goal, pins, best, min(left, budget * ROUND_SHARE))
            stale += 1
            if found.values is not None and goal.is_worse(
                value, goal.expression.value(found.values)
            ):
                best, after = self._taken(index, pins, best, found.values)
                stale = 0 if goal.is_worse(value, after) else stale
        return rounds > 0, best

    def _taken(
        self,
        index: int,
        pins: Sequence[Pin],
        best: tuple[int, ...],
        found: tuple[int, ...] | None,
    ) -> tuple[tuple[int, ...], int]:
        """The better of a solution and what a search found, filled up.

        A thrifty search takes only what was completed: solutions of large models need not pack onto nodes, and the
        tiers below must not build on one that does not.
        """
        goal = self.tiers[index]
        if found is not None and not (self._thrifty and self.complete is not None):
            best, _ = self._better(index, best, found)
            found = best
        done = self._completion(index, pins, found or best, None)
        if done is not None:
            best, _ = self._better(index, best, done)
        return best, goal.expression.value(best)

    def _budget(self, index: int, left: float) -> float:
        """Seconds (or work) for an integer search of a tier, leaving time for the relaxations of those below."""
        below = self.tiers[index:]
        if self._relaxed_s:
            left -= len(below) / 2 * sum(self._relaxed_s) / len(self._relaxed_s)
        goal = self.tiers[index]
        if goal.sense == "min" and "." not in goal.name:
            return left * SHARE  # harm: what it leaves open is open again in every kind after it
        if not goal.name.endswith(".gpus"):
            return 0.0 if self._thrifty else left * SMALL_SHARE
        last = not any(goal.name.endswith(".gpus") for goal in below[1:])
        if self._thrifty:
            # What a rank leaves open is open again in every rank below it: the first gets most.
            return left if last else left * THRIFTY_SHARE
        return left * SHARE

    def _good(self, value: int | None, bound: int | None) -> bool:
        """Whether a value is within the gap that the limits ask for."""
        if value is None or bound is None:
            return False
        return abs(bound - value) <= self._gap * max(1, abs(value))

    def _gap_of(self, index: int) -> float:
        """Relative gap at which a tier's search may stop.

        GPUs that a tier leaves open may be asked for in every GPU tier below it, where 0.1 % of thousands are all that
        a late rank starts: only the last of them stops early.
        """
        gpus = [goal.name.endswith(".gpus") for goal in self.tiers[index:]]
        return 0.0 if gpus[0] and any(gpus[1:]) else self.limits.gap

    def _search(
        self,
        model: LinearModel,
        goal: TierGoal,
        pins: Sequence[Pin],
        best: tuple[int, ...] | None,
        budget: float,
    ) -> RawSolution:
        limits = SolveLimits(
            seconds=max(budget, 0.1),
            gap=0.0 if self._planned and goal not in self.tiers else self._gap,
            seed=self.limits.seed,
            workers=self.limits.workers,
            deterministic=self.limits.deterministic,
            planned=self._planned or self.limits.planned,
        )
        hint = best
        if best is not None and self.scope is not None:
            hint = self.scope.within(best, goal)
        began = self.meter.now()
        found = self.backend.solve(model, goal, pins=pins, limits=limits, hint=hint)
        self.meter.add(found.work)
        if not self.limits.deterministic:
            self._effort -= self.meter.now() - began
        return found if found.values is None else replace(found, values=self.tight(found.values))

    def _completed(
        self,
        index: int,
        pins: Sequence[Pin],
        best: tuple[int, ...] | None,
        guide: Sequence[float] | None,
    ) -> tuple[tuple[int, ...] | None, int | None]:
        """The better of a solution and its completion, in the order of the tiers from this one on."""
        if best is None:
            return None, None
        other = self._completion(index, pins, best, guide)
        if other is None:
            return best, self.tiers[index].expression.value(best)
        return self._better(index, best, other)

    def _completion(
        self,
        index: int,
        pins: Sequence[Pin],
        solution: tuple[int, ...],
        guide: Sequence[float] | None,
    ) -> tuple[int, ...] | None:
        """A completion that keeps what the tiers above have decided; None where there is none."""
        if self.complete is None:
            return None
        other = self.complete(solution, self.tiers[index], guide)
        if other is None or any(p.goal.is_worse(p.expression.value(other), p.value) for p in pins):
            return None
        return other

    def _better(
        self, index: int, best: tuple[int, ...] | None, found: tuple[int, ...]
    ) -> tuple[tuple[int, ...], int]:
        """The better solution from this tier on, and its value of this tier."""
        if best is not None:
            for goal in self.tiers[index:]:
                old, new = goal.expression.value(best), goal.expression.value(found)
                if old != new:
                    found = best if goal.is_worse(new, old) else found
                    break
        return found, self.tiers[index].expression.value(found)


def _tighter(goal: TierGoal, one: int | None, other: int | None) -> int | None:
    """The sharper of two bounds of a goal."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other) if goal.sense == "max" else max(one, other)


def _free(model: LinearModel) -> int:
    """Columns that are not fixed."""
    return sum(low != high for low, high in zip(model.lower, model.upper, strict=True))
