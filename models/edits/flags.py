"""A scenario as the short forms of ``gangplan whatif``, where each of its edits has one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from models.edits.edit import Edit
from models.edits.queues import AMOUNT_FIELDS
from models.edits.scenario import Scenario
from models.edits.short import GANG_FIELDS

Flag = tuple[str, str]
ORDER = (
    "--add",
    "--set",
    "--multiply",
    "--scale",
    "--remove",
    "--drain",
    "--fail",
    "--pin",
    "--forbid",
)
"""The order in which the command line applies them."""


def short_flags(scenario: Scenario) -> tuple[Flag, ...] | None:
    """Options with their values; None where an edit has no short form or the order would be another."""
    found: list[Flag] = []
    for edit in scenario.edits:
        flags = _flags(edit)
        if flags is None:
            return None
        found += flags
    places = [ORDER.index(flag) for flag, _ in found]
    return tuple(found) if places == sorted(places) else None


def _flags(edit: Edit) -> list[Flag] | None:
    ((kind, content),) = edit.document().items()
    make = _KINDS.get(kind)
    return make(kind, content) if make is not None else None


def _add(_: str, content: Mapping[str, Any]) -> list[Flag] | None:
    if set(content) - {"like", "count"} or not isinstance(content.get("like"), str):
        return None
    count = content.get("count", 1)
    return [("--add", f"{content['like']}={count}")] if count else None


def _nodes(kind: str, content: Mapping[str, Any]) -> list[Flag] | None:
    nodes = content["nodes"]
    if set(content) != {"nodes"} or not isinstance(nodes, str) or nodes.casefold() in _NO_NAMES:
        return None
    return [(f"--{kind.removesuffix('_nodes')}", nodes)]


def _queue(_: str, content: Mapping[str, Any]) -> list[Flag] | None:
    found: list[Flag] = []
    for field, value in content.items():
        if field == "queue":
            continue
        if field in AMOUNT_FIELDS:
            if not isinstance(value, Mapping):
                return None
            parts = [(f"{field}.{resource}", amount) for resource, amount in value.items()]
        else:
            parts = [(field, value)]
        found += [("--set", f"queue/{content['queue']}.{key}={_text(one)}") for key, one in parts]
    return found or None


def _gang(_: str, content: Mapping[str, Any]) -> list[Flag] | None:
    fields = {key: value for key, value in content.items() if key != "gangs"}
    gangs = content["gangs"]
    if set(fields) - set(GANG_FIELDS) or not isinstance(gangs, str) or "=" in gangs:
        return None
    if {"priority", "priority_class"} <= set(fields):
        return None  # one edit after the other would not be the same
    return [
        ("--set", f"gang/{gangs}.{key}={_text(value)}") for key, value in fields.items()
    ] or None


def _times(flag: str, field: str) -> Callable[[str, Mapping[str, Any]], list[Flag] | None]:
    def made(_: str, content: Mapping[str, Any]) -> list[Flag] | None:
        name = content.get(field)
        if set(content) != {field, "factor"} or not isinstance(name, str):
            return None
        return [(flag, f"{name}={content['factor']}")]

    return made


def _placement(kind: str, content: Mapping[str, Any]) -> list[Flag] | None:
    gangs, nodes = content["gangs"], content["nodes"]
    if not isinstance(gangs, str) or "=" in gangs:
        return None
    told = nodes if isinstance(nodes, str) else "+".join(nodes)
    return [(f"--{kind.removesuffix('_gang')}", f"{gangs}={told}")]


def _policy(_: str, content: Mapping[str, Any]) -> list[Flag] | None:
    return [("--set", f"policy.{key}={json.dumps(value)}") for key, value in content.items()]


def _text(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


_NO_NAMES = ("none", "false", "no", "0")
_KINDS: Mapping[str, Callable[[str, Mapping[str, Any]], list[Flag] | None]] = {
    "add_nodes": _add,
    "remove_nodes": _nodes,
    "drain": _nodes,
    "fail": _nodes,
    "set_queue": _queue,
    "set_gang": _gang,
    "reprioritise": _gang,
    "multiply": _times("--multiply", "gangs"),
    "scale_demand": _times("--scale", "queue"),
    "pin_gang": _placement,
    "forbid_gang": _placement,
    "set_policy": _policy,
}
