"""A plan from the relaxation of a large model: all tiers relaxed in order, rounded at once, packed onto nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.model.build import BuiltModel
from planner.model.domain_ways import DomainWays, Way
from planner.model.tiers import shortfall_cost, shortfall_of
from planner.problem.linear import TierGoal
from planner.problem.placement import BoolArray
from planner.problem.tier_names import is_ranked, is_start
from planner.reduce.cheapest_nodes import FloatArray
from planner.solve.backend import Pin, SolveLimits
from planner.solve.generated import GeneratedBounds
from planner.solve.highs import LpBounds
from planner.solve.reduced import IntArray
from planner.solve.relaxed_chain import RelaxedChain, to_relax
from planner.solve.rounding import FRACTION, fractional, rounded, window

WAYS_SHARE = 0.75
"""Share of the seconds for a relaxation with ways into domains; what tiers it lacks then are relaxed without them."""
TRADING_SHARE = 0.3
"""Share of the seconds that are left in which large gangs are traded for others."""


@dataclass(frozen=True)
class Inside:
    """How a relaxation places gangs that have to be in one domain.

    Attributes
    ----------
    ways
        Ways into domains and by how many gangs (a fraction) they are gone.
    costs
        Shape to ``[nodes]`` the GPUs of any tier that one pod there costs others.
    goals
        Tiers of starts, in order, whose pins the relaxation has.
    """

    ways: tuple[tuple[Way, float], ...]
    costs: Mapping[int, FloatArray]
    source: DomainWays
    goals: tuple[TierGoal, ...]
    relaxation: GeneratedBounds


@dataclass(frozen=True)
class VertexStart:
    """A whole solution of a model, and the relaxation that it was rounded from.

    Where ``inside`` tells who is in which domain, or a model that only counts over them was not rounded in time, the
    solution is only the nearest one in whole numbers: what gangs take in their domains decides the rest anew.
    ``guide`` is the relaxed solution that it was rounded from.
    """

    values: tuple[int, ...]
    chain: RelaxedChain
    inside: Inside | None = None
    guide: FloatArray | None = None


def vertex_start(
    built: BuiltModel,
    limits: SolveLimits,
    stopped: Callable[[], bool],
    *,
    trading: bool = False,
    spare: float = 0.0,
    proved: Callable[[RelaxedChain], None] = lambda chain: None,
) -> VertexStart | None:
    """A whole solution of a model; None where the relaxation took too long or does not round.

    Ways into domains that are known for most tiers are followed also where the last tiers took too long.

    ``trading``: large gangs that are started in part may take the place of others, which takes longer. ``spare``:
    seconds beyond the limits in which the relaxation goes on where it has not proved all tiers. ``proved`` is called
    with the optima that were found in time, all or some of them, before they are rounded.
    """
    until = time.perf_counter() + limits.seconds

    def within(share: float) -> SolveLimits:
        left = math.inf if limits.deterministic else until - time.perf_counter()
        return replace(limits, seconds=min(max(left, 0.0), limits.seconds * share))

    ways, generated = _with_ways(built, stopped)
    chain, whole, followed = _relaxed(built, limits, stopped, generated, spare)
    proved(chain)
    guide = chain.values
    if ways is not None and generated is not None and followed:
        return VertexStart(nearest(built, guide), chain, _inside(ways, chain, generated))
    if not whole:
        return None
    split = fractional(guide)
    opened = opened_columns(built, split)
    tries = [(few_lowered(built, split), 1.0), (_all_lowered(built), 1.0)]
    if trading:  # what follows takes time as well
        tries.insert(0, (_traded(built, split, guide), TRADING_SHARE))
    for lowered, share in tries:
        short = within(share)
        if short.seconds <= 0:
            break
        low, high = narrowed(built, *window(built.model, guide, opened, lowered))
        found = rounded(built.model, built.tiers, low, high, short, stopped)
        if found is not None:
            return VertexStart(built.tight(found), chain, guide=guide)
    return VertexStart(nearest(built, guide), chain) if built.loose and not trading else None


def _relaxed(
    built: BuiltModel,
    limits: SolveLimits,
    stopped: Callable[[], bool],
    generated: GeneratedBounds | None,
    spare: float,
) -> tuple[RelaxedChain, bool, bool]:
    """All tiers relaxed in order, and whether that was in time; with ways those of starts: others are decided anew.

    Where ways take too long, the tiers after those that were solved with them are relaxed without: in the ``spare``
    seconds where these are as many as would else be kept for it. Last is whether the ways that are known then say
    enough to be followed, which is where at least half of these tiers were solved with them.
    """
    until = time.perf_counter() + limits.seconds

    def left(share: float) -> float:
        kept = (1.0 - share) * limits.seconds
        return math.inf if limits.deterministic else until - time.perf_counter() - kept

    # Which gangs need few domains tells the model, even where it does not say which domains they are in.
    bounding = [goal.name for goal in built.tiers if goal.name.startswith("domains.")]
    goals = to_relax(built.tiers, bounding)
    starts = [goal for goal in goals if is_ranked(goal.name)]
    followed = False
    if generated is None:
        chain = RelaxedChain(built.model, built.tiers, workers=1)  # the simplex has no use for more
    else:
        chain = RelaxedChain(built.model, starts, workers=1, relaxation=generated)
        share = 1.0 if spare >= (1.0 - WAYS_SHARE) * limits.seconds else WAYS_SHARE
        if chain.extend_all(starts, seconds=left(share), stopped=stopped) or _gpus_known(
            chain, starts
        ):
            return chain, True, True
        followed = 2 * len(chain.steps) >= len(starts)
        chain.go_on_with(LpBounds(built.model, workers=1), built.tiers)
        if followed:
            goals = starts  # who is in which domain is decided by what follows, and the time is needed there
    whole = chain.extend_all(goals, seconds=left(1.0) + spare, stopped=stopped)
    if generated is not None:
        for step in chain.steps:
            if step.goal in starts:
                generated.pin(Pin(step.goal, step.pin))
    return chain, whole, followed


def _gpus_known(chain: RelaxedChain, starts: Sequence[TierGoal]) -> bool:
    """Whether a chain lacks no tier of GPUs."""
    known = {step.goal.name for step in chain.steps}
    return all(goal.name in known for goal in starts if goal.name.endswith(".gpus"))


def _with_ways(
    built: BuiltModel, stopped: Callable[[], bool]
) -> tuple[DomainWays | None, GeneratedBounds | None]:
    """Ways, and the relaxation with ways into domains where the model does not say who is where; else None."""
    form, problem = built.form, built.form.problem
    beside = form.evictions is not None or problem.cards is not None
    if not built.loose or beside or problem.domain_rooms or problem.spreads:
        return None, None  # what a plan has to look at besides nodes is not in the ways
    ways = DomainWays(built)
    if not ways.kinds:
        return None, None
    return ways, GeneratedBounds(built.model, ways, workers=1, stopped=stopped)


def nearest(built: BuiltModel, guide: FloatArray) -> tuple[int, ...]:
    """The nearest whole numbers."""
    lower, upper = np.array(built.model.lower), np.array(built.model.upper)
    return tuple(np.clip(np.rint(guide).astype(np.int64), lower, upper).tolist())


def _inside(source: DomainWays, chain: RelaxedChain, generated: GeneratedBounds) -> Inside:
    """The ways that the last relaxation takes, those of most gangs first, and what pods cost in GPUs of any tier."""
    chosen = [(way, count) for way, count in generated.chosen().items() if isinstance(way, Way)]
    chosen.sort(key=lambda one: (-one[1], one[0].domain, one[0].spots))
    costs: dict[int, FloatArray] = {}
    for name, (losses, prices) in generated.duals.items():
        if name.endswith(".gpus"):
            for shape, each in source.node_costs(losses, prices).items():
                costs[shape] = costs[shape] + each if shape in costs else each
    goals = [step.goal for step in chain.steps if is_start(step.goal.name)]
    return Inside(
        tuple(chosen),
        costs,
        source,
        tuple(goal for goal in goals if goal.expression.columns),
        generated,
    )


def opened_columns(built: BuiltModel, split: BoolArray) -> BoolArray:
    """Columns to decide anew: all pods of a node group with a fractional one, and what follows from pods."""
    form = built.form
    found = np.zeros(built.model.size, dtype=bool)
    by_group: dict[int, list[int]] = {}
    for zone in form.variables.spots.zones:
        for group, column in zone.columns.items():
            by_group.setdefault(group, []).append(column)
        found[list(zone.routed.values())] = True
    for group, several in form.patterns.items():
        by_group.setdefault(group, []).extend(c for one in several for c in one.columns)
    for columns in by_group.values():
        if split[columns].any():
            found[columns] = True
    for one in form.shortfalls:
        found[[one.lacking, one.cost]] = True
    found[list(form.gathering.totals.values())] = True
    found[list(form.variables.used.values())] = True
    return found


def narrowed(built: BuiltModel, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Shortfalls within what the starts leave open."""
    low, high, scale = low.copy(), high.copy(), built.form.problem.gpu_scale
    for one in built.form.shortfalls:
        columns = [column for column, _ in one.started]
        factors = np.array([factor for _, factor in one.started])
        most, least = int(factors @ high[columns]), int(factors @ low[columns])
        for side, gpus in (low, most), (high, least):
            lacking = shortfall_of(one.deserved_milli, one.running + gpus, scale)
            side[one.lacking], side[one.cost] = lacking, shortfall_cost(lacking)
    return low, high


