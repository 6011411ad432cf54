"""Gangs that failed or restarted: retries of their controller, restarts of containers, failed pods, conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.manifests.controllers import DEFAULT_RETRIES
from planner.report.night.subject import NightSubject
from planner.report.rows import rest_note
from planner.report.tables import Column, Section, Table
from planner.report.text import DASH, counted

_NORMAL = frozenset({"Scheduled", "Unschedulable", "Complete", "Suspended", "SuccessCriteriaMet"})
"""Conditions that say how a gang stands, not that something is wrong with it."""
_USUAL_REASONS = frozenset({"", "Unschedulable", "SchedulingGated", "Completed"})
_COLUMNS = (
    Column("GANG", grows=True),
    Column("QUEUE"),
    Column("RETRIES", "of at most", numeric=True),
    Column("RESTARTS", "of containers", numeric=True),
    Column("FAILED", "pods", numeric=True),
    Column("HOLDS", "GPUs", numeric=True),
    Column("SAYS", grows=True),
)


@dataclass(frozen=True, slots=True)
class Failing:
    """One gang with its counts; ``says`` are conditions and reasons of pods, most frequent first."""

    gang: Gang
    retries: int
    restarts: int
    failed_pods: int
    gpus: int
    says: tuple[str, ...]

    @property
    def weight(self) -> tuple[int, int, int, str]:
        """Worst first: retries and failures before restarts, then GPUs that it holds."""
        return -(self.retries + self.failed_pods), -self.restarts, -self.gpus, self.gang.full_name


def failing_gangs(snapshot: Snapshot, gpu_names: Sequence[str]) -> tuple[Failing, ...]:
    """Gangs that are not finished and failed or restarted, or whose conditions tell trouble; the worst first."""
    found = []
    for gang in snapshot.gangs:
        if gang.finished:
            continue
        pods = snapshot.pods_of(gang)
        failed = max(gang.failed_pods, sum(pod.phase == "Failed" for pod in pods))
        restarts = sum(pod.restarts for pod in pods)
        says = _says(gang, pods)
        if gang.retry_count or restarts or failed or says:
            gpus = sum(
                pod.spec.request.amount(name) for pod in pods if pod.running for name in gpu_names
            )
            found.append(Failing(gang, gang.retry_count, restarts, failed, gpus, says))
    return tuple(sorted(found, key=lambda one: one.weight))


def _says(gang: Gang, pods: Sequence[Pod]) -> tuple[str, ...]:
    conditions = [
        f"{one.type}: {one.reason}" if one.reason else one.type
        for one in gang.conditions
        if one.type not in _NORMAL
    ]
    reasons = Counter(pod.reason for pod in pods if pod.reason not in _USUAL_REASONS)
    told = [f"{reason} ({counted(count, 'pod')})" for reason, count in reasons.most_common()]
    return tuple(dict.fromkeys((*conditions, *told)))


def failing_section(subject: NightSubject, gpu_names: Sequence[str], limit: int) -> Section:
    """The table; a sentence where nothing failed, or where only a plan document is at hand."""
    if subject.snapshot is None:
        return Section(
            "failing",
            "Repeated failures",
            lead="The plan document holds no retries and restarts; the report in the folder of a night does.",
        )
    found = failing_gangs(subject.snapshot, gpu_names)
    rows = tuple(_row(one) for one in found[:limit])
    held = sum(one.gpus for one in found)
    lead = (
        f"{counted(len(found), 'gang')} failed or restarted, holding {counted(held, 'GPU')}."
        if found
        else "No gang failed or restarted, as far as the export tells."
    )
    notes = rest_note(len(rows), len(found), "gangs", "snapshot.json.gz")
    table = Table("Gangs that failed or restarted", _COLUMNS, rows, empty="", notes=notes)
    return Section("failing", "Repeated failures", lead=lead, tables=(table,) if rows else ())


def _row(one: Failing) -> tuple[str, ...]:
    most = DEFAULT_RETRIES if one.gang.max_retry is None else one.gang.max_retry
    retries = f"{one.retries:,} of {most:,}" if one.gang.kind == "Job" else DASH
    return (
        one.gang.full_name,
        one.gang.queue,
        retries,
        f"{one.restarts:,}",
        f"{one.failed_pods:,}",
        f"{one.gpus:,}",
        ", ".join(one.says) or DASH,
    )
