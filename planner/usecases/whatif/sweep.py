"""A sweep: every point of a grid planned from one base, by any executor, with a journal."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models.edits.sweep import Point, Sweep, point_text
from models.effective import EffectivePolicy
from models.findings import InputError
from models.snapshot import Snapshot
from planner.documents.versions import versions
from planner.execute.jobs import Done, Executor, Job
from planner.problem.progress import Progress, ProgressSink
from planner.report.compare import FIGURES, plan_mark
from planner.report.whatif.document import ScenarioOutcome
from planner.report.whatif.sweep_document import Axis, SweepResult, SweepRow
from planner.report.whatif.sweep_sentence import sweep_sentence
from planner.usecases.whatif.base import Base, plan_scenario
from planner.usecases.whatif.journal import Journal
from planner.usecases.whatif.lanes import LaneMemory, PointJob, point_jobs
from planner.usecases.whatif.timed import OverTime, check_services

_ROW_FIGURES = (
    "gpus_allocatable",
    "gpus_after",
    "gangs_started",
    "gangs_waiting",
    "gangs_evicted",
    "pods_evicted",
)


@dataclass(frozen=True)
class SweepJobs:
    """What all points share; goes to every worker once."""

    base: Base
    sweep: Sweep


@dataclass(frozen=True)
class SweepWorker:
    """State of a worker: what all points share, and what it has planned of its lane."""

    base: Base
    sweep: Sweep
    queues: Mapping[str, int]
    memory: LaneMemory


def begin(shared: SweepJobs) -> SweepWorker:
    """State of a worker. A worker is a process of its own already, so a search needs none."""
    limits = replace(shared.base.limits, workers=1)
    base = replace(shared.base, limits=limits, guard=False)
    return SweepWorker(base, shared.sweep, base.plan_queues(), LaneMemory())


def plan_point(state: SweepWorker, job: PointJob) -> SweepRow:
    """Plan one point.

    With ``--deterministic`` no plan of a neighbour is used: which there are depends on interruptions and deaths.
    """
    alone = state.base.limits.deterministic
    beside = () if alone else state.memory.beside(job)
    planned = plan_scenario(state.base, state.sweep.at(job.point), beside=beside)
    state.memory.keep(job, None if alone else planned.warm)
    return row_of(job.number, job.point, planned.outcome, state.queues)


def row_of(
    number: int, point: Point, outcome: ScenarioOutcome, base_queues: Mapping[str, int]
) -> SweepRow:
    """An outcome as one row."""
    if outcome.error:
        return SweepRow(number=number, point=dict(point), error=outcome.error)
    figures: dict[str, Any] = {
        one.key: one.value for one in outcome.figures if one.key in _ROW_FIGURES
    }
    gaps = [
        None if pair.bound is None or pair.value is None else abs(pair.bound - pair.value)
        for pair in outcome.tiers
        if pair.name.endswith(".gpus") and pair.value is not None
    ]
    known = [gap for gap in gaps if gap is not None]
    queues = dict(base_queues)
    for queue in outcome.queues:
        queues[queue.name] = sum(
            amount for name, amount in queue.used_after.items() if name in outcome.gpu_resources
        )
        if "removed" in queue.fields:
            del queues[queue.name]
    return SweepRow(
        number=number,
        point=dict(point),
        **figures,
        gap_gpus=max(known, default=0) if len(known) == len(gaps) else None,
        judgement=outcome.verdict.judgement if outcome.verdict else None,
        status=outcome.status,
        seconds=outcome.seconds,
        work_gpu_seconds=outcome.schedule.work_gpu_seconds if outcome.schedule else None,
        starts=outcome.schedule.starts if outcome.schedule else None,
        queues=queues,
    )


def check_sweep(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    sweep: Sweep,
    over_time: OverTime | None = None,
) -> None:
    """Apply the common edits, then every value of every key once, alone, before anything is planned.

    Raises
    ------
    InputError
        A key or value does not suit the snapshot.
    """
    common = sweep.scenario.applied(snapshot, policy)
    check_services(common, over_time, source=sweep.source or sweep.name)
    for key, values in sweep.grid:
        for value in values:
            try:
                situation = sweep.at(((key, value),)).applied(snapshot, policy)
                check_services(situation, over_time, source=sweep.source or sweep.name)
            except InputError as error:
                raise InputError(
                    f"{sweep.source or sweep.name}: grid key {key!r}, value {value!r}: "
                    f"{error.findings[0].message if error.findings else error}",
                    error.findings,
                ) from error


def run_sweep(
    base: Base,
    sweep: Sweep,
    executor: Executor,
    *,
    journal: Path | None = None,
    on_progress: ProgressSink | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> SweepResult:
    """Plan all points that the journal does not hold yet; a stop keeps those that are done.

    Raises
    ------
    InputError
        The journal belongs to something else.
    """
    began = time.perf_counter()
    book = Journal(journal, _identity(base, sweep)) if journal is not None else None
    with closing(_Book(book)) as rows:
        resumed = len(rows.known)
        jobs = [
            Job(str(one.number), one, one.lane)
            for one in point_jobs(sweep)
            if one.number not in rows.known
        ]
        points = dict(enumerate(sweep.points()))
        shared = SweepJobs(base, sweep)
        for done in executor.run(begin, plan_point, shared, jobs, stopped=stopped):
            rows.add(_row(done, points))
            _say(on_progress, began, len(rows.known), sweep.size, points[int(done.key)])
        found = tuple(rows.known[number] for number in sorted(rows.known))
    result = SweepResult(
        name=sweep.name,
        edits=tuple(edit.text() for edit in sweep.scenario.edits),
        axes=tuple(Axis(key=key, values=values) for key, values in sweep.grid),
        points=sweep.size,
        resumed=resumed,
        engine=executor.name,
        seconds=round(time.perf_counter() - began, 3),
        base=plan_mark(base.plan),
        figures={key: getattr(base.plan.summary, key) for key, _, _ in FIGURES},
        rows=found,
        versions=versions(),
    )
    return result.model_copy(update={"sentence": sweep_sentence(result)})


class _Book:
    """Rows in memory, and in the journal where there is one."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self.known: dict[int, SweepRow] = {}
        if journal is not None:
            journal.open()
            self.known.update(journal.rows)

    def add(self, row: SweepRow) -> None:
        self.known[row.number] = row
        if self._journal is not None:
            self._journal.add(row)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


