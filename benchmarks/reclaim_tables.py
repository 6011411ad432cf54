"""Victims of the plan beside those of a greedy choice, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.reclaim import ReclaimRow, measure
from benchmarks.reclaim_clusters import Layout

QUICK: Sequence[tuple[Layout, int]] = (("uniform", 1000), ("fragmented", 1000))
FULL: Sequence[tuple[Layout, int]] = (
    *QUICK,
    ("uniform", 10_000),
    ("fragmented", 10_000),
    ("scattered", 60),
    ("scattered", 1000),
)
LIMIT_S = 60.0
HEAD = (
    "layout",
    "nodes",
    "jobs",
    "search, s",
    "gangs given up: plan (proved least)",
    "greedy",
    "pods evicted: plan (proved least)",
    "greedy",
    "lost GPU-hours: plan (proved least)",
    "greedy",
)


def measured(full: bool, workers: int) -> Iterator[ReclaimRow]:
    """Row by row."""
    for layout, nodes in FULL if full else QUICK:
        yield measure(layout, nodes, time_limit_s=LIMIT_S, workers=workers)


def reclaim_table(rows: Iterable[ReclaimRow]) -> Iterator[str]:
    """One table; a dash where nothing is proved, "none" where the waiting gang did not start."""
    yield "## Reclaim"
    yield ""
    yield f"| {' | '.join(HEAD)} |"
    yield f"|{'---|' * len(HEAD)}"
    for row in rows:
        yield f"| {' | '.join(_cells(row))} |"


def _cells(row: ReclaimRow) -> list[str]:
    ours = (row.ours.gangs, row.ours.pods, row.ours.lost_gpu_s)
    theirs = (row.greedy.gangs, row.greedy.pods, row.greedy.lost_gpu_s)
    units = (1, 1, 3600)
    cells = [row.layout, f"{row.nodes:,}", f"{row.jobs:,}", f"{row.seconds:.2f}"]
    for value, bound, greedy, unit in zip(ours, row.bounds, theirs, units, strict=True):
        proved = "–" if bound is None else f"{bound / unit:,.0f}"
        cells.append(f"{value / unit:,.0f} ({proved})" if row.started[0] else "none")
        cells.append(f"{greedy / unit:,.0f}" if row.started[1] else "none")
    return cells
