"""Fewer wishes, where telling all of them apart would make the model too large: what is left out costs nothing there.

A plan loses at least the points of what is kept, so that a bound for it is a bound for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from planner.problem.wishes import PodWish, SpreadWish, Wishes

MOST_DOMAINS = 40
"""Domains of a key up to which its terms are kept when node names, racks and the like are not."""

Same = Mapping[int, int]
"""Wish to the one that stands for it; 0 where nothing is left of it."""


def levels(wishes: Wishes) -> Iterator[tuple[Wishes, Same]]:
    """All wishes, then without terms over many domains, then nodes alone; each with who stands for whom."""
    seen = []
    for most in (None, MOST_DOMAINS, 0):
        kept = replace(
            wishes,
            pods=tuple(one for one in wishes.pods if _keeps(one, most)),
            spreads=tuple(one for one in wishes.spreads if _keeps(one, most)),
        )
        size = (len(kept.pods), len(kept.spreads))
        if size not in seen:
            seen.append(size)
            yield _merged(kept)


def _keeps(one: PodWish | SpreadWish, most: int | None) -> bool:
    return most is None or len(one.held) <= most


def _merged(wishes: Wishes) -> tuple[Wishes, Same]:
    """One wish for all that every rule treats alike."""
    parts: dict[int, list[object]] = {}
    for wish, losses in wishes.losses.items():
        parts.setdefault(wish, []).append(losses.tobytes())
    for one in wishes.pods:
        term = (one.near, one.points, id(one.place), id(one.held))
        parts.setdefault(one.owner, []).append((term, "owner"))
        for wish in one.selected:
            parts.setdefault(wish, []).append((term, "selected"))
    for index, spread in enumerate(wishes.spreads):
        for wish in spread.owners:
            parts.setdefault(wish, []).append(("even", index))
        for wish in spread.counted:
            parts.setdefault(wish, []).append(("counted", index))
    first: dict[tuple[object, ...], int] = {}
    same = {
        wish: first.setdefault(tuple(dict.fromkeys(mine)), wish)
        for wish, mine in sorted(parts.items())
    }
    kept = frozenset(same.values())
    return (
        Wishes(
            {wish: nodes for wish, nodes in wishes.nodes.items() if wish in kept},
            tuple(
                replace(one, selected=one.selected & kept)
                for one in wishes.pods
                if one.owner in kept
            ),
            tuple(
                replace(one, owners=one.owners & kept, counted=one.counted & kept)
                for one in wishes.spreads
            ),
        ),
        same,
    )