def _row(done: Done, points: Mapping[int, Point]) -> SweepRow:
    number = int(done.key)
    if done.error:
        point = dict(points[number])
        return SweepRow(number=number, point=point, error=done.error, attempts=done.attempts)
    row: SweepRow = done.value
    return row.model_copy(update={"attempts": done.attempts})


def _identity(base: Base, sweep: Sweep) -> dict[str, Any]:
    """What a row depends on."""
    return {
        "sweep": sweep.digest(),
        "snapshot": base.snapshot.digest,
        "policy": base.plan.certificate.policy_digest,
        "gangplan": versions().get("gangplan", ""),
        "seed": base.limits.seed,
        "gap": base.limits.gap,
        "deterministic": base.limits.deterministic,
        "time_limit_s": base.limits.time_limit_s,
        "effort_s": base.warm.effort_s,
        "demand": _demand_digest(base.over_time),
    }


def _demand_digest(over_time: OverTime | None) -> str:
    """SHA-256 (hex) of what makes plans schedules; "" for plans for now."""
    return "" if over_time is None else hashlib.sha256(repr(over_time).encode()).hexdigest()


def _say(sink: ProgressSink | None, began: float, done: int, size: int, point: Point) -> None:
    if sink is not None:
        message = f"{done:,} of {size:,} points, last: {point_text(point)}"
        sink(Progress("sweep", time.perf_counter() - began, message=message))
