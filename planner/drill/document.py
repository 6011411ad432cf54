"""A drill's solution as its document, without curve, causes, changes and verification."""

from __future__ import annotations

from collections.abc import Sequence

from models.drill import (
    DrillPlace,
    DrillResult,
    DrillSummary,
    Leaver,
    LeavingGang,
    NeedEntry,
)
from models.findings import Finding
from models.gpu import gpus_in
from models.plan import OPTIMAL_GAP, Certificate
from models.workloads import Pod
from planner.documents.assemble import (
    certificate_tiers,
    document_digest,
    snapshot_entry,
)
from planner.documents.versions import versions
from planner.drill.model.build import DrillModel
from planner.drill.prepare import PreparedDrill
from planner.drill.search import DrillOutcome
from planner.encode.lost_work import lost_gpu_seconds
from planner.problem.limits import Limits


def drill_document(
    drill: PreparedDrill,
    built: DrillModel,
    outcome: DrillOutcome,
    limits: Limits,
    *,
    findings: Sequence[Finding],
    interrupted: bool,
) -> DrillResult:
    """Needs, places, who leaves, key figures and certificate."""
    places = _places(drill, built, outcome)
    leaving = _leaving(drill, built, outcome)
    needs = tuple(_need(drill, number, places) for number in range(len(drill.claimants)))
    gangs = _gangs(drill, leaving)
    prepared = drill.prepared
    return DrillResult(
        summary=_summary(drill, outcome, needs, leaving, gangs),
        question=drill.question,
        budgets=prepared.policy.pdb,
        shares=drill.rules.compared,
        snapshot=snapshot_entry(drill.snapshot, findings, 0, 0),
        policy=prepared.policy.document(),
        certificate=_certificate(prepared.policy.document(), outcome, limits, interrupted),
        needs=needs,
        places=places,
        gangs=gangs,
        leaving=leaving,
    )


def _places(
    drill: PreparedDrill, built: DrillModel, outcome: DrillOutcome
) -> tuple[DrillPlace, ...]:
    names = drill.problem.node_names
    found = [
        DrillPlace(
            need=need,
            service=drill.claimants[need].need.service,
            node=names[node],
            second=second,
            pods=pods,
            gpus=pods * drill.claimants[need].gpus,
        )
        for (need, node, second), pods in built.places(outcome.values).items()
    ]
    return tuple(sorted(found, key=lambda one: (one.second, one.need, one.node)))


def _leaving(drill: PreparedDrill, built: DrillModel, outcome: DrillOutcome) -> tuple[Leaver, ...]:
    victims = drill.problem.victims
    names = {(one.kind, one.node): one.names for one in victims.pods}
    snapshot = drill.prepared.snapshot
    pods = [
        snapshot.pod_by_name[name]
        for key, count in built.leaving(outcome.values).items()
        for name in names[key][:count]
    ]
    pods.sort(key=lambda pod: (drill.rules.seconds(pod), pod.gang, pod.full_name))
    return tuple(_leaver(drill, pod, order) for order, pod in enumerate(pods, 1))


def _leaver(drill: PreparedDrill, pod: Pod, order: int) -> Leaver:
    prepared = drill.prepared
    gang = prepared.snapshot.gang_by_name[pod.gang]
    gpus = gpus_in(pod.spec.request, prepared.gpu_names)
    second = drill.rules.seconds(pod)
    policy = prepared.policy
    return Leaver(
        order=order,
        pod=pod.full_name,
        gang=gang.full_name,
        queue=gang.queue,
        node=pod.node or "",
        gpus=gpus,
        grace_seconds=drill.rules.grace(pod),
        second=second,
        in_time=second <= drill.question.deadline_seconds,
        lost_gpu_seconds=lost_gpu_seconds(pod, gang, gpus, policy.now, policy.policy),
    )


