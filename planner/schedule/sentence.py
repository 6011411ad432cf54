"""One sentence that tells a schedule."""

from __future__ import annotations

from collections.abc import Sequence

from models.checks.wording import counted
from models.foreign_workloads import left_out_text
from models.gpu_slots import slot_words
from models.plan import PlanResult
from models.schedule import Schedule, ScheduledGang

MOST_MISSED = 3
"""Missed returns that the sentence names; the table has all of them."""


def schedule_sentence(result: PlanResult, schedule: Schedule) -> str:
    """Which returns are missed, what starts when, what is lent, and that it is back where it is."""
    starts = [gang for gang in schedule.gangs if gang.status == "starts"]
    waits = sum(gang.status == "waits" for gang in schedule.gangs)
    now = sum(gang.runs[0].start_bucket == 0 for gang in starts)
    hours = (schedule.edges[-1] - schedule.edges[0]) / 3600
    work = schedule.work_gpu_seconds / 3600
    start, do = ("starts", "does") if len(starts) == 1 else ("start", "do")
    parts = [
        f"{counted(len(starts), 'gang')} of {len(starts) + waits:,} that wait {start} within {hours:.0f} hours, "
        f"{now:,} of them now, and {do} {work:,.0f} GPU-hours of work"
    ]
    summary = result.summary
    if summary.left_out:
        parts.append(left_out_text(summary.left_out))
    slots = slot_words(summary.gpu_slots, summary.gpu_slot_cards, summary.gpus_allocatable)
    if slots:
        parts.append(slots)
    missed = missed_sentence(schedule)
    if schedule.loans:
        most = max(loan.gpus for loan in schedule.loans)
        lent = sum(loan.gpu_seconds for loan in schedule.loans) / 3600
        last = max(schedule.loans, key=lambda loan: loan.end_bucket)
        parts.append(
            f"online services lend up to {most:,} GPUs for {lent:,.0f} GPU-hours, running work included"
            + ("" if missed else f", all back by {last.returned_by}")
        )
    fewer = fewer_sentence(result, starts, schedule)
    return f"{missed} ".lstrip() + "; ".join(parts) + "." + f" {fewer}".rstrip()


def fewer_sentence(result: PlanResult, starts: Sequence[ScheduledGang], schedule: Schedule) -> str:
    """Why less starts now than a greedy scheduler would start; "" where not less does."""
    now = [gang for gang in starts if gang.runs[0].start_bucket == 0]
    if result.baseline is None:
        return ""
    gangs, gpus = result.baseline.gangs_started, result.baseline.gpus_after
    short = gpus - result.summary.gpus_after
    if gangs <= len(now) and short <= 0:
        return ""
    later = [gang for gang in starts if gang.runs[0].start_bucket > 0]
    first = max(later, key=lambda gang: (gang.gpus, gang.full_name), default=None)
    services = "online services and " if schedule.lending is not None else ""
    why = (
        f"room is kept for {services}work of higher rank"
        if first is None
        else f"room is kept for {services}later starts, {first.full_name} ({first.gpus:,} GPUs) at "
        f"{first.starts_at} above all"
    )
    return (
        f"A greedy scheduler would start {counted(gangs, 'gang')} now in place of {len(now):,} and use "
        f"{counted(max(short, 0), 'GPU')} more: {why}."
    )


def missed_sentence(schedule: Schedule) -> str:
    """Every service that lacks GPUs, how many, from when to when and why; "" where all of them are back in time."""
    found = []
    for one in schedule.missed_returns[:MOST_MISSED]:
        until = f"to {one.back_at}" if one.back_at else "to the end of the horizon"
        whose = f"{one.service} ({one.pool})" if one.service else one.pool
        are = "is" if one.gpus == 1 else "are"
        found.append(
            f"{counted(one.gpus, 'GPU')} of {whose} {are} missing from {one.due_at} {until}: {one.cause}."
        )
    more = len(schedule.missed_returns) - MOST_MISSED
    if more > 0:
        found.append(f"{counted(more, 'more return is', 'more returns are')} missed.")
    return " ".join(found)
