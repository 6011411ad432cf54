"""Frames of a schedule for a screen: gangs with their times on the local clock, bars of the Gantt, GPUs over time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from models.moments import epoch_seconds, local_text
from models.schedule import Schedule, ScheduledGang
from planner.demand.scheduled import schedule_returns
from planner.report.frames.build import frame_of
from planner.report.frames.lending import grace_gains_frame
from planner.report.svg.gantt import gangs_of

MOST_BARS = 120
"""Gangs that one Gantt draws; the table holds all."""
_TEXT, _WHOLE = "object", "Int64"


def clock_text(text: str | None) -> str:
    """``2026-09-15 19:00`` of an RFC 3339 text on the local clock, "" where there is none."""
    return text[:16].replace("T", " ") if text else ""


def starting_frame(schedule: Schedule) -> pd.DataFrame:
    """Gangs that start, one row each; times on the clock of the schedule's zone."""
    columns = {"gang": _TEXT, "queue": _TEXT, "priority": _WHOLE, "gpus": _WHOLE, "pool": _TEXT}
    columns |= {"starts_at": _TEXT, "earliest": _TEXT, "latest": _TEXT, "ends_at": _TEXT}
    columns |= {"run_seconds": _WHOLE, "duration_source": _TEXT, "delay_seconds": _WHOLE}
    columns |= {"parts": _WHOLE, "grace_s": _WHOLE, "leaves_in_time": "boolean"}
    rows = [
        {
            **_gang(one),
            "pool": ", ".join(dict.fromkeys(run.pool for run in one.runs)),
            "starts_at": clock_text(one.starts_at),
            "earliest": clock_text(one.earliest),
            "latest": clock_text(one.latest),
            "ends_at": clock_text(one.ends_at),
            "run_seconds": one.duration.seconds if one.duration else None,
            "duration_source": one.duration.source if one.duration else "",
            "delay_seconds": one.delay_s,
            "parts": len({run.start_bucket for run in one.runs}),
            "grace_s": one.grace_s,
            "leaves_in_time": one.leaves_in_time,
        }
        for one in schedule.gangs
        if one.status == "starts"
    ]
    return frame_of(rows, columns)


def not_starting_frame(schedule: Schedule) -> pd.DataFrame:
    """Gangs that do not start within the horizon, with reasons and what would change it."""
    columns = {"gang": _TEXT, "queue": _TEXT, "priority": _WHOLE, "gpus": _WHOLE}
    columns |= {"reason_codes": _TEXT, "message": _TEXT, "remedy": _TEXT}
    rows = [
        {
            **_gang(one),
            "reason_codes": ", ".join(dict.fromkeys(reason.code for reason in one.reasons)),
            "message": "; ".join(reason.message for reason in one.reasons),
            "remedy": "; ".join(one.fixes),
        }
        for one in schedule.gangs
        if one.status == "waits"
    ]
    return frame_of(rows, columns)


def leaving_frame(schedule: Schedule) -> pd.DataFrame:
    """Running gangs that leave before their end, so that a loan comes back."""
    columns = {"gang": _TEXT, "queue": _TEXT, "priority": _WHOLE, "gpus": _WHOLE}
    columns |= {"ends_at": _TEXT, "message": _TEXT}
    rows = [
        {
            **_gang(one),
            "ends_at": clock_text(one.ends_at),
            "message": "; ".join(reason.message for reason in one.reasons),
        }
        for one in schedule.gangs
        if one.status == "running" and one.reasons
    ]
    return frame_of(rows, columns)


def loan_windows_frame(schedule: Schedule) -> pd.DataFrame:
    """Loans, one row each: from when to when, how much, when it had to be back and with how much to spare."""
    columns = {"pool": _TEXT, "starts_at": _TEXT, "returned_by": _TEXT, "leave_by": _TEXT}
    columns |= dict.fromkeys(("gpus", "gpu_seconds", "slack_s", "reclaimable_gpus"), _WHOLE)
    columns |= {"worst_return_s": _WHOLE, "gangs": _TEXT}
    rows = [
        {
            **{name: getattr(loan, name) for name in columns if name != "gangs"},
            "starts_at": clock_text(loan.starts_at),
            "returned_by": clock_text(loan.returned_by),
            "leave_by": clock_text(loan.leave_by),
            "gangs": ", ".join(loan.gangs),
        }
        for loan in schedule.loans
    ]
    return frame_of(rows, columns)


