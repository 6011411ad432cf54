"""A night made ready for every format and for one reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from models.history.adoption import Adoption
from models.history.trend import Trend
from models.moments import local_text
from models.nightly.reader import Reader
from models.plan import PlanResult
from models.schedule import Schedule, ServiceReturn
from models.snapshot import Snapshot
from planner.manifests.manifest_file import ManifestFile
from planner.report.night.asks import asks_section, reader_words
from planner.report.night.cut import cut_for, cut_snapshot
from planner.report.night.subject import NightSubject
from planner.report.proof_words import verification_words
from planner.report.schedule_report import missed_figures, schedule_figures
from planner.report.sections.footer import plan_footer
from planner.report.sections.headline import warnings
from planner.report.tables import KeyFigure, Place, Report, Section
from planner.report.text import counted, duration, gpu_hours

if TYPE_CHECKING:
    import pandas as pd


def night_report(
    result: PlanResult,
    reader: Reader | None = None,
    *,
    snapshot: Snapshot | None = None,
    trend: Trend | None = None,
    adoption: Adoption | None = None,
    manifests: Sequence[ManifestFile] = (),
    notes: Sequence[str] = (),
) -> Report:
    """The report of a plan with a schedule, whole or cut for one reader.

    Parameters
    ----------
    snapshot
        What was planned on, for retries, restarts and failures; without it the section says that they are unknown.
    trend
        Earlier nights and this one, oldest first.
    adoption
        What became of the plan before; it names everybody's gangs, so a tenant does not see it.
    manifests
        The files beside the report.
    notes
        What is noticeable about the run itself: sentences for whoever runs it, shown to no tenant and no service.

    Raises
    ------
    ValueError
        The document has no schedule.
    UsageError
        It has no queue or service of the reader's name.
    """
    if result.schedule is None:
        raise ValueError("the document has no schedule")
    shown = cut_for(result, reader)
    schedule = shown.schedule
    assert schedule is not None
    tenant = reader is not None and reader.kind == "tenant"
    subject = NightSubject(
        result=shown,
        schedule=schedule,
        reader=reader,
        snapshot=cut_snapshot(snapshot, shown) if tenant else snapshot,
        trend=None if tenant else trend,
        adoption=None if tenant else adoption,
        manifests=() if tenant else tuple(manifests),
    )

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return tuple(_sections(subject, place, limit))

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.frames.schedule import schedule_frames

        return schedule_frames(shown, schedule)

    return Report(
        name="night" if reader is None else f"night-{reader.kind}",
        title=reader_words(reader),
        sentence=_sentence(subject),
        document=shown,
        sections=sections,
        frames=frames,
        key_figures=_figures(subject),
        footer=plan_footer(shown),
        warnings=(*warnings(shown), *(notes if subject.is_for("platform", "capacity") else ())),
    )


def _sections(subject: NightSubject, place: Place, limit: int) -> Iterator[Section]:
    from planner.report.gpus import gpu_names
    from planner.report.night.congestion import congestion_section
    from planner.report.night.failing import failing_section
    from planner.report.night.long_waits import long_waits_section
    from planner.report.night.payoff import payoff_section
    from planner.report.night.trend import trend_section
    from planner.report.sections.findings import findings_section
    from planner.report.sections.method import method_section
    from planner.report.sections.queues import queues_section
    from planner.report.sections.use import use_section

    yield asks_section(subject)
    if subject.is_for("platform", "tenant"):
        yield from _schedule(subject.schedule, place, limit)
    if subject.is_for("capacity", "tenant"):
        yield queues_section(subject.view, place, limit)
    if subject.is_for("platform", "tenant"):
        yield _waiting(subject, limit)
    if subject.is_for("platform", "service"):
        yield _loans(subject, place, limit)
    if subject.is_for("platform", "capacity", "tenant"):
        yield long_waits_section(subject, limit)
        yield failing_section(subject, gpu_names(subject.result), limit)
    if subject.is_for("platform", "capacity"):
        if subject.adoption is not None:
            from planner.report.history.night_report import adoption_section

            yield adoption_section(subject.adoption, limit)
        if subject.result.use is not None:
            yield use_section(subject.result.use, limit)
        yield congestion_section(subject, limit)
        yield payoff_section(subject)
        yield trend_section(subject)
    if subject.is_for("platform"):
        yield method_section(subject.view, place, limit)
    if subject.is_for("platform", "tenant"):
        yield findings_section(subject.view, place, limit)


def _schedule(schedule: Schedule, place: Place, limit: int) -> Iterator[Section]:
    from planner.report.sections.schedule import over_time_section, starts_section

    if place == "page":
        yield over_time_section(schedule)
    yield starts_section(schedule, place, limit)


def _waiting(subject: NightSubject, limit: int) -> Section:
    from planner.report.sections.schedule import waits_at_all_section

    if not subject.waits:
        return Section(
            "not-within-horizon",
            "Waiting and why",
            lead="Every gang that waits now starts within the horizon.",
        )
    return waits_at_all_section(subject.waits, limit)


def _loans(subject: NightSubject, place: Place, limit: int) -> Section:
    from planner.report.sections.loans import loans_section

    return loans_section(subject.schedule, place, limit)


def _sentence(subject: NightSubject) -> str:
    reader, schedule = subject.reader, subject.schedule
    if reader is not None and reader.kind == "tenant":
        starts, waits = len(subject.starts), len(subject.waits)
        now = sum(gang.runs[0].start_bucket == 0 for gang in subject.starts)
        verb = "starts" if starts == 1 else "start"
        return (
            f"Queue {reader.name}: {counted(starts, 'gang')} {verb} within {subject.hours:.0f} hours, {now:,} of them "
            f"now; {counted(waits, 'gang')} {'waits' if waits == 1 else 'wait'} longer."
        )
    if reader is not None and reader.kind == "service":
        if not schedule.loans:
            return f"Service {reader.name}: no GPU is lent within {subject.hours:.0f} hours."
        most = max(loan.gpus for loan in schedule.loans)
        own = [one for one in own_returns(schedule) if one.service == reader.name]
        missed = [one for one in schedule.missed_returns if one.service in (reader.name, "")]
        if missed:
            worst = max(missed, key=lambda one: one.gpus)
            until = f"to {_clock(subject, worst.back_at)}" if worst.back_at else "on"
            return (
                f"Service {reader.name}: {counted(worst.gpus, 'GPU')} missing from "
                f"{_clock(subject, worst.due_at)} {until}: {worst.cause}. Up to {counted(most, 'GPU')} lent."
            )
        if not own:
            return f"Service {reader.name}: up to {counted(most, 'GPU')} lent, none that it takes back."
        last = max(own, key=lambda one: one.leave_by)
        return (
            f"Service {reader.name}: up to {counted(most, 'GPU')} lent, its last one back by "
            f"{_clock(subject, last.returned_by)}, at least {duration(min(one.slack_s for one in own))} before it has "
            f"to be."
        )
    return subject.result.summary.sentence


def own_returns(schedule: Schedule) -> tuple[ServiceReturn, ...]:
    """What services take back, over all loans."""
    return tuple(one for loan in schedule.loans for one in loan.services)


def _clock(subject: NightSubject, text: str) -> str:
    from models.moments import epoch_seconds

    second, zone = epoch_seconds(text), subject.schedule.timezone
    return text if second is None else f"{local_text(second, zone)[:16].replace('T', ' ')} ({zone})"


def _figures(subject: NightSubject) -> tuple[KeyFigure, ...]:
    reader, schedule = subject.reader, subject.schedule
    if reader is not None and reader.kind == "tenant":
        running = [gang for gang in schedule.gangs if gang.status == "running"]
        held = sum(gang.gpus for gang in running)
        work = sum(gang.work_gpu_seconds for gang in subject.starts)
        starts = counted(len(subject.starts), "gang")
        return (
            KeyFigure("Run now", counted(len(running), "gang"), counted(held, "GPU")),
            KeyFigure("Start", starts, f"within {subject.hours:.0f} h"),
            KeyFigure("Do not start", counted(len(subject.waits), "gang"), "reasons below"),
            KeyFigure("Work", gpu_hours(work), "of gangs that wait now"),
        )
    if reader is not None and reader.kind == "service":
        lent = sum(loan.gpu_seconds for loan in schedule.loans)
        slack = [one.slack_s for one in own_returns(schedule) if one.service == reader.name]
        back = [loan.worst_return_s for loan in schedule.loans]
        lending = schedule.lending
        deadline = "" if lending is None else f"deadline {lending.deadline_s} s"
        return (
            *missed_figures(schedule),
            KeyFigure("Lent", gpu_hours(lent), counted(len(schedule.loans), "loan")),
            KeyFigure("Least slack", duration(min(slack)) if slack else "-", "of planned returns"),
            KeyFigure("Worst return", f"{max(back, default=0)} s", deadline),
            KeyFigure("Check", verification_words(subject.result.verification).split(":")[0], ""),
        )
    return schedule_figures(subject.result, schedule)
