"""Neighbouring tiers as one goal: shortfall, GPUs and gangs of one class and rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.problem.linear import Expression, TierGoal

FUSED_RANGE = 10**8
"""Largest distance of tiers solved as one from a value in hand; far inside the range in which floats are exact."""
_ORDER = ("shortfall", "gpus", "gangs")


@dataclass(frozen=True, slots=True)
class Fused:
    """A goal whose value tells those of its parts like digits of a number, the first part leading.

    Attributes
    ----------
    parts
        The tiers, in order.
    weights
        What one unit of each part counts.
    shift
        What is taken off, so that the goal is 0 at the solution in hand: solvers measure tolerances in its size.
    """

    goal: TierGoal
    parts: tuple[TierGoal, ...]
    weights: tuple[int, ...]
    shift: int

    def bounds(self, bound: int) -> tuple[int, ...]:
        """Bounds of the parts; each of the later ones holds where those before it reach theirs."""
        left = bound + self.shift
        found = []
        for part, weight in zip(self.parts, self.weights, strict=True):
            units = left // weight
            left -= units * weight
            found.append(units if part.sense == "max" else -units)
        return tuple(found)


def block_of(tiers: Sequence[TierGoal], index: int) -> tuple[TierGoal, ...]:
    """The tier and those after it that are about the same gangs: what is left of shortfall, GPUs, gangs."""
    first = tiers[index].name.split(".")
    if len(first) != 3 or first[2] not in _ORDER:
        return (tiers[index],)
    names = [".".join((*first[:2], kind)) for kind in _ORDER[_ORDER.index(first[2]) :]]
    found = tiers[index : index + len(names)]
    if [one.name for one in found] != names:
        return (tiers[index],)
    return tuple(found)


def fused(
    parts: Sequence[TierGoal],
    highest: Sequence[int],
    values: Sequence[int],
    *,
    centred: bool = True,
) -> Fused | None:
    """The parts as one goal to be maximised; None where numbers would grow too large, or for a single part.

    Parameters
    ----------
    highest
        Bound of every part; those after the first count something, so they are at least 0.
    values
        The parts at a solution in hand.
    centred
        Make the goal 0 at the solution in hand; without it a relative gap of the goal is about that of the first part.
    """
    if len(parts) < 2 or any(part.sense != "max" for part in parts[1:]):
        return None
    weights = [1]
    for one in reversed(highest[1:]):
        weights.append(weights[-1] * (one + 1))
    weights.reverse()
    bound = highest[0]
    reach = abs(bound - values[0]) if centred else abs(bound)
    if (reach + 1) * weights[0] > FUSED_RANGE:
        return None
    terms: dict[int, int] = {}
    constant = shift = ideal = 0
    for part, weight, value, most in zip(parts, weights, values, highest, strict=True):
        factor = weight if part.sense == "max" else -weight
        for column, one in zip(part.expression.columns, part.expression.coefficients, strict=True):
            terms[column] = terms.get(column, 0) + one * factor
        constant += part.expression.constant * factor
        ideal += most * factor
        shift += value * factor if centred else 0
    expression = Expression(tuple(terms), tuple(terms.values()), constant - shift)
    goal = TierGoal(parts[0].name, "max", parts[0].unit, expression, ideal - shift)
    return Fused(goal, tuple(parts), tuple(weights), shift)
