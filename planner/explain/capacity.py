"""``cluster_capacity``: the free sum of a dimension is below what the gang needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.parts import Part, parts_of
from planner.explain.units import listed
from planner.explain.view import Shortage, View, are
from planner.problem.placement import Demand


@dataclass(frozen=True, slots=True)
class Scarce:
    """A dimension whose free sum on the nodes open to a part is too small; base units."""

    part: Part
    dimension: int
    need: int
    free: int
    nodes: int
    before: int | None = None


def too_little(demand: Demand, view: View) -> Shortage | None:
    """The sums that are too small for the gang, else for one of its roles; None where all sums would do."""
    whole = Part(None, tuple(range(len(demand.items))), demand.need)
    candidates = [(whole, view.ground.needs(demand))]
    candidates += [(part, _least(demand, part, view)) for part in parts_of(demand) if part.role]
    for part, needs in candidates:
        found = _scarce(demand, part, needs, view)
        if found:
            return _shortage(found, view)
    return None


def _least(demand: Demand, part: Part, view: View) -> tuple[int, ...]:
    """Per dimension what any choice of the part's pods requests at least."""
    shapes = [demand.items[item].shape for item in part.items]
    cheapest = view.ground.problem.requests[shapes].min(axis=0)
    return tuple(int(amount) * part.need for amount in cheapest)


def _scarce(demand: Demand, part: Part, needs: tuple[int, ...], view: View) -> list[Scarce]:
    found = []
    for d in view.units.first(range(len(needs))):
        if needs[d] > 0:
            free, nodes = view.ground.open_sum(demand, part.items, d)
            if needs[d] > free:
                before = view.before.open_sum(demand, part.items, d)[0] if view.before else None
                found.append(Scarce(part, d, needs[d], free, nodes, before))
    return found


def _shortage(scarce: list[Scarce], view: View) -> Shortage:
    texts = [view.units.texts(one.dimension, one.need, one.free, one.before or 0) for one in scarce]
    needs, free, before = (listed([row[place] for row in texts]) for place in range(3))
    part, nodes = scarce[0].part, max(one.nodes for one in scarce)
    role = f" for {counted(part.need, 'pod')}{part.where}" if part.role else ""
    message = f"needs {needs}{role}; {free} {are(free)} free on {view.nodes(nodes)}"
    if view.before and before != free:
        message = (
            f"needs {needs}{role}; of {before} free on {view.nodes(nodes)}, "
            f"{free} {are(free)} left after the plan"
        )
    if nodes == 0:
        message = f"needs {needs}{role}; no node admits its pods"
    data: dict[str, Any] = {"short": [_row(one, view) for one in scarce]}
    if part.role:
        data["role"] = part.role
    dimensions = frozenset(one.dimension for one in scarce)
    return Shortage(Reason(code="cluster_capacity", message=message, data=data), dimensions)


def _row(one: Scarce, view: View) -> dict[str, Any]:
    row = {
        "dimension": view.units.dimensions[one.dimension],
        "need": one.need,
        "free": one.free,
        "nodes": one.nodes,
    }
    return row if one.before is None else {**row, "freeBefore": one.before}
