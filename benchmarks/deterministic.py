"""Plan with ``--deterministic`` again and again: whether documents are byte-identical, and what it costs.

``python benchmarks/deterministic.py [--runs 20] [--nodes 1000] [--busy]``. A generated cluster (and ``--evict`` on a
cluster in which running pods are evicted) is planned so many times by new processes; with ``--busy`` every core has a
loop beside it. Seconds and times of day are left out of the comparison, as the contract says.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import generate, write
from benchmarks.spec import ClusterSpec

TIMES = frozenset({"seconds", "createdAt", "stages"})
BUSY = "while True: pass"


@dataclass(frozen=True, slots=True)
class Row:
    """Runs of one cluster in one way."""

    name: str
    runs: int
    documents: int
    cpu_s: float
    usual_cpu_s: float


def without_times(document: Any) -> Any:
    """The document without seconds and times of day."""
    if isinstance(document, dict):
        return {k: without_times(v) for k, v in document.items() if k not in TIMES}
    if isinstance(document, list):
        return [without_times(one) for one in document]
    return document


def planned(path: Path, options: Sequence[str]) -> tuple[str, float]:
    """Digest of the plan document of one run, and its processor seconds."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "planner.cli", "plan", str(path), "-o", "json", "--quiet", *options],
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    after = os.times()
    text = json.dumps(without_times(json.loads(done.stdout)), sort_keys=True)
    spent = after.children_user + after.children_system
    return hashlib.sha256(text.encode()).hexdigest(), spent - (
        before.children_user + before.children_system
    )


@contextmanager
def busy_cores(busy: bool) -> Iterator[None]:
    """A loop on every core."""
    loops = [
        subprocess.Popen([sys.executable, "-c", BUSY])
        for _ in range((os.cpu_count() or 1) if busy else 0)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def measure(name: str, path: Path, runs: int, options: Sequence[str], *, busy: bool) -> Row:
    """So many runs, and one without ``--deterministic``."""
    with busy_cores(busy):
        _, usual = planned(path, ("--workers", "1", *options))
        found = [planned(path, ("--deterministic", *options)) for _ in range(runs)]
    return Row(
        name,
        runs,
        len({digest for digest, _ in found}),
        sum(seconds for _, seconds in found) / runs,
        usual,
    )


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown."""
    yield "| cluster | runs | different documents | CPU seconds | without --deterministic | ratio |"
    yield "|---|---:|---:|---:|---:|---:|"
    for row in rows:
        ratio = row.cpu_s / max(row.usual_cpu_s, 1e-9)
        yield (
            f"| {row.name} | {row.runs} | {row.documents} | {row.cpu_s:.1f} | {row.usual_cpu_s:.1f} | {ratio:.2f} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print Markdown; 1 where two documents differ."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=300)
    parser.add_argument("--queues", type=int, default=12)
    parser.add_argument("--evict", action="store_true", help="running pods may be evicted")
    parser.add_argument("--busy", action="store_true", help="a loop on every core beside it")
    options = parser.parse_args(arguments)
    spec = ClusterSpec(nodes=options.nodes, gangs=options.gangs, queues=options.queues)
    more = ("--set-policy", "evict=[preempt, reclaim]") if options.evict else ()
    words = ", evictions" if options.evict else ""
    words += ", cores busy" if options.busy else ""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        write(generate(spec), path)
        name = f"{options.nodes:,} nodes, {options.gangs:,} gangs{words}"
        row = measure(name, path, options.runs, ("--gap", "0.1%", *more), busy=options.busy)
    for line in table([row]):
        print(line)
    print(f"{time.perf_counter() - began:.0f} s in all", file=sys.stderr)
    return 0 if row.documents == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
