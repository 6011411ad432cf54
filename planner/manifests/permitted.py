"""Which fields of which objects may be written; everything else is refused before it reaches a file.

The webhook of Volcano refuses every change of a Job but ``minAvailable`` (also of tasks), ``tasks[*].replicas`` and
``priorityClassName``; a Job has no suspend field. Node affinity therefore is a change of one's own manifest, for a new
submission.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from planner.manifests.manifest_file import Operation
from planner.manifests.objects import BATCH_JOB, COMMAND, QUEUE, VOLCANO_JOB

_META: Final = r"metadata\.(name|namespace)"
_OWNER: Final = r"(apiVersion|kind|name|uid|controller)"
_AMOUNTS: Final = r"spec\.(deserved|capability)(\..+)?"

PERMITTED: Final[Mapping[tuple[Operation, tuple[str, str]], tuple[str, ...]]] = {
    ("create", COMMAND): (
        r"metadata\.(generateName|namespace)",
        rf"metadata\.ownerReferences\[\]\.{_OWNER}",
        rf"target\.{_OWNER}",
        "action",
        "reason",
        "message",
    ),
    ("merge-patch", BATCH_JOB): (_META, r"spec\.suspend"),
    ("merge-patch", VOLCANO_JOB): (_META, r"spec\.(minAvailable|priorityClassName)"),
    ("merge-patch", QUEUE): (_META, _AMOUNTS, r"spec\.weight"),
}
"""Operation and kind of object to patterns of the paths that may be set."""

PERMITTED_POINTERS: Final[Mapping[Operation, tuple[tuple[str, str], ...]]] = {
    "json-patch": (
        ("test", r"/spec/tasks/\d+/name"),
        ("replace", r"/spec/tasks/\d+/replicas"),
        ("add", r"/spec/tasks/\d+/minAvailable"),
    ),
    "resubmit": (
        ("test", r"/spec/tasks/\d+/name"),
        ("add", r"(/spec/tasks/\d+|/spec)/template/spec/affinity(/nodeAffinity)?"),
    ),
}
"""Operation of a JSON patch to (op, pattern of the pointer)."""

_ACTIONS: Final = ("AbortJob", "ResumeJob")


def refused(operation: Operation, body: Any) -> tuple[str, ...]:
    """What of a file's content the cluster would refuse, as paths; empty where all of it is permitted."""
    if operation in PERMITTED_POINTERS:
        return tuple(_refused_operations(operation, body))
    kind = (str(body.get("apiVersion")), str(body.get("kind")))
    patterns = PERMITTED.get((operation, kind))
    if patterns is None:
        return (f"{operation} of {kind[1]} {kind[0]}",)
    fields = {key: value for key, value in body.items() if key not in ("apiVersion", "kind")}
    found = [
        path for path in _paths(fields, "") if not any(re.fullmatch(p, path) for p in patterns)
    ]
    if kind == COMMAND and body.get("action") not in _ACTIONS:
        found.append(f"action {body.get('action')}")
    return tuple(found)


def _refused_operations(operation: Operation, body: Any) -> Iterator[str]:
    for one in body:
        op, path = str(one.get("op")), str(one.get("path"))
        if not any(
            op == known and re.fullmatch(pattern, path)
            for known, pattern in PERMITTED_POINTERS[operation]
        ):
            yield f"{op} {path}"


def _paths(value: Any, path: str) -> Iterator[str]:
    """Paths of all leaves: ``spec.suspend``, ``metadata.ownerReferences[].name``."""
    if isinstance(value, Mapping) and value:
        for key, below in value.items():
            yield from _paths(below, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for below in value:
            yield from _paths(below, f"{path}[]")
    else:
        yield path
