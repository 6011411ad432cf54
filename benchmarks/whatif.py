"""What one edit costs after loading, and what a sweep costs: ``python benchmarks/whatif.py [--sweep POINTS]``.

One edit: apply, plan from the base's plan, verify, compare. The base is planned before the clock starts.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import generate, write
from benchmarks.spec import ClusterSpec

GAP = 0.001
TIME_LIMIT_S = 60.0
EFFORT_S = 3.0


@dataclass(frozen=True, slots=True)
class EditRow:
    """One edit: what it changes, and what it took (processor seconds include those of the search's child)."""

    edit: str
    seconds: float
    cpu_s: float
    gpus: int
    gangs: int
    gap_gpus: int | None
    judgement: str


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One sweep."""

    name: str
    points: int
    jobs: int
    seconds: float
    cpu_s: float
    failed: int
    largest_gap_gpus: int | None


def busiest_queue(plan: Any) -> str:
    """The first queue in which most gangs wait under a plan."""
    return str(max(plan.queues, key=lambda queue: queue.gangs_waiting).name)


def edits_of(snapshot: Any, plan: Any) -> list[tuple[str, Any]]:
    """Short forms that any generated cluster understands, one of each kind."""
    queue = busiest_queue(plan)
    nodes = [node.name for node in snapshot.nodes]
    return [
        (f"add/{nodes[3]}", 4),
        ("drain", nodes[len(nodes) // 20]),
        ("remove", nodes[len(nodes) // 10]),
        (f"queue/{queue}.weight", 9),
        (f"queue/{queue}.capability.gpu", "+32"),
        (f"queue/{queue}.deserved.gpu", "+64"),
        (f"scale/{queue}", 1.5),
    ]


def measure_edits(path: Path, *, effort_s: float, workers: int) -> Iterator[EditRow]:
    """One row per edit; the first row is the base's own plan."""
    from models.edits.scenario import Scenario
    from models.edits.short import short_edits
    from planner.problem.limits import Limits
    from planner.usecases.inputs.checked_input import read_checked
    from planner.usecases.whatif.base import Base, plan_scenario
    from planner.usecases.whatif.sweep import row_of

    given = read_checked([path])
    limits = Limits(time_limit_s=TIME_LIMIT_S, gap=GAP, seed=1, workers=workers)
    began, cpu = time.perf_counter(), _cpu_s()
    base = Base.of(given, limits, effort_s=effort_s)
    summary = base.plan.summary
    took = time.perf_counter() - began, _cpu_s() - cpu
    yield EditRow(
        "(base, planned anew)", *took, summary.gpus_after, summary.gangs_started, None, ""
    )
    for key, value in edits_of(given.snapshot, base.plan):
        scenario = Scenario(f"{key}={value}", short_edits(key, value))
        began, cpu = time.perf_counter(), _cpu_s()
        outcome = plan_scenario(base, scenario).outcome
        took = time.perf_counter() - began, _cpu_s() - cpu
        row = row_of(0, (), outcome, {})
        gpus, gangs = row.gpus_after or 0, row.gangs_started or 0
        judged = row.judgement or row.error
        yield EditRow(scenario.name, *took, gpus, gangs, row.gap_gpus, str(judged))


def measure_sweep(path: Path, *, points: int, jobs: int, effort_s: float) -> SweepRow:
    """A grid of nodes to add and a queue's capability, on local processes."""
    from models.edits.sweep import parse_sweep
    from planner.execute.engines import executor_named
    from planner.problem.limits import Limits
    from planner.usecases.inputs.checked_input import read_checked
    from planner.usecases.whatif.base import Base
    from planner.usecases.whatif.sweep import run_sweep

    given = read_checked([path])
    limits = Limits(time_limit_s=TIME_LIMIT_S, gap=GAP, seed=1, workers=jobs)
    base = Base.of(given, limits, effort_s=effort_s)
    queue = busiest_queue(base.plan)
    across = max(points // 10, 1)
    steps = range(points // across)
    grid: dict[str, Any] = {f"add/{given.snapshot.nodes[3].name}": f"0..{across - 1}"}
    if base.policy.queue_model == "capacity":
        grid[f"queue/{queue}.capability.gpu"] = [f"+{8 * step}" for step in steps]
    else:
        grid[f"queue/{queue}.weight"] = [step + 1 for step in steps]
    sweep = parse_sweep({"grid": grid}, source="benchmark")
    began, cpu = time.perf_counter(), _cpu_s()
    result = run_sweep(base, sweep, executor_named("local", workers=jobs))
    gaps = [row.gap_gpus for row in result.planned]
    return SweepRow(
        name=path.stem,
        points=sweep.size,
        jobs=jobs,
        seconds=time.perf_counter() - began,
        cpu_s=_cpu_s() - cpu,
        failed=len(result.rows) - len(result.planned),
        largest_gap_gpus=None
        if None in gaps
        else max((g for g in gaps if g is not None), default=0),
    )


def _cpu_s() -> float:
    """Processor seconds of this process and of its children that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def edit_table(rows: Sequence[EditRow]) -> Iterator[str]:
    """Markdown."""
    yield "| edit | seconds | CPU seconds | GPUs allocated | gangs started | gap, GPUs | verdict |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for row in rows:
        gap = "–" if row.gap_gpus is None else f"{row.gap_gpus:,}"
        yield (
            f"| `{row.edit}` | {row.seconds:.2f} | {row.cpu_s:.2f} | {row.gpus:,} | {row.gangs:,} | {gap} | "
            f"{row.judgement} |"
        )


def sweep_table(rows: Sequence[SweepRow]) -> Iterator[str]:
    """Markdown."""
    yield "| cluster | points | jobs | seconds | CPU seconds | CPU seconds per point | failed | largest gap, GPUs |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        gap = "–" if row.largest_gap_gpus is None else f"{row.largest_gap_gpus:,}"
        yield (
            f"| {row.name} | {row.points:,} | {row.jobs} | {row.seconds:.1f} | {row.cpu_s:.1f} | "
            f"{row.cpu_s / max(row.points, 1):.2f} | {row.failed:,} | {gap} |"
        )


def sections(
    spec: ClusterSpec, name: str, folder: Path, *, points: int, jobs: int, effort_s: float
) -> Iterator[str]:
    """The whole measurement of one cluster as Markdown."""
    path = folder / f"{name.replace(' ', '-').replace(',', '')}.json"
    write(generate(spec), path)
    yield f"### What if: {name}"
    yield ""
    yield from edit_table(list(measure_edits(path, effort_s=effort_s, workers=jobs)))
    if points:
        yield ""
        yield from sweep_table([measure_sweep(path, points=points, jobs=jobs, effort_s=effort_s)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one generated cluster and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=300)
    parser.add_argument("--queues", type=int, default=12)
    parser.add_argument("--sweep", type=int, default=0, metavar="POINTS", help="0: no sweep")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--effort", type=float, default=EFFORT_S, help="seconds per scenario")
    options = parser.parse_args(arguments)
    spec = ClusterSpec(nodes=options.nodes, gangs=options.gangs, queues=options.queues)
    with tempfile.TemporaryDirectory() as folder:
        for line in sections(
            spec,
            f"{options.nodes:,} nodes",
            Path(folder),
            points=options.sweep,
            jobs=options.jobs,
            effort_s=options.effort,
        ):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
