"""Frozen values from JSON values, checked against the annotations of their classes."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from models.readers.field_names import json_name
from models.readers.fields import BadObject, printable, shown
from models.resources import Resources
from models.units import LARGEST_AMOUNT
from models.workloads import PodSpec

Decode = Callable[[Any], Any]
_UNIONS: Final = (Union, types.UnionType)


class Decoder:
    """Decodes values of any dataclass of the snapshot; ``specs`` is the table that pods refer to by index."""

    def __init__(self) -> None:
        self.specs: Sequence[PodSpec] = ()
        self._texts: dict[str, str] = {}
        self._by_type: dict[Any, Decode] = {
            str: self._text,
            int: _integer,
            bool: _truth,
            Resources: _resources,
        }

    def decode(self, kind: Any, value: Any) -> Any:
        """A value of the given type.

        Raises
        ------
        BadObject
            A field is missing, unknown or of the wrong kind.
        """
        return self._decoder(kind)(value)

    def spec(self, value: Any) -> PodSpec:
        """A pod specification written out."""
        found: PodSpec = self._dataclass(PodSpec)(value)
        return found

    def _decoder(self, kind: Any) -> Decode:
        found = self._by_type.get(kind)
        if found is None:
            found = self._by_type[kind] = self._build(kind)
        return found

    def _build(self, kind: Any) -> Decode:
        origin, parts = get_origin(kind), get_args(kind)
        if kind is PodSpec:
            return self._spec_at
        if is_dataclass(kind) and isinstance(kind, type):
            return self._dataclass(kind)
        if origin in _UNIONS:
            inner = self._decoder(next(part for part in parts if part is not type(None)))
            return lambda value: None if value is None else inner(value)
        if origin is Literal:
            return lambda value: _one_of(parts, value)
        if origin is tuple and parts[-1] is Ellipsis:
            one = self._decoder(parts[0])
            return lambda value: tuple([one(entry) for entry in _list(value)])
        if origin is tuple:
            each = [self._decoder(part) for part in parts]
            return lambda value: _row(each, value)
        content = self._decoder(parts[1])
        return lambda value: {self._text(key): content(entry) for key, entry in _map(value).items()}

    def _dataclass(self, kind: type) -> Decode:
        hints = get_type_hints(kind)
        table = {
            json_name(one.name): (one.name, self._decoder(hints[one.name])) for one in fields(kind)
        }
        needed = {
            one.name
            for one in fields(kind)
            if one.default is MISSING and one.default_factory is MISSING
        }

        def decode(value: Any) -> Any:
            arguments = {}
            for key, content in _map(value).items():
                known = table.get(key)
                if known is None:
                    raise BadObject(f"{kind.__name__} has no field {shown(key)}")
                arguments[known[0]] = known[1](content)
            missing = needed - arguments.keys()
            if missing:
                raise BadObject(f"{kind.__name__} lacks {', '.join(sorted(missing))}")
            return kind(**arguments)

        return decode

    def _text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise BadObject(f"{shown(value)} is not text")
        found = self._texts.get(value)
        if found is None:
            found = self._texts[value] = printable(value, "text")
        return found

    def _spec_at(self, value: Any) -> PodSpec:
        if type(value) is not int or not 0 <= value < len(self.specs):
            raise BadObject(f"{shown(value)} is no index of a pod specification")
        return self.specs[value]


def _integer(value: Any) -> int:
    if type(value) is not int or abs(value) > LARGEST_AMOUNT:
        raise BadObject(f"{shown(value)} is not a whole number")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadObject(f"{shown(value)} is not true or false")
    return value


def _resources(value: Any) -> Resources:
    amounts = _map(value)
    for name, amount in amounts.items():
        if type(amount) is not int or not 0 <= amount <= 1000 * LARGEST_AMOUNT:
            raise BadObject(f"{shown(amount)} is not an amount of {shown(name)} in base units")
        printable(name, "resource")
    return Resources(amounts)


def _one_of(values: tuple[Any, ...], value: Any) -> Any:
    if value not in values:
        raise BadObject(f"{shown(value)} is none of {', '.join(map(str, values))}")
    return value


def _row(each: list[Decode], value: Any) -> tuple[Any, ...]:
    entries = _list(value)
    if len(entries) != len(each):
        raise BadObject(f"a list of {len(entries)} entries stands where {len(each)} are expected")
    return tuple(decode(entry) for decode, entry in zip(each, entries, strict=True))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadObject(f"{shown(value)} is not a list")
    return value


def _map(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadObject(f"{shown(value)} is not a mapping")
    return value
