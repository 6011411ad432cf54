"""One sentence that tells a schedule."""

from __future__ import annotations

from models.checks.wording import counted
from models.plan import PlanResult
from models.schedule import Schedule


def schedule_sentence(result: PlanResult, schedule: Schedule) -> str:
    """What starts, when, what is lent and that it is back."""
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
    if schedule.loans:
        most = max(loan.gpus for loan in schedule.loans)
        lent = sum(loan.gpu_seconds for loan in schedule.loans) / 3600
        last = max(schedule.loans, key=lambda loan: loan.end_bucket)
        parts.append(
            f"online services lend up to {most:,} GPUs for {lent:,.0f} GPU-hours, running work included, all back by "
            f"{last.returned_by}"
        )
    return "; ".join(parts) + "."
