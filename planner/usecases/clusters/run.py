"""Plan several independent clusters: each is a job of an executor, and none fails with another."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models.findings import InputError, PlannerError
from models.plan import PlanResult
from planner.execute.jobs import Done, Executor, Job
from planner.problem.limits import Limits
from planner.problem.progress import Progress, ProgressSink
from planner.report.clusters.document import FIGURES, ClusterEntry, Clusters
from planner.report.clusters.report import clusters_sentence
from planner.usecases.clusters.find import Cluster
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.inputs.plan_documents import read_plan
from planner.usecases.planning import make_plan

DIED = 2
"""Exit code of a cluster whose worker died, as of a solver that fails."""
Keep = Callable[[str, PlanResult], str]
"""Keeps the plan of a cluster by name; returns the name of its file ("" where none is written)."""


@dataclass(frozen=True)
class ClusterJobs:
    """What all clusters share; goes to every worker once.

    Attributes
    ----------
    previous
        Folder with an earlier plan document ``NAME.json`` per cluster; a cluster without one is planned anew.
    """

    limits: Limits
    policy_file: Path | None = None
    assignments: tuple[str, ...] = ()
    allow_incomplete: bool = False
    previous: Path | None = None
    effort_s: float | None = None


@dataclass(frozen=True)
class ClusterDone:
    """A planned cluster, or why it has no plan. The plan travels as JSON, which every engine carries alike."""

    plan: str = ""
    error: str = ""
    exit_code: int = 0


def begin(shared: ClusterJobs) -> ClusterJobs:
    """State of a worker. A worker is a process of its own already; cores are shared among clusters, not solvers."""
    return replace(shared, limits=replace(shared.limits, workers=1))


def plan_cluster(state: ClusterJobs, cluster: Cluster) -> ClusterDone:
    """Read and plan one cluster."""
    try:
        given = read_checked(
            [cluster.path], policy_file=state.policy_file, assignments=state.assignments
        )
        if not state.allow_incomplete:
            given.refuse_incomplete()
        result = make_plan(
            given.snapshot,
            given.policy,
            state.limits,
            findings=given.findings,
            guard=False,
            previous=_earlier(state, cluster),
            effort_s=state.effort_s,
        )
    except InputError as error:
        first = error.findings[0] if error.findings else None
        more = (
            f" ({first.object}: {first.message})"
            if first and first.message not in str(error)
            else ""
        )
        return ClusterDone(error=f"{error}{more}", exit_code=error.exit_code)
    except PlannerError as error:
        return ClusterDone(error=str(error), exit_code=error.exit_code)
    except MemoryError:
        return ClusterDone(error="out of memory: plan fewer clusters at a time", exit_code=DIED)
    return ClusterDone(plan=result.model_dump_json(by_alias=True))


def _earlier(state: ClusterJobs, cluster: Cluster) -> PlanResult | None:
    path = None if state.previous is None else state.previous / f"{cluster.name}.json"
    return read_plan(path) if path is not None and path.exists() else None


def plan_clusters(
    clusters: Sequence[Cluster],
    shared: ClusterJobs,
    executor: Executor,
    *,
    keep: Keep = lambda name, plan: "",
    on_progress: ProgressSink | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Clusters:
    """Plan all clusters; each plan is kept as soon as it is there, so that a stop loses none.

    The entries are in the order of the names and the same whatever engine ran them, seconds aside.
    """
    began = time.perf_counter()
    by_name = {one.name: one for one in clusters}
    jobs = [Job(one.name, one) for one in clusters]
    entries: dict[str, ClusterEntry] = {}
    for done in executor.run(begin, plan_cluster, shared, jobs, stopped=stopped):
        entries[done.key] = _entry(by_name[done.key], done, keep)
        if on_progress is not None:
            message = f"{len(entries):,} of {len(clusters):,} clusters, last: {done.key}"
            on_progress(Progress("clusters", time.perf_counter() - began, message=message))
    found = tuple(entries[name] for name in sorted(entries))
    totals: dict[str, Any] = {
        key: sum(getattr(one, key) or 0 for one in found)
        for key in FIGURES
        if key in Clusters.model_fields
    }
    result = Clusters(
        wanted=len(clusters),
        engine=executor.name,
        seconds=round(time.perf_counter() - began, 3),
        clusters=found,
        **totals,
    )
    return result.model_copy(update={"sentence": clusters_sentence(result)})


def _entry(cluster: Cluster, done: Done, keep: Keep) -> ClusterEntry:
    if done.error:
        return ClusterEntry(
            name=cluster.name, source=cluster.path, error=done.error, exit_code=DIED
        )
    found: ClusterDone = done.value
    if found.error:
        return ClusterEntry(
            name=cluster.name, source=cluster.path, error=found.error, exit_code=found.exit_code
        )
    plan = PlanResult.model_validate_json(found.plan)
    return ClusterEntry(
        name=cluster.name,
        source=cluster.path,
        sentence=plan.summary.sentence,
        status=plan.certificate.status,
        **{key: getattr(plan.summary, key) for key in FIGURES},
        gap_gpus=_open_gpus(plan),
        findings=len(plan.snapshot.findings),
        seconds=plan.certificate.seconds,
        plan=keep(cluster.name, plan),
    )


def _open_gpus(plan: PlanResult) -> int | None:
    gaps = [
        None if tier.bound is None else abs(tier.bound - tier.value)
        for tier in plan.certificate.tiers
        if tier.name.endswith(".gpus")
    ]
    known = [gap for gap in gaps if gap is not None]
    return max(known, default=0) if len(known) == len(gaps) else None
