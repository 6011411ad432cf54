"""One resource in closed form: weighted max-min shares of a whole tree in whole units, vectorised.

Level by level every parent's amount is divided among its children by the water level (floors and ceilings clamp), the
shares are rounded to whole units by largest remainder, and the rounded amounts are divided further down. Breakpoints
are ordered in double precision; level, shares and remainders are then exact integers, and a group whose order was
wrong in the last bit is divided again by :mod:`planner.shares.water_level`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.shares.bounds import (
    fitting_floors,
    group_starts,
    lower_bounds,
    upper_bounds,
)
from planner.shares.tree import IntArray, ShareTree
from planner.shares.water_level import exact_shares
from planner.shares.whole_units import round_by_remainder

BoolArray = npt.NDArray[np.bool_]


def tree_shares(tree: ShareTree) -> IntArray:
    """Shares per queue and resource in whole base units, every resource divided on its own.

    Children's shares sum up to their parent's share, and those of the top level to the total, as far as there is
    demand; no share exceeds demand or limit, none is below a guarantee that is asked for and fits.
    """
    upper = upper_bounds(tree)
    lower = fitting_floors(tree, lower_bounds(tree, upper))
    shares = np.zeros_like(upper)
    for column in range(len(tree.resources)):
        for rows in tree.levels:
            parents = tree.parent[rows]
            starts = group_starts(parents)
            top = parents[0] < 0
            available = tree.total[column : column + 1] if top else shares[parents[starts], column]
            siblings = Siblings(
                np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(rows)])),
                starts,
                tree.weight[rows],
                lower[rows, column],
                upper[rows, column],
            )
            shares[rows, column] = divide(available, siblings)
    return shares


@dataclass(frozen=True)
class Siblings:
    """Groups of siblings side by side: group number, where each group starts, and per queue weight, floor, most."""

    group: IntArray
    starts: IntArray
    weight: IntArray
    floor: IntArray
    most: IntArray

    def sums(self, amounts: IntArray) -> IntArray:
        """Sum per group."""
        return np.add.reduceat(amounts, self.starts)


def divide(available: IntArray, siblings: Siblings) -> IntArray:
    """Divide what each group has among its members, in whole units."""
    top = siblings.most
    shares = top.copy()
    short = siblings.sums(top) > available
    if not short.any():
        return shares
    level = _levels(available, siblings, top)[siblings.group]
    weight = siblings.weight
    low = (weight * level <= siblings.floor) | (top <= siblings.floor)
    high = ~low & (weight * level >= top)
    mid = ~low & ~high
    settled = np.where(low, siblings.floor, np.where(high, top, 0))
    rest = available - siblings.sums(settled)
    width = siblings.sums(np.where(mid, weight, 0))
    whole, part = np.divmod(rest, np.maximum(width, 1))
    shares, remainder = _mid_shares(siblings, settled, mid, (whole, part, width))
    exact = _is_exact(siblings, top, (low, high, mid), (whole, part, width))
    wrong = short & ~(exact & np.where(width > 0, rest >= 0, rest == 0))
    shares = np.where(short[siblings.group], shares, top)
    left = np.where(short & ~wrong, available - siblings.sums(shares), 0)
    shares = round_by_remainder(shares, remainder, siblings.group, left)
    for number in np.flatnonzero(wrong).tolist():
        _divide_exactly(int(available[number]), siblings, number, shares)
    return shares


def _levels(available: IntArray, siblings: Siblings, top: IntArray) -> npt.NDArray[np.float64]:
    """Water level per group in double precision: sort breakpoints, sum up, find where the amount is used up."""
    weight = siblings.weight.astype(np.float64)
    rising = top > siblings.floor
    divisor = np.where(rising, weight, 1.0)
    slope = np.where(rising, weight, 0.0)
    places = np.concatenate([siblings.floor / divisor, top / divisor])
    places[np.r_[~rising, ~rising]] = 0.0
    groups = np.concatenate([siblings.group, siblings.group])
    order = np.lexsort((places, groups))
    places, groups, slopes = places[order], groups[order], np.r_[slope, -slope][order]
    starts = 2 * siblings.starts
    slopes = np.cumsum(slopes)
    steps = np.r_[0.0, slopes[:-1] * np.diff(places)]
    steps[starts] = 0.0
    risen = np.cumsum(steps)
    risen -= risen[starts][groups]
    wanted = (available - siblings.sums(siblings.floor)).astype(np.float64)
    below = risen <= wanted[groups]
    below[starts] = True
    last = starts + np.add.reduceat(below.astype(np.int64), starts) - 1
    gradient = slopes[last]
    beyond = np.where(gradient > 0, (wanted - risen[last]) / np.where(gradient > 0, gradient, 1), 0)
    found: npt.NDArray[np.float64] = places[last] + beyond
    return found


Split = tuple[IntArray, IntArray, IntArray]
"""A level per group as whole + part / width, exactly."""


def _mid_shares(
    siblings: Siblings, settled: IntArray, mid: BoolArray, level: Split
) -> tuple[IntArray, IntArray]:
    """Whole shares at the level, and remainders in parts of the group's width."""
    whole, part, width = (values[siblings.group] for values in level)
    factor = np.where(mid, siblings.weight, 0)
    over, remainder = np.divmod(factor * part, np.maximum(width, 1))
    return settled + factor * np.where(mid, whole, 0) + over, remainder


def _is_exact(
    siblings: Siblings, top: IntArray, sides: tuple[BoolArray, BoolArray, BoolArray], level: Split
) -> BoolArray:
    """Per group: everyone is on the right side of the exact level."""
    low, high, mid = sides
    rising = top > siblings.floor
    above_floor = _compare(level, siblings, siblings.floor)
    above_top = _compare(level, siblings, top)
    fine = np.where(low, ~rising | (above_floor <= 0), True)
    fine &= np.where(high, above_top >= 0, True)
    fine &= np.where(mid, (above_floor >= 0) & (above_top <= 0), True)
    has_level = level[2] > 0
    return np.logical_and.reduceat(fine | ~has_level[siblings.group], siblings.starts)


def _compare(level: Split, siblings: Siblings, amount: IntArray) -> IntArray:
    """Sign of level - amount / weight, in whole numbers that cannot overflow."""
    whole, part, width = (values[siblings.group] for values in level)
    weight = siblings.weight
    quotient, rest = np.divmod(amount, weight)
    return np.where(
        whole != quotient, np.sign(whole - quotient), np.sign(part * weight - rest * width)
    )


def _divide_exactly(available: int, siblings: Siblings, number: int, shares: IntArray) -> None:
    members = np.flatnonzero(siblings.group == number)
    exact = exact_shares(
        available,
        siblings.weight[members].tolist(),
        siblings.floor[members].tolist(),
        siblings.most[members].tolist(),
    )
    whole = [int(one) for one in exact]
    left = int(sum(exact)) - sum(whole)
    by_remainder = sorted(range(len(exact)), key=lambda i: (whole[i] - exact[i], i))
    for index in by_remainder[:left]:
        whole[index] += 1
    shares[members] = whole
