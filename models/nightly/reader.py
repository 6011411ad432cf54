"""For whom a report is cut: the platform team, capacity managers, one tenant, one online service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

ReaderKind = Literal["platform", "capacity", "tenant", "service"]
NAMED: tuple[ReaderKind, ...] = ("tenant", "service")
"""Kinds of readers that need a name: a queue, or an online service."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader; ``name`` is the queue of a tenant or the online service, "" otherwise."""

    kind: ReaderKind
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


def parse_reader(value: Any) -> Reader:
    """A reader of ``platform``, ``capacity``, ``tenant QUEUE``, ``service NAME``, or of a mapping ``{tenant: QUEUE}``.

    Raises
    ------
    ValueError
        None of these; says how it is written.
    """
    if isinstance(value, Reader):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        ((kind, name),) = value.items()
        value = f"{kind} {name}"
    if not isinstance(value, str):
        raise ValueError(_FORM)
    kind, _, name = value.strip().partition(" ")
    name = name.strip()
    for known in get_args(ReaderKind):
        if kind == known and bool(name) == (known in NAMED):
            return Reader(known, name)
    raise ValueError(_FORM)


_FORM = "a reader is written platform, capacity, 'tenant QUEUE' or 'service NAME'"
