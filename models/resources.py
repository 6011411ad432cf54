"""Exact resource amounts: integers in base units, keyed by Kubernetes resource name."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

CPU: Final = "cpu"
MEMORY: Final = "memory"
PODS: Final = "pods"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
BASE_DIMENSIONS: Final = (CPU, MEMORY)


class Resources(Mapping[str, int]):
    """An immutable, hashable map from resource name to an integer amount.

    ``cpu`` is in milli-CPU, ``memory`` and ``ephemeral-storage`` are in bytes, everything else is in units of the
    resource. A listed zero is kept, because a queue's ``capability: {nvidia.com/gpu: 0}`` differs from no entry;
    use :meth:`without_zeros` for requests. Differences may hold negative amounts.
    """

    __slots__ = ("_amounts", "_hash")

    def __init__(self, amounts: Mapping[str, int] | Iterable[tuple[str, int]] = ()) -> None:
        self._amounts: dict[str, int] = dict(sorted(dict(amounts).items()))
        self._hash: int | None = None

    def __getitem__(self, name: str) -> int:
        return self._amounts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._amounts)

    def __len__(self) -> int:
        return len(self._amounts)

    def __contains__(self, name: object) -> bool:
        return (
            name in self._amounts
        )  # asked millions of times; the inherited one raises and catches

    def items(self) -> ItemsView[str, int]:
        """Pairs of name and amount, by name."""
        return self._amounts.items()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(tuple(self._amounts.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Resources):
            return self._amounts == other._amounts
        if isinstance(other, Mapping):
            return self._amounts == dict(other)
        return NotImplemented

    def __repr__(self) -> str:
        return f"Resources({self._amounts!r})"

    def __reduce__(self) -> tuple[type[Resources], tuple[dict[str, int]]]:
        return (Resources, (self._amounts,))

    def amount(self, name: str) -> int:
        """Amount of a resource, 0 where it is not listed."""
        return self._amounts.get(name, 0)

    def plus(self, other: Mapping[str, int]) -> Resources:
        """Sum per resource over the union of names."""
        total = dict(self._amounts)
        for name, amount in other.items():
            total[name] = total.get(name, 0) + amount
        return Resources(total)

    def minus(self, other: Mapping[str, int]) -> Resources:
        """Difference per resource over the union of names; may be negative."""
        total = dict(self._amounts)
        for name, amount in other.items():
            total[name] = total.get(name, 0) - amount
        return Resources(total)

    def times(self, factor: int) -> Resources:
        """Every amount multiplied by a whole number."""
        return Resources({name: amount * factor for name, amount in self._amounts.items()})

    def without_zeros(self) -> Resources:
        """Only the resources with an amount other than 0."""
        return Resources({name: amount for name, amount in self._amounts.items() if amount})

    def as_dict(self) -> dict[str, int]:
        """A new plain dict, names sorted."""
        return dict(self._amounts)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        amounts = core_schema.dict_schema(core_schema.str_schema(), core_schema.int_schema())
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(cls, amounts),
            python_schema=core_schema.union_schema(
                [
                    core_schema.is_instance_schema(cls),
                    core_schema.no_info_after_validator_function(cls, amounts),
                ]
            ),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: value.as_dict(), return_schema=amounts
            ),
        )


NO_RESOURCES: Final = Resources()


def total_of(vectors: Iterable[Mapping[str, int]]) -> Resources:
    """Sum of resource maps."""
    total: dict[str, int] = {}
    for vector in vectors:
        for name, amount in vector.items():
            total[name] = total.get(name, 0) + amount
    return Resources(total)


__all__ = [
    "BASE_DIMENSIONS",
    "CPU",
    "EPHEMERAL_STORAGE",
    "MEMORY",
    "NO_RESOURCES",
    "PODS",
    "Resources",
    "total_of",
]
