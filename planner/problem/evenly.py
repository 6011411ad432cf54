"""A few of many, spread evenly: for families of valid rows of which a model needs not have all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def evenly(items: Sequence[T], most: int) -> Sequence[T]:
    """At most ``most`` (2 or more) of the items, the first and the last among them; all where they are no more."""
    if len(items) <= most:
        return items
    last = len(items) - 1
    return [items[number * last // (most - 1)] for number in range(most)]
