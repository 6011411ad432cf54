"""Rooms that domains share, from what pods of the encoded snapshot ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.problem.domain_rooms import DomainRoom

NOWHERE = "(no domain)"


@dataclass(frozen=True, slots=True)
class Shared:
    """A room by the name under which pods ask for it.

    Attributes
    ----------
    domain_of
        Node to its domain; nodes in none are absent.
    whole
        Domain to what it has.
    closed
        Nodes outside all domains have nothing of it; else nothing is shared there.
    """

    name: str
    title: str
    unit: str
    rule: str
    domain_of: Mapping[str, str]
    whole: Mapping[str, int]
    closed: bool = False


def domain_rooms(
    ruled: Snapshot, shared: Iterable[Shared], specs: Iterable[PodSpec]
) -> tuple[DomainRoom, ...]:
    """One room for each that some shape (a specification each) asks for."""
    every = list(specs)
    found = []
    for one in shared:
        asks = {
            shape: amount
            for shape, spec in enumerate(every)
            if (amount := spec.request.amount(one.name))
        }
        if asks:
            found.append(_room(ruled, one, asks))
    return tuple(found)


def _room(ruled: Snapshot, one: Shared, asks: Mapping[int, int]) -> DomainRoom:
    names = (*sorted(one.whole), *([NOWHERE] if one.closed else []))
    number = {name: index for index, name in enumerate(names)}
    outside = number.get(NOWHERE, -1)
    place = [number.get(one.domain_of.get(node.name, ""), outside) for node in ruled.nodes]
    whole = np.array([one.whole.get(name, 0) for name in names], dtype=np.int64)
    used = np.zeros_like(whole)
    for node, domain in zip(ruled.nodes, place, strict=True):
        for pod in ruled.pods_by_node.get(node.name, ()) if domain >= 0 else ():
            used[domain] += pod.spec.request.amount(one.name)
    return DomainRoom(
        name=one.title,
        unit=one.unit,
        rule=one.rule,
        place=np.array(place, dtype=np.int64),
        names=names,
        whole=whole,
        left=np.maximum(whole - used, 0),
        asks=dict(asks),
    )
