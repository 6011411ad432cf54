"""Objects of one kind by name: identical copies merge, of differing ones the newer counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from models.findings import Finding

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a copy of an object came from."""

    file: str
    uid: str = ""
    version: int = -1


class Collection(Generic[Value]):
    """Objects of one kind, one per name, with their origin."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._found: dict[str, tuple[Value, Origin]] = {}

    def add(self, name: str, value: Value, origin: Origin) -> Finding | None:
        """Add one copy; a finding tells when it differs from the one that was there.

        The higher ``resourceVersion`` counts; where that does not decide, the choice depends on content only, so that
        the order of the files does not matter.
        """
        have = self._found.get(name)
        if have is None:
            self._found[name] = (value, origin)
            return None
        older, newer = have, (value, origin)
        if value == have[0]:
            if origin.version > have[1].version:
                self._found[name] = newer
            return None
        if _age(newer) < _age(older):
            older, newer = newer, older
        self._found[name] = newer
        return _conflict(f"{self.kind}/{name}", older[1], newer[1])

    def forget(self, file: str) -> None:
        """Drop the objects that came from a file."""
        for name in [name for name, (_, origin) in self._found.items() if origin.file == file]:
            del self._found[name]

    def origin(self, name: str) -> Origin | None:
        """Origin of the copy that counts."""
        found = self._found.get(name)
        return found[1] if found else None

    def get(self, name: str) -> Value | None:
        """The object of this name."""
        found = self._found.get(name)
        return found[0] if found else None

    def sorted(self) -> list[Value]:
        """All objects in name order."""
        return [self._found[name][0] for name in sorted(self._found)]

    def __len__(self) -> int:
        return len(self._found)


def _age(copy: tuple[object, Origin]) -> tuple[int, str]:
    return copy[1].version, repr(copy[0])


def _conflict(name: str, older: Origin, newer: Origin) -> Finding:
    known = older.version >= 0 and newer.version >= 0
    counts = (
        f"resourceVersion {newer.version} counts, {older.version} does not"
        if known
        else "resourceVersion is missing, one of them was taken"
    )
    files = f"in {newer.file}" if newer.file == older.file else f"in {older.file} and {newer.file}"
    return Finding(
        "conflicting_copies",
        "warning",
        name,
        f"the input holds differing copies ({files}): {counts}",
        "export all kinds at one moment, each object once",
    )
