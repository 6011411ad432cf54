"""Why every gang waits that waits after the plan: all binding reasons, with numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from models.plan import Reason
from planner.capacity.fits_alone import ExactFit
from planner.encode.prepared import Prepared
from planner.explain.binding import Bindings
from planner.explain.elastic import elastic_reasons
from planner.explain.freed import LegalStart, LoneStart
from planner.explain.ground import Search
from planner.explain.groups import (
    NOT_STARTABLE,
    WaitingGroup,
    objective_positions,
    waiting_groups,
)
from planner.explain.holdings import Holdings
from planner.explain.obstacles import Explanation, Obstacles, untried
from planner.explain.protected import ProtectedVictims
from planner.explain.running import RunningPods
from planner.explain.started import StartedGangs, planned_by_queue
from planner.explain.taken import TakenRoom, Takers, takers
from planner.explain.units import Units
from planner.problem.placement import BoolArray, PlacementProblem, Standing
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import room_after


@dataclass(frozen=True)
class Evictions:
    """What a policy with evictions adds to the question why a gang waits.

    Attributes
    ----------
    before
        The problem with all pods that run before the plan.
    victims
        None where no pod may be evicted.
    legal
        Settles whether a gang could start alone by evictions that are allowed.
    gone
        The prepared problem with these pods gone as well.
    """

    before: PlacementProblem
    victims: Victims | None
    legal: LegalStart | None = None
    gone: Callable[[Collection[str]], Prepared] | None = None

    def takable(self, own: Collection[str]) -> tuple[str, ...]:
        """Everything that some waiting gang may take, a gang's own pods apart."""
        if self.victims is None:
            return ()
        return tuple(n for one in self.victims.pods for n in one.names if n not in own)


def waiting_reasons(
    prepared: Prepared,
    assignment: Assignment,
    startable: frozenset[int],
    standings: Sequence[Standing],
    *,
    exact: ExactFit | None = None,
    deadline: Callable[[], bool] = lambda: False,
    evictions: Evictions | None = None,
) -> dict[str, tuple[Reason, ...]]:
    """Reasons by full name of every gang that waits after the plan, or has pods that do; most actionable first.

    Gangs that ask for the same in the same place share their reasons, which are found once.

    Parameters
    ----------
    prepared
        With the evicted pods gone.
    startable
        Indices into ``problem.demands`` of the gangs that fit alone beside the running pods.
    exact
        Settles fits that counting leaves open. Without it, or once ``deadline`` says True, such a fit supports no
        reason that claims more than that the gang found no place.
    evictions
        None where the policy evicts nothing.
    """
    explained = explain_waiting(
        prepared,
        assignment,
        startable,
        standings,
        exact=exact,
        deadline=deadline,
        evictions=evictions,
    )
    elastic = elastic_reasons(prepared, assignment, Search(exact, deadline))
    return reasons_by_gang(prepared, explained) | elastic


def reasons_by_gang(
    prepared: Prepared, explained: Sequence[Explanation]
) -> dict[str, tuple[Reason, ...]]:
    """Reasons by full name of every gang that is not ready: those of its group, or what forbids it any pod."""
    found = {
        case.gang.full_name: case.blocked
        for case in prepared.cases
        if case.blocked and not case.ready
    }
    problem = prepared.problem
    for one in explained:
        for index in one.group.demands:
            found[problem.gang_names[problem.demands[index].gang]] = one.reasons
    return found


def explain_waiting(
    prepared: Prepared,
    assignment: Assignment,
    startable: frozenset[int],
    standings: Sequence[Standing],
    *,
    exact: ExactFit | None = None,
    deadline: Callable[[], bool] = lambda: False,
    evictions: Evictions | None = None,
    running: RunningPods | None = None,
) -> tuple[Explanation, ...]:
    """Reasons and minimal sets per group of gangs that lack room; see :func:`waiting_reasons`.

    ``running`` are the pods that the plan leaves running, collected where they are not given.
    """
    problem = prepared.problem
    positions = {
        demand: place
        for demand, place in objective_positions(prepared, standings).items()
        if demand in startable
    }
    waiting = [
        index
        for index, demand in enumerate(problem.demands)
        if not demand.ready and not assignment.pods.get(index)
    ]
    groups = waiting_groups(prepared, waiting, standings, positions)
    if not groups:
        return ()
    found = running or RunningPods(prepared, assignment.evicted)
    state = _State(prepared, assignment, Search(exact, deadline), evictions, found)
    alone = [one for one in groups if one.position == NOT_STARTABLE]
    beaten = [one for one in groups if one.position != NOT_STARTABLE]
    return (*state.alone(alone), *state.beside_plan(beaten, standings, positions))


