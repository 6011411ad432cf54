"""The first sentence of a drill."""

from __future__ import annotations

from models.drill import DrillResult
from planner.report.text import counted, gpu_hours


def drill_sentence(result: DrillResult) -> str:
    """Is it enough, when, at what cost; the proof and the check."""
    parts = [_answer(result), _cost(result), _proof(result)]
    return " ".join(part for part in parts if part)


def _names(result: DrillResult) -> str:
    return " and ".join(dict.fromkeys(one.service for one in result.needs))


def _answer(result: DrillResult) -> str:
    one, who = result.summary, _names(result)
    has = "has" if len({need.service for need in result.needs}) == 1 else "have"
    deadline = f"{one.deadline_seconds} s"
    if one.in_time:
        if not one.last_second:
            return f"In time: {who} {has} {counted(one.gpus_needed, 'free GPU')} at once; nobody leaves."
        free = f", {one.gpus_free:,} of them free now" if one.gpus_free else ""
        gpus, when = counted(one.gpus_needed, "GPU"), f"after {one.last_second} s of {deadline}"
        return f"In time: {who} {has} {gpus} back {when}{free}."
    some = f"{one.gpus_in_time:,} of {counted(one.gpus_needed, 'GPU')}"
    told = f"Not in time: {some} can be back for {who} within {deadline}"
    if one.last_second is not None:
        return f"{told}; all of them after {one.last_second} s."
    if one.gpus_back > one.gpus_in_time:
        last = max(place.second for place in result.places)
        return f"{told}, {one.gpus_back:,} after {last} s, and the other {one.gpus_needed - one.gpus_back:,} never."
    later = next((tier for tier in result.certificate.tiers if tier.name == "back"), None)
    proved = later is not None and later.bound == later.value
    return f"{told}, and no more later." if proved else f"{told}; whether more comes later is open."


def _cost(result: DrillResult) -> str:
    one = result.summary
    if not one.pods_evicted:
        return ""
    gangs = []
    if one.gangs_evicted:
        gangs.append(f"{counted(one.gangs_evicted, 'gang')} given up")
    if one.gangs_shrunk:
        gangs.append(f"{counted(one.gangs_shrunk, 'gang')} shrunk")
    lost = gpu_hours(one.lost_gpu_seconds)
    return f"It costs {counted(one.pods_evicted, 'pod')} ({', '.join(gangs)}) and {lost} of work."


def _proof(result: DrillResult) -> str:
    one = result.summary
    violations = len(result.verification.violations) if result.verification else 0
    checked = f"Verified: {counted(violations, 'violation')}."
    if one.gpus_most_in_time is None:
        return checked
    if one.gpus_most_in_time > one.gpus_in_time:
        return f"At most {one.gpus_most_in_time:,} are possible in time, by the proved bound. {checked}"
    least = all(tier.gap == 0 for tier in result.certificate.tiers)
    harm = " with the least harm" if least and one.pods_evicted else ""
    return f"Proved: no other choice has more back in time{harm}. {checked}"
