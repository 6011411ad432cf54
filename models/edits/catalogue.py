"""All kinds of edits by name, and one edit from what a scenario file lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from models.edits import budgets, gangs, new_gangs, nodes, placements, pods, policy_edit, queues
from models.edits.edit import Edit, EditError
from models.edits.suggest import unknown

EDITS: Mapping[str, type[Edit]] = {
    one.kind: one
    for module in (nodes, queues, gangs, new_gangs, pods, budgets, placements, policy_edit)
    for one in module.EDITS
}

_CHOICE = re.compile(r"\^\(([A-Za-z|]+)\)\$")


def edit_from(entry: Any) -> Edit:
    """One entry of ``edits``: a mapping with the kind as its only key.

    Raises
    ------
    EditError
        Unknown kind or field (the nearest is suggested), or a value that does not suit.
    """
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise EditError(
            "an edit is a mapping with exactly one key, its kind", f"known: {', '.join(EDITS)}"
        )
    kind, content = next(iter(entry.items()))
    chosen = EDITS.get(str(kind))
    if chosen is None:
        raise unknown("kind of edit", str(kind), EDITS)
    if not isinstance(content, Mapping):
        fields = ", ".join(_field_names(chosen))
        raise EditError(f"{kind} wants a mapping, not {content!r:.60}", f"fields: {fields}")
    if chosen is policy_edit.SetPolicy:
        content = {"keys": {str(key): value for key, value in content.items()}}
    try:
        return chosen.model_validate({str(key): value for key, value in content.items()})
    except ValidationError as error:
        raise _fault(chosen, error) from None


def _field_names(kind: type[Edit]) -> tuple[str, ...]:
    return tuple(kind.model_fields)


def _fault(kind: type[Edit], error: ValidationError) -> EditError:
    # A misspelt field says more than the one that is missing because of it.
    detail = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    where = ".".join(str(part) for part in detail["loc"] if part not in ("str", "int"))
    if detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
        return unknown(f"field of {kind.kind}", where, _field_names(kind))
    if detail["type"] == "missing":
        return EditError(f"{kind.kind} lacks {where!r}", f"fields: {', '.join(_field_names(kind))}")
    what, remedy = _in_words(detail)
    at = f"{kind.kind}.{where}" if where else kind.kind
    given = f" (got {detail.get('input')!r:.60})" if where else ""
    return EditError(f"{at}: {what}{given}", remedy or f"fields: {', '.join(_field_names(kind))}")


def _in_words(detail: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong with a value, and what to write ("" where the message says it)."""
    limits = detail.get("ctx") or {}
    match detail["type"]:
        case "greater_than_equal":
            return "is too small", f"write {limits['ge']:,} or more"
        case "less_than_equal":
            return "is too large", f"write {limits['le']:,} or less"
        case "string_pattern_mismatch" if choice := _CHOICE.fullmatch(limits["pattern"]):
            return "is not known", f"write {' or '.join(choice[1].split('|'))}"
        case "string_pattern_mismatch" if "0-9]{1,9}" not in limits["pattern"]:
            return "is no name of Kubernetes", "write lower case letters, digits, '-' and '.'"
        case "int_parsing" | "int_type" | "int_from_float" | "string_pattern_mismatch":
            return "is no whole number", "write a whole number"
        case "literal_error":
            return "is not known", f"write {limits['expected']}"
        case "bool_parsing" | "bool_type":
            return "is neither true nor false", "write one"
    return str(detail["msg"]).removeprefix("Value error, "), ""
