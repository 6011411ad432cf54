"""Which of two things must go before a gang fits: running pods that stay, or gangs that the plan starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from planner.encode.victims.after_evictions import without
from planner.encode.victims.victim_causes import VictimCauses
from planner.explain.ground import Ground, Search
from planner.explain.groups import WaitingGroup
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment

VICTIMS, STARTS = "protected_victims", "lower_priority"
LegalStart = Callable[[int], bool | None]
"""Whether a demand could start without the plan by evictions that are allowed; None = not settled."""


@dataclass(frozen=True, slots=True)
class Freed:
    """Whether a gang that lacks room would have it with all running pods gone, or with the plan's starts gone.

    Gone pods are beside the starts, gone starts beside the running pods that nobody may evict for the gang. None = not
    asked or not settled; no reason is built on it. With both gone it has the room.
    """

    evictions: bool | None
    starts: bool | None

    @property
    def protected(self) -> bool:
        """The protection of running pods is in a minimal set of obstacles."""
        return bool(self.evictions) or (self.evictions is False and self.starts is False)

    @property
    def taken(self) -> bool:
        """The starts are in a minimal set of obstacles."""
        return bool(self.starts) or (self.starts is False and self.evictions is False)

    def sets(self, *codes: str) -> tuple[tuple[str, ...], ...]:
        """Minimal sets that hold the codes of the missing room."""
        if self.evictions is False and self.starts is False:
            return ((*codes, VICTIMS), (*codes, STARTS))
        more = (VICTIMS,) if self.evictions else ()
        return ((*codes, *more, *((STARTS,) if self.starts else ())),)


class LoneStart:
    """Whether gangs could start if the plan started none: beside the running pods, legal evictions included."""

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims | None,
        search: Search,
        legal: LegalStart | None,
    ) -> None:
        self._problem, self._victims = problem, victims
        self._search, self._legal = search, legal
        self._takable: dict[tuple[object, ...], Ground] = {}

    def __call__(self, group: WaitingGroup) -> bool | None:
        """True or False where it is settled."""
        found = self._now.fits(group.example)
        if found is not False or self._victims is None:
            return found
        if self._with_takable(group, self._victims).fits(group.example) is False:
            return False
        return None if self._legal is None else self._legal(group.demands[0])

    @cached_property
    def _now(self) -> Ground:
        problem = self._problem
        return Ground(problem, problem.free, problem.admits, problem.queue_room, self._search)

    def _with_takable(self, group: WaitingGroup, victims: Victims) -> Ground:
        """Room with everything gone that this gang might be allowed to evict, one by one."""
        starter = victims.starters[group.demands[0]]
        key = (group.example.queue, group.example.minimum, starter)
        if key not in self._takable:
            names = self._takable_names(group, victims)
            freed = without(self._problem, victims, names)
            self._takable[key] = Ground(
                freed, freed.free, freed.admits, freed.queue_room, self._search
            )
        return self._takable[key]

    def _takable_names(self, group: WaitingGroup, victims: Victims) -> list[str]:
        """Pods that it may preempt, and those that it may reclaim once it has preempted all of these."""
        items = {i: [(0, item.count)] for i, item in enumerate(group.example.items)}
        pods = {group.demands[0]: items}
        kinds = sorted({one.kind for one in victims.pods})
        first = VictimCauses(self._problem, victims, Assignment(pods))
        preempted = {kind for kind in kinds if first.preemptors(kind)}
        gone = tuple(n for one in victims.pods if one.kind in preempted for n in one.names)
        then = VictimCauses(self._problem, victims, Assignment(pods, gone))
        taken = preempted | {kind for kind in kinds if then.reclaimers(kind)}
        return [name for one in victims.pods if one.kind in taken for name in one.names]
