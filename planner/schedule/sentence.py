"""One sentence that tells a schedule."""

from __future__ import annotations

from models.checks.wording import counted
from models.foreign_workloads import left_out_text
from models.plan import PlanResult
from models.schedule import Schedule

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
    if result.summary.left_out:
        parts.append(left_out_text(result.summary.left_out))
    missed = missed_sentence(schedule)
    if schedule.loans:
        most = max(loan.gpus for loan in schedule.loans)
        lent = sum(loan.gpu_seconds for loan in schedule.loans) / 3600
        last = max(schedule.loans, key=lambda loan: loan.end_bucket)
        parts.append(
            f"online services lend up to {most:,} GPUs for {lent:,.0f} GPU-hours, running work included"
            + ("" if missed else f", all back by {last.returned_by}")
        )
    return f"{missed} ".lstrip() + "; ".join(parts) + "."


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
