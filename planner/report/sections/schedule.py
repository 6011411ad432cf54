"""Sections of a schedule: what starts when, over time, why gangs do not start, loans, and what is proved."""

from __future__ import annotations

from collections.abc import Sequence

from models.moments import local_text
from models.plan import PlanResult
from models.schedule import Schedule, ScheduledGang, ScheduledPool
from planner.report.proof_words import tier_words
from planner.report.rows import rest_note
from planner.report.sections.loans import loans_section
from planner.report.sections.use import use_section
from planner.report.svg.gantt import drawn_pools, gantt, leaves_before_end
from planner.report.svg.use_over_time import use_over_time
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import DASH, counted, duration, gpu_hours, ratio_percent

_GANGS = (
    Column("GANG", grows=True),
    Column("QUEUE", needs_width=100),
    Column("GPUS", "GPUs", numeric=True),
    Column("POOL", needs_width=90),
    Column("START"),
    Column("RANGE", needs_width=130),
    Column("END"),
    Column("RUNS", "duration"),
    Column("FROM", "source", needs_width=130),
    Column("DELAY", needs_width=110),
)
_WAITS = (
    Column("GANG"),
    Column("QUEUE", needs_width=90),
    Column("GPUS", "GPUs", numeric=True),
    Column("REASON"),
    Column("WHY IT DOES NOT START WITHIN THE HORIZON", grows=True),
    Column("WHAT WOULD CHANGE IT", grows=True, needs_width=110),
)
_TIERS = (
    Column("TIER", grows=True),
    Column("VALUE", numeric=True),
    Column("BOUND", numeric=True),
    Column("GAP", numeric=True),
    Column("UNIT"),
)
_SOURCES = {
    "annotation": "annotation",
    "active_deadline": "active deadline",
    "history": "history (estimate)",
    "default": "default (estimate)",
}
_MOST_CHARTS = 6


def schedule_sections(
    result: PlanResult, schedule: Schedule, place: Place, limit: int
) -> tuple[Section, ...]:
    """All sections in the order in which people read them."""
    found = [starts_section(schedule, place, limit)]
    if place == "page":
        found.insert(0, over_time_section(schedule))
    waits = [gang for gang in schedule.gangs if gang.status == "waits"]
    if waits:
        found.append(waits_at_all_section(waits, limit))
    if schedule.lending is not None:
        found.append(loans_section(schedule, place, limit))
    if result.use is not None:
        found.append(use_section(result.use, limit))
    if place != "table":
        found.append(reservations_section(schedule, limit))
        found.append(schedule_proof_section(result, schedule))
    return tuple(found)


def clock(text: str | None, timezone: str, now: int) -> str:
    """``22:15``, with the date where it is another day; a dash where there is no time."""
    if not text:
        return DASH
    today = local_text(now, timezone)[:10]
    return text[11:16] if text[:10] == today else f"{text[5:10]} {text[11:16]}"


def over_time_section(schedule: Schedule) -> Section:
    """GPUs over time, and the gangs of the largest pools."""
    pools = drawn_pools(schedule)
    figures = [
        Figure(
            "GPUs over time: running and scheduled gangs, what batch work may hold at most, and what is kept for "
            f"online services (times in {schedule.timezone})",
            lambda: use_over_time(schedule),
        )
    ]
    figures += [_chart(schedule, pool) for pool in pools[:_MOST_CHARTS]]
    notes: tuple[str, ...] = ()
    if len(pools) > _MOST_CHARTS:
        notes = (f"Charts of the largest {_MOST_CHARTS} of {len(pools):,} pools; tables hold all.",)
    return Section(
        "over-time", "Over time", figures=tuple(figures), notes=(*schedule.notes, *notes)
    )


def _chart(schedule: Schedule, pool: ScheduledPool) -> Figure:
    size = f"{counted(pool.gpus, 'GPU')} on {counted(pool.nodes, 'node')}"
    caption = f"Pool {pool.name}: {size}, by queue; the number before a bar is its GPUs"
    return Figure(caption, lambda: gantt(schedule, pool))


def starts_section(schedule: Schedule, place: Place, limit: int) -> Section:
    """Gangs that start, and running gangs that leave before their end."""
    starts = [gang for gang in schedule.gangs if gang.status == "starts"]
    leaving = [g for g in schedule.gangs if g.status == "running" and g.reasons]
    shown = starts[:limit]
    tables = [
        Table(
            "Gangs that start",
            _GANGS,
            tuple(_start_row(gang, schedule) for gang in shown),
            empty="No gang starts within the horizon.",
            notes=tuple(
                rest_note(len(shown), len(starts), "gangs", "schedule_gangs.csv (-o csv --out DIR)")
            ),
        )
    ]
    if leaving:
        tables.append(
            Table(
                "Running gangs that leave before their end",
                (
                    Column("GANG"),
                    Column("GPUS", "GPUs", numeric=True),
                    Column("UNTIL"),
                    Column("WHY", grows=True),
                ),
                tuple(
                    (
                        gang.full_name,
                        f"{gang.gpus:,}",
                        clock(gang.ends_at, schedule.timezone, schedule.edges[0]),
                        "; ".join(reason.message for reason in gang.reasons),
                    )
                    for gang in leaving[:limit]
                ),
            )
        )
    return Section("starts", "What starts when", tables=tuple(tables))


