"""``never_fits``: the gang has no packing even on empty nodes, whichever are open."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.ground import Ground
from planner.explain.parts import Part, parts_of, pods_in_words
from planner.explain.units import Units, listed
from planner.explain.view import all_nodes
from planner.problem.placement import Demand


def never_fits(demand: Demand, empty: Ground, units: Units, *, own: bool = False) -> Reason:
    """The reason, for a gang that does not fit on the empty ground; ``own``: only its own running pods are there.

    Names the largest node where a pod is too large, a sum that is too small, or how many pods the nodes hold.
    """
    state = "with no running pods but its own" if own else "when empty"
    short = empty.short_parts(demand)
    for part in short:
        shapes = {demand.items[item].shape for item in part.items}
        if len(shapes) == 1 and empty.pods(shape := next(iter(shapes))) == 0:
            return _pod_too_large(part, shape, empty, units, state if own else "")
    sums = _sums_too_small(demand, empty, units, state)
    if sums is not None:
        return sums
    nodes = all_nodes(len(empty.free))
    if not short:
        words = pods_in_words(parts_of(demand))
        message = f"{words} do not fit together on {nodes}, even {state}"
        return Reason(code="never_fits", message=message, data={"nodes": len(empty.free)})
    part, kind = short[0], ""
    shapes = {demand.items[item].shape for item in part.items}
    if len(shapes) == 1:
        each = units.per_pod(empty.problem.requests[next(iter(shapes))])
        kind = f" of {each}{' each' if part.need > 1 else ''}"
    fit, several = empty.most(demand, part), len(empty.free) != 1
    message = (
        f"needs {counted(part.need, 'pod')}{part.where}{kind}; {nodes} "
        f"{'together hold' if several else 'holds'} {fit:,} of them even {state}"
    )
    data = {"role": part.role or "", "podsNeeded": part.need, "podsFitEmpty": fit}
    return Reason(code="never_fits", message=message, data=data)


def _sums_too_small(demand: Demand, empty: Ground, units: Units, state: str) -> Reason | None:
    rows, needs = [], empty.needs(demand)
    for d in units.first(range(len(needs))):
        have, _ = empty.open_sum(demand, range(len(demand.items)), d)
        if needs[d] > have:
            rows.append((d, needs[d], have))
    if not rows:
        return None
    pairs = [units.texts(*row) for row in rows]
    need_words, have_words = (listed([pair[place] for pair in pairs]) for place in range(2))
    nodes = len(empty.free)
    verb = "has" if nodes == 1 else "have"
    message = f"needs {need_words}; {all_nodes(nodes)} {verb} {have_words} in all, even {state}"
    short = [
        {"dimension": units.dimensions[d], "need": need, "allocatable": amount}
        for d, need, amount in rows
    ]
    return Reason(code="never_fits", message=message, data={"short": short, "nodes": nodes})


def _pod_too_large(part: Part, shape: int, empty: Ground, units: Units, state: str) -> Reason:
    request = empty.problem.requests[shape]
    largest = empty.free.max(axis=0, initial=0)
    asked = units.first(int(d) for d in np.flatnonzero(request))
    beyond = [d for d in asked if request[d] > largest[d]]
    data: dict[str, Any] = {
        "role": part.role or "",
        "perPod": {units.dimensions[d]: int(request[d]) for d in asked},
        "largestNode": {units.dimensions[d]: int(largest[d]) for d in asked},
    }
    if not beyond:
        cards = empty.problem.cards
        liking = "" if cards is None else cards.liking[shape]
        where = f"{part.where}{f' on cards with {liking}' if liking else ''}"
        message = (
            f"no node has {units.per_pod(request)} for one pod{where}, even {state or 'when empty'}"
        )
        return Reason(code="never_fits", message=message, data=data)
    pairs = [units.texts(d, int(request[d]), int(largest[d])) for d in beyond]
    needs, most = listed([need for need, _ in pairs]), [have for _, have in pairs]
    beside = ", even " + state if state else ""
    message = f"one pod{part.where} needs {needs}; no node has more than {listed(most)}{beside}"
    return Reason(code="never_fits", message=message, data=data)
