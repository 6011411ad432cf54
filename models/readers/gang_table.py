"""Gangs under construction: from PodGroups, Volcano Jobs and suspended Jobs, before their pods are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from models.readers.annotations import MIN_MEMBER
from models.readers.controllers import Controller
from models.readers.intake import Intake
from models.readers.pod_groups import GroupRecord
from models.workloads import Gang, Pod

VOLCANO_BATCH: Final = "batch.volcano.sh"


@dataclass(eq=False, slots=True)
class Draft:
    """A gang, the names under which pods may refer to it, and its pods.

    Attributes
    ----------
    settled
        Comes from a snapshot file: priority and templates are final.
    record
        The PodGroup, where no Volcano Job of the export tells its pods.
    """

    gang: Gang
    names: set[str]
    pods: list[Pod] = field(default_factory=list)
    settled: bool = False
    record: GroupRecord | None = None


class GangTable:
    """All drafts, found by any name; the first draft keeps a name that two claim."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._drafts: dict[str, Draft] = {}
        self._by_alias: dict[str, Draft] = {}
        self._from_groups()
        self._from_jobs()
        self._from_suspended_jobs()
        for gang in intake.gangs.sorted():
            if gang.full_name not in self._drafts:
                self.add(Draft(gang, {gang.full_name, *gang.aliases}, settled=True))

    def __iter__(self) -> Iterator[Draft]:
        return iter(self._drafts.values())

    def find(self, name: str) -> Draft | None:
        """Draft with this full name or alias."""
        return self._by_alias.get(name)

    def add(self, draft: Draft) -> Draft:
        """Add a draft under all its names."""
        self._drafts[draft.gang.full_name] = draft
        for name in draft.names:
            self._by_alias.setdefault(name, draft)
        return draft

    def also_named(self, draft: Draft, name: str) -> None:
        """Let a draft be found under one more name."""
        draft.names.add(name)
        self._by_alias.setdefault(name, draft)

    def _from_groups(self) -> None:
        jobs = self._intake.jobs
        groups = self._intake.groups.sorted()
        newest = self._newest_of_jobs(groups)
        for record in groups:
            group = record.gang
            names = {group.full_name}
            job = self._job_of(record)
            if job is not None and newest[job.full_name] is not record:
                job = None  # a leftover group of a Job that has a newer one
            if record.owner_kind == "Job" and record.owner_name:
                names.add(f"{group.namespace}/{record.owner_name}")
            if job is not None:
                names.add(job.full_name)
                gang = _joined(group, job)
            else:
                gang = self._alone(record)
            if gang.full_name not in self._drafts and not (
                job is None and jobs.get(gang.full_name)
            ):
                self.add(Draft(gang, names, record=record if job is None else None))

    def _newest_of_jobs(self, groups: Iterable[GroupRecord]) -> dict[str, GroupRecord]:
        """Volcano Job to the PodGroup of its present run: that with its uid in the name, else the youngest."""
        found: dict[str, GroupRecord] = {}
        for record in groups:
            job = self._job_of(record)
            if job is None:
                continue
            have = found.get(job.full_name)
            if have is None or _age(have, job) < _age(record, job):
                found[job.full_name] = record
        return found

    def _job_of(self, record: GroupRecord) -> Gang | None:
        """The Volcano Job that owns a group; one of the same name where the owner reference was stripped."""
        if record.owner_name:
            name = f"{record.gang.namespace}/{record.owner_name}"
            volcano = record.owner_kind == "Job" and record.owner_group in ("", VOLCANO_BATCH)
            return self._intake.jobs.get(name) if volcano else None
        return self._intake.jobs.get(record.gang.full_name)

    def _alone(self, record: GroupRecord) -> Gang:
        gang = record.gang
        owner = self._intake.controllers.get(f"Job/{gang.namespace}/{record.owner_name}")
        if owner is None:
            return gang
        return replace(
            gang,
            failed_pods=max(gang.failed_pods, owner.failed_pods),
            conditions=(*gang.conditions, *owner.conditions),
        )

    def _from_jobs(self) -> None:
        for job in self._intake.jobs.sorted():
            if job.full_name not in self._drafts:
                self.add(Draft(job, {job.full_name}))

    def _from_suspended_jobs(self) -> None:
        """A suspended ``batch`` Job under Volcano without pods and group asks for its pods once it is resumed."""
        for one in self._intake.controllers.sorted():
            if one.pods is not None and self.find(one.meta.full_name) is None:
                self.add(Draft(_of_suspended(one), {one.meta.full_name}))


def _age(record: GroupRecord, job: Gang) -> tuple[bool, str]:
    return bool(job.uid) and record.gang.name.endswith(job.uid), record.gang.created


def _joined(group: Gang, job: Gang) -> Gang:
    """The group decides what the scheduler looks at, the Job adds name, tasks and how it restarts."""
    return replace(
        group,
        name=job.name,
        kind="Job",
        templates=job.templates,
        preemptable=job.preemptable if group.preemptable is None else group.preemptable,
        created=group.created or job.created,
        phase=group.phase or job.phase,
        labels={**job.labels, **group.labels},
        annotations={**job.annotations, **group.annotations},
        finished=group.finished or job.finished,
        suspended=job.suspended,
        ending=job.ending,
        online=False,
        restarts_on_eviction=job.restarts_on_eviction,
        retry_count=job.retry_count,
        max_retry=job.max_retry,
        finished_at=job.finished_at,
        uid=job.uid,
        failed_pods=max(group.failed_pods, job.failed_pods),
        conditions=(*group.conditions, *job.conditions),
    )


def _of_suspended(job: Controller) -> Gang:
    meta, pods = job.meta, job.pods
    assert pods is not None
    minimum = meta.annotations.get(MIN_MEMBER, "")
    return Gang(
        namespace=meta.namespace,
        name=meta.name,
        kind="implicit",
        min_member=int(minimum) if minimum.isdecimal() and len(minimum) < 10 else 1,
        templates=(pods,),
        priority_class_name=pods.spec.priority_class_name,
        created=meta.created,
        labels=meta.labels,
        annotations={**pods.annotations, **meta.annotations},
        suspended=True,
    )
