"""Every figure of a drill, counted again from its lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from models.drill_rules import DrillRule
from models.plan import RuleViolation
from planner.verify.drill_leaving import gangs_leaving
from planner.verify.drill_state import DrillState, fault
from planner.verify.harm import harm_values, lost_gpu_seconds

IN_TIME, BACK, WAITED = "back_in_time", "back", "gpu_seconds_waited"


def check_figures(drill: DrillState) -> Iterator[RuleViolation]:
    """Needs, gangs, leavers' lost work, curve, tiers and summary."""
    for what, found, said in (
        *_needs(drill),
        *_gangs(drill),
        *_lost(drill),
        *_curve(drill),
        *_tiers(drill),
        *_summary(drill),
        *_causes(drill),
    ):
        if found != said:
            yield fault(DrillRule.FIGURES, what, f"is {found}, the document says {said}")


Figures = Iterator[tuple[str, Any, Any]]


def _needs(drill: DrillState) -> Figures:
    deadline = drill.result.question.deadline_seconds
    for number, need in enumerate(drill.result.needs):
        places = [one for one in drill.result.places if one.need == number]
        in_time = sum(one.pods for one in places if one.second <= deadline)
        back = sum(one.pods for one in places)
        last = max((one.second for one in places), default=0) if back == need.pods else None
        name = f"need/{need.service}"
        yield f"{name} pods in time", in_time, need.pods_in_time
        yield f"{name} GPUs in time", in_time * need.gpus_per_pod, need.gpus_in_time
        yield f"{name} GPUs back", back * need.gpus_per_pod, need.gpus_back
        yield f"{name} last second", last, need.last_second
        for place in places:
            yield f"GPUs on node {place.node}", place.pods * need.gpus_per_pod, place.gpus


def _gangs(drill: DrillState) -> Figures:
    listed = {one.gang: one for one in drill.result.gangs}
    leaving = gangs_leaving(drill)
    yield "gangs that lose pods", sorted(leaving), sorted(listed)
    for name in leaving.keys() & listed.keys():
        one, pods = listed[name], leaving[name]
        left = len(drill.state.staying(drill.snapshot.gang_by_name[name]))
        yield f"gang/{name} pods", (len(pods), left), (one.pods, one.pods_left)
        yield f"gang/{name} decision", "shrink" if left else "evict", one.decision
        yield f"gang/{name} GPUs", sum(drill.base.gpus(pod.spec) for pod in pods), one.gpus
        last = max(drill.second[pod.full_name] for pod in pods)
        yield f"gang/{name} last second", last, one.last_second
        lost = sum(lost_gpu_seconds(drill.base, pod) for pod in pods)
        yield f"gang/{name} lost work", lost, one.lost_gpu_seconds


def _lost(drill: DrillState) -> Figures:
    for one in drill.result.leaving:
        pod = drill.gone.get(one.pod)
        if pod is not None:
            yield (
                f"pod/{one.pod} lost work",
                lost_gpu_seconds(drill.base, pod),
                one.lost_gpu_seconds,
            )


def _curve(drill: DrillState) -> Figures:
    for point in drill.result.curve:
        planned = sum(one.gpus for one in drill.result.places if one.second <= point.second)
        yield f"curve at {point.second} s", planned, point.gpus_planned
        most = point.gpus_most if point.second == drill.result.question.deadline_seconds else None
        if most is not None:
            yield f"most at {point.second} s is reached", max(planned, most), planned
        if point.bound is not None:
            yield f"bound at {point.second} s", max(point.bound, planned), point.bound


def _tiers(drill: DrillState) -> Figures:
    harm = harm_values(drill.state)
    places, deadline = drill.result.places, drill.result.question.deadline_seconds
    values = {
        **harm,
        IN_TIME: sum(one.gpus for one in places if one.second <= deadline),
        BACK: sum(one.gpus for one in places),
        "last_second": max((one.second for one in places if one.second > deadline), default=0),
        WAITED: sum(one.gpus * one.second for one in places),
    }
    for tier in drill.result.certificate.tiers:
        yield f"tier {tier.name}", values.get(tier.name), tier.value


def _summary(drill: DrillState) -> Figures:
    result, one = drill.result, drill.result.summary
    wanted = sum(need.pods * need.gpus_per_pod for need in result.needs)
    in_time = sum(need.gpus_in_time for need in result.needs)
    seconds = [need.last_second for need in result.needs]
    last = None if None in seconds else max((s for s in seconds if s is not None), default=0)
    decisions = [gang.decision for gang in result.gangs]
    yield "GPUs asked for", wanted, one.gpus_needed
    yield "GPUs in time", in_time, one.gpus_in_time
    yield "GPUs back", sum(need.gpus_back for need in result.needs), one.gpus_back
    yield "GPUs missing", wanted - in_time, one.gpus_missing
    yield "in time", in_time == wanted, one.in_time
    yield "last second", last, one.last_second
    yield "deadline", result.question.deadline_seconds, one.deadline_seconds
    yield "pods that leave", len(result.leaving), one.pods_evicted
    yield "gangs given up", decisions.count("evict"), one.gangs_evicted
    yield "gangs shrunk", decisions.count("shrink"), one.gangs_shrunk
    yield "lost work", sum(p.lost_gpu_seconds for p in result.leaving), one.lost_gpu_seconds
    yield "budgets count", drill.policy.pdb, result.budgets
    yield "shares count", drill.compared, result.shares
    if one.gpus_most_in_time is not None:
        yield "bound of GPUs in time", max(one.gpus_most_in_time, in_time), one.gpus_most_in_time


def _causes(drill: DrillState) -> Figures:
    holders = drill.result.holders
    for one in drill.result.causes:
        members = [holder for holder in holders if holder.code == one.code]
        found = sum(holder.gpus for holder in members), sum(holder.pods for holder in members)
        yield f"GPUs and pods held by {one.code}", found, (one.gpus, one.pods)
    for held in drill.result.holders:
        yield (
            f"holder {held.object} of unknown nodes",
            [],
            [name for name in held.nodes if drill.node(name) is None],
        )
