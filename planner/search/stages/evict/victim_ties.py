"""Among plans that all tiers call equal: the one whose victims are nearest kin, of the lowest priority, the youngest.

A plan may evict one of two gangs at the same harm. Which one is no tier of the objective, but Volcano takes a sibling
of the queue that reclaims before a stranger, and who looks at the plan expects that the gang of higher priority stays.
With every tier held at its value the victims are chosen once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from planner.model.build import BuiltModel
from planner.model.harm import tie_goals
from planner.reduce.disaggregate import Assignment
from planner.search.eviction_search import EvictionSearch
from planner.search.outcome import Outcome
from planner.search.plan_values import plan_values
from planner.solve.backend import Pin, SolveLimits

MOST_VARIABLES = 8_000
"""Size of a model up to which ties are settled; larger ones keep the victims that the search has found."""
SECONDS, LEAST_SECONDS, WORK = 5.0, 1.0, 5.0
"""Seconds for each of the two choices, at least so many after the time limit; deterministic work instead."""

Right = Callable[[Assignment], bool]
"""Whether a plan obeys the rules on victims."""


class VictimTies(EvictionSearch):
    """One more look at a finished plan."""

    def settled(self, outcome: Outcome, right: Right) -> Outcome:
        """The plan with other victims of equal harm where they are of lower priority or younger, else as it is."""
        plan = outcome.assignment
        if outcome.variables > MOST_VARIABLES or not plan.evicted:
            return outcome  # the model is not made to find that it is too large
        kinship = self._kinship(plan)
        if self.stopped() or not self._could_differ(plan, kinship):
            return outcome
        built = self.model()
        if built.model.size > MOST_VARIABLES or built.form.evictions is None:
            return outcome
        goals = tie_goals(built.form.evictions, kinship)
        first = self._hint(built, plan)
        pins = [Pin(goal, goal.expression.value(first)) for goal in built.tiers]
        values = first
        for goal in goals:
            found = self._backend(built).solve(
                built.model, goal, pins=pins, limits=self._limits(), hint=values
            )
            if found.values is None or self.stopped():
                break
            values = built.tight(found.values)
            pins.append(Pin(goal, goal.expression.value(values)))
        after, before = ([goal.expression.value(one) for goal in goals] for one in (values, first))
        if after >= before:
            return outcome
        other, failed = self._inverted(built, built.form.groups, values)
        if failed or not self._equal(built, other, plan) or not right(other):
            return outcome
        return replace(outcome, assignment=other)

    def _kinship(self, plan: Assignment) -> dict[int, int]:
        """Kind of victim to the levels from its queue up to the deepest ancestor that it shares with one that starts.

        Where several queues start gangs, the nearest counts: which of them a victim is for is told afterwards.
        """
        chains = {
            self.problem.demands[one].queue_chain
            for one, items in plan.pods.items()
            if items and not self.problem.demands[one].ready and self.victims.starters[one].causes
        }
        found: dict[int, int] = {}
        for number, kind in enumerate(self.victims.kinds):
            own = frozenset(self.victims.queue_chains[kind.queue])
            levels = [
                next((height for height, queue in enumerate(chain) if queue in own), len(chain))
                for chain in chains
            ]
            found[number] = min(levels, default=0)
        return found

    def _could_differ(self, plan: Assignment, kinship: Mapping[int, int]) -> bool:
        """Whether some pod stays that would be a victim more willingly than one that leaves."""
        gone, leave, stay = frozenset(plan.evicted), [], []
        for one in self.victims.pods:
            kind = self.victims.kinds[one.kind]
            wanted = (kinship[one.kind], kind.priority, -kind.started)
            leaving = sum(name in gone for name in one.names)
            leave += [wanted] if leaving else []
            stay += [wanted] if leaving < len(one.names) else []
        return bool(leave and stay) and min(stay) < max(leave)

    def _limits(self) -> SolveLimits:
        limits = self.settings.limits
        seconds = WORK
        if not limits.deterministic:
            seconds = min(max(self._left(), LEAST_SECONDS), SECONDS)
        return SolveLimits(
            seconds=seconds,
            seed=limits.seed,
            workers=limits.workers,
            deterministic=limits.deterministic,
        )

    def _equal(self, built: BuiltModel, one: Assignment, other: Assignment) -> bool:
        """Whether two plans have the same value in every tier."""
        reached: Sequence[Sequence[int]] = [plan_values(built, plan) for plan in (one, other)]
        return all(
            goal.expression.value(reached[0]) == goal.expression.value(reached[1])
            for goal in built.tiers
        )
