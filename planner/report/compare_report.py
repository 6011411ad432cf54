"""The difference of two plans made ready for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.report.compare_document import GangChange, PlanDifference, PlanMark
from planner.report.hostlist import hostlist
from planner.report.rows import rest_note
from planner.report.sections.footer import short_digest, told_digest
from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import DASH, counted

if TYPE_CHECKING:
    import pandas as pd

_WHERE = "gangs.csv (-o csv --out DIR) and -o json"


def compare_report(difference: PlanDifference) -> Report:
    """Prepare a difference; its tables show only what differs."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return (_figures(difference), _gangs(difference, place, limit), _queues(difference, limit))

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.csv_frames import difference_frames

        return difference_frames(difference)

    return Report(
        name="compare",
        title="Plan difference",
        sentence=difference.sentence,
        document=difference,
        sections=sections,
        frames=frames,
        footer=(_mark("A", difference.before), _mark("B", difference.after)),
        warnings=_warnings(difference),
    )


def _warnings(difference: PlanDifference) -> tuple[str, ...]:
    found = []
    if not difference.same_snapshot:
        found.append(
            "The plans stand on different snapshots; part of the difference is the cluster's."
        )
    if not difference.same_policy:
        found.append("The plans were made under different policies.")
    return tuple(found)


def _mark(letter: str, mark: PlanMark) -> str:
    return (
        f"{letter}: as of {mark.as_of or 'an unknown time'}, snapshot "
        f"{told_digest(mark.snapshot_digest, mark.sources)}, policy "
        f"{short_digest(mark.policy_digest)}, {counted(mark.gangs, 'gang')}. {mark.sentence}".rstrip()
    )


def _figures(difference: PlanDifference) -> Section:
    rows = tuple(
        (one.label, one.unit, f"{one.before:,}", f"{one.after:,}", f"{one.change:+,}")
        for one in difference.figures
        if one.change
    )
    table = Table(
        "Key figures",
        (
            Column("FIGURE"),
            Column("UNIT"),
            Column("A", numeric=True),
            Column("B", numeric=True),
            Column("CHANGE", numeric=True),
        ),
        rows,
        empty="Every key figure agrees.",
    )
    notes = [
        f"{counted(len(names), 'node')} {word}: {hostlist(names)}"
        for names, word in (
            (difference.nodes_added, "only in B"),
            (difference.nodes_removed, "only in A"),
        )
        if names
    ]
    return Section("figures", "Key figures", tables=(table,), notes=tuple(notes))


def _gangs(difference: PlanDifference, place: Place, limit: int) -> Section:
    shown = difference.gangs[:limit]
    columns: tuple[Column, ...] = (
        Column("GANG"),
        Column("QUEUE", needs_width=90),
        Column("DIFFERS IN"),
        Column("BEFORE", "decision in A"),
        Column("AFTER", "decision in B"),
        Column("PODS", "A → B", numeric=True, needs_width=100),
        Column("NODES", "A → B", grows=True),
        Column("WHY IT WAITS", "A → B", grows=True),
    )
    table = Table(
        "Gangs",
        columns,
        tuple(_gang_row(gang) for gang in shown),
        empty="Every gang is treated alike.",
        notes=rest_note(len(shown), len(difference.gangs), "gangs", _WHERE),
    )
    return Section("gangs", "Gangs", tables=(table,))


def _gang_row(gang: GangChange) -> tuple[str, ...]:
    return (
        gang.full_name,
        gang.queue,
        ", ".join(gang.changes),
        gang.decision_before or DASH,
        gang.decision_after or DASH,
        f"{gang.pods_before:,} → {gang.pods_after:,}",
        _both(gang.nodes_before, gang.nodes_after),
        _both(", ".join(gang.reasons_before), ", ".join(gang.reasons_after)),
    )


def _both(before: str, after: str) -> str:
    if before == after:
        return before or DASH
    return f"{before or 'none'} → {after or 'none'}"


def _queues(difference: PlanDifference, limit: int) -> Section:
    names = difference.gpu_resources

    def gpus(amounts: Mapping[str, int]) -> int:
        return sum(amounts.get(name, 0) for name in names)

    rows = tuple(
        (
            queue.name,
            ", ".join(queue.fields),
            f"{gpus(queue.deserved_before):,} → {gpus(queue.deserved_after):,}",
            f"{gpus(queue.used_before):,} → {gpus(queue.used_after):,}",
            f"{queue.waiting_before:,} → {queue.waiting_after:,}",
        )
        for queue in difference.queues[:limit]
    )
    table = Table(
        "Queues",
        (
            Column("QUEUE"),
            Column("DIFFERS IN", grows=True),
            Column("DESERVED", "GPUs, A → B", numeric=True),
            Column("PLANNED", "GPUs, A → B", numeric=True),
            Column("WAITING", "gangs, A → B", numeric=True),
        ),
        rows,
        empty="Every queue agrees.",
        notes=rest_note(
            len(rows), len(difference.queues), "queues", "queues.csv (-o csv --out DIR)"
        ),
    )
    return Section("queues", "Queues", tables=(table,))
