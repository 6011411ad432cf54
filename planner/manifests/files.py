"""Actions as files: names, comments, contents, commands."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import yaml

from planner.manifests.manifest_file import PHASES, Action, Departure, ManifestFile, Phase
from planner.manifests.night import Night
from planner.manifests.permitted import refused
from planner.manifests.quoting import file_part, one_line, words
from planner.manifests.resubmit import Resubmit

RESUBMIT_MARK = (
    "RE-SUBMIT: for a new submission only. No cluster accepts this in a Job that exists."
)
EVICTIONS = "evictions.csv"
_NAMED = 8
"""Nodes named in a comment; the patch below it holds all of them."""
_COLUMNS = (
    "leave_by", "stop_by", "planned", "namespace", "gang", "controller", "queue", "pool", "gpus",
    "grace_seconds", "planned_end", "pods", "command", "note",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """What is done at one moment for one purpose; ``files`` pairs each action with its file, if it has one."""

    number: int
    at: int
    phase: Phase
    actions: tuple[tuple[Action, ManifestFile | None], ...]


class Names:
    """File names, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, folder: str, *parts: str) -> str:
        """``folder/part-part.yaml``; two names that differ in case only are told apart too."""
        stem = f"{folder}/" + "-".join(file_part(part) for part in parts)
        path, again = f"{stem}.yaml", 2
        while path.lower() in self._taken:
            path, again = f"{stem}-{again}.yaml", again + 1
        self._taken.add(path.lower())
        return path


def steps_of(night: Night, actions: Sequence[Action]) -> tuple[Step, ...]:
    """Actions by moment and purpose, in the order in which they are taken, with their files.

    Raises
    ------
    ValueError
        An action writes a field that the cluster would refuse.
    """

    def order(action: Action) -> tuple[int, int]:
        return action.at, PHASES.index(action.phase)

    ordered = sorted(actions, key=lambda a: (*order(a), a.rank, a.subject, a.stem, a.name))
    names, found = Names(), []
    for number, ((at, place), group) in enumerate(groupby(ordered, key=order), 1):
        phase = PHASES[place]
        folder = f"{number:02d}-{night.folder(at)}-{phase}"
        members = tuple((one, _file(night, one, folder, names)) for one in group)
        found.append(Step(number, at, phase, members))
    return tuple(found)


def _file(night: Night, action: Action, folder: str, names: Names) -> ManifestFile | None:
    if action.body is None:
        return None
    wrong = refused(action.operation, action.body)
    if wrong:
        raise ValueError(f"{action.subject}: no cluster accepts {', '.join(wrong)}")
    path = names.take(folder, action.stem, action.name)
    command = command_of(action, path)
    comments = [
        f"When: {night.clock(action.at)}",
        *([f"Only if {action.only_if}."] if action.only_if else []),
        f"Why: {action.why}",
        *([f"Know: {action.warning}"] if action.warning else []),
        f"Run: {command}",
    ]
    return ManifestFile(
        path=path,
        text=yaml_text(comments, action.body),
        operation=action.operation,
        command=command,
        at=action.at,
        subject=action.subject,
    )


def command_of(action: Action, path: str) -> str:
    """What a human runs from within the folder."""
    where = [f"--namespace={action.namespace}"] if action.namespace else []
    if action.operation == "create":
        return words("kubectl", "create", f"--filename={path}")
    if action.pods:
        return words("kubectl", "delete", *where, *(f"pod/{name}" for name in action.pods))
    form = "merge" if action.operation == "merge-patch" else "json"
    return words(
        "kubectl", "patch", *where, action.target, f"--type={form}", f"--patch-file={path}"
    )


def yaml_text(comments: Sequence[str], body: Any) -> str:
    """A YAML document under comment lines."""
    head = "".join(f"# {one_line(line)}\n" for line in comments)
    return head + yaml.safe_dump(body, sort_keys=False, width=1000)


def resubmit_file(one: Resubmit, names: Names) -> ManifestFile:
    """The patch of one's own manifest, marked in name and text."""
    wrong = refused("resubmit", one.body)
    if wrong:
        raise ValueError(f"{one.gang}: no cluster accepts {', '.join(wrong)}")
    path = names.take("resubmit", "resubmit", f"{one.owner.namespace}.{one.owner.name}")
    commands = one.commands(path)
    comments = [
        RESUBMIT_MARK,
        f"Why: pins gang {one.gang} to the nodes of the plan, {_shortened(one.nodes)}.",
        "Know: the gang loses its place in the order of creation. A preferred node affinity of your manifest is "
        "replaced where it has no required one.",
        *(f"Run: {command}" for command in commands),
    ]
    return ManifestFile(
        path=path,
        text=yaml_text(comments, list(one.body)),
        operation="resubmit",
        command="\n".join(commands),
        subject=f"gang {one.gang}",
    )


def _shortened(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def evictions_file(night: Night, departures: Sequence[Departure]) -> ManifestFile:
    """The eviction list, earliest moment first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in departures:
        writer.writerow(
            (
                night.clock(one.leave_by),
                night.clock(one.stop_by),
                "stop" if one.planned else "only if it still runs",
                one.namespace,
                one.name,
                one.kind,
                one.queue,
                one.pool,
                one.gpus,
                one.grace_s,
                one.ends_at,
                " ".join(one.pods),
                one.command,
                one.note,
            )
        )
    return ManifestFile(path=EVICTIONS, text=out.getvalue(), operation="list")
