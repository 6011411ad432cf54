"""A solution whose pods do not pack on some groups, with the same starts on other nodes.

Rows on sums say too little about groups with too many ways to fill a node. For the few shapes that are there they are
few: with them in the model, pods that request the same as those change places with others until all pack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from models.rules import RuleId
from planner.model.build import BuiltModel
from planner.model.patterns import post_node_patterns
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import BoolArray
from planner.solve.backend import Pin, SolveLimits
from planner.solve.highs import HighsBackend
from planner.solve.reduced import reduced


def repacked(
    built: BuiltModel,
    values: Sequence[int],
    failed: Sequence[int],
    limits: SolveLimits,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[int, ...] | None:
    """A solution no worse in any tier whose pods with GPUs pack on the ``failed`` groups; None where none was found."""
    form = built.form
    if form.evictions is not None or form.problem.cards is not None:
        return None
    placed = built.placed(values)
    gpus = form.problem.shape_gpus
    here = {g: {s for s in placed.get(g, ()) if gpus[s] > 0} for g in failed}
    model = LinearModel(list(built.model.lower), list(built.model.upper), list(built.model.rows))
    known = {g: _posted(built, model, g, shapes) for g, shapes in here.items()}
    if not all(known.values()):
        return None
    opened = _movable(built, here)
    now, extra = np.array(values), model.size - built.model.size
    low = np.where(opened, built.model.lower, now)
    high = np.where(opened, built.model.upper, now)
    more = np.array(model.upper[built.model.size :], dtype=np.int64)
    small = reduced(
        model,
        np.concatenate([low, np.zeros(extra, dtype=np.int64)]),
        np.concatenate([high, more]),
    )
    if small is None:
        return None
    pins = [
        Pin(reach, goal.expression.value(values))
        for goal in built.tiers
        if (reach := small.goal(goal)).expression.columns and not goal.relaxed
    ]
    any_one = TierGoal("repacked", "max", "pods", Expression(), 0)
    found = HighsBackend(stopped=stopped).solve(
        small.model, any_one, pins=pins, limits=replace(limits, workers=1, planned=True)
    )
    if found.values is None:
        return None
    return built.tight(small.whole(found.values)[: built.model.size])


def _posted(built: BuiltModel, model: LinearModel, g: int, shapes: set[int]) -> bool:
    """Rows with the ways in which these shapes fill a node of a group; whether there are any."""
    form = built.form
    group = form.groups[g]
    kinds = {form.variables.spots.at[shape, g].shapes[0] for shape in shapes}
    members = [one for one in form.by_group.get(g, ()) if one[0] in kinds]
    room = [amount // group.size for amount in group.room]
    dimensions = {d for d, _, _ in group.nested}
    return group.uniform and bool(
        post_node_patterns(
            model, members, form.asked, room, dimensions, group.size, RuleId.NODE_CAPACITY
        )
    )


def _movable(built: BuiltModel, here: dict[int, set[int]]) -> BoolArray:
    """Columns of pods that request the same as those of the groups: there, and on groups whose pods surely pack."""
    form, spots = built.form, built.form.variables.spots
    found = np.zeros(built.model.size, dtype=bool)
    alike = {form.problem.requests[s].tobytes() for shapes in here.values() for s in shapes}
    changed: set[int] = set()
    for zone in spots.zones:
        if form.problem.requests[zone.shapes[0]].tobytes() not in alike:
            continue
        sure = {
            g
            for g in zone.columns
            if (not here[g].isdisjoint(zone.shapes) if g in here else _sure(built, g))
        }
        found[[zone.columns[g] for g in sure]] = True
        found[list(zone.routed.values())] = bool(sure)
        changed |= sure
    for g in changed:
        for patterns in form.patterns.get(g, ()):
            found[list(patterns.columns)] = True
        if g in form.variables.used:
            found[form.variables.used[g]] = True
    return found


def _sure(built: BuiltModel, g: int) -> bool:
    """Whether the model says exactly which pods a group's nodes hold."""
    return g in built.form.patterns or built.form.groups[g].size == 1
