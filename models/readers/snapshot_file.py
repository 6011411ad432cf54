"""Our own snapshot JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from models.readers.collection import Collection, Origin
from models.readers.decode import Decoder
from models.readers.fields import BadObject, sequence, shown
from models.readers.intake import Intake
from models.readers.metadata import valid_name
from models.readers.problems import BadFile
from models.readers.times import read_time
from models.snapshot import Snapshot
from models.writers.snapshot_json import SCHEMA_VERSION, SNAPSHOT_KIND

__all__ = ["SNAPSHOT_KIND", "take_snapshot"]


def take_snapshot(document: Mapping[str, Any], intake: Intake, file: str) -> Snapshot:
    """Decode a snapshot and add its objects to the intake, for the case that more files follow.

    Raises
    ------
    BadFile
        The document is no snapshot of this version, or contradicts itself.
    """
    try:
        snapshot = _decode(document)
        _check(snapshot)
    except (BadObject, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        remedy = "write it again with the convert verb"
        raise BadFile(
            "snapshot_invalid", f"the snapshot cannot be read: {reason}", remedy
        ) from None
    _add(snapshot, intake, Origin(file))
    return snapshot


def _decode(document: Mapping[str, Any]) -> Snapshot:
    content = dict(document)
    del content["kind"]
    version = content.pop("schemaVersion", None)
    if version != SCHEMA_VERSION:
        raise BadObject(f"schemaVersion is {shown(version)}; this program reads {SCHEMA_VERSION}")
    decoder = Decoder()
    decoder.specs = [decoder.spec(one) for one in sequence(content, "podSpecs")]
    content.pop("podSpecs", None)
    found: Snapshot = decoder.decode(Snapshot, content)
    return found


def _check(snapshot: Snapshot) -> None:
    """Names are valid and unique, times are times, and pods belong to gangs that are there."""
    for kind, names in (
        ("node", [node.name for node in snapshot.nodes]),
        ("pod", [pod.full_name for pod in snapshot.pods]),
        ("gang", [gang.full_name for gang in snapshot.gangs]),
        ("queue", [queue.name for queue in snapshot.queues]),
        ("priority class", [one.name for one in snapshot.priority_classes]),
        (
            "disruption budget",
            [f"{one.namespace}/{one.name}" for one in snapshot.disruption_budgets],
        ),
        ("HyperNode", [one.name for one in snapshot.hyper_nodes]),
    ):
        _check_names(kind, names)
    gangs = {gang.full_name for gang in snapshot.gangs}
    for pod in snapshot.pods:
        if pod.gang and pod.gang not in gangs:
            raise BadObject(
                f"pod {pod.full_name} belongs to gang {shown(pod.gang)}, which is not there"
            )
        if pod.node is not None:
            valid_name(pod.node, "node")
    owners = (snapshot.nodes, snapshot.pods, snapshot.gangs, snapshot.queues)
    times = (
        {one.created for group in owners for one in group}
        | {one.finished_at for one in snapshot.gangs}
        | {condition.since for one in snapshot.gangs for condition in one.conditions}
        | {moment for pod in snapshot.pods for moment in (pod.started, pod.ends, pod.finished_at)}
    )
    for moment in times | {snapshot.as_of, *snapshot.newest.values()}:
        if moment and read_time(moment) != moment:
            raise BadObject(f"{shown(moment)} is not a time in UTC")


def _check_names(kind: str, names: list[str]) -> None:
    for name in names:
        for part in name.split("/", 1):
            valid_name(part, f"{kind} name")
    if names != sorted(set(names)):
        raise BadObject(f"the {kind} names are not unique and sorted")


def _add(snapshot: Snapshot, intake: Intake, origin: Origin) -> None:
    def add(target: Collection[Any], named: Iterable[tuple[str, Any]]) -> None:
        for name, value in named:
            intake.note(target.add(name, value, origin))

    add(intake.nodes, ((one.name, one) for one in snapshot.nodes))
    add(intake.pods, ((one.full_name, one) for one in snapshot.pods))
    add(intake.gangs, ((one.full_name, one) for one in snapshot.gangs))
    add(intake.queues, ((one.name, one) for one in snapshot.queues))
    add(intake.priority_classes, ((one.name, one) for one in snapshot.priority_classes))
    add(
        intake.disruption_budgets,
        ((f"{one.namespace}/{one.name}", one) for one in snapshot.disruption_budgets),
    )
    add(intake.workloads, ((f"{one.system}/{one.full_name}", one) for one in snapshot.workloads))
    add(intake.hyper_nodes, ((one.name, one) for one in snapshot.hyper_nodes))
    if snapshot.scheduler is not None:
        add(intake.schedulers, [(snapshot.scheduler.source, snapshot.scheduler)])
    for kind, moment in {"": snapshot.as_of, **snapshot.newest}.items():
        intake.clock.kind = kind
        intake.clock.read(moment)
    intake.ignored.update(snapshot.ignored)