def return_proof_frame(schedule: Schedule) -> pd.DataFrame:
    """The return proof, one row per pool and bucket with loans."""
    limits = schedule.lending
    columns = {"pool": _TEXT, "from": _TEXT, "to": _TEXT}
    numbers = ("lent_gpus", "returnable_gpus", "surge_gpus", "back_after_s", "slack_s")
    columns |= dict.fromkeys((*numbers, "short_gpus", "lost_gpu_seconds"), _WHOLE)
    columns |= {"drain_by": _TEXT, "drain_gpus": _WHOLE, "leavers": _TEXT}
    if limits is None:
        return frame_of([], columns)
    zone = schedule.timezone
    rows = [
        {
            **{name: getattr(one, name) for name in numbers},
            "pool": one.pool,
            "from": clock_text(local_text(limits.edges[one.bucket], zone)),
            "to": clock_text(local_text(limits.edges[one.bucket + 1], zone)),
            "short_gpus": one.short_gpus,
            "lost_gpu_seconds": one.lost_gpu_seconds,
            "drain_by": "" if one.drain_by is None else local_text(one.drain_by, zone)[11:19],
            "drain_gpus": one.drain_gpus or None,
            "leavers": ", ".join(f"{gang}: {gpus}" for gang, gpus in one.leavers),
        }
        for pool in schedule_returns(schedule)
        for one in pool.proof
        if one.lent_gpus
    ]
    return frame_of(rows, columns)


def shorter_grace_frame(schedule: Schedule) -> pd.DataFrame:
    """Gangs whose pods leave too slowly, the one whose shorter grace buys most first."""
    return grace_gains_frame(schedule_returns(schedule))


def gantt_frame(schedule: Schedule, pool: str, most: int = MOST_BARS) -> pd.DataFrame:
    """Bars of one pool; times are seconds since the epoch.

    ``state`` is ``running``, ``scheduled`` or ``leaves early``. The first ``most`` gangs by queue and start.
    """
    columns = {"gang": _TEXT, "queue": _TEXT, "state": _TEXT, "when": _TEXT}
    columns |= dict.fromkeys(("gpus", "start", "end"), _WHOLE)
    rows = []
    for gang in gangs_of(schedule, pool)[:most]:
        state = "running" if gang.status == "running" else "scheduled"
        if gang.status == "running" and gang.reasons:
            state = "leaves early"
        for run in (one for one in gang.runs if one.pool == pool):
            start = schedule.edges[run.start_bucket]
            end = epoch_seconds(run.ends_at) or schedule.edges[run.end_bucket]
            rows.append(
                {
                    "gang": gang.full_name,
                    "queue": gang.queue,
                    "state": state,
                    "gpus": run.gpus or gang.gpus,
                    "start": start,
                    "end": min(end, schedule.edges[-1]),
                    "when": f"{clock_text(run.starts_at)} – {clock_text(run.ends_at)}",
                }
            )
    return frame_of(rows, columns)


def windows_frame(schedule: Schedule, pool: str) -> pd.DataFrame:
    """Spans (seconds since the epoch) in which a pool may lend GPUs of online services, and how many."""
    columns = dict.fromkeys(("start", "end", "gpus"), _WHOLE)
    found = next((one for one in schedule.pools if one.name == pool), None)
    rows: list[dict[str, int]] = []
    if found is not None and found.capacity and found.own:
        may = [most - own for most, own in zip(found.capacity, found.own, strict=True)]
        for bucket, gpus in enumerate(may):
            start, end = schedule.edges[bucket], schedule.edges[bucket + 1]
            if gpus <= 0:
                continue
            if rows and (rows[-1]["end"], rows[-1]["gpus"]) == (start, gpus):
                rows[-1]["end"] = end
            else:
                rows.append({"start": start, "end": end, "gpus": gpus})
    return frame_of(rows, columns)


