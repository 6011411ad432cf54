"""A schedule made ready for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.plan import PlanResult
from models.schedule import Schedule
from planner.report.proof_words import verification_words
from planner.report.sections.footer import plan_footer
from planner.report.sections.headline import warnings
from planner.report.tables import KeyFigure, Place, Report, Section
from planner.report.text import counted, gpu_hours, ratio_percent
from planner.report.unknown_ends import unknown_ends

if TYPE_CHECKING:
    import pandas as pd


def schedule_report(
    result: PlanResult, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> Report:
    """Prepare the document of a schedule; ``namespaces`` and ``queues`` choose which gangs are listed.

    Raises
    ------
    ValueError
        The document has no ``schedule`` part.
    """
    if result.schedule is None:
        raise ValueError("the document has no schedule")
    shown = _selected(result, result.schedule, namespaces, queues)
    schedule = shown.schedule
    assert schedule is not None

    def sections(place: Place, limit: int) -> Sequence[Section]:
        from planner.report.sections.schedule import schedule_sections

        return schedule_sections(shown, schedule, place, limit)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.frames.schedule import schedule_frames

        return schedule_frames(shown, schedule)

    return Report(
        name="schedule",
        title="Schedule",
        sentence=result.summary.sentence,
        document=shown,
        sections=sections,
        frames=frames,
        key_figures=schedule_figures(result, schedule),
        footer=plan_footer(result),
        warnings=warnings(result),
    )


def _selected(
    result: PlanResult, schedule: Schedule, namespaces: Sequence[str], queues: Sequence[str]
) -> PlanResult:
    from planner.report.selection import select

    if not namespaces and not queues:
        return result
    kept = tuple(
        gang
        for gang in schedule.gangs
        if (not namespaces or gang.namespace in namespaces) and (not queues or gang.queue in queues)
    )
    chosen = select(result, namespaces=namespaces, queues=queues)
    return chosen.model_copy(update={"schedule": schedule.model_copy(update={"gangs": kept})})


def schedule_figures(result: PlanResult, schedule: Schedule) -> tuple[KeyFigure, ...]:
    """Key figures of a schedule."""
    starts = [gang for gang in schedule.gangs if gang.status == "starts"]
    waits = [gang for gang in schedule.gangs if gang.status == "waits"]
    now = sum(gang.runs[0].start_bucket == 0 for gang in starts)
    hours = (schedule.edges[-1] - schedule.edges[0]) / 3600
    lent = sum(loan.gpu_seconds for loan in schedule.loans)
    gap = work_gap(result)
    worst = "not proved" if gap is None else ratio_percent(gap)
    count = len(schedule.edges) - 1
    return (
        *missed_figures(schedule),
        KeyFigure("Horizon", f"{hours:.0f} h", f"{counted(count, 'bucket')}, {schedule.timezone}"),
        KeyFigure("Start now", counted(now, "gang"), "placed on nodes"),
        KeyFigure("Start later", counted(len(starts) - now, "gang"), "within the horizon"),
        KeyFigure("Do not start", counted(len(waits), "gang"), "reasons below"),
        KeyFigure("Work", gpu_hours(schedule.work_gpu_seconds), "of gangs that wait now"),
        *unknown_figures(schedule),
        KeyFigure(
            "Lent",
            gpu_hours(lent),
            counted(len(schedule.loans), "loan")
            + ("" if schedule.missed_returns else ", all back in time"),
        ),
        KeyFigure("Gap", worst, "worst tier of work"),
        KeyFigure("Check", verification_words(result.verification).split(":")[0], "independent"),
    )


def unknown_figures(schedule: Schedule) -> tuple[KeyFigure, ...]:
    """Running gangs whose end is a guess; none where every end is known or estimated from earlier runs."""
    gangs = unknown_ends(schedule)
    if not gangs:
        return ()
    gpus = counted(sum(gang.gpus for gang in gangs), "GPU")
    return (KeyFigure("Run, end unknown", counted(len(gangs), "gang"), f"{gpus}, ends guessed"),)


def missed_figures(schedule: Schedule) -> tuple[KeyFigure, ...]:
    """The figure of missed returns, which goes first; none where all are kept."""
    missed = schedule.missed_returns
    if not missed:
        return ()
    whose = ", ".join(sorted({one.service or one.pool for one in missed}))
    seconds = sum(one.gpu_seconds for one in missed)
    return (KeyFigure("Not back in time", gpu_hours(seconds), f"of {whose}"),)


def work_gap(result: PlanResult) -> float | None:
    """The worst gap of the tiers of work as a ratio; None where one of them has no bound."""
    gaps = [tier.gap for tier in result.certificate.tiers if tier.name.endswith(".gpu_hours")]
    known = [gap for gap in gaps if gap is not None]
    return max(known) if known and len(known) == len(gaps) else None
