"""Sections of ``gangplan inspect``: node classes, queues, waiting gangs, findings."""

from __future__ import annotations

from collections.abc import Mapping

from models.foreign_workloads import nothing_waits
from planner.report.frames.models import model_frame
from planner.report.frames.reasons import finding_rows
from planner.report.gpus import listed_gpus
from planner.report.inspect_document import InspectResult, NodeClassEntry, QueueStanding
from planner.report.rows import rest_note, span, whole
from planner.report.sections.findings import findings_of
from planner.report.sections.use import use_section
from planner.report.svg.pools import pool_bars
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import DASH, cpu_text, gibibytes_text, resource_text


def inventory_sections(result: InspectResult, place: Place, limit: int) -> tuple[Section, ...]:
    """All sections; a plain table shows the first findings only and says how many there are."""
    return (
        Section(
            "nodes", "Nodes", figures=_figures(result), tables=(_classes(result, place, limit),)
        ),
        Section("queues", "Queues", tables=(_queues(result, limit),)),
        Section("waiting", "Waiting gangs", tables=(_waiting(result, limit),)),
        *([use_section(result.use, limit)] if result.use is not None else []),
        findings_of(
            finding_rows(result.findings),
            place,
            limit,
            missing=result.missing_kinds,
            ignored=result.ignored,
            brief=False,
        ),
    )


def _figures(result: InspectResult) -> tuple[Figure, ...]:
    if not result.summary.gpus_allocatable:
        return ()
    return (Figure("GPUs by state and model", lambda: pool_bars(model_frame(result.node_classes))),)


def _classes(result: InspectResult, place: Place, limit: int) -> Table:
    shown = result.node_classes[:limit]
    columns: tuple[Column, ...] = (
        Column("GPU MODEL"),
        Column("NODES", "nodes", numeric=True),
        Column("CLOSED", "nodes", numeric=True, needs_width=90),
        Column("GPUS", "GPUs each", numeric=True),
        Column("CPU", "CPUs each", numeric=True, needs_width=110),
        Column("MEMORY", "GiB each", numeric=True, needs_width=110),
        Column("USED", "GPUs", numeric=True),
        Column("FREE WHOLE", "GPUs", numeric=True),
        Column("FRAGMENTS", "GPUs", numeric=True),
        Column("UNAVAILABLE", "GPUs", numeric=True, needs_width=100),
        Column("TAINTS", grows=True),
    )
    if place == "wide":
        columns += (Column("EXAMPLE"), Column("OTHER RESOURCES", "each", grows=True))
    rows = tuple(_class_row(entry, result.gpu_resources, place) for entry in shown)
    notes = rest_note(
        len(shown), len(result.node_classes), "classes", "node_classes.csv (-o csv --out DIR)"
    )
    return Table("Node classes", columns, rows, "The snapshot has no node.", notes)


def _class_row(entry: NodeClassEntry, gpus: tuple[str, ...], place: Place) -> tuple[str, ...]:
    cells = (
        _model(entry),
        whole(entry.nodes),
        whole(entry.nodes_closed),
        whole(entry.gpus_each),
        cpu_text(entry.allocatable.amount("cpu")),
        gibibytes_text(entry.allocatable.amount("memory")),
        whole(entry.gpus_used),
        whole(entry.gpus_free_whole),
        whole(entry.gpus_free_fragment),
        whole(entry.gpus_unavailable),
        ", ".join(entry.taints) or DASH,
    )
    if place != "wide":
        return cells
    known = {"cpu", "memory", *gpus}
    others = [resource_text(*item) for item in entry.allocatable.items() if item[0] not in known]
    return (*cells, entry.example, ", ".join(others) or DASH)


def _queues(result: InspectResult, limit: int) -> Table:
    shown = result.queues[:limit]
    columns = (
        Column("NAME"),
        Column("WEIGHT", numeric=True),
        Column("STATE"),
        Column("PARENT", needs_width=100),
        Column("DESERVED", "GPUs", numeric=True),
        Column("CAPABILITY", "GPUs", numeric=True),
        Column("GUARANTEE", "GPUs", numeric=True, needs_width=90),
        Column("ALLOCATED", "GPUs", numeric=True),
        Column("RUNNING", "gangs", numeric=True, needs_width=100),
        Column("PENDING", "gangs", numeric=True),
    )
    rows = tuple(_queue_row(queue, result.gpu_resources) for queue in shown)
    notes = (
        "Deserved, capability and guarantee are those written in the queue, a dash where it names no GPU; what a queue "
        "may use in the end is in the plan.",
        *rest_note(len(shown), len(result.queues), "queues", "queues.csv (-o csv --out DIR)"),
    )
    return Table("Queues", columns, rows, "The snapshot has no queue.", notes)


def _queue_row(queue: QueueStanding, names: tuple[str, ...]) -> tuple[str, ...]:
    def gpus(amounts: Mapping[str, int]) -> str:
        return whole(listed_gpus(amounts, names))

    return (
        queue.name,
        whole(queue.weight),
        f"{queue.state} (not listed)" if queue.implicit else queue.state,
        queue.parent or DASH,
        gpus(queue.deserved),
        gpus(queue.capability),
        gpus(queue.guarantee),
        whole(listed_gpus(queue.allocated, names) or 0),
        whole(queue.gangs_running),
        whole(queue.gangs_waiting),
    )


def _waiting(result: InspectResult, limit: int) -> Table:
    shown = result.waiting[:limit]
    columns = (
        Column("GANG"),
        Column("KIND", needs_width=100),
        Column("QUEUE"),
        Column("PRIORITY", numeric=True),
        Column("MEMBERS", "pods", numeric=True),
        Column("RUNNING", "pods", numeric=True, needs_width=90),
        Column("MIN", "pods", numeric=True),
        Column("GPUS", "GPUs lacking", numeric=True),
        Column("AGE"),
    )
    rows = tuple(
        (
            gang.full_name,
            gang.kind or DASH,
            gang.queue,
            whole(gang.priority),
            whole(gang.members),
            whole(gang.running),
            whole(gang.min_member),
            "too few pods" if gang.gpus is None else whole(gang.gpus),
            span(gang.waited_seconds),
        )
        for gang in shown
    )
    notes = rest_note(len(shown), len(result.waiting), "gangs", "waiting.csv (-o csv --out DIR)")
    return Table("Waiting gangs", columns, rows, nothing_waits(result.summary.left_out), notes)


def _model(entry: NodeClassEntry) -> str:
    """GPU model, and where its GPUs are slots how many a card has."""
    model = entry.gpu_model or ("not labelled" if entry.gpus_each else "no GPUs")
    return (
        f"{model} ({entry.slots_per_card:,} slots per card)" if entry.slots_per_card > 1 else model
    )
