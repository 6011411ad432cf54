"""Frozen values as JSON values: fields that have their default are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from operator import attrgetter
from typing import Any, Final

from models.readers.field_names import json_name
from models.resources import Resources
from models.workloads import PodSpec

_REQUIRED: Final = object()
_SCALARS: Final = frozenset({str, int, bool, type(None)})


class Encoder:
    """Encodes values; every distinct pod specification goes once into ``specs`` and is named by its index."""

    def __init__(self) -> None:
        self.specs: list[PodSpec] = []
        self._index: dict[PodSpec, int] = {}
        self._tables: dict[type, tuple[Callable[[Any], Any], list[tuple[str, Any]]]] = {}

    def encode(self, value: Any) -> Any:
        """JSON value of a dataclass, map, tuple or scalar."""
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is PodSpec:
            return self._index_of(value)
        if kind is Resources:
            return value.as_dict()
        if isinstance(value, Mapping):
            if kind is dict and _SCALARS.issuperset(map(type, value.values())):
                return value
            return {key: self.encode(content) for key, content in value.items()}
        return self.fields_of(value) if is_dataclass(value) else [self.encode(one) for one in value]

    def fields_of(self, value: Any) -> dict[str, Any]:
        """Fields of a dataclass that differ from their default, in camel case."""
        kind = type(value)
        if kind not in self._tables:
            self._tables[kind] = _table(kind)
        contents, names = self._tables[kind]
        found = {}
        for (name, default), content in zip(names, contents(value), strict=True):
            if content is not default and content != default:
                found[name] = content if type(content) in _SCALARS else self.encode(content)
        return found

    def _index_of(self, spec: PodSpec) -> int:
        index = self._index.get(spec)
        if index is None:
            index = self._index[spec] = len(self.specs)
            self.specs.append(spec)
        return index


def _table(kind: type) -> tuple[Callable[[Any], Any], list[tuple[str, Any]]]:
    """How to take all fields of a class at once, and their names and defaults."""
    known: tuple[Field[Any], ...] = fields(kind)
    names = [one.name for one in known]
    if len(names) == 1:
        only = names[0]
        return lambda value: (getattr(value, only),), [(json_name(only), _default(known[0]))]
    return attrgetter(*names), [(json_name(one.name), _default(one)) for one in known]


def _default(one: Field[Any]) -> Any:
    if one.default is not MISSING:
        return one.default
    return one.default_factory() if one.default_factory is not MISSING else _REQUIRED