def few_lowered(built: BuiltModel, split: BoolArray) -> BoolArray:
    """Columns that may also be less: fractional starts, elastic pods, and pods of the shapes that these starts have."""
    form = built.form
    found = np.zeros(built.model.size, dtype=bool)
    found[list(form.variables.elastic)] = True
    shapes: set[int] = set()
    for one, column in zip(form.classes, form.variables.starts, strict=True):
        if column is not None and split[column]:
            found[column] = True
            shapes.update(item.shape for item in one.example.items)
    for zone in form.variables.spots.zones:
        if not shapes.isdisjoint(zone.shapes):
            found[list(zone.columns.values())] = True
    return found


def _traded(built: BuiltModel, split: BoolArray, guide: FloatArray) -> BoolArray:
    """Besides, all pods on groups that pods of the largest size among those gangs fit on, and starts of such shapes."""
    form = built.form
    found = few_lowered(built, split)
    gpus = form.problem.shape_gpus
    shapes = {
        item.shape
        for one, column in zip(form.classes, form.variables.starts, strict=True)
        if column is not None and split[column]
        for item in one.example.items
    }
    most = max((int(gpus[shape]) for shape in shapes), default=0)
    largest = [shape for shape in shapes if most and gpus[shape] == most]
    groups = {g for g, one in enumerate(form.groups) if any(one.fits[s] for s in largest)}
    used: set[int] = set()
    for zone in form.variables.spots.zones:
        columns = [c for g, c in zone.columns.items() if g in groups and guide[c] > FRACTION]
        if columns:
            found[[*columns, *zone.routed.values()]] = True
            used.update(zone.shapes)
    for one, column in zip(form.classes, form.variables.starts, strict=True):
        if column is not None and any(item.shape in used for item in one.example.items):
            found[column] = True
    return found


def _all_lowered(built: BuiltModel) -> BoolArray:
    """All starts and pods: rows only get looser when they go."""
    form = built.form
    found = np.zeros(built.model.size, dtype=bool)
    found[[column for column in form.variables.starts if column is not None]] = True
    found[[c for items in form.variables.pods for terms in items for c, _ in terms]] = True
    for zone in form.variables.spots.zones:
        found[list(zone.columns.values())] = True
    return found
