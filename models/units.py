"""Kubernetes quantities, exact: text to rational numbers and to integers in base units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, Final

from models.resources import CPU, Resources

# Kubernetes keeps quantities in 64-bit integers where it can; what is above names no real amount.
LARGEST_AMOUNT: Final = 2**63 - 1
_LONGEST_TEXT: Final = 64
_LARGEST_EXPONENT: Final = 30

_BINARY: Final[dict[str, int]] = {
    unit: 1024**power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)
}
_DECIMAL_EXPONENT: Final = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18
}  # fmt: skip
_PATTERN: Final = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:(?P<binary>[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]+)|(?P<suffix>[numkMGTPE]?))"
)


class QuantityError(ValueError):
    """The value is not a Kubernetes quantity, or not one that an amount can have."""


def parse_quantity(value: Any) -> Fraction:
    """Exact value of a quantity in its plain unit (cores, bytes, units), e.g. ``250m``, ``16Gi``, ``1e3``.

    Numbers of JSON and YAML are accepted too; a float counts as the shortest text that names it.

    Raises
    ------
    QuantityError
        No quantity, or an exponent or length that no real amount has (``1e999999999`` is refused at once).
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise QuantityError(f"{_shown(value)} is not a quantity")
    if isinstance(value, int) and abs(value) > LARGEST_AMOUNT:
        raise QuantityError("the number is larger than any amount")
    return _parse_text(repr(value) if isinstance(value, float) else str(value).strip())


@lru_cache(maxsize=65_536)
def to_base_units(resource: str, value: Any) -> int:
    """Quantity as an integer: cpu in milli-CPU, all else in its plain unit; parts of a unit are rounded up.

    Raises
    ------
    QuantityError
        No quantity, negative, or larger than 2^63 - 1.
    """
    exact = parse_quantity(value)
    if exact < 0:
        raise QuantityError(f"{_shown(value)} is negative; an amount of {resource} is 0 or more")
    if exact > LARGEST_AMOUNT:
        raise QuantityError(f"{_shown(value)} is larger than any amount of {resource}")
    return ceil(exact * 1000) if resource == CPU else ceil(exact)


def to_resources(amounts: Mapping[str, Any]) -> Resources:
    """A Kubernetes resource list in base units; listed zeros stay, object counts (``count/…``) are left out.

    Raises
    ------
    QuantityError
        As :func:`to_base_units`; the message names the resource.
    """
    found = {}
    for name, value in amounts.items():
        if not name.isprintable():
            raise QuantityError(f"{_shown(name)} is no resource name")
        if not name.startswith("count/"):
            try:
                found[name] = to_base_units(name, value)
            except TypeError:  # a list or mapping cannot be a key of the cache
                raise QuantityError(f"{name}: {_shown(value)} is not a quantity") from None
            except QuantityError as error:
                raise QuantityError(f"{name}: {error}") from None
    return Resources(found)


@lru_cache(maxsize=65_536)
def _parse_text(text: str) -> Fraction:
    match = _PATTERN.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if match is None:
        raise QuantityError(f"{_shown(text)} is not a quantity")
    number = Fraction(match["number"])
    if match["binary"]:
        return number * Fraction(_BINARY[match["binary"]])
    exponent = (
        _exponent(match["exponent"], text)
        if match["exponent"]
        else _DECIMAL_EXPONENT[match["suffix"]]
    )
    return number * Fraction(10**exponent) if exponent >= 0 else number / Fraction(10**-exponent)


def _exponent(digits: str, text: str) -> int:
    exponent = int(digits)  # at most 64 digits, checked above
    if abs(exponent) > _LARGEST_EXPONENT:
        raise QuantityError(f"{_shown(text)} has an exponent that no amount has")
    return exponent


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 44 else f"{text[:40]}…"
