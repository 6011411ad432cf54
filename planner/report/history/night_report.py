"""One night, and what became of its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.history.adoption import AdoptedGang, Adoption
from models.history.documents import NightDetails
from models.history.rows import GangOutcome, GangSighting, PastFinding, PastLoan, PastQueue
from planner.report.history.words import (
    FIGURES,
    day_time,
    figure_text,
    late_text,
    maybe,
    outcome_text,
    starts_text,
    time_text,
)
from planner.report.hostlist import hostlist
from planner.report.rows import rest_note
from planner.report.sections.footer import short_digest
from planner.report.tables import Column, KeyFigure, Place, Report, Section, Table
from planner.report.text import DASH, counted, duration, gpu_hours

if TYPE_CHECKING:
    import pandas as pd

_JSON = "-o json"
_GANGS = f"gangs.csv (-o csv --out DIR) and {_JSON}"


def night_report(document: NightDetails, *, only_actual: bool = False) -> Report:
    """Prepare a night; ``only_actual`` leaves planned against actual."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        actual = [] if document.adoption is None else [adoption_section(document.adoption, limit)]
        if only_actual:
            return actual
        return (
            *actual,
            Section("gangs", "Gangs", tables=(_gangs(document, limit),)),
            Section("queues", "Queues", tables=(_queues(document.queues, limit),)),
            Section("loans", "Loans", tables=(_loans(document.loans, limit),)),
            Section("figures", "Key figures", tables=(_figures(document),)),
            Section("findings", "Findings", tables=(_findings(document.findings, limit),)),
        )

    def frames() -> Mapping[str, pd.DataFrame]:
        return _frames(document)

    night = document.night
    return Report(
        name="night",
        title=f"Night of {night.night}",
        sentence=document.sentence,
        document=document,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(document),
        footer=(
            f"Run {night.run_id[:12] or 'without id'}: {outcome_text(night)}, from {maybe(night.started_at)} to "
            f"{maybe(night.finished_at)}; snapshot {short_digest(night.snapshot_digest)} as of {maybe(night.as_of)}; "
            f"policy {short_digest(night.policy_digest)}; gangplan {night.version or 'of unknown version'}.",
            f"From {document.database}; times in UTC.",
        ),
        warnings=(night.error,) if night.error else (),
    )


def adoption_section(adoption: Adoption, limit: int) -> Section:
    """Planned against actual, as a section of any report."""
    lead = f"Plan of {adoption.night}: {adoption.sentence}"
    if adoption.next_night is None:
        return Section("actual", "Planned against actual", lead=lead)
    shown = adoption.gangs[:limit]
    noted = any(one.note for one in shown)
    columns = (
        Column("GANG"),
        Column("QUEUE", needs_width=100),
        Column("GPUS", numeric=True),
        Column("PLANNED"),
        Column("START", "planned, UTC", needs_width=88),
        Column("STATE", "next snapshot"),
        Column("STARTED", "UTC"),
        Column("AGAINST PLAN", needs_width=110),
        Column("ON PLANNED NODES", "pods", numeric=True, needs_width=128),
        Column("ENDED", "UTC", needs_width=146),
        *([Column("NOTE", grows=True, needs_width=160)] if noted else []),
    )
    table = Table(
        "Recommended by the plan",
        columns,
        tuple(_adopted_row(one, noted=noted) for one in shown),
        empty="The plan recommended no start, eviction or move.",
        notes=rest_note(len(shown), len(adoption.gangs), "gangs", f"adoption.csv and {_JSON}"),
    )
    points: tuple[str, ...] = ()
    if adoption.unplanned:
        names = ", ".join(adoption.unplanned[:limit])
        points = (f"Started although the plan let them wait: {names}.",)
    note = (
        f"Seen in the snapshot of {adoption.next_night} ({time_text(adoption.next_as_of)} UTC). What started and ended "
        "between two snapshots, and is not listed any more, cannot be seen: it counts as unknown."
    )
    return Section(
        "actual",
        "Planned against actual",
        lead=lead,
        points=points,
        tables=(table,),
        notes=(note, *adoption.notes),
    )


def _adopted_row(one: AdoptedGang, *, noted: bool) -> tuple[str, ...]:
    placed = DASH if one.pods_as_planned is None else f"{one.pods_as_planned} of {one.pods_planned}"
    return (
        one.full_name,
        one.queue,
        f"{one.gpus:,}",
        one.recommended,
        day_time(one.planned_start),
        one.fate,
        day_time(one.actual_start),
        late_text(one.late_s),
        placed,
        day_time(one.actual_end),
        *([one.note] if noted else []),
    )


def _gangs(document: NightDetails, limit: int) -> Table:
    ended = {one.full_name for one in document.sightings if one.finished}
    gangs = [one for one in document.gangs if one.full_name not in ended]
    order = {"start": 0, "grow": 1, "evict": 2, "move": 3, "shrink": 4, "wait": 5, "keep": 6}
    ordered = sorted(gangs, key=lambda one: (order.get(one.decision, 9), not one.starts_at))
    shown = ordered[:limit]
    columns = (
        Column("GANG"),
        Column("QUEUE", needs_width=90),
        Column("GPUS", numeric=True),
        Column("DECISION"),
        Column("START", "UTC"),
        Column("END", "planned, UTC", needs_width=100),
        Column("WAITED", needs_width=110),
        Column("ON", "nodes or pools", grows=True, needs_width=120),
        Column("WHY IT WAITS", grows=True),
    )
    return Table(
        "Gangs",
        columns,
        tuple(_gang_row(one) for one in shown),
        empty="No gang was planned.",
        notes=(*rest_note(len(shown), len(gangs), "gangs", _GANGS), *_ended_note(document, gangs)),
    )


