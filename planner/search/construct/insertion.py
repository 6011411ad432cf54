"""Put gangs beside an earlier plan, rank by rank; gangs of later ranks make way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heappop, heappush

from planner.capacity.fit import Room
from planner.capacity.fits_alone import try_place
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import room_after, spots_by_item
from planner.search.construct.relocation import cleared, moved
from planner.search.construct.room_by_rank import Layer, Spots, placed_of

WHOLE = 1e-6
"""Distance up to which a fractional number of gangs is a whole one."""


class Newcomers:
    """An earlier plan into which gangs are put one by one, those of the first ranks first.

    A gang goes to the nodes that it had, else into the room that is left; where there is none, into the room of the
    last rank, then of the last two, and so on. Gangs that are in its way look for another place when it is the turn of
    their rank. So no rank pays for a later one, and what nobody needs to move stays.

    ``clearing``: gangs for which nodes are cleared, where that helps: pods of their rank or above go elsewhere.
    ``at_last``: places of gangs that all fit there together. Who finds no other room takes that place, and whoever is
    in its way goes, whatever its rank; it looks for another place, and takes its own of these at last.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        plan: Assignment,
        earlier: Assignment,
        *,
        guide: Mapping[int, float] | None = None,
        clearing: Collection[int] = (),
        at_last: Mapping[int, Spots] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.problem = problem
        self.stopped = stopped
        self.plan = plan.copy()
        self._home = earlier.pods
        self._clearing = frozenset(clearing)
        self._at_last = at_last or {}
        self._rank = _ranks(classes, self.plan, guide or {})
        self._last = max(self._rank.values(), default=0)
        self._turn = {
            demand: (k, position)
            for k, one in enumerate(classes)
            for position, demand in enumerate(one.demands)
        }
        self._layers: list[Layer] = []
        self._on: dict[int, set[int]] = {}
        for demand, spots in self.plan.pods.items():
            for pod in placed_of(problem, demand, spots):
                self._on.setdefault(pod.node, set()).add(demand)
        self._queue: list[tuple[int, bool, int, int, int, int]] = []

    def put(self, demands: Collection[int]) -> Assignment:
        """The plan with as many of these gangs as could be put into it."""
        self._layers = self._made_layers(min((self._rank[d] for d in demands), default=0))
        for demand in demands:
            self._enqueue(demand)
        hopeless: set[tuple[int, int]] = set()
        while self._queue and not self.stopped():
            demand = heappop(self._queue)[-1]
            kind = (self._turn[demand][0], self._rank[demand])
            if kind in hopeless and demand not in self._at_last:
                continue
            spots = self._found(demand)
            if spots is None and demand in self._clearing and self._cleared(demand):
                continue
            if spots is None and demand in self._at_last:
                spots = self._at_last[demand]
                self._rank[demand] = -1  # nobody finds room in its place any more
            if spots is not None:
                self._change(demand, spots, 1)
                self._clear(demand, spots)
            elif demand not in self._at_last:
                # Room only shrinks in a rank, and the others of its class need the same.
                hopeless.add(kind)
        return self.plan

    def _enqueue(self, demand: int) -> None:
        """Rank by rank: those that were on nodes before, then large ones, then the order in which gangs start."""
        new = demand not in self._home
        size = -self.problem.demands[demand].gpus
        heappush(self._queue, (self._rank[demand], new, size, *self._turn[demand], demand))

    def _made_layers(self, least: int) -> list[Layer]:
        """Rooms beside running gangs and ranks up to ``least``, up to the next one, …; the last is what is really left.

        Where rules tell the pods of several gangs apart, nobody makes way: only the last layer exists.
        """
        parts: dict[int, Assignment] = {}
        rules = self.problem.domain_rooms or self.problem.spreads or self.problem.cards is not None
        least = self._last if rules else least
        for demand, spots in self.plan.pods.items():
            number = max(self._rank.get(demand, -1), least)
            parts.setdefault(number, Assignment({})).pods[demand] = spots
        found = [Layer(self.problem, room_after(self.problem, parts.get(least, Assignment({}))))]
        for number in range(least + 1, self._last + 1):
            found.append(found[-1].below(parts.get(number, Assignment({}))))
        return found

    def _layers_of(self, demand: int) -> list[Layer]:
        """Layers that hold a gang's pods, the one that is really left first."""
        missing = self._last + 1 - len(self._layers)
        return self._layers[max(self._rank.get(demand, 0) - missing, 0) :][::-1]

    def _found(self, demand: int) -> Spots | None:
        layers = self._layers_of(demand)
        one, home = self.problem.demands[demand], self._home.get(demand)
        if self._too_large(one, layers[-1].room) or (
            try_place(self.problem, one, layers[-1].room, keep=False) is None
        ):
            return None  # not even where all later ranks make way
        for layer in layers:
            if home is not None and layer.holds(demand, placed_of(self.problem, demand, home)):
                return {item: list(spots) for item, spots in home.items()}
            fitting = try_place(self.problem, one, layer.room, keep=False)
            if fitting is not None:
                return spots_by_item(self.problem, demand, fitting)
        return None

    @staticmethod
    def _too_large(one: Demand, room: Room) -> bool:
        """Nodes hold too few of its pods, each by itself: a count that a room keeps while it only shrinks."""
        counted = one.simple and one.choices is None
        return counted and room.fitting(one.items[0].shape, one.need) < one.need

    def _change(self, demand: int, spots: Spots, sign: int) -> None:
        pods = placed_of(self.problem, demand, spots)
        for layer in self._layers_of(demand):
            layer.change(demand, pods, sign)
        for pod in pods:
            here = self._on.setdefault(pod.node, set())
            (here.add if sign > 0 else here.discard)(demand)
        if sign > 0:
            self.plan.pods[demand] = spots
        else:
            del self.plan.pods[demand]

    def _clear(self, newcomer: int, spots: Spots) -> None:
        """Gangs of later ranks leave the nodes and queues that the newcomer needs; else it leaves them itself."""
        left = self._layers[-1]
        demands = self.problem.demands
        for node in left.short_nodes(placed_of(self.problem, newcomer, spots)):
            while (left.room.free[node] < 0).any():
                if not self._send_away(self._on[node], newcomer):
                    return self._change(newcomer, spots, -1)
        while queues := left.short_queues(newcomer):
            inside = [d for d in self.plan.pods if queues[0] in demands[d].queue_chain]
            if not self._send_away(inside, newcomer):
                return self._change(newcomer, spots, -1)
        while gates := left.short_admission(newcomer):
            inside = [d for d in self.plan.pods if gates[0] in dict(demands[d].admission)]
            if not self._send_away(inside, newcomer):
                return self._change(newcomer, spots, -1)
        return None

    def _cleared(self, demand: int) -> bool:
        """Put a gang on nodes that others leave, who go elsewhere; whether that was possible."""
        rank = self._rank[demand]
        on = {
            node: [d for d in here if 0 <= self._rank.get(d, -1) <= rank]
            for node, here in self._on.items()
        }
        room = self._layers_of(demand)[-1].room
        found = cleared(self.problem, demand, room, on, self.plan.pods)
        if found is None:
            return False
        changed = {demand: found.spots}
        for move in found.moves:
            spots = changed.get(move.demand) or self.plan.pods[move.demand]
            changed[move.demand] = moved(spots, move)
        for other in changed:
            if other in self.plan.pods:
                self._change(other, self.plan.pods[other], -1)
        for other, spots in changed.items():
            self._change(other, spots, 1)
        for other, spots in changed.items():
            if other in self.plan.pods:
                self._clear(other, spots)
        return True

    def _send_away(self, demands: Collection[int], newcomer: int) -> bool:
        """Of the last rank the smallest goes; it is tried again in its turn. False where nobody is of a later rank."""
        rank = self._rank[newcomer]
        later = [d for d in demands if self._rank.get(d, -1) > rank]
        if not later:
            return False
        away = max(later, key=lambda d: (self._rank[d], -self.problem.demands[d].gpus, d))
        self._change(away, self.plan.pods[away], -1)
        self._enqueue(away)
        return True


def _ranks(
    classes: Sequence[GangClass], plan: Assignment, guide: Mapping[int, float]
) -> dict[int, int]:
    """Waiting gang to the place of its class and rank among the tiers; ``classes`` are in tier order.

    Gangs of a class with a guide are told apart further: those that the guide starts as a whole, the one that it
    starts in part, the others; those that the plan starts come first.
    """
    keys: dict[int, tuple[int, int]] = {}
    kinds: dict[tuple[str, int], int] = {}
    for one in classes:
        if one.growing:
            continue
        place = kinds.setdefault((one.tier_class, one.rank), len(kinds))
        if one.demands[0] not in guide:
            keys.update((demand, (place, 0)) for demand in one.demands)
            continue
        share = guide[one.demands[0]]
        whole = int(share + WHOLE)
        part = whole + (share - whole > WHOLE)
        members = sorted(one.demands, key=lambda demand: demand not in plan.pods)
        keys.update((d, (place, (n >= whole) + (n >= part))) for n, d in enumerate(members))
    numbers = {key: number for number, key in enumerate(sorted(set(keys.values())))}
    return {demand: numbers[key] for demand, key in keys.items()}
