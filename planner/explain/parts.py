"""What a waiting gang asks for, part by part: pods per role, and all pods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from models.checks.wording import counted
from planner.explain.units import listed
from planner.problem.placement import Demand
from planner.reduce.partition import bound_inside


@dataclass(frozen=True, slots=True)
class Part:
    """So many pods of a role, or of the gang (role None), out of these items."""

    role: str | None
    items: tuple[int, ...]
    need: int

    @property
    def where(self) -> str:
        """``" of role worker"``, or nothing where the gang has no roles."""
        return f" of role {self.role}" if self.role else ""


def parts_of(demand: Demand) -> tuple[Part, ...]:
    """Role minima, then the gang as a whole where they do not make up all that it needs."""
    found = [
        Part(role, tuple(i for i, item in enumerate(demand.items) if item.role == role), need)
        for role, need in demand.role_need
    ]
    whole = max(demand.need, demand.minimum[-1])
    if whole > sum(part.need for part in found):
        found.append(Part(None, tuple(range(len(demand.items))), whole))
    return tuple(found)


def pods_in_words(parts: Iterable[Part]) -> str:
    """``1 pod of role master and 8 pods of role worker``."""
    return listed([f"{counted(part.need, 'pod')}{part.where}" for part in parts])


def supply(demand: Demand, item: int) -> int:
    """Pods of an item that can be placed, in whole steps."""
    one = demand.items[item]
    return one.count // one.step * one.step


def rigid_counts(demand: Demand) -> dict[int, int] | None:
    """Pods per shape where every minimal set of pods is the same; None where the gang has a choice."""
    if demand.subgroups or any(item.step > 1 for item in demand.items):
        return None
    counts: dict[int, int] = {}
    for part in parts_of(demand):
        shapes = {demand.items[item].shape for item in part.items}
        if len(shapes) != 1 or (part.role is None and demand.role_need):
            return None
        shape = next(iter(shapes))
        counts[shape] = counts.get(shape, 0) + part.need
    return counts


def question_key(demand: Demand) -> tuple[object, ...]:
    """Demands with the same key ask the same of nodes and roles; queue and names aside."""
    items = tuple(
        (one.role, one.shape, one.count, one.step, one.subgroup, one.choices)
        for one in demand.items
    )
    groups = (demand.subgroups, demand.min_subgroups)
    return (demand.need, demand.role_need, items, groups, demand.choices)


def without_topology(demand: Demand) -> Demand:
    """The same demand as if its pods could be in any domain; itself where they can."""
    if demand.choices is None and not bound_inside(demand):
        return demand
    return replace(
        demand,
        choices=None,
        items=tuple(replace(one, choices=None) for one in demand.items),
        subgroups=tuple(replace(one, choices=None) for one in demand.subgroups),
    )
