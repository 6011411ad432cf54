"""Bring gangs back to the nodes of an earlier plan, where no tier gets worse by it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from planner.capacity.fit import Placed
from planner.capacity.fits_alone import try_place
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import fill_elastic, room_after, spots_by_item
from planner.search.outcome import Outcome
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values, revalued, worse

Spots = dict[int, list[tuple[int, int]]]


def unmoved(search: PlacementSearch, outcome: Outcome, earlier: Assignment) -> Outcome:
    """The earlier plan itself where it is as good in every tier: equal gangs do not change places for nothing.

    What still fits beside it has yet to be looked for.
    """
    found = outcome.assignment
    if found.evicted or found.pods == earlier.pods or not earlier.pods:
        return outcome
    built = search.model()
    values = plan_values(built, earlier)
    before = [goal.expression.value(values) for goal in built.tiers]
    if before != [tier.value for tier in outcome.tiers] or not search.legal(earlier):
        return outcome
    return replace(outcome, assignment=earlier.copy(), maximal=False)


def kept_in_place(search: PlacementSearch, outcome: Outcome, earlier: Assignment) -> Outcome:
    """The same starts, with as many gangs as possible where the earlier plan has them.

    Solutions of one model differ by nodes and gangs that are alike, so a search moves gangs for no reason. A user who
    has told people where their work will run wants a reason.
    """
    problem, found = search.problem, outcome.assignment
    if found.evicted or problem.cards is not None or not outcome.maximal:
        return outcome
    built = search.model()
    alike = [group.nodes for group in built.form.groups if group.uniform and group.size > 1]
    placed = _Placing(problem, _relabelled(found, earlier, alike), earlier).run()
    fill_elastic(problem, search.receivers(placed), placed, room_after(problem, placed))
    values = plan_values(built, placed)
    vector = [goal.expression.value(values) for goal in built.tiers]
    old = [tier.value for tier in outcome.tiers]
    if worse(built.tiers, vector, old) or not search.legal(placed):
        return outcome
    tiers = tuple(revalued(one, new) for one, new in zip(outcome.tiers, vector, strict=True))
    return replace(outcome, assignment=placed, tiers=tiers)


def _relabelled(
    found: Assignment, earlier: Assignment, alike: Sequence[Sequence[int]]
) -> Assignment:
    """The plan with nodes that are alike swapped: each becomes one that held most of the same gangs, if any is left.

    What held nothing before goes to nodes that held nothing.
    """
    now, before = _contents(found), _contents(earlier)
    new: dict[int, int] = {}
    for nodes in alike:
        held: dict[int, list[tuple[int, int]]] = {}
        for b in nodes:
            for demand, n in before.get(b, {}).items():
                held.setdefault(demand, []).append((b, n))
        pairs = sorted((-same, a, b) for a, b, same in _shared(nodes, now, held))
        taken: set[int] = set()
        for _, a, b in pairs:
            if a not in new and b not in taken:
                new[a] = b
                taken.add(b)
        rest = sorted((b for b in nodes if b not in taken), key=lambda b: (b in before, b))
        new.update(zip((a for a in nodes if a in now and a not in new), rest, strict=False))
    pods = {
        demand: {
            item: [(new.get(node, node), count) for node, count in places]
            for item, places in items.items()
        }
        for demand, items in found.pods.items()
    }
    return Assignment(pods)


def _shared(
    nodes: Sequence[int],
    now: Mapping[int, Mapping[int, int]],
    held: Mapping[int, Sequence[tuple[int, int]]],
) -> Iterator[tuple[int, int, int]]:
    """(node, node of the earlier plan, pods of the same gangs) where there are any; ``held`` by gang."""
    for a in nodes:
        same: Counter[int] = Counter()
        for demand, n in now.get(a, {}).items():
            for b, earlier in held.get(demand, ()):
                same[b] += min(n, earlier)
        for b, count in same.items():
            yield a, b, count


def _contents(assignment: Assignment) -> dict[int, dict[int, int]]:
    """Node to demand to new pods."""
    held: dict[int, dict[int, int]] = {}
    for demand, items in assignment.pods.items():
        for places in items.values():
            for node, count in places:
                here = held.setdefault(node, {})
                here[demand] = here.get(demand, 0) + count
    return held


class _Placing:
    """Gangs at their earlier nodes; a newcomer that finds no other room gets what the search gave to it.

    What is in its way is placed anew, at last where the search has it as well. Every gang is put there once at most,
    and all of them together fit there, so this comes to an end.
    """

    def __init__(self, problem: PlacementProblem, found: Assignment, earlier: Assignment) -> None:
        self.problem = problem
        self.found = found.pods
        self._now: dict[int, Spots] = {}
        self._last: set[int] = set()
        self._room = room_after(problem, Assignment({}))
        self._on: dict[int, set[int]] = {}
        self._queue: deque[int] = deque()
        for demand, spots in self.found.items():
            before = _cut(earlier.pods.get(demand), spots)
            if before is None or problem.demands[demand].shares_domains:
                self._queue.append(demand)
            else:
                self._put(demand, before)

    def run(self) -> Assignment:
        """The starts of the search, on nodes."""
        while self._queue:
            demand = self._queue.popleft()
            one = self.problem.demands[demand]
            free = not (one.ready or one.shares_domains or demand in self._last)
            fitting = try_place(self.problem, one, self._room, keep=False) if free else None
            if fitting is not None:
                self._put(demand, spots_by_item(self.problem, demand, fitting))
            else:
                self._give(demand)
        return Assignment({demand: self._now[demand] for demand in self.found})

    def _give(self, demand: int) -> None:
        """Put a gang where the search has it; who else is there makes way."""
        self._last.add(demand)
        self._put(demand, self.found[demand])
        for node in {node for spots in self.found[demand].values() for node, _ in spots}:
            while (self._room.free[node] < 0).any():
                away = min(self._on[node] - self._last)
                self._take(away)
                self._queue.append(away)

    def _put(self, demand: int, spots: Spots) -> None:
        self._now[demand] = {item: list(places) for item, places in spots.items()}
        self._room.take(self._pods(demand))
        for pod in self._pods(demand):
            self._on.setdefault(pod.node, set()).add(demand)

    def _take(self, demand: int) -> None:
        self._room.undo(self._pods(demand))
        for pod in self._pods(demand):
            self._on[pod.node].discard(demand)
        del self._now[demand]

    def _pods(self, demand: int) -> list[Placed]:
        items = self.problem.demands[demand].items
        return [
            Placed(items[item].shape, node, count)
            for item, places in self._now[demand].items()
            for node, count in places
        ]


def _cut(
    before: Mapping[int, Sequence[tuple[int, int]]] | None,
    found: Mapping[int, Sequence[tuple[int, int]]],
) -> Spots | None:
    """Earlier places for as many pods of every item as the search gives; None where they are too few."""
    if before is None:
        return None
    kept: Spots = {}
    for item, places in found.items():
        wanted = sum(count for _, count in places)
        for node, count in before.get(item, ()):
            take = min(count, wanted)
            if take:
                kept.setdefault(item, []).append((node, take))
                wanted -= take
        if wanted:
            return None
    return kept
