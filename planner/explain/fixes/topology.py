"""A wider topology domain that has the room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.edits.new_gangs import SetGang, TopologyText
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import Candidate
from planner.explain.parts import without_topology
from planner.problem.placement import Demand, IntArray


def wider(bench: Bench, demand: Demand, queues: Mapping[int, IntArray]) -> Candidate | None:
    """The lowest tier above the gang's own with a domain that holds it, else no rule at all."""
    gang = bench.prepared.cases[demand.gang].gang
    rule = gang.topology
    if demand.choices is None or rule is None or not rule.binds:
        return None
    forest = bench.problem.topology
    now = rule.highest_tier_allowed
    if now is None:
        now = dict(forest.tier_of_name).get(rule.highest_tier_name, forest.top_tier)
    for tier in sorted({one.tier for one in forest.domains if now < one.tier < forest.top_tier}):
        if bench.fits(replace(demand, choices=forest.within(tier)), queues=queues):
            text = TopologyText(mode="hard", highest_tier_allowed=tier)
            words = f"allow tier {tier:,} instead of {now:,} as its highest topology tier"
            return _candidate(words, text, tier)
    if bench.fits(without_topology(demand), queues=queues):
        return _candidate("drop its topology rule", None, forest.top_tier)
    return None


def _candidate(words: str, topology: TopologyText | None, size: int) -> Candidate:
    return Candidate(
        "relax_topology", words, lambda gang: (SetGang(gangs=gang, topology=topology),), size
    )
