"""What an earlier plan document says about this snapshot, whether it is about it at all, and what became of it."""

from __future__ import annotations

from collections import Counter

from models.checks.wording import counted
from models.findings import Finding
from models.plan import EarlierPlan, GangEntry, PlanResult
from models.snapshot import Snapshot
from planner.search.outcome import Outcome
from planner.search.stages.reoptimise.warm_start import placements_of


def unrelated(earlier: PlanResult, snapshot: Snapshot) -> tuple[Finding, ...]:
    """A finding where not one new pod of the document has its gang and its node in the snapshot.

    A document without new pods is known by any of its gangs or nodes.
    """
    placements = placements_of(earlier)
    gangs = {gang.full_name for gang in snapshot.gangs}
    nodes = {node.name for node in snapshot.nodes}
    known = {gang.full_name for gang in earlier.gangs}
    if placements:
        related = any(one.gang in gangs and one.node in nodes for one in placements)
    else:
        held = {one.name for one in earlier.nodes}
        related = bool(known & gangs or held & nodes) or not (known or held)
    if related:
        return ()
    return (
        Finding(
            "previous_unrelated",
            "warning",
            "--previous",
            f"the earlier plan has nothing to do with this snapshot: of its {counted(len(known), 'gang')} "
            f"{len(known & gangs):,} are here, of its {counted(len(earlier.nodes), 'node')} "
            f"{sum(one.name in nodes for one in earlier.nodes):,}; everything is planned anew",
            "give the last plan of the same cluster, or leave --previous out",
        ),
    )


def with_earlier(
    result: PlanResult, earlier: PlanResult, outcome: Outcome, *, taken: bool
) -> PlanResult:
    """The plan whose certificate tells what became of the earlier plan's starts; ``taken``: it began with that."""
    then, now = _starts(earlier), {gang.full_name: gang for gang in result.gangs}
    decisions = {name: now[name].decision if name in now else "" for name in then}
    started = [name for name, decision in decisions.items() if decision == "start"]
    kept = [name for name in started if stays(then[name], now[name])]
    waiting = sum(decision == "wait" for decision in decisions.values())
    told = EarlierPlan(
        as_of=earlier.snapshot.as_of,
        digest=earlier.snapshot.digest,
        started=len(then),
        kept=len(kept),
        moved=len(started) - len(kept),
        waiting=waiting,
        gone=len(then) - len(started) - waiting,
        added=len(_starts(result).keys() - then.keys()),
        searched=("changes" if outcome.changes_only else "everything") if taken else "anew",
    )
    certificate = result.certificate.model_copy(update={"earlier": told})
    return result.model_copy(update={"certificate": certificate})


def _starts(plan: PlanResult) -> dict[str, GangEntry]:
    return {gang.full_name: gang for gang in plan.gangs if gang.decision == "start"}


def stays(then: GangEntry, now: GangEntry) -> bool:
    """Whether all new pods that a gang has in both plans are where they were, role by role; their number may differ."""
    before, after = _places(then), _places(now)
    together = before & after
    for role in {role for role, _ in before}:
        had, has, same = (_of_role(places, role) for places in (before, after, together))
        if same < min(had, has):
            return False
    return True


def _places(gang: GangEntry) -> Counter[tuple[str, str | None]]:
    """Role and node to new pods."""
    found: Counter[tuple[str, str | None]] = Counter()
    for pods in gang.pods:
        if pods.action == "place":
            found[pods.role, pods.node] += pods.count
    return found


def _of_role(places: Counter[tuple[str, str | None]], role: str) -> int:
    return sum(count for (of, _), count in places.items() if of == role)
