"""Volcano Job (``batch.volcano.sh``): tasks as role templates, and the gang that its PodGroup will be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from models.readers.conditions import read_state
from models.readers.fields import (
    BadObject,
    count,
    flag,
    mapping,
    mappings,
    optional_integer,
    sequence,
    text,
    texts,
)
from models.readers.metadata import MetaReader, valid_name
from models.readers.pod_groups import (
    class_name,
    preemptable_mark,
    queue_name,
    read_network_topology,
)
from models.readers.pod_specs import PodSpecReader
from models.readers.times import lenient_time
from models.selectors import LabelSelector
from models.workloads import Gang, RoleTemplate, SubGroupPolicy

TERMINAL_PHASES: Final = (
    "Aborted",
    "Completed",
    "Completing",
    "Failed",
    "Terminated",
    "Terminating",
)
_ENDING_PHASES: Final = (*TERMINAL_PHASES, "Aborting", "Restarting")
_PARTITION_KEY: Final = "volcano.sh/partition-id"
_DEFAULT_RETRIES: Final = 3


@dataclass(frozen=True, slots=True)
class _Task:
    template: RoleTemplate
    minimum: int
    subgroup: SubGroupPolicy | None


def read_volcano_job(raw: Mapping[str, Any], metas: MetaReader, specs: PodSpecReader) -> Gang:
    """The gang of one Job as its controller would make it; a PodGroup that exists already overrides the minima."""
    meta = metas.read(raw)
    spec, status = mapping(raw, "spec"), mapping(raw, "status")
    tasks = _read_tasks(spec, metas, specs)
    minima = {task.template.role: task.minimum for task in tasks}
    state = mapping(status, "state")
    phase = metas.share(text(state, "phase"), "phase")
    ended = lenient_time(state.get("lastTransitionTime")) if phase in TERMINAL_PHASES else ""
    return Gang(
        namespace=meta.namespace,
        name=meta.name,
        kind="Job",
        queue=queue_name(spec),
        min_member=count(spec, "minAvailable") or sum(minima.values()),
        role_minimum=dict(sorted(minima.items())),
        subgroups=tuple(task.subgroup for task in tasks if task.subgroup),
        templates=tuple(task.template for task in tasks),
        topology=read_network_topology(spec),
        priority_class_name=class_name(spec),
        preemptable=preemptable_mark(meta),
        created=meta.created,
        phase=phase,
        labels=meta.labels,
        annotations=meta.annotations,
        finished=phase in TERMINAL_PHASES,
        ending=phase in _ENDING_PHASES,
        suspended=flag(spec, "suspend") or False,
        restarts_on_eviction=_restarts(spec),
        retry_count=count(status, "retryCount"),
        max_retry=count(spec, "maxRetry", _DEFAULT_RETRIES),
        reported_running=count(status, "running"),
        finished_at=ended,
        uid=meta.uid,
        failed_pods=count(status, "failed"),
        conditions=read_state(status, metas),
    )


def _read_tasks(spec: Mapping[str, Any], metas: MetaReader, specs: PodSpecReader) -> list[_Task]:
    tasks = mappings(spec, "tasks")
    found: list[_Task] = []
    for index, raw in enumerate(tasks):
        unnamed = "default" if len(tasks) == 1 else f"default{index}"
        found.append(
            _read_task(
                raw, valid_name(text(raw, "name") or unnamed, "task name"), spec, metas, specs
            )
        )
    roles = [task.template.role for task in found]
    twice = next((role for role in roles if roles.count(role) > 1), None)
    if twice is not None:
        raise BadObject(f"two tasks are named {twice}")
    return found


def _read_task(
    raw: Mapping[str, Any],
    role: str,
    job: Mapping[str, Any],
    metas: MetaReader,
    specs: PodSpecReader,
) -> _Task:
    template = mapping(raw, "template")
    meta = mapping(template, "metadata")
    replicas = count(raw, "replicas")
    partition = mapping(raw, "partitionPolicy")
    size, least = count(partition, "partitionSize"), count(partition, "minPartitions")
    given = optional_integer(raw, "minAvailable")
    minimum = least * size if least and size else replicas
    spec = specs.read(
        mapping(template, "spec"),
        schedulerName=text(job, "schedulerName") or "volcano",
        priorityClassName=text(job, "priorityClassName"),
    )
    made = RoleTemplate(
        role=role,
        spec=specs.with_card_rules(spec, metas.annotations(meta)),
        replicas=replicas,
        labels=metas.labels(meta, "labels"),
        annotations=metas.annotations(meta),
        depends_on=texts(mapping(raw, "dependsOn"), "name"),
        partition_size=size,
    )
    return _Task(
        made,
        count(raw, "minAvailable") if given is not None else minimum,
        _partition(role, partition),
    )


def _partition(role: str, raw: Mapping[str, Any]) -> SubGroupPolicy | None:
    """Partitions that bind a topology; without one their sizes already follow from minimum and partition size."""
    topology = read_network_topology(raw)
    if topology is None:
        return None
    return SubGroupPolicy(
        name=role,
        selector=LabelSelector(match_labels=(("volcano.sh/task-spec", role),)),
        match_label_keys=(_PARTITION_KEY,),
        size=count(raw, "partitionSize") or 1,
        min_subgroups=count(raw, "minPartitions"),
        topology=topology,
    )


_WHOLE_JOB = frozenset({"RestartJob", "AbortJob", "TerminateJob", "CompleteJob"})
"""Actions after which no pod of the Job goes on."""


def _restarts(spec: Mapping[str, Any]) -> bool:
    """Whether the eviction of one pod ends or restarts the whole Job, by a policy of the Job or of a task."""
    policies = [*mappings(spec, "policies")]
    for task in mappings(spec, "tasks"):
        policies.extend(mappings(task, "policies"))
    return any(
        one.get("action") in _WHOLE_JOB
        and bool({"PodEvicted", "*"} & {str(one.get("event")), *map(str, sequence(one, "events"))})
        for one in policies
    )