def _gangs(drill: PreparedDrill, leaving: Sequence[Leaver]) -> tuple[LeavingGang, ...]:
    by_gang: dict[str, list[Leaver]] = {}
    for one in leaving:
        by_gang.setdefault(one.gang, []).append(one)
    snapshot = drill.prepared.snapshot
    found = []
    for name, pods in by_gang.items():
        gang = snapshot.gang_by_name[name]
        left = sum(pod.running for pod in snapshot.pods_of(gang)) - len(pods)
        found.append(
            LeavingGang(
                gang=name,
                queue=gang.queue,
                priority=gang.priority,
                decision="shrink" if left else "evict",
                pods=len(pods),
                pods_left=left,
                gpus=sum(one.gpus for one in pods),
                last_second=max(one.second for one in pods),
                lost_gpu_seconds=sum(one.lost_gpu_seconds for one in pods),
                nodes=tuple(sorted({one.node for one in pods})),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.last_second, one.gang)))


def _need(drill: PreparedDrill, number: int, places: Sequence[DrillPlace]) -> NeedEntry:
    claimant, need = drill.claimants[number], drill.problem.needs[number]
    deadline = drill.question.deadline_seconds
    own = [one for one in places if one.need == number]
    in_time = sum(one.pods for one in own if one.second <= deadline)
    back = sum(one.pods for one in own)
    nodes = drill.prepared.snapshot.nodes
    names = drill.prepared.gpu_names
    free = sum(drill.problem.fits(number, drill.problem.free_at(node, 0)) for node in need.nodes)
    return NeedEntry(
        service=claimant.need.service,
        found_as=claimant.found_as,
        queue=claimant.queue,
        gpus=claimant.need.gpus,
        gpus_per_pod=claimant.gpus,
        pods=claimant.pods,
        request=claimant.spec.request,
        pattern=claimant.pattern,
        gpu_model=claimant.need.gpu_model,
        pools=claimant.pools,
        labels=dict(claimant.need.labels),
        nodes=len(need.nodes),
        gpus_open=sum(gpus_in(nodes[node].allocatable, names) for node in need.nodes),
        gpus_free=min(free, claimant.pods) * claimant.gpus,
        pods_in_time=in_time,
        gpus_in_time=in_time * claimant.gpus,
        gpus_back=back * claimant.gpus,
        last_second=max((one.second for one in own), default=0) if back == claimant.pods else None,
    )


def _summary(
    drill: PreparedDrill,
    outcome: DrillOutcome,
    needs: Sequence[NeedEntry],
    leaving: Sequence[Leaver],
    gangs: Sequence[LeavingGang],
) -> DrillSummary:
    wanted = drill.problem.gpus
    in_time = sum(one.gpus_in_time for one in needs)
    seconds = [one.last_second for one in needs]
    decisions = [one.decision for one in gangs]
    return DrillSummary(
        gpus_needed=wanted,
        gpus_free=sum(one.gpus_free for one in needs),
        gpus_in_time=in_time,
        gpus_back=sum(one.gpus_back for one in needs),
        gpus_missing=wanted - in_time,
        gpus_most_in_time=outcome.tiers[0].bound if outcome.tiers else None,
        in_time=in_time == wanted,
        last_second=None if None in seconds else max(one for one in seconds if one is not None),
        deadline_seconds=drill.question.deadline_seconds,
        pods_evicted=len(leaving),
        gangs_evicted=decisions.count("evict"),
        gangs_shrunk=decisions.count("shrink"),
        lost_gpu_seconds=sum(one.lost_gpu_seconds for one in leaving),
    )


def _certificate(
    policy: dict[str, object], outcome: DrillOutcome, limits: Limits, interrupted: bool
) -> Certificate:
    tiers = certificate_tiers(outcome.tiers)
    optimal = all(tier.gap is not None and tier.gap <= OPTIMAL_GAP for tier in tiers)
    closed = bool(tiers) and tiers[0].bound == tiers[0].value
    return Certificate(
        status="OPTIMAL" if optimal else "FEASIBLE",
        tiers=tiers,
        properties="proved" if closed else "maximal",
        reproducible=limits.deterministic and not interrupted,
        seconds=round(sum(tier.seconds for tier in tiers), 3),
        seed=limits.seed,
        workers=limits.workers,
        deterministic=limits.deterministic,
        versions=versions(),
        policy_digest=document_digest(policy),
    )
