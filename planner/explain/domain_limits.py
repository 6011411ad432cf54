"""Shared resources of domains, and places of pods that exclude each other there, that leave a gang too little."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from models.rules import RuleId
from planner.encode.pod_rules.shared import NOWHERE
from planner.explain.ground import Ground
from planner.explain.parts import without_topology
from planner.explain.view import Shortage
from planner.problem.domain_rooms import UNLIMITED, DomainRoom
from planner.problem.placement import Demand
from planner.problem.spreads import IntArray, Spread

NAMES = 3
"""Domains named in a message."""
NAMES_IN_DATA = 20


def domain_limit(
    demand: Demand, rooms: Iterable[DomainRoom], *, never: bool = False, after_plan: bool
) -> Shortage | None:
    """The room that is shortest against what the gang needs of it, told with its numbers; None where it asks for none.

    ``topology_never`` where ``never`` says that it would not do even if nobody used it, or all domains together are
    too small, else ``topology``.
    """
    found = [(one, need) for one in rooms if (need := _need(demand, one))]
    if not found:
        return None
    room, need = min(found, key=lambda pair: int(pair[0].left.sum()) / pair[1])
    code = "topology_never" if never or _most(demand, room) < need else "topology"
    return Shortage(_reason(code, demand, room, need, after_plan=after_plan), frozenset())


class RoomByRoom:
    """Which shared rooms keep a gang out by themselves: one that is larger in sum may be the one that is too small."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._alone: dict[int, Ground] = {}

    def binding(self, demand: Demand) -> list[int]:
        """Rooms, by their place, that the gang does not fit into even if it needed no other.

        Where none is, all that it takes; empty where it takes none.
        """
        rooms = self._ground.problem.domain_rooms
        asked = [place for place, one in enumerate(rooms) if _need(demand, one)]
        if len(asked) < 2:
            return asked
        return [place for place in asked if self._only(place).fits(demand) is False] or asked

    def _only(self, place: int) -> Ground:
        if place not in self._alone:
            self._alone[place] = self._ground.sharing((place,))
        return self._alone[place]


def _need(demand: Demand, room: DomainRoom) -> int:
    """The least that its minimum takes: the cheapest pods first."""
    asks = sorted(
        ask for item in demand.items for ask in [room.asks.get(item.shape, 0)] * item.count
    )
    return sum(asks[: max(demand.need, 1)])


def _most(demand: Demand, room: DomainRoom) -> int:
    open_ended = bool((room.place < 0).any())
    return UNLIMITED if open_ended else int(room.whole.sum())


def _reason(code: str, demand: Demand, room: DomainRoom, need: int, *, after_plan: bool) -> Reason:
    order = sorted(range(len(room.names)), key=lambda d: (-int(room.left[d]), room.names[d]))
    named = [d for d in order if room.names[d] != NOWHERE]
    order = [d for d in named if room.whole[d]] or named
    unit = f" {room.unit}" if room.unit else ""
    state = "left after the plan" if after_plan else "left now"
    told = ", ".join(
        f"{room.names[d]} has {int(room.left[d]):,} of {int(room.whole[d]):,}{unit}"
        for d in order[:NAMES]
    )
    if len(order) > NAMES:
        told += f", {counted(len(order) - NAMES, 'other')} no more than {int(room.left[order[NAMES]]):,}"
    each = max((room.asks.get(item.shape, 0) for item in demand.items), default=0)
    if room.rule == RuleId.POD_ANTI_AFFINITY:
        free = sum(int(amount) >= each for amount in room.left)
        message = (
            f"needs pods in {max(demand.need, 1):,} domains of {room.name}; {free:,} of {len(order):,} are "
            f"{'left after the plan' if after_plan else 'free now'}"
        )
    else:
        pods = (
            f"its {demand.need:,} pods (up to {each:,}{unit} each)"
            if demand.need > 1
            else "its pod"
        )
        outside = (
            int((room.place == room.names.index(NOWHERE)).sum()) if NOWHERE in room.names else 0
        )
        message = f"needs {need:,}{unit} of {room.name} for {pods}; {state}: {told or 'nothing'}"
        if outside:
            message += f"; {counted(outside, 'node')} in no domain of it"
    if without_topology(demand) is not demand:
        message += "; all of them have to be inside one domain of its topology too"
    data: dict[str, Any] = {
        "resource": room.name,
        "rule": room.rule,
        "unit": room.unit,
        "need": need,
        "left": {room.names[d]: int(room.left[d]) for d in order[:NAMES_IN_DATA]},
        "capacity": {room.names[d]: int(room.whole[d]) for d in order[:NAMES_IN_DATA]},
    }
    return Reason(code=code, message=message, data=data)


