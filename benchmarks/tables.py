"""Measured values as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.describe import Description
from benchmarks.measure import Measured


@dataclass(frozen=True)
class PlanRow:
    """One instance: what it holds, what the command took, and the plan document ({} where it failed)."""

    name: str
    megabytes: float
    description: Description
    measured: Measured
    report_kib: int
    document: Mapping[str, Any]
    failed: str = ""

    def worst_gap(self, ending: str) -> float | None:
        """Largest gap of the tiers with this ending; None where one has no bound or there is none."""
        gaps = [one["gap"] for one in self._tiers() if one["name"].endswith(ending)]
        return None if not gaps or None in gaps else max(gaps)

    def worst_distance(self, ending: str) -> int | None:
        """Largest difference of bound and value of the tiers with this ending; None as in ``worst_gap``."""
        pairs = [
            (one["bound"], one["value"]) for one in self._tiers() if one["name"].endswith(ending)
        ]
        if not pairs or any(bound is None for bound, _ in pairs):
            return None
        return max(abs(int(bound) - int(value)) for bound, value in pairs)

    def _tiers(self) -> list[Mapping[str, Any]]:
        return list(self.document["certificate"]["tiers"])


@dataclass(frozen=True)
class IndexRow:
    """The index model and the product on one cluster of ``size`` gangs and nodes."""

    size: int
    columns: int
    gpus: int | None
    gap: float | None
    seconds: float
    ours: Measured
    document: Mapping[str, Any]


def plan_table(rows: Iterable[PlanRow]) -> Iterator[str]:
    """Three tables: the instances, what the command took, how good the plans are."""
    done = list(rows)
    yield from _table("Instances", INSTANCE_HEAD, [_instance_cells(row) for row in done])
    yield ""
    good = [row for row in done if not row.failed]
    yield from _table("From file to report", TIME_HEAD, [_time_cells(row) for row in good])
    yield ""
    yield from _table("Quality", QUALITY_HEAD, [_quality_cells(row) for row in good])
    for row in done:
        if row.failed:
            yield ""
            yield f"**{row.name} failed** (exit code {row.measured.exit_code}): `{row.failed[-300:]}`"


INSTANCE_HEAD = (
    "instance",
    "nodes",
    "GPUs",
    "pods",
    "waiting gangs",
    "queues",
    "file, MB",
    "free GPUs",
    "node classes",
    "nodes short of CPU or memory",
)
TIME_HEAD = ("instance", "wall, s", "peak, MiB", "report, KiB", "stages, s")
QUALITY_HEAD = (
    "instance",
    "status",
    "worst gap, GPU tiers",
    "worst distance, gang tiers",
    "GPUs used",
    "greedy",
    "ratio",
    "gangs started",
    "greedy",
    "ratio",
)
INDEX_HEAD = (
    "gangs × nodes",
    "columns",
    "GPUs",
    "gap",
    "s",
    "gangplan GPUs",
    "gap",
    "s",
    "ratio of GPUs",
)


def index_table(rows: Iterable[IndexRow]) -> Iterator[str]:
    """One column per gang and node (CP-SAT) against the product, both for most GPUs."""
    yield from _table("Index model", INDEX_HEAD, [_index_cells(row) for row in rows])


def _instance_cells(row: PlanRow) -> list[str]:
    one = row.description
    counts = (one.nodes, one.gpus_allocatable, one.pods, one.waiting_gangs, one.queues)
    classes = f"{one.node_classes:,}"
    if row.document:
        classes += f" ({row.document['snapshot']['nodeClasses']:,} in the plan)"
    bound = f"{_percent(one.cpu_or_memory_bound / max(1, one.nodes))}"
    cells = [f"{count:,}" for count in counts]
    return [row.name, *cells, f"{row.megabytes:.1f}", f"{one.gpus_free:,}", classes, bound]


def _time_cells(row: PlanRow) -> list[str]:
    stages = row.document["certificate"]["stages"]
    told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in stages.items())
    measured = row.measured
    return [
        row.name,
        f"{measured.seconds:.1f}",
        f"{measured.peak_mib:,.0f}",
        f"{row.report_kib:,}",
        told,
    ]


def _quality_cells(row: PlanRow) -> list[str]:
    summary, greedy = row.document["summary"], row.document.get("baseline") or {}
    distance = row.worst_distance(".gangs")
    cells = [
        row.name,
        row.document["certificate"]["status"],
        _percent(row.worst_gap(".gpus")),
        "–" if distance is None else f"{distance:,}",
    ]
    for ours, theirs in (("gpusAfter", "gpusAfter"), ("gangsStarted", "gangsStarted")):
        value, other = summary[ours], greedy.get(theirs)
        cells += [f"{value:,}", "–" if other is None else f"{other:,}", _ratio(value, other)]
    return cells


def _index_cells(row: IndexRow) -> list[str]:
    index = [
        "none in time" if row.gpus is None else f"{row.gpus:,}",
        _percent(row.gap),
        f"{row.seconds:.1f}",
    ]
    head = [f"{row.size} × {row.size}", f"{row.columns:,}", *index]
    if not row.document:
        return [*head, "failed", "–", f"{row.ours.seconds:.1f}", "–"]
    tier = next(
        one for one in row.document["certificate"]["tiers"] if one["name"].endswith(".gpus")
    )
    ours = [f"{tier['value']:,}", _percent(tier["gap"]), f"{row.ours.seconds:.1f}"]
    return [*head, *ours, _ratio(tier["value"], row.gpus)]


def _table(title: str, head: tuple[str, ...], rows: list[list[str]]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f} %"


def _ratio(value: int, other: int | None) -> str:
    return f"{value / other:.3f}" if other else "–"
