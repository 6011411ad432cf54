"""Weighted water filling (Volcano ``proportion``), computed by the verifier itself.

Round by round what is left of every resource is divided by weight among the queues whose request is not met; each
share is capped by the queue's ceiling and request and lifted to its guarantee. A queue leaves when its request is
met in every resource or its share did not move. Semantics from Volcano ``plugins/proportion/proportion.go``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

_ROUNDS = 1000
_DRY = Fraction(1, 10**7)
_GRAIN = 10**10
_ZERO = Fraction(0)


@dataclass(slots=True)
class Basin:
    """One queue that takes part.

    Attributes
    ----------
    cap
        Per resource the lesser of request and ceiling.
    floor
        Per resource the guarantee.
    request
        Per resource what its pods ask for.
    """

    name: str
    weight: int
    request: Mapping[str, int]
    cap: Mapping[str, int]
    floor: Mapping[str, int]
    level: dict[str, Fraction]

    def pour(self, supply: Mapping[str, Fraction], part: Fraction) -> dict[str, Fraction]:
        """Raise the level by ``part`` of the supply; returns by how much each resource moved."""
        moved = {}
        for name, left in supply.items():
            raised = min(self.level[name] + left * part, Fraction(self.cap.get(name, 0)))
            raised = _grained(max(raised, Fraction(self.floor.get(name, 0))))
            moved[name] = raised - self.level[name]
            self.level[name] = raised
        return moved

    def thirsty(self, moved: Mapping[str, Fraction]) -> bool:
        """Its level moved and its request is not met in some resource."""
        short = any(self.request.get(name, 0) > level for name, level in self.level.items())
        return short and any(moved.values())


def fill(total: Mapping[str, int], basins: Sequence[Basin]) -> dict[str, dict[str, Fraction]]:
    """Shares per queue and resource in base units; exact up to 10**-10 of a unit."""
    supply = {name: Fraction(amount) for name, amount in total.items()}
    for basin in basins:
        basin.level = dict.fromkeys(supply, _ZERO)
    thirsty = list(basins)
    for _ in range(_ROUNDS):
        weight = sum(basin.weight for basin in thirsty)
        if weight == 0 or all(left <= _DRY for left in supply.values()):
            break
        taken = dict.fromkeys(supply, _ZERO)
        following = []
        for basin in thirsty:
            moved = basin.pour(supply, Fraction(basin.weight, weight))
            for name, amount in moved.items():
                taken[name] += amount
            if basin.thirsty(moved):
                following.append(basin)
        rest = {name: max(left - taken[name], _ZERO) for name, left in supply.items()}
        if rest == supply:
            break
        supply, thirsty = rest, following
    return {basin.name: basin.level for basin in basins}


def _grained(amount: Fraction) -> Fraction:
    """Denominators would grow with every round: cut them far below what any comparison sees."""
    if amount.denominator <= _GRAIN:
        return amount
    return Fraction(amount.numerator * _GRAIN // amount.denominator, _GRAIN)
