"""Least harm: the tiers between the starts and the elastic pods, in the policy's order."""

from __future__ import annotations

from collections.abc import Mapping

from planner.model.evictions import Evictions
from planner.model.variables import Terms
from planner.problem.linear import Expression, TierGoal
from planner.problem.victims import EACH_ALONE

UNITS = {
    "idle": ("working_evicted", "GPUs"),
    "gangs": ("gangs_given_up", "gangs"),
    "pods": ("pods_evicted", "pods"),
    "moves": ("pods_moved", "pods"),
    "lost_work": ("lost_work", "GPU-seconds"),
    "domains": ("eviction_domains", "domains"),
}


def harm_tiers(evictions: Evictions) -> list[TierGoal]:
    """One tier per kind of harm that the policy names, then those that it leaves out, all least; no pod moves.

    Idle holders are preferred only where the policy names them.
    """
    usual = [one for one in UNITS if one != "idle"]
    order = dict.fromkeys([*evictions.victims.harm, *usual])
    return [harm_tier(evictions, name) for name in order]


def harm_tier(evictions: Evictions, name: str) -> TierGoal:
    """The tier of one kind of harm."""
    tier, unit = UNITS[name]
    sums: dict[int, int] = {}
    for column, factor in _terms(evictions, name):
        sums[column] = sums.get(column, 0) + factor
    kept = {column: factor for column, factor in sums.items() if factor}
    return TierGoal(tier, "min", unit, Expression(tuple(kept), tuple(kept.values())), 0)


def _terms(evictions: Evictions, name: str) -> Terms:
    kinds = evictions.victims.kinds
    if name == "gangs":
        return _given_up(evictions)
    if name == "pods":
        return list(evictions.pods.values())
    if name == "idle":
        return [
            term
            for kind in evictions.by_kind
            for term in evictions.of_kind(kind, kinds[kind].working_gpus)
        ]
    if name == "lost_work":
        return [t for kind in evictions.by_kind for t in evictions.of_kind(kind, kinds[kind].lost)]
    if name == "domains":
        return [(column, 1) for column in evictions.domains.values()]
    return []


def _given_up(evictions: Evictions) -> Terms:
    """Gangs that lose all their pods."""
    alone: Terms = [
        term
        for kind in evictions.by_kind
        if evictions.victims.kinds[kind].gang == EACH_ALONE
        for term in evictions.of_kind(kind)
    ]
    return [*alone, *((column, 1) for column in evictions.given_up.values())]


def tie_goals(evictions: Evictions, kinship: Mapping[int, int] | None = None) -> list[TierGoal]:
    """What decides among plans that all tiers call equal: near kin, then victims of low priority, then the youngest.

    ``kinship`` tells per kind of victim how far its queue is from those that reclaim. A pod counts with the place of
    its priority, and of its start, among those of all possible victims. No tiers: a certificate does not hold them.
    """
    kinds = evictions.victims.kinds
    priorities = {p: n for n, p in enumerate(sorted({one.priority for one in kinds}))}
    starts = {s: n for n, s in enumerate(sorted({one.started for one in kinds}, reverse=True))}
    kin = [_tie(evictions, "victim_kinship", kinship)] if kinship else []
    return [
        *kin,
        _tie(
            evictions, "victim_priority", {k: priorities[v.priority] for k, v in enumerate(kinds)}
        ),
        _tie(evictions, "victim_age", {k: starts[v.started] for k, v in enumerate(kinds)}),
    ]


def _tie(evictions: Evictions, name: str, weights: Mapping[int, int]) -> TierGoal:
    sums: dict[int, int] = {}
    for kind in evictions.by_kind:
        for column, factor in evictions.of_kind(kind, weights[kind]):
            sums[column] = sums.get(column, 0) + factor
    kept = {column: factor for column, factor in sums.items() if factor}
    return TierGoal(name, "min", "", Expression(tuple(kept), tuple(kept.values())), 0)
