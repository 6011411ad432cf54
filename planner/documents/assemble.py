"""Put the plan document together from what was prepared, decided and proved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from models.cards.kinds import WHOLE_MILLI
from models.entries import gang_entries
from models.findings import Finding
from models.foreign_workloads import left_out, narrows_proof
from models.gpu import gpus_in
from models.gpu_slots import slot_sums
from models.placement import Placement
from models.plan import (
    OPTIMAL_GAP,
    Baseline,
    Certificate,
    FindingEntry,
    GangEntry,
    PlanResult,
    Reason,
    SnapshotEntry,
    Summary,
    Tier,
)
from models.snapshot import Snapshot
from models.use import measured_use
from planner.documents.card_entries import with_cards
from planner.documents.domain_entries import asked_topology, domains_of_gangs
from planner.documents.fair_shares import fair_shares
from planner.documents.node_entries import node_entries
from planner.documents.preference_entries import unmet_preferences
from planner.documents.queue_entries import queue_entries
from planner.documents.versions import versions
from planner.encode.prepared import Prepared
from planner.problem.limits import Limits
from planner.problem.placement import Standing
from planner.problem.tier_names import is_ranked
from planner.reduce.disaggregate import Assignment
from planner.reduce.pod_placements import placements
from planner.search.outcome import Outcome
from planner.solve.tiers import TierResult


def assemble(
    prepared: Prepared,
    outcome: Outcome,
    standings: Sequence[Standing],
    *,
    reasons: Mapping[str, tuple[Reason, ...]],
    findings: Sequence[Finding],
    limits: Limits,
    baseline: Baseline | None,
    reproducible: bool,
    gang_classes: int,
) -> PlanResult:
    """The document without its verification."""
    problem = prepared.problem
    placed = placements(problem, outcome.assignment)
    evicted = outcome.assignment.evicted
    entries = gang_entries(
        prepared.snapshot,
        placed,
        reasons=reasons,
        extra=_gang_fields(prepared, standings, outcome.assignment),
        evicted=evicted,
    )
    nodes, classes = node_entries(prepared, placed, evicted)
    entries, nodes = with_cards(prepared, entries, nodes, evicted)
    shares = fair_shares(prepared)
    summary = _summary(prepared, entries, placed, evicted)
    return PlanResult(
        summary=summary,
        snapshot=snapshot_entry(prepared.snapshot, findings, classes, gang_classes),
        policy=prepared.policy.document(),
        certificate=_certificate(prepared, outcome, limits, summary, reproducible=reproducible),
        gangs=entries,
        queues=queue_entries(prepared, entries, placed, shares, evicted),
        fair_share_rule=shares.rule,
        nodes=nodes,
        baseline=baseline,
        use=measured_use(prepared.snapshot, prepared.policy.policy),
    )


def _lacking(prepared: Prepared, gpus: int) -> dict[str, object]:
    """GPUs that a waiting gang lacks, in whole GPUs and where they are counted finer in thousandths."""
    if not prepared.measure.fine:
        return {"gpus": gpus}
    return {"gpus": gpus // WHOLE_MILLI, "milli_gpus": gpus}


def _gang_fields(
    prepared: Prepared, standings: Sequence[Standing], assignment: Assignment
) -> dict[str, dict[str, object]]:
    """GPUs of every gang; standing of the gangs that waited and could be planned, rank of those that can grow."""
    problem = prepared.problem
    found: dict[str, dict[str, object]] = {}
    for case in prepared.cases:
        running = sum(
            gpus_in(pod.spec.request, prepared.gpu_names) for pod in case.pods if pod.running
        )
        found[case.gang.full_name] = {"gpus": running}
        if prepared.measure.fine:
            live = (pod.spec.request for pod in case.pods if pod.running)
            found[case.gang.full_name]["milli_gpus"] = sum(map(prepared.measure.milli, live))
    standing = {one.demand: one for one in standings}
    for index, demand in enumerate(problem.demands):
        place = standing.get(index)
        if demand.ready:
            found[problem.gang_names[demand.gang]]["rank"] = place.rank if place else None
            continue
        found[problem.gang_names[demand.gang]] = {
            **_lacking(prepared, demand.gpus),
            "startable": place is not None,
            "tier_class": place.tier_class if place else None,
            "rank": place.rank if place else None,
        }
    for case in prepared.cases:
        asked = asked_topology(case.gang)
        if asked:
            found[case.gang.full_name]["topology"] = asked
    for name, counts in domains_of_gangs(prepared, assignment).items():
        found[name]["domains"] = counts
    for name, rules in unmet_preferences(prepared, assignment).items():
        found[name]["unmet"] = rules
    return found


def _summary(
    prepared: Prepared,
    entries: Sequence[GangEntry],
    placed: Sequence[Placement],
    evicted: Sequence[str],
) -> Summary:
    names = prepared.gpu_names
    before = sum(gpus_in(pod.spec.request, names) for pod in prepared.snapshot.pods if pod.running)
    pods = prepared.snapshot.pod_by_name
    freed = sum(gpus_in(pods[name].spec.request, names) for name in evicted)
    decisions = [entry.decision for entry in entries]
    slots, cards = slot_sums(prepared.snapshot.nodes, names)
    unsupported = sum(any(r.code == "unsupported" for r in entry.reasons) for entry in entries)
    return Summary(
        gpus_allocatable=gpus_in(prepared.snapshot.total, names),
        gpus_before=before,
        gpus_after=before - freed + placed_gpus(prepared, placed),
        gangs_started=decisions.count("start"),
        gangs_grown=decisions.count("grow"),
        gangs_waiting=decisions.count("wait"),
        gangs_evicted=decisions.count("evict"),
        gangs_unsupported=unsupported,
        pods_placed=sum(placement.count for placement in placed),
        pods_evicted=len(evicted),
        gpu_slots=slots,
        gpu_slot_cards=cards,
        left_out=left_out(prepared.snapshot, prepared.policy.policy.scheduler_names, names),
    )


def placed_gpus(prepared: Prepared, placed: Sequence[Placement]) -> int:
    """GPUs of placed pods."""
    gpus: dict[tuple[str, str, str], int] = {}
    total = 0
    pods = prepared.snapshot.pod_by_name
    for one in placed:
        total += sum(gpus_in(pods[name].spec.request, prepared.gpu_names) for name in one.names)
        promised = one.count - len(one.names)
        if promised:
            key = (one.gang, one.role, "")
            if key not in gpus:
                template = prepared.snapshot.gang_by_name[one.gang].template(one.role)
                gpus[key] = gpus_in(template.spec.request, prepared.gpu_names) if template else 0
            total += promised * gpus[key]
    return total


def snapshot_entry(
    snapshot: Snapshot, findings: Sequence[Finding], node_classes: int, gang_classes: int
) -> SnapshotEntry:
    """What was planned on."""
    return SnapshotEntry(
        as_of=snapshot.as_of,
        digest=snapshot.digest,
        sources=tuple(source.name for source in snapshot.sources),
        nodes=len(snapshot.nodes),
        pods=len(snapshot.pods),
        node_classes=node_classes,
        gang_classes=gang_classes,
        findings=tuple(
            FindingEntry(
                code=one.code,
                severity=one.severity,
                object=one.object,
                message=one.message,
                remedy=one.remedy,
            )
            for one in findings
        ),
        missing_kinds=dict(snapshot.missing_kinds),
        ignored=dict(snapshot.ignored),
    )


def _certificate(
    prepared: Prepared,
    outcome: Outcome,
    limits: Limits,
    summary: Summary,
    *,
    reproducible: bool,
) -> Certificate:
    tiers = certificate_tiers(outcome.tiers)
    start = [tier for tier in tiers if is_ranked(tier.name)]
    optimal = all(tier.gap is not None and tier.gap <= OPTIMAL_GAP for tier in tiers)
    proved = all(tier.bound == tier.value for tier in start)
    narrow = narrows_proof(summary.left_out, summary.gpus_allocatable)
    return Certificate(
        status="OPTIMAL" if optimal and not narrow else "FEASIBLE",
        scope="planned" if narrow else "all",
        tiers=tiers,
        properties="proved" if proved else "maximal",
        reproducible=reproducible,
        seed=limits.seed,
        workers=limits.workers,
        deterministic=limits.deterministic,
        versions=versions(),
        policy_digest=document_digest(prepared.policy.document()),
        approximations=outcome.approximations,
    )


def certificate_tiers(results: Sequence[TierResult]) -> tuple[Tier, ...]:
    """Tiers with gap and whether a tier above is open."""
    found: list[Tier] = []
    conditional = False
    for result in results:
        gap = None
        if result.bound is not None:
            gap = abs(result.bound - result.value) / max(1, abs(result.value))
        found.append(
            Tier(
                name=result.goal.name,
                sense=result.goal.sense,
                unit=result.goal.unit,
                value=result.value,
                bound=result.bound,
                gap=gap,
                conditional=conditional,
                seconds=round(result.seconds, 3),
                backend=result.backend,
            )
        )
        conditional = conditional or not result.closed
    return tuple(found)


def document_digest(document: Mapping[str, object]) -> str:
    """SHA-256 of a JSON value, keys sorted."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
