"""Measure schedules: the worst gap of the tiers of work, seconds, and processor time.

Usage: ``python benchmarks/schedule.py [--full] [--time-limit SECONDS]``. The quick instance has 2,000 gangs, 96 buckets
and 3 pools, ``--full`` adds 10,000 gangs and 168 buckets.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.schedule_cluster import ScheduleSpec, schedule_cluster
from models.effective import resolve_policy
from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.schedule.inputs import ScheduleInputs, timed_input
from planner.schedule.make import ScheduleOptions, schedule_horizon
from planner.schedule.search import TimedOutcome, search_of
from planner.search.exact.least_need_by_cpsat import exact_least

HOUR = 3600


@dataclass(frozen=True, slots=True)
class TimedInstance:
    """A cluster, a grid, and the search limit in seconds."""

    name: str
    spec: ScheduleSpec
    buckets: int
    bucket_s: int
    time_limit_s: float
    gap: float


QUICK = (
    TimedInstance("2,000 gangs × 96 buckets", ScheduleSpec(), 96, HOUR // 4, 15.0, 0.0005),
    TimedInstance("the same, seed 2", ScheduleSpec(seed=2), 96, HOUR // 4, 15.0, 0.0005),
)
FULL = (
    *QUICK,
    TimedInstance(
        "10,000 gangs × 168 buckets",
        ScheduleSpec(gangs=10_000, nodes=700, queues=40),
        168,
        HOUR,
        90.0,
        0.002,
    ),
)


@dataclass(frozen=True, slots=True)
class TimedRow:
    """What was measured."""

    name: str
    items: int
    classes: int
    columns: int
    prepare_s: float
    search_s: float
    processor_s: float
    outcome: TimedOutcome

    @property
    def worst(self) -> float:
        """Worst gap of the tiers of work."""
        gaps = [
            1.0 if tier.bound is None else abs(tier.bound - tier.value) / max(1, abs(tier.value))
            for tier in self.outcome.tiers
            if tier.goal.name.endswith(".gpu_hours")
        ]
        return max(gaps, default=0.0)


def measure(instance: TimedInstance, *, workers: int, time_limit_s: float | None) -> TimedRow:
    """Prepare and search one instance."""
    began = time.perf_counter()
    snapshot = schedule_cluster(instance.spec)
    policy = resolve_policy(snapshot)
    options = ScheduleOptions(
        horizon_s=instance.buckets * instance.bucket_s, bucket_s=instance.bucket_s
    )
    horizon = schedule_horizon(policy, options)
    given = timed_input(prepare(snapshot, policy, exact_least), ScheduleInputs(horizon))
    prepared = time.perf_counter()
    limits = Limits(
        time_limit_s=time_limit_s or instance.time_limit_s, gap=instance.gap, workers=workers
    )
    processor = time.process_time()
    outcome = search_of(given.problem)(given.problem, limits).run()
    return TimedRow(
        name=instance.name,
        items=len(given.items),
        classes=len(given.problem.classes),
        columns=given.problem.starts.size,
        prepare_s=prepared - began,
        search_s=time.perf_counter() - prepared,
        processor_s=time.process_time() - processor,
        outcome=outcome,
    )


def schedule_table(rows: Sequence[TimedRow]) -> Iterator[str]:
    """Markdown lines."""
    yield "## Schedules"
    yield ""
    yield "| instance | gangs | classes | columns | worst gap of work | prepare | search | processor |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row.name} | {row.items:,} | {row.classes:,} | {row.columns:,} | {100 * row.worst:.3f} % | "
            f"{row.prepare_s:.1f} s | {row.search_s:.1f} s | {row.processor_s:.1f} s |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", help="instances whose name contains this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--time-limit", type=float)
    options = parser.parse_args(arguments)
    chosen = [one for one in (FULL if options.full else QUICK) if (options.only or "") in one.name]
    rows = [
        measure(one, workers=options.workers, time_limit_s=options.time_limit) for one in chosen
    ]
    print("\n".join(schedule_table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
