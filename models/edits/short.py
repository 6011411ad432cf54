"""Edits in short form, for flags and the keys of a sweep: ``queue/eval.weight`` = 4, ``add/a100`` = 8."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from models.checks.wording import names_text
from models.edits.catalogue import edit_from
from models.edits.edit import Edit, EditError
from models.edits.queues import AMOUNT_FIELDS, PLAIN_FIELDS
from models.edits.suggest import unknown

NOTHING = ("", "none", "false", "no", "0")
FORMS = (
    "queue/NAME.weight",
    "queue/NAME.deserved.gpu",
    "gang/NAMESPACE/NAME.priority",
    "policy.KEY",
    "add/NODES",
    "remove/NODES",
    "drain/NODES",
    "fail/NODES",
    "multiply/GANG",
    "scale/QUEUE",
    "pin/GANG",
    "forbid/GANG",
)
GANG_FIELDS = ("priority", "priority_class", "queue", "min_member", "preemptable")


def short_edits(key: str, value: Any) -> tuple[Edit, ...]:
    """The edits of one key and value; none where the value says so (``none``, ``0``, ``false``).

    Keys: ``queue/NAME.FIELD[.RESOURCE]``, ``gang/GANG.FIELD``, ``policy.KEY``, ``add/NODES`` (how many),
    ``remove/NODES``, ``drain/NODES``, ``fail/NODES`` (true or false), ``multiply/GANG`` and ``scale/QUEUE`` (factor),
    ``pin/GANG`` and ``forbid/GANG`` (nodes).
    ``remove``, ``drain`` and ``fail`` alone take the nodes as value.

    Raises
    ------
    EditError
        No known form, or a value that does not suit.
    """
    family, _, rest = key.partition("/")
    if key.startswith("policy."):
        return (edit_from({"set_policy": {key.removeprefix("policy."): value}}),)
    if family == "queue" and rest:
        return (_queue(rest, value),)
    if family == "gang" and rest:
        return (_gang(rest, value),)
    made = _FAMILIES.get(family)
    if made is None:
        forms = {one.partition("/")[0].partition(".")[0]: one for one in FORMS}
        error = unknown("form of edit", family, forms)
        raise EditError(f"{key!r} names no edit", f"{error.remedy}; forms: {', '.join(FORMS)}")
    return made(rest, value)


def _queue(rest: str, value: Any) -> Edit:
    fields = "|".join((*PLAIN_FIELDS, *AMOUNT_FIELDS))
    match = re.fullmatch(rf"(?P<name>.+?)\.(?P<field>{fields})(\.(?P<resource>.+))?", rest)
    if match is None:
        name, _, field = rest.partition(".")
        raise unknown("field of a queue", field or name, (*PLAIN_FIELDS, *AMOUNT_FIELDS))
    field, resource = match["field"], match["resource"]
    if field in AMOUNT_FIELDS and resource is None:
        if value is not None and not isinstance(value, Mapping):
            raise EditError(
                f"queue/{rest}: say which resource", f"write queue/{rest}.gpu, or the full name"
            )
        return edit_from({"set_queue": {"queue": match["name"], field: value}})
    if field not in AMOUNT_FIELDS and resource is not None:
        raise EditError(f"queue/{rest}: {field} has no resources", f"write {field} alone")
    said = {resource: value} if resource is not None else value
    return edit_from({"set_queue": {"queue": match["name"], field: said}})


def _gang(rest: str, value: Any) -> Edit:
    selector, dot, field = rest.rpartition(".")
    if not dot or field not in GANG_FIELDS:
        raise unknown("field of a gang", field, GANG_FIELDS)
    kind = "reprioritise" if field in ("priority", "priority_class") else "set_gang"
    return edit_from({kind: {"gangs": selector, field: value}})


def _add(rest: str, value: Any) -> tuple[Edit, ...]:
    if not rest:
        raise EditError("add says no nodes", "write add/NODES, e.g. add/a100")
    if isinstance(value, str) and not re.fullmatch(r"[0-9]+", value.strip()):
        raise EditError(f"add/{rest}: {value!r} is no number of nodes", "write 0, 1, 2 …")
    edit = edit_from({"add_nodes": {"like": rest, "count": value}})
    return (edit,) if str(value).strip() != "0" else ()


def _on_nodes(kind: str) -> Callable[[str, Any], tuple[Edit, ...]]:
    def made(rest: str, value: Any) -> tuple[Edit, ...]:
        text = str(value).strip()
        if text.casefold() in NOTHING:
            return ()
        if not rest:
            return (edit_from({kind: {"nodes": value}}),)
        if text.casefold() not in ("true", "yes", "1"):
            raise EditError(f"{kind}/{rest}: {value!r} is neither true nor false", "write one")
        return (edit_from({kind: {"nodes": rest}}),)

    return made


def _factor(kind: str, field: str) -> Callable[[str, Any], tuple[Edit, ...]]:
    def made(rest: str, value: Any) -> tuple[Edit, ...]:
        if not rest:
            raise EditError(f"{kind} says no {field}", f"forms: {names_text(FORMS, shown=20)}")
        return (edit_from({kind: {field: rest, "factor": value}}),)

    return made


def _scale(rest: str, value: Any) -> tuple[Edit, ...]:
    """``scale/QUEUE``, or ``scale/service/NAME``."""
    if rest.startswith("service/"):
        service = rest.removeprefix("service/")
        return (edit_from({"scale_demand": {"service": service, "factor": value}}),)
    return _factor("scale_demand", "queue")(rest, value)


def _placement(kind: str) -> Callable[[str, Any], tuple[Edit, ...]]:
    def made(rest: str, value: Any) -> tuple[Edit, ...]:
        if not rest:
            family = kind.partition("_")[0]
            raise EditError(f"{family} says no gang", f"write {family}/NAMESPACE/NAME")
        if str(value).strip().casefold() in NOTHING:
            return ()
        nodes = value.split("+") if isinstance(value, str) else value
        return (edit_from({kind: {"gangs": rest, "nodes": nodes}}),)

    return made


_FAMILIES: Mapping[str, Callable[[str, Any], tuple[Edit, ...]]] = {
    "add": _add,
    "remove": _on_nodes("remove_nodes"),
    "drain": _on_nodes("drain"),
    "fail": _on_nodes("fail"),
    "multiply": _factor("multiply", "gangs"),
    "scale": _scale,
    "pin": _placement("pin_gang"),
    "forbid": _placement("forbid_gang"),
}
