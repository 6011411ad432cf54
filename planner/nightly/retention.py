"""Which nights are too many or too old."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from models.nightly.config import DAY_S, Retention
from planner.nightly.folders import Night
from planner.nightly.nights import days_between


def surplus(
    nights: Sequence[Night], kept: Retention, *, today: str, spared: Collection[str] = ()
) -> list[Night]:
    """Nights to remove, oldest first; ``spared`` names (nights that history has not taken yet) stay.

    The newest night always stays. ``today`` is the earlier of the night of the run and the night by the clock, so that
    one export or clock from the future does not make all others too old.
    """
    newest_first = sorted(nights, key=lambda one: one.name, reverse=True)
    found = []
    for place, night in enumerate(newest_first):
        too_many = kept.nights is not None and place >= kept.nights
        too_old = kept.age is not None and days_between(night.name, today) * DAY_S > kept.age
        if place and (too_many or too_old) and night.name not in spared:
            found.append(night)
    return found[::-1]
