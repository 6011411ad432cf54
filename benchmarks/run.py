"""Measure the whole command on generated clusters, beside a greedy scheduler and the index model.

Usage: ``python benchmarks/run.py [--full] [--write]``. See ``README.md`` here for the protocol.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import whatif
from benchmarks.describe import describe
from benchmarks.further import FULL as FURTHER
from benchmarks.further import further_sections
from benchmarks.generate import generate, write
from benchmarks.measure import Measured, gangplan, run_measured
from benchmarks.reclaim_tables import measured as reclaim_rows
from benchmarks.reclaim_tables import reclaim_table
from benchmarks.scale_table import scale_table
from benchmarks.spec import ClusterSpec
from benchmarks.tables import IndexRow, PlanRow, index_table, plan_table

TARGET = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
INDEX_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Instance:
    """A cluster to measure on and the search limit in seconds."""

    name: str
    spec: ClusterSpec
    time_limit_s: int = 60
    gap: str = "0.1%"


LARGE = ClusterSpec(nodes=12_500, gangs=10_000, queues=40, pods=66_000)
QUICK = (
    Instance("100 nodes", ClusterSpec(nodes=100, gangs=40, queues=4)),
    Instance("1,000 nodes", ClusterSpec()),
)
FULL = (
    *QUICK,
    Instance("1,000 nodes, seed 2", ClusterSpec(seed=2)),
    Instance("1,000 nodes, pods of 4 GPUs and more", ClusterSpec(smallest=4)),
    Instance("1,000 nodes, proportion", ClusterSpec(queue_model="proportion")),
    Instance("1,000 nodes, hierarchy", ClusterSpec(hierarchy=True)),
    Instance("12,500 nodes", LARGE, time_limit_s=150),
)
INDEX_SIZES = {False: (20, 50), True: (20, 50, 200)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print Markdown, and with ``--write`` keep it in ``docs/benchmarks.md``."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--full", action="store_true", help="all instances (about 20 minutes)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", help="measure instances whose name contains this")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md as well")
    options = parser.parse_args(arguments)
    chosen = [one for one in (FULL if options.full else QUICK) if (options.only or "") in one.name]
    with tempfile.TemporaryDirectory() as folder:
        rows = [_measure(one, options.workers, Path(folder)) for one in chosen]
        sizes = () if options.only else INDEX_SIZES[options.full]
        index_rows = [_compare_index(size, options.workers, Path(folder)) for size in sizes]
        further: list[list[str]] = []
        for part in [] if options.only else _parts(options.full, options.workers, Path(folder)):
            further.append(list(part))
            if options.write:  # what is done stays where a later part is stopped
                TARGET.write_text(_document(rows, index_rows, options.workers, further), "utf-8")
    text = _document(rows, index_rows, options.workers, further)
    print(text)
    if options.write:
        TARGET.write_text(text, encoding="utf-8")
    return 1 if any(row.failed for row in rows) else 0


def _parts(full: bool, workers: int, folder: Path) -> Iterator[Iterator[str]]:
    """The sections after the plans, each measured when it is read."""
    yield _scale(full, workers)
    for one in FURTHER if full else ():
        yield further_sections([one])
    yield _what_if(full, workers, folder)
    yield _reclaim(full, workers)
    yield _schedules(full, workers)


def _schedules(full: bool, workers: int) -> Iterator[str]:
    """The table of schedules, with an empty line before it."""
    from benchmarks.schedule import FULL as TIMED
    from benchmarks.schedule import QUICK as TIMED_QUICK
    from benchmarks.schedule import measure, schedule_table

    print("measuring schedules …", file=sys.stderr)
    chosen = TIMED if full else TIMED_QUICK
    yield from schedule_table([measure(one, workers=workers, time_limit_s=None) for one in chosen])


def _measure(instance: Instance, workers: int, folder: Path) -> PlanRow:
    print(f"measuring {instance.name} …", file=sys.stderr)
    path = folder / "cluster.json"
    objects = generate(instance.spec)
    write(objects, path)
    options = _options(instance, workers)
    report, plan = folder / "report.html", folder / "plan.json"
    to_html = _plan(path, options, "html", report, folder)
    to_json = _plan(path, options, "json", plan, folder)
    failed = next((one.errors for one in (to_html, to_json) if one.exit_code), "")
    document: dict[str, Any] = {} if failed else json.loads(plan.read_text())
    return PlanRow(
        name=instance.name,
        megabytes=path.stat().st_size / 1e6,
        description=describe(objects),
        measured=to_html,
        report_kib=0 if failed else report.stat().st_size // 1024,
        document=document,
        failed=failed,
    )


def _options(instance: Instance, workers: int) -> list[str]:
    limits = ["--time-limit", f"{instance.time_limit_s}s", "--gap", instance.gap]
    return [*limits, "--workers", str(workers), "--seed", "1", "--quiet"]


def _plan(path: Path, options: list[str], form: str, out: Path, folder: Path) -> Measured:
    command = gangplan("plan", str(path), *options, "-o", form, "--out", str(out))
    return run_measured(command, folder / "errors.txt")


def _compare_index(size: int, workers: int, folder: Path) -> IndexRow:
    """The same cluster and objective (most GPUs) for both models, one process each."""
    from benchmarks.index_model import solve_index_model
    from models.effective import resolve_policy
    from models.readers import read_snapshot

    print(f"comparing {size} gangs × {size} nodes …", file=sys.stderr)
    path, plan = folder / "index.json", folder / "index-plan.json"
    write(generate(ClusterSpec(nodes=size, gangs=size, queues=4)), path)
    snapshot = read_snapshot([path])
    index = solve_index_model(
        snapshot, resolve_policy(snapshot), seconds=INDEX_SECONDS, workers=workers
    )
    limits = ["--time-limit", f"{INDEX_SECONDS}s", "--workers", str(workers), "--quiet"]
    options = [*limits, "--set-policy", "objective=throughput"]
    ours = _plan(path, options, "json", plan, folder)
    document = {} if ours.exit_code else json.loads(plan.read_text())
    return IndexRow(size, index.columns, index.gpus, index.gap, index.seconds, ours, document)


def _what_if(full: bool, jobs: int, folder: Path) -> Iterator[str]:
    """Edits on 1,000 nodes; with ``--full`` a sweep of 200 points too."""
    print("measuring what-if …", file=sys.stderr)
    points = 200 if full else 0
    yield from whatif.sections(
        ClusterSpec(), "1,000 nodes", folder, points=points, jobs=jobs, effort_s=whatif.EFFORT_S
    )


def _document(
    rows: list[PlanRow], index_rows: list[IndexRow], workers: int, further: list[list[str]]
) -> str:
    lines = list(_lines(rows, index_rows, workers))
    for part in further:
        lines += ["", *part]
    return "\n".join(lines).rstrip() + "\n"


def _reclaim(full: bool, workers: int) -> Iterator[str]:
    print("measuring reclaim …", file=sys.stderr)
    yield from reclaim_table(reclaim_rows(full, workers))


def _scale(full: bool, workers: int) -> Iterator[str]:
    print("measuring searches in memory …", file=sys.stderr)
    yield from scale_table(full, workers)


def _lines(rows: list[PlanRow], index_rows: list[IndexRow], workers: int) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield f"Python {platform.python_version()}, {platform.machine()}, {workers} solver workers."
    yield "Instances, settings and metrics: `benchmarks/README.md`; `python benchmarks/run.py` repeats the run."
    yield "How every stage's cost grows with nodes, gangs, queues and classes: [growth](benchmarks-growth.md)."
    yield ""
    yield from plan_table(rows)
    if index_rows:
        yield ""
        yield from index_table(index_rows)


if __name__ == "__main__":
    sys.exit(main())
