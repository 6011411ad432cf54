"""What an export holds, made ready for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.report.inspect_document import InspectResult
from planner.report.sections.footer import short_digest
from planner.report.tables import KeyFigure, Place, Report, Section
from planner.report.text import counted, percent

if TYPE_CHECKING:
    import pandas as pd


def inspect_report(
    result: InspectResult, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> Report:
    """Prepare an inventory; ``namespaces`` and ``queues`` choose which gangs and queues are listed."""
    shown = _selected(result, namespaces, queues)

    def sections(place: Place, limit: int) -> Sequence[Section]:
        from planner.report.sections.inventory import inventory_sections

        return inventory_sections(shown, place, limit)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.csv_frames import inspect_frames

        return inspect_frames(shown)

    return Report(
        name="inspect",
        title="Cluster inventory",
        sentence=result.sentence,
        document=shown,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(result),
        footer=(
            f"As of {result.as_of or 'an unknown time (the export holds no time stamp)'}; snapshot "
            f"{short_digest(result.digest)} from {', '.join(result.sources) or 'no file'}.",
        ),
        warnings=_note(result, shown),
    )


def _selected(
    result: InspectResult, namespaces: Sequence[str], queues: Sequence[str]
) -> InspectResult:
    if not namespaces and not queues:
        return result
    waiting = tuple(
        gang
        for gang in result.waiting
        if (not namespaces or gang.namespace in namespaces) and (not queues or gang.queue in queues)
    )
    kept = tuple(queue for queue in result.queues if not queues or queue.name in queues)
    note = {"namespaces": sorted(namespaces), "queues": sorted(queues)}
    use = result.use
    if use is not None:
        use = use.of(namespaces=frozenset(namespaces), queues=frozenset(queues))
    parts = {"waiting": waiting, "queues": kept, "use": use, "filter": note}
    return result.model_copy(update=parts)


def _note(result: InspectResult, shown: InspectResult) -> tuple[str, ...]:
    if shown is result:
        return ()
    return (
        f"Shown: {len(shown.waiting):,} of {counted(len(result.waiting), 'waiting gang')} and {len(shown.queues):,} of "
        f"{counted(len(result.queues), 'queue')}, as asked for; all other numbers are those of the whole cluster.",
    )


def _key_figures(result: InspectResult) -> tuple[KeyFigure, ...]:
    summary = result.summary
    closed = (
        counted(summary.nodes_closed, "closed node") if summary.nodes_closed else "all take pods"
    )
    return (
        KeyFigure("Nodes", counted(summary.nodes, "node"), closed),
        KeyFigure(
            "Allocated",
            counted(summary.gpus_used, "GPU"),
            f"{percent(summary.gpus_used, summary.gpus_allocatable)} of {counted(summary.gpus_allocatable, 'GPU')}",
        ),
        KeyFigure(
            "Free, whole nodes",
            counted(summary.gpus_free_whole, "GPU"),
            "no GPU of the node is used",
        ),
        KeyFigure(
            "Free, fragments", counted(summary.gpus_free_fragment, "GPU"), "beside used GPUs"
        ),
        KeyFigure(
            "Free, unavailable", counted(summary.gpus_unavailable, "GPU"), "the node takes no pods"
        ),
        KeyFigure(
            "Waiting",
            counted(summary.gangs_waiting, "gang"),
            f"for at least {counted(summary.gpus_waited_for, 'GPU')}",
        ),
    )