class _State:
    """What all groups of one plan are judged by."""

    def __init__(
        self,
        prepared: Prepared,
        assignment: Assignment,
        search: Search,
        evictions: Evictions | None,
        running: RunningPods,
    ) -> None:
        self._prepared, self._assignment = prepared, assignment
        self._running = running
        self._search, self._evictions = search, evictions
        self._units = Units(prepared.problem.dimensions, prepared.gpu_names)
        self._judges: dict[frozenset[str], tuple[Bindings, Obstacles]] = {}

    def _obstacles(
        self, prepared: Prepared, assignment: Assignment, gone: Collection[str]
    ) -> Obstacles:
        problem, protected = prepared.problem, None
        same = prepared is self._prepared
        running = self._running if same else RunningPods(prepared, gone)
        if self._evictions is not None:
            protected = ProtectedVictims(
                prepared,
                running,
                self._units,
                self._search,
                room_after(problem, assignment).free,
                planned_by_queue(problem, assignment),
            )
        earlier = (lambda: self._earlier) if same and assignment.evicted else None
        return Obstacles(problem, self._units, Holdings(problem, running), protected, earlier)

    @cached_property
    def _earlier(self) -> Holdings:
        """What was held before the plan."""
        return Holdings(self._prepared.problem, RunningPods(self._prepared))

    def alone(self, groups: Sequence[WaitingGroup]) -> list[Explanation]:
        """Gangs that do not fit even alone beside the running pods that nobody may evict for anybody."""
        found = []
        for group in groups:
            bindings, obstacles = self._judge(frozenset(pod.full_name for pod in group.running))
            found.append(obstacles.explain(group, bindings.of(group), None, None))
        return found

    def _judge(self, own: frozenset[str]) -> tuple[Bindings, Obstacles]:
        """Judges beside what stays; a gang's own pods stay for itself."""
        one = self._evictions
        movable = one is not None and one.victims is not None and one.gone is not None
        key = own if movable else frozenset()
        if key not in self._judges:
            prepared, gone = self._prepared, tuple(self._assignment.evicted)
            if movable and one is not None and one.gone is not None:
                gone = one.takable(own)
                prepared = one.gone(gone)
            bindings = Bindings(prepared, self._search, evictable=bool(gone and movable))
            self._judges[key] = (bindings, self._obstacles(prepared, Assignment({}), gone))
        return self._judges[key]

    def beside_plan(
        self,
        groups: Sequence[WaitingGroup],
        standings: Sequence[Standing],
        positions: Mapping[int, int],
    ) -> list[Explanation]:
        """Gangs that fit alone, judged by what the plan leaves."""
        if not groups:
            return []
        problem = self._prepared.problem
        after = room_after(problem, self._assignment)
        bindings = Bindings(self._prepared, self._search, self._assignment)
        obstacles = self._obstacles(self._prepared, self._assignment, self._assignment.evicted)
        started = StartedGangs(problem, self._assignment, positions, after)
        classes = {one.demand: one.tier_class for one in standings}
        taken = TakenRoom(self._prepared, started, classes)
        lone = self._lone_start()
        who_takes = takers(problem, groups, started, after, self._search)
        found: list[Explanation] = []
        for group, who in zip(groups, who_takes, strict=True):
            binding = bindings.of(group)
            if binding.untried:
                plain = obstacles.explain(group, binding, None, None)
                found.append(untried(plain, evictions=bool(self._assignment.evicted)))
                continue
            near = taken.near(group, binding.limits, binding.dimensions)
            starts = lone(group) if lone and started.gangs else bool(started.gangs)
            taker = None
            if started.gangs:
                taker = _taker(taken, group, who, near, alone=starts is False)
            found.append(obstacles.explain(group, binding, starts, taker))
        return found

    def _lone_start(self) -> LoneStart | None:
        if self._evictions is None:
            return None
        one = self._evictions
        return LoneStart(one.before, one.victims, self._search, one.legal)


def _taker(
    taken: TakenRoom, group: WaitingGroup, who: Takers, near: BoolArray, *, alone: bool
) -> Reason:
    """``alone``: neither the starts nor the running pods may stay, so displacing the starts would not be enough."""
    if alone:
        return taken.any_start(near)
    return taken.first(group, near) if who == "first" else taken.same(group, near)
