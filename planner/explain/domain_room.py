"""``topology`` and ``topology_never``: the nodes have the room, but no single domain of an allowed tier has it."""

from __future__ import annotations

from typing import Any

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.fragments import asked_dimensions
from planner.explain.ground import Ground
from planner.explain.parts import parts_of, pods_in_words
from planner.explain.view import Shortage, View
from planner.problem.placement import Demand
from planner.problem.topology import RULE_TIER

NAMES = 3
"""Domains named in a message."""
NAMES_IN_DATA = 20


def domain_too_full(demand: Demand, view: View) -> Shortage:
    """No domain has enough room now, counted per domain; the ones with most room are named."""
    when = "after the plan" if view.before else "now"
    reason = _reason("topology", demand, view.ground, when)
    return Shortage(reason, asked_dimensions(demand, view))


def domain_too_small(demand: Demand, empty: Ground) -> Reason:
    """No domain is large enough even when empty."""
    return _reason("topology_never", demand, empty, "even when empty")


def _reason(code: str, demand: Demand, ground: Ground, when: str) -> Reason:
    choices, what, pods = _asked(demand)
    tiers = sorted({ground.problem.topology.domains[number].tier for number in choices})
    rooms = _rooms(demand, ground, choices)
    allowed = f"of tier {tiers[-1]}" if len(tiers) == 1 else "of an allowed tier"
    ruled = RULE_TIER in tiers
    if ruled:
        allowed = "of the key of its podAffinity"
    data: dict[str, Any] = {
        "podsNeeded": pods,
        "domains": len(choices),
        "podsFitByDomain": dict(rooms[:NAMES_IN_DATA]),
    }
    if tiers and not ruled:
        data["tier"] = tiers[-1]
    if not choices:
        why = "no domain of a tier that it allows holds its running pods, or there is none"
        return Reason(code=code, message=f"needs {what} inside one domain: {why}", data=data)
    message = f"needs {what} inside one domain {allowed}; {_told(rooms, pods, when)}"
    return Reason(code=code, message=message, data=data)


def _told(rooms: list[tuple[str, int]], pods: int, when: str) -> str:
    """``now 2 of them fit into s0, 1 into s1``; or that enough would fit, counted one by one."""
    (first, most), *others = rooms[:NAMES]
    told = ", ".join(
        [f"{most:,} of them {'fits' if most == 1 else 'fit'} into {first}"]
        + [f"{count:,} into {name}" for name, count in others]
    )
    if len(rooms) > NAMES:
        left = counted(len(rooms) - NAMES, "other domain")
        told += f", no more than {rooms[NAMES][1]:,} into {left}"
    if most >= pods:
        return f"one by one {told} {when}, but no packing of them was found"
    return f"{when} {told}"


def _asked(demand: Demand) -> tuple[tuple[int, ...], str, int]:
    """Domains to choose from, what has to be together, and how many pods that is at least."""
    if demand.choices is not None:
        words = pods_in_words(parts_of(demand))
        return demand.choices, words, max(demand.need, demand.minimum[-1])
    for index, group in enumerate(demand.subgroups):
        if group.choices is not None and any(index in item.subgroup for item in demand.items):
            lacking = max(group.size - group.running, 1)
            return group.choices, f"{counted(lacking, 'pod')} of each subgroup", lacking
    item = next(one for one in demand.items if one.choices is not None)
    return item.choices or (), f"{counted(item.step, 'pod')} of each partition", item.step


def _rooms(demand: Demand, ground: Ground, choices: tuple[int, ...]) -> list[tuple[str, int]]:
    """Domain to the pods of the gang that fit into it, most first."""
    domains = ground.problem.topology.domains
    rooms = ground.by_domain(demand, choices).tolist()
    found = [(domains[number].name, room) for number, room in zip(choices, rooms, strict=True)]
    return sorted(found, key=lambda one: (-one[1], one[0]))
