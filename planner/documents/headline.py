"""The sentence that a plan begins with."""

from __future__ import annotations

from collections.abc import Sequence

from models.checks.wording import counted
from models.foreign_workloads import left_out_text, nothing_waits
from models.gpu_slots import slot_words
from models.plan import PlanResult, Summary, Tier, TradedGang
from planner.encode.prepared import Prepared
from planner.problem.placement import Standing

FAR = 0.1
"""Share from which a percentage says nothing that a reader could use: 800 % of one GPU is eight GPUs."""


def headline(result: PlanResult, prepared: Prepared, placed_in: Sequence[Standing]) -> str:
    """How many start, how full the cluster gets, how well it is proved, and what was left out."""
    summary = result.summary
    waited = summary.gangs_started + summary.gangs_waiting
    parts = [
        f"{summary.gangs_started:,} of {counted(waited, 'waiting gang')} can start now"
        if waited
        else nothing_waits(summary.left_out).rstrip(".")
    ]
    if waited and summary.left_out:
        parts[0] += f", {left_out_text(summary.left_out)}"
    if summary.gangs_grown:
        parts[0] += f", {counted(summary.gangs_grown, 'running gang')} can grow"
    left = sum(gang.pods_pending for gang in result.gangs)
    if left:
        does = "waits" if left == 1 else "wait"
        parts[0] += f", {counted(left, 'further pod')} of running gangs {does}"
    if summary.gpus_allocatable:
        parts[0] += f"; {_shared(result, prepared) or _gpus(summary)}"
        slots = slot_words(summary.gpu_slots, summary.gpu_slot_cards, summary.gpus_allocatable)
        parts[0] += f"; {slots}" if slots else ""
    stopped = _stopped(result, prepared)
    if stopped:
        parts.insert(0, stopped)
    if trade := trade_words(result):
        parts.append(trade)
    if result.certificate.scope == "all" or summary.gangs_started + summary.gangs_waiting:
        parts.append(_proof(result))
    if result.verification is not None:
        parts.append(f"Verified: {counted(len(result.verification.violations), 'violation')}")
    if summary.gangs_unsupported:
        count = summary.gangs_unsupported
        waits = "waits" if count == 1 else "wait"
        parts.append(f"{counted(count, 'gang')} {waits} because of rules that are not modelled yet")
    if prepared.policy.evict:
        parts.append(_evictions(result, " and ".join(prepared.policy.evict)))
    return ". ".join(parts) + "."


def _stopped(result: PlanResult, prepared: Prepared) -> str:
    """Why nothing can start in any queue and what to do about it, "" where something can."""
    limits, summary = prepared.limits, result.summary
    if limits.broken is not None:
        told = f"{limits.broken.text}, so Volcano decides nothing in any queue"
        return f"Nothing can start: {told}; {limits.broken.remedy}"
    if limits.root_lacks and summary.gangs_waiting and not summary.gangs_started:
        names = " and ".join(limits.root_lacks)
        told = f"the capability of queue root lists no {names}, which Volcano reads as 0"
        return f"Nothing can start: {told}; add {names} to it"
    return ""


def trade_words(result: PlanResult) -> str:
    """Where the plan starts fewer gangs or GPUs than the baseline: what it starts instead; "" elsewhere."""
    baseline, summary = result.baseline, result.summary
    if baseline is None or not baseline.only_plan or not baseline.only_baseline:
        return ""
    fewer = summary.gangs_started < baseline.gangs_started
    if not fewer and summary.gpus_after >= baseline.gpus_after:
        return ""
    first = baseline.only_plan[0]
    more, cost = baseline.only_plan[1:], baseline.only_baseline
    also = (
        f" and {counted(len(more), 'more gang')} ({counted(_gpus_of(more), 'GPU')})" if more else ""
    )
    names = (
        f"{cost[0].name} and {counted(len(cost) - 1, 'more gang')}" if cost[1:] else cost[0].name
    )
    return (
        f"It starts {first.name} ({counted(first.gpus, 'GPU')}, priority {first.priority}){also}, which the scheduler "
        f"would leave waiting; {names} with {counted(_gpus_of(cost), 'GPU')} "
        f"{'wait' if cost[1:] else 'waits'}, which the scheduler would start"
    )


