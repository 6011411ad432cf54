"""Several clusters in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.report.clusters.document import ClusterEntry, Clusters
from planner.report.rows import rest_note
from planner.report.tables import Column, KeyFigure, Place, Report, Section, Table
from planner.report.text import DASH, counted, duration, percent

if TYPE_CHECKING:
    import pandas as pd

_WHERE = "clusters.csv (-o csv --out DIR) and -o json"


def clusters_report(result: Clusters) -> Report:
    """Prepare a run over several clusters."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return (Section("clusters", "Clusters", tables=(_table(result, limit),)),)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.frames.clusters import clusters_frame

        return {"clusters": clusters_frame(result)}

    return Report(
        name="clusters",
        title="Clusters",
        sentence=result.sentence,
        document=result,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(result),
        footer=(f"planned in {duration(result.seconds)} by engine {result.engine}",),
        warnings=_warnings(result),
    )


def clusters_sentence(result: Clusters) -> str:
    """How many clusters have a plan, and what all of them do together."""
    planned = result.planned
    failed = len(result.clusters) - len(planned)
    told = [f"{len(planned):,} of {counted(result.wanted, 'cluster')} planned"]
    if failed:
        told.append(f"{failed:,} without a plan")
    if len(result.clusters) < result.wanted:
        told.append(f"{result.wanted - len(result.clusters):,} not begun")
    return (
        f"{', '.join(told)}. GPUs allocated rise from {result.gpus_before:,} to {result.gpus_after:,} of "
        f"{result.gpus_allocatable:,}; {counted(result.gangs_started, 'gang')} start, "
        f"{result.gangs_waiting:,} wait."
    )


def _table(result: Clusters, limit: int) -> Table:
    columns = (
        Column("CLUSTER"),
        Column("GPUS", "all", numeric=True),
        Column("BEFORE", "GPUs allocated", numeric=True, needs_width=100),
        Column("AFTER", "GPUs allocated", numeric=True),
        Column("START", "gangs", numeric=True),
        Column("WAIT", "gangs", numeric=True),
        Column("EVICTED", "gangs", numeric=True, needs_width=110),
        Column("GAP", "GPUs", numeric=True),
        Column("PLAN", grows=True),
    )
    shown = result.clusters[:limit]
    return Table(
        "Clusters",
        columns,
        tuple(_row(one) for one in shown),
        empty="No cluster was planned.",
        notes=tuple(rest_note(len(shown), len(result.clusters), "clusters", _WHERE)),
    )


def _row(one: ClusterEntry) -> tuple[str, ...]:
    gap = "not proved" if one.gap_gpus is None else f"{one.gap_gpus:,}"
    return (
        one.name,
        _number(one.gpus_allocatable),
        _number(one.gpus_before),
        _number(one.gpus_after),
        _number(one.gangs_started),
        _number(one.gangs_waiting),
        _number(one.gangs_evicted),
        DASH if one.error else gap,
        one.error or one.plan or one.status.lower(),
    )


def _number(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def _key_figures(result: Clusters) -> tuple[KeyFigure, ...]:
    return (
        KeyFigure("Clusters", f"{len(result.planned):,}", f"of {result.wanted:,} planned"),
        KeyFigure(
            "GPUs allocated",
            f"{result.gpus_after:,}",
            f"{percent(result.gpus_after, result.gpus_allocatable)} of {result.gpus_allocatable:,}, "
            f"{result.gpus_before:,} before",
        ),
        KeyFigure("Start", counted(result.gangs_started, "gang"), f"{result.gangs_waiting:,} wait"),
    )


def _warnings(result: Clusters) -> tuple[str, ...]:
    told = [f"{one.name}: {one.error}" for one in result.clusters if one.error]
    left = result.wanted - len(result.clusters)
    if left:
        told.append(f"{counted(left, 'cluster')} not begun before the stop")
    return tuple(told)
