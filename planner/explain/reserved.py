"""``guarantee_reserved``: a limit would do if nothing were guaranteed to other queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.checks.wording import names_text
from models.plan import Reason
from planner.explain.ceilings import Ceilings
from planner.explain.short_limits import LimitUse, ShortLimit
from planner.explain.units import Units
from planner.explain.view import are

OWNERS_SHOWN = 3
"""Queues with guarantees that a message names."""


def reserved(
    short: Sequence[ShortLimit], ceilings: Ceilings, use: LimitUse, units: Units
) -> Reason | None:
    """The reason for those limits that guarantees make too small, with their owners; None where there are none."""
    held = [one for one in short if _held_back(one, ceilings)]
    if not held:
        return None
    parts, rows = [], []
    for one in held:
        owners = ceilings.guarantees(one.name, one.resource)
        limit, total = units.texts(one.dimension, one.limit, sum(owners.values()))
        words = names_text(_owner_words(one, owners, use, units), shown=OWNERS_SHOWN)
        parts.append(
            f"the limit of queue {one.name} is {limit} because {total} {are(total)} guaranteed to "
            f"{words}"
        )
        without = ceilings.unreserved(one.name, one.resource)
        rows.append({**one.row(), "guarantees": owners, "limitWithout": without})
    message = f"{'; '.join(parts)}; without that it would do"
    return Reason(code="guarantee_reserved", message=message, data={"limits": rows})


def _held_back(one: ShortLimit, ceilings: Ceilings) -> bool:
    if not ceilings.guarantees(one.name, one.resource):
        return False
    limit = ceilings.unreserved(one.name, one.resource)
    return limit is None or one.need + one.used + one.starting <= limit


def _owner_words(
    one: ShortLimit, owners: Mapping[str, int], use: LimitUse, units: Units
) -> list[str]:
    """Queues with their guarantee and how much of it nobody uses, most unused first."""
    unused = {
        owner: max(amount - use.used(owner).amount(one.resource), 0)
        for owner, amount in owners.items()
    }
    words = []
    for owner in sorted(owners, key=lambda name: (-unused[name], name)):
        idle, held = units.texts(one.dimension, unused[owner], owners[owner])
        words.append(f"queue {owner} ({held}, {units.number(one.dimension, idle)} unused)")
    return words