def _start_row(gang: ScheduledGang, schedule: Schedule) -> tuple[str, ...]:
    zone, now = schedule.timezone, schedule.edges[0]
    early, late = clock(gang.earliest, zone, now), clock(gang.latest, zone, now)
    placed = all(run.nodes for run in gang.runs)
    span = (
        ("sure" if placed else "counted")
        if early == late
        else f"{early} – {late if gang.latest else 'after the horizon'}"
    )
    now_text = gang.runs[0].start_bucket == 0
    split = f" in {len({r.start_bucket for r in gang.runs})} parts"
    parts = split if len({run.start_bucket for run in gang.runs}) > 1 else ""
    if leaves_before_end(schedule, gang):
        parts += ", leaves before its end"
    length = gang.duration
    return (
        gang.full_name,
        gang.queue,
        f"{gang.gpus:,}",
        ", ".join(dict.fromkeys(run.pool for run in gang.runs)),
        "now" if now_text else clock(gang.starts_at, zone, now),
        span,
        clock(gang.ends_at, zone, now),
        (duration(length.seconds) if length else DASH) + parts,
        _SOURCES[length.source] if length else DASH,
        duration(gang.delay_s) if gang.delay_s else "none",
    )


def waits_at_all_section(waits: Sequence[ScheduledGang], limit: int) -> Section:
    """Gangs that do not start within the horizon."""
    rows = tuple(
        (
            gang.full_name,
            gang.queue,
            f"{gang.gpus:,}",
            ", ".join(dict.fromkeys(reason.code for reason in gang.reasons)),
            "; ".join(reason.message for reason in gang.reasons),
            "; ".join(gang.fixes) or DASH,
        )
        for gang in waits[:limit]
    )
    notes = rest_note(len(rows), len(waits), "gangs", "schedule_gangs.csv (-o csv --out DIR)")
    return Section(
        "not-within-horizon",
        "Not within the horizon",
        tables=(Table("Gangs that do not start", _WAITS, rows, notes=tuple(notes)),),
    )


def reservations_section(schedule: Schedule, limit: int) -> Section:
    """Starts that no back-fill postpones."""
    rows = tuple(
        (
            one.gang,
            one.pool,
            f"{one.gpus:,}",
            clock(one.starts_at, schedule.timezone, schedule.edges[0]),
            f"{counted(one.backfilled_gangs, 'gang')}: {', '.join(one.backfilled[:6])}"
            + (" …" if one.backfilled_gangs > 6 else ""),
        )
        for one in schedule.reservations[:limit]
    )
    return Section(
        "reservations",
        "Reservations and back-fill",
        lead="The start of a rank is decided, with its delay, before any lower rank is looked at: what runs before a "
        "reserved start neither postpones it nor takes work from it.",
        tables=(
            Table(
                "Reserved starts",
                (
                    Column("GANG"),
                    Column("POOL"),
                    Column("GPUS", "GPUs", numeric=True),
                    Column("START"),
                    Column("LOWER RANKS THAT RUN BEFORE", grows=True),
                ),
                rows,
                empty="No lower rank runs before a start that is reserved.",
            ),
        ),
    )


def schedule_proof_section(result: PlanResult, schedule: Schedule) -> Section:
    """Value, bound and gap of every tier."""
    rows = tuple(
        (
            tier_words(tier.name),
            _amount(tier.value, tier.unit),
            DASH if tier.bound is None else _amount(tier.bound, tier.unit),
            ratio_percent(tier.gap) + (" *" if tier.conditional else ""),
            "GPU-hours" if tier.unit == "GPU-s" else tier.unit,
        )
        for tier in result.certificate.tiers
    )
    lost = gpu_hours(schedule.rounding_gpu_seconds)
    return Section(
        "proof",
        "What is proved",
        tables=(
            Table(
                "Tiers, highest first",
                _TIERS,
                rows,
                notes=(
                    "* holds for what is decided above it (large schedules: for the start times of the ranks above).",
                    f"Runs end on bucket edges: {lost} are held beyond the work. A gang stays in one pool where it "
                    "fits one; bounds are those of such schedules.",
                ),
            ),
        ),
    )


def _amount(value: int, unit: str) -> str:
    return f"{value / 3600:,.1f}" if unit == "GPU-s" else f"{value:,}"
