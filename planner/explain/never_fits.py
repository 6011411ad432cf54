"""``never_fits``: the gang has no packing even on empty nodes, whichever are open."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.ground import Ground
from planner.explain.parts import Part
from planner.explain.units import Units, listed
from planner.problem.placement import Demand


def never_fits(demand: Demand, empty: Ground, units: Units) -> Reason:
    """The reason, for a gang that does not fit on the empty ground.

    Names the largest node where a pod is too large, else how many pods the nodes hold.
    """
    short = empty.short_parts(demand)
    if not short:
        message = "its pods do not fit together even if every node were empty"
        return Reason(code="never_fits", message=message, data={"nodes": len(empty.free)})
    part = short[0]
    shapes = {demand.items[item].shape for item in part.items}
    if len(shapes) == 1:
        shape = next(iter(shapes))
        if empty.pods(shape) == 0:
            return _pod_too_large(part, shape, empty, units)
        each = units.per_pod(empty.problem.requests[shape])
        kind = f" of {each}{' each' if part.need > 1 else ''}"
    else:
        kind = ""
    fit = empty.most(demand, part)
    message = (
        f"needs {counted(part.need, 'pod')}{part.where}{kind}; all {counted(len(empty.free), 'node')} "
        f"together hold {fit:,} of them even when empty"
    )
    data = {"role": part.role or "", "podsNeeded": part.need, "podsFitEmpty": fit}
    return Reason(code="never_fits", message=message, data=data)


def _pod_too_large(part: Part, shape: int, empty: Ground, units: Units) -> Reason:
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
        message = f"no node has {units.per_pod(request)} for one pod{part.where}, even when empty"
        return Reason(code="never_fits", message=message, data=data)
    pairs = [units.texts(d, int(request[d]), int(largest[d])) for d in beyond]
    needs, most = listed([need for need, _ in pairs]), [have for _, have in pairs]
    message = f"one pod{part.where} needs {needs}; no node has more than {listed(most)}"
    return Reason(code="never_fits", message=message, data=data)