def _rooms(one: Spread, shapes: frozenset[int] | set[int], ground: Ground) -> IntArray:
    """Pods of the gang that find room in each domain, those outside all domains last."""
    fits = sum(ground.per_node(shape) for shape in sorted(shapes & (one.shapes | one.matching)))
    rooms = np.zeros(len(one.names) + 1, dtype=np.int64)
    np.add.at(rooms, one.place, fits)
    return rooms


def _most_even(one: Spread, rooms: IntArray) -> int:
    """Pods that the constraint alone lets in at most, where its owners count."""
    if one.title or not one.shapes <= one.matching or not one.names:
        return UNLIMITED
    fewest = 0 if one.from_zero else int((one.held + rooms[:-1]).min())
    return int(np.clip(fewest + one.skew - one.held, 0, rooms[:-1]).sum())


def uneven_room(demand: Demand, ground: Ground, spreads: Iterable[Spread]) -> Shortage | None:
    """Nodes have room, but not where a spread constraint lets the pods be; None where the gang has none."""
    shapes = {item.shape for item in demand.items}
    binding = [each for each in spreads if shapes & (each.shapes | each.matching)]
    if not binding:
        return None
    # What the gang itself asks for says more than a rule of others that counts its pods; then what lets in fewest.
    tried = [(each, _rooms(each, shapes, ground)) for each in binding]
    one, rooms = min(
        tried,
        key=lambda pair: (not shapes & pair[0].shapes, min(_most_even(*pair), demand.need)),
    )
    order = sorted(range(len(one.names)), key=lambda d: (int(rooms[d]), one.names[d]))
    told = ", ".join(
        f"{one.names[d]} has room for {int(rooms[d]):,} and holds {int(one.held[d]):,}"
        for d in order[:NAMES]
    )
    if len(order) > NAMES:
        told += f", {counted(len(order) - NAMES, 'other')} with more room"
    pods = f"its {demand.need:,} pods" if demand.need > 1 else "its pod"
    message = (
        f"{one.title} keeps {pods} apart from others that the plan starts, in every {one.key}: {told}"
        if one.title
        else f"needs {pods} spread over {one.key} with at most {one.skew:,} "
        f"{'in each domain' if one.from_zero else 'more in one domain than in another'}: {told}"
    )
    if without_topology(demand) is not demand:
        message += "; all of them have to be inside one domain of its topology too"
    if one.from_zero and not one.title:
        message += f" ({counted(len(one.names), 'domain')}, fewer than its minDomains)"
    data = {
        "rule": RuleId.POD_ANTI_AFFINITY if one.title else RuleId.TOPOLOGY_SPREAD,
        "key": one.key,
        "maxSkew": one.skew,
        "podsNeeded": demand.need,
        "podsFitByDomain": {one.names[d]: int(rooms[d]) for d in order[:NAMES_IN_DATA]},
        "podsByDomain": {one.names[d]: int(one.held[d]) for d in order[:NAMES_IN_DATA]},
    }
    return Shortage(Reason(code="topology", message=message, data=data), frozenset())