def use_frame(schedule: Schedule) -> pd.DataFrame:
    """GPUs of all pools bucket by bucket; ``bound`` is the most that batch work may hold, ``demand`` what is expected.

    Columns ``start`` and ``end`` are seconds since the epoch; all others are GPUs.
    """
    count = len(schedule.edges) - 1
    running = [0] * count
    for gang in schedule.gangs:
        if gang.status == "running":
            for run in gang.runs:
                for bucket in range(run.start_bucket, min(run.end_bucket, count)):
                    running[bucket] += run.gpus
    lines = {
        name: [sum(values) for values in zip(*found, strict=True)] if found else [0] * count
        for name in ("used", "capacity", "online", "lent")
        if (found := [line for pool in schedule.pools if (line := getattr(pool, name))]) is not None
    }
    curves = schedule.lending.demand if schedule.lending is not None else ()
    expected = [sum(values) for values in zip(*(one.forecast for one in curves), strict=True)]
    rows = [
        {
            "start": schedule.edges[place],
            "end": schedule.edges[place + 1],
            "running": min(running[place], lines["used"][place]),
            "scheduled": lines["used"][place] - min(running[place], lines["used"][place]),
            "used": lines["used"][place],
            "lent": lines["lent"][place],
            "bound": lines["capacity"][place],
            "kept": lines["online"][place],
            "demand": expected[place] if expected else None,
        }
        for place in range(count)
    ]
    names = ("start", "end", "running", "scheduled", "used", "lent", "bound", "kept", "demand")
    return frame_of(rows, dict.fromkeys(names, _WHOLE))


def demand_lines_frame(schedule: Schedule, pool: str) -> pd.DataFrame:
    """Demand of a pool's services bucket by bucket, in GPUs: expected, held, surge, owned, lent."""
    names = ("start", "end", "expected", "held", "surge", "owned", "lent")
    limits = schedule.lending
    lending = limits.pool(pool) if limits is not None else None
    if limits is None or lending is None:
        return frame_of([], dict.fromkeys(names, _WHOLE))
    curves = [one for one in limits.demand if one.pool == pool]
    lent = next((one.lent for one in schedule.pools if one.name == pool), ())
    rows = [
        {
            "start": limits.edges[place],
            "end": limits.edges[place + 1],
            "expected": sum(one.forecast[place] for one in curves),
            "held": sum(one.held[place] for one in curves),
            "surge": sum((one.upper or one.held)[place] for one in curves),
            "owned": lending.owned_gpus,
            "lent": lent[place] if lent else 0,
        }
        for place in range(len(limits.edges) - 1)
    ]
    return frame_of(rows, dict.fromkeys(names, _WHOLE))


def _gang(gang: ScheduledGang) -> dict[str, object]:
    return {
        "gang": gang.full_name,
        "queue": gang.queue,
        "priority": gang.priority,
        "gpus": gang.gpus,
    }


@dataclass(frozen=True)
class NightTables:
    """All tables of a schedule for a screen; keeps the schedule, so that whoever caches them may tell by it."""

    schedule: Schedule

    @cached_property
    def starting(self) -> pd.DataFrame:
        """See :func:`starting_frame`."""
        return starting_frame(self.schedule)

    @cached_property
    def not_starting(self) -> pd.DataFrame:
        """See :func:`not_starting_frame`."""
        return not_starting_frame(self.schedule)

    @cached_property
    def leaving(self) -> pd.DataFrame:
        """See :func:`leaving_frame`."""
        return leaving_frame(self.schedule)

    @cached_property
    def loans(self) -> pd.DataFrame:
        """See :func:`loan_windows_frame`."""
        return loan_windows_frame(self.schedule)

    @cached_property
    def return_proof(self) -> pd.DataFrame:
        """See :func:`return_proof_frame`."""
        return return_proof_frame(self.schedule)

    @cached_property
    def shorter_grace(self) -> pd.DataFrame:
        """See :func:`shorter_grace_frame`."""
        return shorter_grace_frame(self.schedule)
