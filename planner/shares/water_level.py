"""One resource, one group of siblings, exact: the water level by one scan over its breakpoints.

``share = clamp(weight * level, floor, most)`` with the level at which the shares sum up to what is available. Readable
reference of :mod:`planner.shares.closed_form`, and its way out where double precision cannot order two
breakpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def exact_shares(
    available: int, weights: Sequence[int], floors: Sequence[int], most: Sequence[int]
) -> list[Fraction]:
    """Weighted max-min shares between floor and most, whose floors sum up to at most ``available``.

    Everything is given if ``most`` allows it; queues of weight 0 keep their floor.
    """
    tops = [
        top if weight else floor for weight, floor, top in zip(weights, floors, most, strict=True)
    ]
    if sum(tops) <= available:
        return [Fraction(top) for top in tops]
    level = _level(available, weights, floors, tops)
    return [
        min(max(weight * level, Fraction(floor)), Fraction(top))
        for weight, floor, top in zip(weights, floors, tops, strict=True)
    ]


def _level(
    available: int, weights: Sequence[int], floors: Sequence[int], tops: Sequence[int]
) -> Fraction:
    """The level at which the shares use up everything: their sum rises piecewise linearly with it."""
    events: list[tuple[Fraction, int]] = []
    for weight, floor, top in zip(weights, floors, tops, strict=True):
        if top > floor:
            events += [(Fraction(floor, weight), weight), (Fraction(top, weight), -weight)]
    level, given, slope = Fraction(0), Fraction(sum(floors)), 0
    for place, change in sorted(events):
        step = slope * (place - level)
        if slope and given + step >= available:
            return level + (available - given) / slope
        level, given, slope = place, given + step, slope + change
    return level
