"""Words for amounts, lists and times in findings; every number gets its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from models.resources import CPU, EPHEMERAL_STORAGE, MEMORY

NAMES_SHOWN = 5
_BYTE_UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def is_bytes(name: str) -> bool:
    """Whether amounts of a resource are bytes."""
    return name in (MEMORY, EPHEMERAL_STORAGE) or name.startswith("hugepages-")


def amount_text(name: str, amount: int) -> str:
    """One amount: ``1.5 CPUs``, ``512 GiB memory``, ``8 nvidia.com/gpu``."""
    if name == CPU:
        whole, rest = divmod(abs(amount), 1000)
        sign = "-" if amount < 0 else ""
        return f"{sign}{whole:,}" + (f".{rest:03d}".rstrip("0") if rest else "") + " CPUs"
    if is_bytes(name):
        return f"{_bytes_text(amount)} {name}"
    return f"{amount:,} {name}"


def _bytes_text(amount: int) -> str:
    for unit, size in _BYTE_UNITS[1:]:
        if abs(amount) >= size:
            value = f"{amount / size:,.1f}".removesuffix(".0")
            return f"{value} {unit}"
    return f"{amount:,} bytes"


def amounts_text(amounts: Mapping[str, int]) -> str:
    """All amounts of a resource map, comma separated; "nothing" where it is empty."""
    return ", ".join(amount_text(name, amount) for name, amount in amounts.items()) or "nothing"


def against_text(name: str, have: int, limit: int) -> str:
    """``64 nvidia.com/gpu against 48``; bytes exactly where rounding would hide the difference."""
    left, right = amount_text(name, have), amount_text(name, limit)
    if left == right:
        left, right = (f"{amount:,} bytes {name}" for amount in (have, limit))
    return f"{left} against {right.removesuffix(f' {name}').removesuffix(' CPUs')}"


def names_text(names: Iterable[str], *, shown: int = NAMES_SHOWN) -> str:
    """The first names and how many more there are: ``a, b, c and 12 more``."""
    every: Sequence[str] = names if isinstance(names, (list, tuple)) else list(names)
    if len(every) <= shown + 1:
        return ", ".join(every)
    return f"{', '.join(every[:shown])} and {len(every) - shown:,} more"


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 pod``, ``3,000 pods``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