def _ended_note(document: NightDetails, listed: Sequence[GangOutcome]) -> tuple[str, ...]:
    left_out = len(document.gangs) - len(listed)
    if not left_out:
        return ()
    return (f"{counted(left_out, 'gang')} that had ended by then: {_GANGS}.",)


def _gang_row(one: GangOutcome) -> tuple[str, ...]:
    waits = one.decision == "wait" and not one.recommended
    return (
        one.full_name,
        one.queue,
        f"{one.gpus:,}",
        "start later" if one.decision == "wait" and one.recommended else one.decision,
        time_text(one.starts_at),
        time_text(one.ends_at),
        DASH if one.waited_s is None else duration(one.waited_s),
        hostlist(one.nodes) if one.nodes else maybe(", ".join(one.pools)),
        maybe("; ".join(reason.message for reason in one.reasons)) if waits else DASH,
    )


def _queues(queues: Sequence[PastQueue], limit: int) -> Table:
    names = ("deserved", "requested", "before", "after", "borrowed", "lent")
    rows = tuple(
        (
            one.name,
            *(f"{getattr(one, f'gpus_{name}'):,}" for name in names),
            f"{one.gangs_started:,}",
            f"{one.gangs_waiting:,}",
        )
        for one in queues[:limit]
    )
    columns = (
        Column("QUEUE"),
        *(Column(name.upper(), "GPUs", numeric=True) for name in names),
        Column("START", "now", numeric=True),
        Column("WAIT", "gangs", numeric=True),
    )
    notes = rest_note(len(rows), len(queues), "queues", f"queues.csv and {_JSON}")
    return Table("Queues", columns, rows, empty="No queue is kept.", notes=notes)


def _loans(loans: Sequence[PastLoan], limit: int) -> Table:
    rows = tuple(
        (
            one.pool,
            time_text(one.starts_at),
            time_text(one.returned_by),
            time_text(one.leave_by),
            f"{one.gpus:,}",
            gpu_hours(one.gpu_seconds),
            duration(one.slack_s),
            f"{one.reclaimable_gpus:,}",
        )
        for one in loans[:limit]
    )
    columns = (
        Column("POOL"),
        Column("FROM", "UTC"),
        Column("RETURNED BY", "UTC"),
        Column("HAD TO BE", "UTC", needs_width=100),
        Column("MOST", "GPUs", numeric=True),
        Column("WORK", numeric=True),
        Column("SLACK", numeric=True),
        Column("AT ANY TIME", "GPUs back in time", numeric=True, needs_width=110),
    )
    notes = rest_note(len(rows), len(loans), "loans", f"loans.csv and {_JSON}")
    return Table("Loans", columns, rows, empty="Nothing was lent.", notes=notes)


def _figures(document: NightDetails) -> Table:
    figures = document.night.figures
    rows: tuple[tuple[str, ...], ...] = ()
    if figures is not None:
        rows = tuple(
            (words, figure_text(name, getattr(figures, name)))
            for name, (words, _) in FIGURES.items()
        )
    columns = (Column("FIGURE"), Column("VALUE", numeric=True))
    return Table("Key figures", columns, rows, empty="The run left no plan.")


def _findings(findings: Sequence[PastFinding], limit: int) -> Table:
    rows = tuple((one.severity, one.object, one.message, one.remedy) for one in findings[:limit])
    columns = (
        Column("SEVERITY"),
        Column("OBJECT"),
        Column("FINDING", grows=True),
        Column("REMEDY", grows=True),
    )
    notes = rest_note(len(rows), len(findings), "findings", f"findings.csv and {_JSON}")
    return Table("Findings", columns, rows, empty="No finding.", notes=notes)


def _key_figures(document: NightDetails) -> tuple[KeyFigure, ...]:
    figures = document.night.figures
    if figures is None:
        return (KeyFigure("Run", outcome_text(document.night)),)
    found = [
        KeyFigure("In use after the plan", f"{figures.gpus_after:,} GPUs"),
        KeyFigure("Start", starts_text(figures), f"{figures.gangs_waiting:,} wait"),
        KeyFigure("Lent", gpu_hours(figures.lent_gpu_seconds or 0)),
    ]
    adoption = document.adoption
    if adoption is not None and adoption.next_night is not None:
        value = f"{adoption.starts_adopted:,} of {counted(adoption.starts, 'start')}"
        found.append(KeyFigure("Happened", value, f"{adoption.starts_unknown:,} unknown"))
    return tuple(found)


def _frames(document: NightDetails) -> Mapping[str, pd.DataFrame]:
    from planner.report.history.frames import nights_frame, typed_frame

    adopted = () if document.adoption is None else document.adoption.gangs
    return {
        "night": nights_frame([document.night]),
        "gangs": typed_frame(document.gangs, GangOutcome),
        "sightings": typed_frame(document.sightings, GangSighting),
        "queues": typed_frame(document.queues, PastQueue),
        "loans": typed_frame(document.loans, PastLoan),
        "findings": typed_frame(document.findings, PastFinding),
        "adoption": typed_frame(adopted, AdoptedGang),
    }
