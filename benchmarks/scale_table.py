"""Large searches in memory as one table, each in a process of its own: peak memory is that of the search alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

QUICK: Sequence[tuple[int, int, int]] = ((10_000, 4_000, 50),)
"""Nodes, gangs and queues."""
FULL: Sequence[tuple[int, int, int]] = (*QUICK, (100_000, 20_000, 50))
LIMIT_S = 60
HEAD = (
    "nodes",
    "gangs",
    "groups",
    "search, s",
    "of it solve, s",
    "certify, s",
    "GPUs: plan",
    "greedy walk",
    "ratio",
    "GPU tiers open",
    "peak, MiB",
    "faults",
)


def scale_table(full: bool, workers: int) -> Iterator[str]:
    """Row by row; a size that ended with an error says so in its row."""
    yield "## One search in memory"
    yield ""
    yield f"| {' | '.join(HEAD)} |"
    yield f"|{'---|' * len(HEAD)}"
    for size in FULL if full else QUICK:
        yield _row(size, workers)


def _row(size: tuple[int, int, int], workers: int) -> str:
    nodes, gangs, queues = map(str, size)
    sizes = ["--nodes", nodes, "--gangs", gangs, "--queues", queues]
    limits = ["--time-limit", str(LIMIT_S), "--workers", str(workers)]
    script = str(Path(__file__).with_name("scale.py"))
    done = subprocess.run(
        [sys.executable, script, *sizes, *limits, "--row"],
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout.strip()
    return told or f"| {nodes} | {gangs} | failed: exit code {done.returncode} |"
