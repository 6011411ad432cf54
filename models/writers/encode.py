"""Frozen values as JSON values: fields that have their default are left out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, cast

from pydantic.alias_generators import to_camel

from models.workloads import PodSpec


class Encoder:
    """Encodes values; every distinct pod specification goes once into ``specs`` and is named by its index."""

    def __init__(self) -> None:
        self.specs: list[PodSpec] = []
        self._index: dict[PodSpec, int] = {}

    def encode(self, value: Any) -> Any:
        """JSON value of a dataclass, map, tuple or scalar."""
        if value is None or isinstance(value, (str, int)):
            return value
        if isinstance(value, PodSpec):
            return self._index_of(value)
        if isinstance(value, Mapping):
            return {key: self.encode(value[key]) for key in sorted(value)}
        if is_dataclass(value):
            return self.fields_of(value)
        return [self.encode(one) for one in value]

    def fields_of(self, value: Any) -> dict[str, Any]:
        """Fields of a dataclass that differ from their default, in camel case."""
        found = {}
        for name, key, is_default in _field_table(type(value)):
            content = getattr(value, name)
            if not is_default(content):
                found[key] = self.encode(content)
        return found

    def _index_of(self, spec: PodSpec) -> int:
        index = self._index.get(spec)
        if index is None:
            index = self._index[spec] = len(self.specs)
            self.specs.append(spec)
        return index


@cache
def _field_table(kind: Hashable) -> tuple[tuple[str, str, Callable[[Any], bool]], ...]:
    return tuple(
        (one.name, to_camel(one.name), _default_test(one)) for one in fields(cast("Any", kind))
    )


def _default_test(one: Field[Any]) -> Callable[[Any], bool]:
    """Whether a content is the default; type counts too, so that None, () and False are told apart."""
    if one.default is not MISSING:
        default = one.default
    elif one.default_factory is not MISSING:
        default = one.default_factory()
    else:
        return lambda content: False
    return lambda content: content == default and (content is None) == (default is None)
