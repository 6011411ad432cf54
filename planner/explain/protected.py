"""``protected_victims``: only evictions that are not allowed would make room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from planner.encode.prepared import Prepared
from planner.explain.ground import Ground, Search
from planner.explain.groups import WaitingGroup
from planner.explain.guards import NOT_ENOUGH, Guards
from planner.explain.holdings import Holding
from planner.explain.running import RunningPods
from planner.explain.units import Units, listed
from planner.problem.placement import BoolArray, IntArray

CODE = "protected_victims"
NAMES_IN_DATA = 10
KINDS_IN_MESSAGE = 3


@dataclass
class _Protection:
    """Pods with the same protection; amounts over the dimensions."""

    pods: int
    amounts: IntArray
    gangs: set[str]


class ProtectedVictims:
    """Looks at the running pods from the side of gangs that wait for room.

    Parameters
    ----------
    free
        ``[nodes, dimensions]`` what the plan leaves, or what is there before it.
    planned
        Requests of the pods that the plan adds, per queue and ancestor.
    """

    def __init__(
        self,
        prepared: Prepared,
        running: RunningPods,
        units: Units,
        search: Search,
        free: IntArray,
        planned: Mapping[int, IntArray],
    ) -> None:
        self._prepared, self._running, self._units = prepared, running, units
        self._search, self._free, self._planned = search, free, planned
        self._guards = Guards(prepared, units, planned)
        self._grounds: dict[int, Ground] = {}
        self._known: dict[tuple[object, ...], Reason] = {}

    def nodes_would_do(self, group: WaitingGroup, admits: BoolArray) -> bool | None:
        """Whether it fits on the nodes once every running pod but its own has left."""
        if group.running:
            return self._emptied(group, admits).fits(group.example)
        if id(admits) not in self._grounds:
            self._grounds[id(admits)] = self._emptied(group, admits)
        return self._grounds[id(admits)].fits(group.example)

    def _emptied(self, group: WaitingGroup, admits: BoolArray) -> Ground:
        running, problem = self._running, self._prepared.problem
        others = running.without(problem.gang_names[group.example.gang])
        free = self._free.copy()
        np.add.at(free, running.node[others], running.amounts[others])
        rows = [
            [node.allocatable.amount(name) for name in problem.dimensions]
            for node in self._prepared.ruled.nodes
        ]
        most = np.array(rows, dtype=np.int64).reshape(free.shape)
        emptied = tuple(one.emptied() for one in problem.domain_rooms)
        problem = replace(problem, domain_rooms=emptied, spreads=())
        return Ground(problem, np.minimum(free, most), admits, search=self._search)

    def limits_would_do(self, group: WaitingGroup, limits: Iterable[tuple[int, int]]) -> bool:
        """Whether these limits would leave enough once every running pod but its own has left."""
        return all(self._left(group, queue, d) >= group.example.minimum[d] for queue, d in limits)

    def _left(self, group: WaitingGroup, queue: int, d: int) -> int:
        problem = self._prepared.problem
        resource = problem.dimensions[d]
        limit = self._prepared.limits.limit(problem.queue_names[queue], resource)
        if limit is None:
            return group.example.minimum[d]
        starting = int(self._planned[queue][d]) if queue in self._planned else 0
        return limit - starting - group.own.amount(resource)

    def reason(self, group: WaitingGroup, holdings: Iterable[Holding]) -> Reason:
        """The reason, over running pods that hold what is short."""
        case = self._prepared.cases[group.example.gang]
        never = tuple(pod.spec.preemption_policy for pod in case.pods)
        held = tuple(holdings)
        demand = group.example
        key = (tuple(map(id, held)), demand.queue, group.priority, demand.minimum, never)
        if key not in self._known:
            self._known[key] = self._reason(group, held)
        return self._known[key]

    def _reason(self, group: WaitingGroup, holdings: tuple[Holding, ...]) -> Reason:
        rows = self._rows(group, holdings)
        short = self._units.first(frozenset().union(*(one.dimensions for one in holdings)))
        shown = short[0] if short else self._prepared.problem.pods_dimension
        words = [self._words(what, one, shown) for what, one in rows[:KINDS_IN_MESSAGE]]
        if len(rows) > KINDS_IN_MESSAGE:
            more = sum(one.pods for _, one in rows[KINDS_IN_MESSAGE:])
            words.append(f"{counted(more, 'pod')} protected otherwise")
        message = f"only evictions that are not allowed would make room: {listed(words)}"
        if not rows:  # what is short is no amount of a node
            message = "running pods hold the room, and what evictions would give back of it is not counted on"
        data = {
            "pods": sum(one.pods for _, one in rows),
            "protections": [
                {"what": what, "tooFew": what.startswith(NOT_ENOUGH), **self._row(one)}
                for what, one in rows
            ],
        }
        return Reason(code=CODE, message=message, data=data)

    def _words(self, what: str, one: _Protection, d: int) -> str:
        amount = self._units.text(d, int(one.amounts[d]))
        held = "" if d == self._prepared.problem.pods_dimension else f" with {amount}"
        return f"{counted(one.pods, 'pod')}{held} {_in_sentence(what)}"

    def _row(self, one: _Protection) -> dict[str, Any]:
        named = zip(self._units.dimensions[:-1], one.amounts[:-1].tolist(), strict=True)
        return {
            "pods": one.pods,
            "amounts": {name: amount for name, amount in named if amount},
            "gangs": sorted(one.gangs)[:NAMES_IN_DATA],
            "gangsTotal": len(one.gangs),
        }

    def _rows(
        self, group: WaitingGroup, holdings: tuple[Holding, ...]
    ) -> list[tuple[str, _Protection]]:
        """Words to the pods that they describe; most pods first."""
        found: dict[str, _Protection] = {}
        union = _union(holdings)
        for kind, pods, amounts, gangs in union.by_kind:
            word = self._guards.why(union.running.kinds[kind], group.example)
            if word not in found:
                found[word] = _Protection(0, np.zeros_like(amounts), set())
            found[word].pods += pods
            found[word].amounts = found[word].amounts + amounts
            found[word].gangs.update(gangs)
        return sorted(found.items(), key=lambda one: (-one[1].pods, one[0]))


def _in_sentence(what: str) -> str:
    """What protects pods always is named by a noun; after ``12 pods`` it needs a word before it."""
    if what.startswith("volcano.sh/"):
        return f"marked {what}"
    if what == "a system pod":
        return "of the system"
    nouns = ("another scheduler", "online service ")
    return f"of {what}" if what.startswith(nouns) else what


def _union(holdings: tuple[Holding, ...]) -> Holding:
    if len(holdings) == 1:
        return holdings[0]
    rows = np.logical_or.reduce([one.rows for one in holdings])
    dimensions = frozenset().union(*(one.dimensions for one in holdings))
    return Holding(holdings[0].running, rows, dimensions)
