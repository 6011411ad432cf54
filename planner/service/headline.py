"""The sentence that a plan begins with."""

from __future__ import annotations

from collections.abc import Sequence

from models.plan import PlanResult, Tier
from planner.prepare.prepared import Prepared
from planner.problem.placement import Standing


def headline(result: PlanResult, prepared: Prepared, placed_in: Sequence[Standing]) -> str:
    """How many start, how full the cluster gets, how well it is proved, and what was left out."""
    summary = result.summary
    waited = summary.gangs_started + summary.gangs_waiting
    parts = [
        f"{summary.gangs_started} of {waited} waiting {_plural('gang', waited)} can start now"
        if waited
        else "No gang waits"
    ]
    if summary.gangs_grown:
        parts[0] += (
            f", {summary.gangs_grown} running {_plural('gang', summary.gangs_grown)} can grow"
        )
    if summary.gpus_allocatable:
        parts[0] += f"; {_gpus(summary.gpus_before, summary.gpus_after, summary.gpus_allocatable)}"
    parts.append(_proof(result))
    if result.verification is not None:
        count = len(result.verification.violations)
        parts.append(f"Verified: {count} {_plural('violation', count)}")
    if summary.gangs_unsupported:
        count = summary.gangs_unsupported
        parts.append(f"{count} {_plural('gang', count)} with rules not modelled yet left waiting")
    if prepared.policy.evict:
        parts.append(_evictions(result, " and ".join(prepared.policy.evict)))
    return ". ".join(parts) + "."


def _evictions(result: PlanResult, allowed: str) -> str:
    pods, gangs = result.summary.pods_evicted, result.summary.gangs_evicted
    if not pods:
        return f"Nothing has to be evicted ({allowed} allowed)"
    given_up = f", {gangs} {_plural('gang', gangs)} given up" if gangs else ", no gang given up"
    return f"{pods} {_plural('pod', pods)} evicted ({allowed}){given_up}"


def _gpus(before: int, after: int, allocatable: int) -> str:
    now, then = 100 * before / allocatable, 100 * after / allocatable
    return f"{after} of {allocatable} GPUs busy ({then:.0f} %, now {now:.0f} %)"


def _proof(result: PlanResult) -> str:
    certificate = result.certificate
    # A deterministic document holds no time outside the fields that are named so.
    within = "" if certificate.deterministic else f" in {certificate.seconds:.1f} s"
    gaps = [tier.gap for tier in certificate.tiers]
    if all(gap == 0 for gap in gaps):
        return f"Proved optimal{within}"
    if certificate.properties == "proved":
        return f"Starts proved optimal{within}"
    worst = _worst_gpu_gap(certificate.tiers)
    if worst is None:
        return f"Found{within}, no bound proved"
    return f"GPUs proved within {100 * worst:.2f} %{within}"


def _worst_gpu_gap(tiers: Sequence[Tier]) -> float | None:
    gaps = [tier.gap for tier in tiers if tier.name.endswith(".gpus")]
    known = [gap for gap in gaps if gap is not None]
    return max(known) if known and len(known) == len(gaps) else None


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
