"""Typed access to the fields of a raw object; a field of the wrong kind gives an error that says so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from models.resources import NO_RESOURCES, Resources
from models.units import LARGEST_AMOUNT, QuantityError, to_resources

_EMPTY: Final[Mapping[str, Any]] = {}
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,19}(?:\.0*)?")


class BadObject(ValueError):
    """An object of the input has a field that cannot be understood; the message names field and value."""


def shown(value: Any) -> str:
    """A value for a message: printable and short."""
    text = ascii(value) if not isinstance(value, (dict, list)) else f"a {kind_of(value)}"
    return text if len(text) <= 60 else f"{text[:56]}…"


def kind_of(value: Any) -> str:
    """What JSON calls the type of a value."""
    names = {dict: "mapping", list: "list", str: "text", bool: "truth value", type(None): "null"}
    return names.get(type(value), "number")


def mapping(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Sub-mapping, empty where it is missing or null."""
    value = raw.get(key)
    if value is None:
        return _EMPTY
    if not isinstance(value, dict):
        raise BadObject(f"{key} is {shown(value)}, not a mapping")
    return value


def sequence(raw: Mapping[str, Any], key: str) -> Sequence[Any]:
    """List of anything, empty where it is missing or null."""
    value = raw.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadObject(f"{key} is {shown(value)}, not a list")
    return value


def mappings(raw: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """List of mappings, empty where it is missing or null."""
    values = sequence(raw, key)
    for value in values:
        if not isinstance(value, dict):
            raise BadObject(f"{key} holds {shown(value)}, not a mapping")
    return values


def text(raw: Mapping[str, Any], key: str, default: str = "") -> str:
    """Text; numbers and truth values that YAML made of unquoted text become text again."""
    value = raw.get(key)
    if value is None:
        return default
    return value if type(value) is str and value.isprintable() else as_text(value, key)


def one_of(raw: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
    """One of the known words, the first where none is given; another one would make a rule mean something else."""
    found = text(raw, key) or known[0]
    if found not in known:
        raise BadObject(f"{key} {shown(found)} is none of {', '.join(known)}")
    return found


def printable(value: str, key: str) -> str:
    """A text without control characters and lone surrogates; nothing else reaches a screen or a report."""
    if not value.isprintable():
        raise BadObject(f"{key} {shown(value)} holds control characters")
    return value


def as_text(value: Any, key: str) -> str:
    """A scalar as printable text."""
    if isinstance(value, str):
        return printable(value, key)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    raise BadObject(f"{key} is {shown(value)}, not text")


def texts(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """List of texts."""
    return tuple(as_text(value, key) for value in sequence(raw, key))


def integer(raw: Mapping[str, Any], key: str, default: int = 0) -> int:
    """Whole number within 64 bits; ``3.0`` and ``"3"`` are accepted."""
    value = raw.get(key)
    if value is None:
        return default
    if isinstance(value, float):
        value = repr(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value.partition(".")[0])
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_AMOUNT:
        raise BadObject(f"{key} is {shown(value)}, not a whole number")
    return value


def count(raw: Mapping[str, Any], key: str, default: int = 0) -> int:
    """Whole number of at least 0."""
    value = integer(raw, key, default)
    if value < 0:
        raise BadObject(f"{key} is {value}; it must be 0 or more")
    return value


def optional_integer(raw: Mapping[str, Any], key: str) -> int | None:
    """Whole number, None where it is missing or null."""
    return None if raw.get(key) is None else integer(raw, key)


def flag(raw: Mapping[str, Any], key: str) -> bool | None:
    """Truth value, None where it is missing or null; the words true and false are accepted as text."""
    value = raw.get(key)
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if value is None or isinstance(value, bool):
        return value
    raise BadObject(f"{key} is {shown(value)}, not true or false")


def resources(raw: Mapping[str, Any], key: str) -> Resources:
    """Resource list in base units, listed zeros kept."""
    listed = mapping(raw, key)
    try:
        return to_resources(listed) if listed else NO_RESOURCES
    except QuantityError as error:
        raise BadObject(f"{key}: {error}") from None
