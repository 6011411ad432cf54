"""Bounds for a plan's own values, which may differ from those of the model's solution."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.model.build import BuiltModel
from planner.search.plan_values import sharper, within_gap
from planner.solve.backend import Pin
from planner.solve.highs import LpBounds
from planner.solve.relaxed_chain import RelaxedChain
from planner.solve.tiers import TierResult

ONE_PASS = 8_000
"""Variables above which a pass that proves all GPU tiers is the last one."""


def certified(
    built: BuiltModel,
    solved: Sequence[TierResult],
    vector: Sequence[int],
    *,
    workers: int,
    seconds: float,
    chain: RelaxedChain | None = None,
    plain: RelaxedChain | None = None,
) -> tuple[TierResult, ...]:
    """Bounds for the plan's own values: the model's where they agree above, else of the linear relaxation.

    A ``chain`` of relaxations that were solved before tells many of them at once; a ``plain`` one is solved again in
    its place, for GPUs first: then time is short. Where the vector ends, so do the results.

    ``seconds`` limits the relaxations in all; a tier that none is left for keeps its ideal as bound.
    """
    until = time.perf_counter() + seconds
    results: list[TierResult] = []
    reached: dict[str, int] = {}
    gpus = {} if plain is None or chain is None else _gpus_first(built, vector, chain, plain, until)
    same = True
    relaxation: LpBounds | None = None
    pins: list[Pin] = []
    for index, (goal, value) in enumerate(zip(built.tiers, vector, strict=False)):
        model = solved[index] if index < len(solved) else None
        if same and model is not None:
            bound, took, backend = model.bound, model.seconds, model.backend
            # Pins at values no better than the plan's leave more room: their bounds hold for it as well.
            same = not goal.is_worse(value, model.value)
        else:
            same = False
            began = time.perf_counter()
            bound, sharpest = goal.beside(reached), False
            if chain is not None:
                known, sharpest = chain.beside(goal, reached)
                bound = sharper(goal, bound, known)
            if goal.name in gpus:
                bound, sharpest = sharper(goal, bound, gpus[goal.name]), True
            left = min(until - time.perf_counter(), 1e6)
            if goal.is_worse(value, bound) and not sharpest and left > 0:
                if chain is None:
                    relaxation = relaxation or _pinned(built, pins, workers)
                    relaxed = relaxation.bound(goal, seconds=left)
                else:
                    relaxed = (plain or chain).again(goal, pins, seconds=left)
                bound = sharper(goal, bound, relaxed)
            took, backend = time.perf_counter() - began, LpBounds.name
        if bound is not None and goal.is_worse(bound, value):
            bound = value
        results.append(TierResult(goal, value, bound, took, backend))
        reached[goal.name] = value
        pin = Pin(goal, value)
        pins.append(pin)
        if relaxation is not None:
            relaxation.pin(pin)
    return tuple(results)


def _gpus_first(
    built: BuiltModel,
    vector: Sequence[int],
    chain: RelaxedChain,
    plain: RelaxedChain,
    until: float,
) -> dict[str, int]:
    """Bounds of the tiers of GPUs (by name) that the chain does not tell, as far as time allows."""
    found: dict[str, int] = {}
    reached: dict[str, int] = {}
    pins: list[Pin] = []
    for goal, value in zip(built.tiers, vector, strict=False):
        known, sharpest = chain.beside(goal, reached)
        unknown = known is None or (goal.is_worse(value, known) and not sharpest)
        left = min(until - time.perf_counter(), 1e6)
        if goal.name.endswith(".gpus") and unknown and left > 0:
            relaxed = plain.again(goal, pins, seconds=left)
            if relaxed is not None:
                found[goal.name] = relaxed
        pins.append(Pin(goal, value))
        reached[goal.name] = value
    return found


def _pinned(built: BuiltModel, pins: Sequence[Pin], workers: int) -> LpBounds:
    relaxation = LpBounds(built.model, workers=workers)
    for pin in pins:
        relaxation.pin(pin)
    return relaxation


def kept_bounds(
    earlier: Sequence[TierResult], later: Sequence[TierResult]
) -> tuple[TierResult, ...]:
    """Bounds of an earlier search of the same model that still hold: while no value above got worse."""
    found = list(later)
    for place, (one, other) in enumerate(zip(earlier, later, strict=False)):
        if one.bound is not None and not one.goal.is_worse(one.bound, other.value):
            found[place] = replace(other, bound=sharper(one.goal, one.bound, other.bound))
        if one.goal.is_worse(other.value, one.value):
            break
    return tuple(found)


def sharpened(tiers: Sequence[TierResult], bounds: Mapping[str, int]) -> tuple[TierResult, ...]:
    """Bounds no worse than those that were proved otherwise (name of a tier to be maximised to its bound)."""
    return tuple(
        replace(one, bound=max(sharper(one.goal, bounds[one.goal.name], one.bound), one.value))
        if one.goal.name in bounds
        else one
        for one in tiers
    )


def enough_proved(tiers: Sequence[TierResult], gap: float, size: int) -> bool:
    """Whether a first pass over a model of so many variables needs no second one.

    On very large models a second pass would trade what is proved, the GPUs of every rank, for a little less shortfall
    in an early tier and ranks below it that nobody had time to search. There the gap is that of all GPU tiers
    together, as the plan's headline tells it: 0.1 % of the few GPUs that a last rank starts is less than one of them.
    """
    if within_gap(tiers, gap):
        return True
    share = open_gpus(tiers)
    return size > ONE_PASS and share is not None and share <= gap


def open_gpus(tiers: Sequence[TierResult]) -> float | None:
    """What the GPU tiers leave open together, as a share of what they reach; None where one has no bound."""
    still = reached = 0
    for tier in tiers:
        if tier.goal.name.endswith(".gpus"):
            if tier.bound is None:
                return None
            still += abs(tier.bound - tier.value)
            reached += tier.value
    return still / max(1, reached)