def _gpus_of(gangs: Sequence[TradedGang]) -> int:
    return sum(one.gpus for one in gangs)


def _evictions(result: PlanResult, allowed: str) -> str:
    pods, gangs = result.summary.pods_evicted, result.summary.gangs_evicted
    if not pods:
        return f"Nothing has to be evicted ({allowed} allowed)"
    given_up = counted(gangs, "gang") if gangs else "no gang"
    return f"{counted(pods, 'pod')} evicted ({allowed}), {given_up} given up"


def _shared(result: PlanResult, prepared: Prepared) -> str:
    """The same in thousandths where pods share whole GPUs; "" where they do not, or where vGPUs mix in."""
    cards = [card for node in result.nodes for card in node.cards]
    if not cards or any("milliGpu" not in card.capacity for card in cards):
        return ""
    before, after, most = (
        sum(amounts.get("milliGpu", 0) for amounts in one)
        for one in zip(*((c.before, c.after, c.capacity) for c in cards), strict=True)
    )
    if most != 1000 * result.summary.gpus_allocatable:
        return ""
    share, now = 100 * after / most, 100 * before / most
    busy = f"{after / 1000:,.2f} of {counted(most // 1000, 'GPU')} allocated, shares included"
    return f"{busy} ({share:.1f} %, now {now:.1f} %)"


def _gpus(summary: Summary) -> str:
    before, after, allocatable = summary.gpus_before, summary.gpus_after, summary.gpus_allocatable
    now, then = 100 * before / allocatable, 100 * after / allocatable
    busy = f"{after:,} of {counted(allocatable, 'GPU')} allocated"
    return f"{busy} ({then:.0f} %, now {now:.0f} %)"


def _proof(result: PlanResult) -> str:
    certificate = result.certificate
    # A deterministic document holds no time outside the fields that are named so.
    within = "" if certificate.deterministic else f" in {certificate.seconds:.1f} s"
    gaps = [tier.gap for tier in certificate.tiers]
    optimal = "optimal" if certificate.scope == "all" else "best for the planned gangs alone"
    if all(gap == 0 for gap in gaps):
        return f"Proved {optimal}{within}"
    if certificate.properties == "proved":
        return f"Starts proved {optimal}{within}"
    tiers = [tier for tier in certificate.tiers if tier.name.endswith(".gpus")]
    share = open_share(tiers)
    if share is None:
        return f"Found{within}, no bound proved"
    if share == 0:
        open_tiers = counted(sum(gap != 0 for gap in gaps), "other tier")
        return f"GPUs of the starts proved {optimal}{within}, {open_tiers} open"
    if share > FAR:
        return f"Found{within}, far from proved: a longer time limit would tell more"
    words = f"GPUs of the starts proved within {100 * share:.2f} % of the best{within}"
    worst = max(tiers, key=lambda tier: tier.gap or 0)
    if worst.gap is not None and worst.bound is not None and worst.gap > FAR:
        words += f", the most open in {worst.name} ({worst.value:,} of at most {worst.bound:,})"
    return words


def open_share(tiers: Sequence[Tier]) -> float | None:
    """What tiers leave open together, as a share of what they reach together; None where one has no bound.

    A rank that starts next to nothing has a huge gap of its own for a GPU that the ranks above may not need.
    """
    if not tiers or any(tier.bound is None for tier in tiers):
        return None
    still = sum(abs(tier.bound - tier.value) for tier in tiers if tier.bound is not None)
    return still / max(1, sum(tier.value for tier in tiers))
