"""``fragmentation``: the free sums would do, but the gang's pods do not pack into them."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.parts import Part, parts_of, pods_in_words
from planner.explain.shape_room import ShapeRoom
from planner.explain.units import Units, listed
from planner.explain.view import Shortage, View, are
from planner.problem.placement import Demand


def no_packing(demand: Demand, view: View) -> Shortage:
    """Which pods find no place, and why their free amounts do not help."""
    short = view.ground.short_parts(demand)
    if not short:
        return _only_together(demand, view)
    part = short[0]
    if len({demand.items[item].shape for item in part.items}) > 1:
        return _mixed(demand, part, view)
    shape = demand.items[part.items[0]].shape
    return _pieces(part, shape, view)


def _pieces(part: Part, shape: int, view: View) -> Shortage:
    """Pods of one shape: a dimension lies in pieces that are too small, or two are free on different nodes."""
    units, room, fit = view.units, view.ground.shape_room(shape), view.ground.pods(shape)
    tight = [d for d in units.first(room.fit_alone) if room.fit_alone[d] < part.need]
    shown = tight[:1] or units.first(_conflict(part, room))
    why = _small_pieces(shown[0], room, view) if tight else _apart(shown, room, units)
    each = listed([units.text(d, room.request[d]) for d in shown])
    free = listed([units.text(d, room.free[d]) for d in shown])
    nodes = counted(max(room.some[d] for d in shown), "node")
    message = (
        f"needs {counted(part.need, 'pod')}{part.where} of {each}{' each' if part.need > 1 else ''}; "
        f"{free} {are(free)} {view.state} on {nodes}, but {_only(fit)}: {why}"
    )
    data: dict[str, Any] = {
        "role": part.role or "",
        "podsNeeded": part.need,
        "podsFit": fit,
        "perPod": _named(view, room.request),
        "free": _named(view, room.free),
        "podsFitByDimension": _named(view, room.fit_alone),
        "nodesWithEnough": _named(view, room.enough),
    }
    if view.before:
        data["podsFitBefore"] = view.before.pods(shape)
    reason = Reason(code="fragmentation", message=message, data=data)
    return Shortage(reason, frozenset(tight or shown))


def _only(fit: int) -> str:
    if fit == 0:
        return "no pod fits"
    return f"only {counted(fit, 'pod')} {'fits' if fit == 1 else 'fit'}"


def _named(view: View, amounts: dict[int, int]) -> dict[str, int]:
    return {view.units.dimensions[d]: amount for d, amount in amounts.items()}


def _small_pieces(d: int, room: ShapeRoom, view: View) -> str:
    amount = view.units.text(d, room.request[d])
    enough = room.enough[d]
    if enough == 0:
        most = view.units.texts(d, room.largest[d], room.request[d])[0]
        return f"no node has more than {most}"
    return f"{counted(enough, 'node')} {'has' if enough == 1 else 'have'} {amount} or more"


def _apart(shown: list[int], room: ShapeRoom, units: Units) -> str:
    """No dimension alone is too small: they are free on different nodes."""
    counts = listed([f"{room.fit_alone[d]:,} by {units.noun(d)}" for d in shown])
    names = listed([units.noun(d) for d in shown])
    return f"{counts} would, but {names} are free on different nodes"


def _conflict(part: Part, room: ShapeRoom) -> list[int]:
    """The first two dimensions that together leave too few pods; all of them where no two do."""
    pairs = [pair for pair, fit in room.fit_pair.items() if fit < part.need]
    worst = min(pairs, key=lambda pair: room.fit_pair[pair], default=None)
    return list(worst or room.request)


def _mixed(demand: Demand, part: Part, view: View) -> Shortage:
    """Pods of several kinds of which enough must fit."""
    fit = view.ground.most(demand, part)
    kinds = len({demand.items[item].shape for item in part.items})
    message = (
        f"needs {counted(part.need, 'pod')}{part.where} out of {kinds} kinds; {_only(fit)} into what is "
        f"{view.state} on the nodes"
    )
    data = {"role": part.role or "", "podsNeeded": part.need, "podsFit": fit}
    reason = Reason(code="fragmentation", message=message, data=data)
    return Shortage(reason, asked_dimensions(demand, view))


def _only_together(demand: Demand, view: View) -> Shortage:
    """Every part fits by itself, the gang does not."""
    rows = [(part, view.ground.most(demand, part)) for part in parts_of(demand)]
    words = pods_in_words(part for part, _ in rows)
    counting = "one by one" if len(rows) > 1 else "counted kind by kind"
    groups = " in complete subgroups" if demand.subgroups else ""
    message = (
        f"{counting}, {words} would fit into what is {view.state}, but no packing of them{groups} "
        "was found"
    )
    data = {
        "parts": [
            {"role": part.role or "", "podsNeeded": part.need, "podsFit": fit} for part, fit in rows
        ]
    }
    reason = Reason(code="fragmentation", message=message, data=data)
    return Shortage(reason, asked_dimensions(demand, view))


def asked_dimensions(demand: Demand, view: View) -> frozenset[int]:
    """Dimensions that the gang's pods ask for, ``pods`` only where there is no other."""
    requests = view.ground.problem.requests[[item.shape for item in demand.items]]
    asked = [int(d) for d in np.flatnonzero(requests.max(axis=0))]
    return frozenset(asked[:-1] or asked)
