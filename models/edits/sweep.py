"""The sweep document: a scenario once for every point of a grid."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from models.edits.edit import EditError
from models.edits.scenario import Scenario, parse_scenario
from models.edits.short import short_edits
from models.edits.suggest import unknown
from models.findings import Finding, InputError

KEYS = ("name", "scenario", "grid")
MOST_POINTS = 100_000
_RANGE = re.compile(r"\s*(-?[0-9]{1,9})\s*\.\.\s*(-?[0-9]{1,9})(?:\s+step\s+([0-9]{1,9}))?\s*")

Point = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Sweep:
    """A scenario and the keys that vary.

    Attributes
    ----------
    grid
        Keys in short form (see :mod:`models.edits.short`) with their values, in the order of the file.
    """

    name: str
    scenario: Scenario
    grid: tuple[tuple[str, tuple[Any, ...]], ...]
    source: str = ""

    @property
    def size(self) -> int:
        """Number of points."""
        return prod(len(values) for _, values in self.grid)

    def points(self) -> Iterator[Point]:
        """All points, the last key varying fastest."""
        keys = [key for key, _ in self.grid]
        for values in product(*(values for _, values in self.grid)):
            yield tuple(zip(keys, values, strict=True))

    def at(self, point: Point) -> Scenario:
        """The scenario of one point: the common edits, then those of the point."""
        edits = [edit for key, value in point for edit in short_edits(key, value)]
        return Scenario(
            point_text(point), (*self.scenario.edits, *edits), source=self.source or self.name
        )

    def document(self) -> dict[str, Any]:
        """What a sweep file holds."""
        return {
            "name": self.name,
            "scenario": self.scenario.document(),
            "grid": {key: list(values) for key, values in self.grid},
        }

    def digest(self) -> str:
        """SHA-256 (hex) of the document."""
        text = json.dumps(self.document(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()


def point_text(point: Point) -> str:
    """``queue/eval.weight=4, add/a100=8``."""
    return ", ".join(f"{key}={_shown(value)}" for key, value in point)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def parse_sweep(raw: Any, *, source: str, name: str = "sweep") -> Sweep:
    """A sweep from the content of its file; every key and value is tried, no snapshot is needed.

    Raises
    ------
    InputError
        No grid, an unknown key, a value that does not suit, or more than 100,000 points.
    """
    if not isinstance(raw, Mapping):
        raise _fault(source, "holds no mapping with 'grid'", "write grid: {key: [values]}")
    for key in raw:
        if key not in KEYS:
            error = unknown("sweep key", str(key), KEYS)
            raise _fault(source, str(error), error.remedy)
    grid = raw.get("grid")
    if not isinstance(grid, Mapping) or not grid:
        raise _fault(
            source, "'grid' is no mapping of keys to values", "write grid: {key: [values]}"
        )
    scenario = parse_scenario(raw.get("scenario") or {}, source=source, name="base")
    axes = tuple((str(key), _values(str(key), values, source)) for key, values in grid.items())
    found = Sweep(str(raw.get("name") or name), scenario, axes, source)
    if found.size > MOST_POINTS:
        raise _fault(
            source,
            f"the grid has {found.size:,} points, more than {MOST_POINTS:,}",
            "give fewer values, or several sweeps",
        )
    return found


def _values(key: str, values: Any, source: str) -> tuple[Any, ...]:
    if isinstance(values, str):
        values = _range(key, values, source)
    if not isinstance(values, Sequence) or not values:
        raise _fault(
            source, f"grid key {key!r} has no list of values", 'write [1, 2, 4] or "0..20 step 4"'
        )
    texts = [json.dumps(value, sort_keys=True, default=str) for value in values]
    if len(set(texts)) < len(texts):
        raise _fault(source, f"grid key {key!r} lists a value twice", "list each value once")
    for value in values:
        try:
            short_edits(key, value)
        except EditError as error:
            what = f"grid key {key!r}, value {_shown(value)}: {error}"
            raise _fault(source, what, error.remedy) from None
    return tuple(values)


def _range(key: str, text: str, source: str) -> list[int]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise _fault(
            source, f"grid key {key!r}: {text!r} is no range", 'write "0..20" or "0..20 step 4"'
        )
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if step < 1 or last < first or (last - first) // step >= MOST_POINTS:
        raise _fault(
            source, f"grid key {key!r}: {text!r} is no range", "begin with the smaller end"
        )
    return list(range(first, last + 1, step))


def _fault(source: str, what: str, remedy: str) -> InputError:
    finding = Finding("sweep_invalid", "error", source, what, remedy)
    return InputError(f"{source}: {what}", (finding,))
