"""What a tier costs at least where gangs have to start so that tiers above it keep their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Kind:
    """Gangs alike: how many there are, the GPUs of one that starts, and what it costs at least."""

    count: int
    gpus: int
    cost: int


@dataclass(frozen=True, slots=True)
class LeastCost:
    """The gangs of one class and rank, whose starts the tiers ``name.gpus`` and ``name.gangs`` count.

    Of all choices of gangs that start so many GPUs (or so many gangs) the cheapest one, parts of a gang allowed,
    takes gangs in the order of cost per GPU (per gang): a fractional knapsack [1]_. No placement can cost less.

    .. [1] G. B. Dantzig, Discrete-variable extremum problems, Operations Research 5 (1957).
    """

    name: str
    kinds: tuple[Kind, ...]

    def beside(self, reached: Mapping[str, int]) -> int:
        """The least cost beside the values of the tiers above; 0 where they say nothing of these gangs."""
        by_gpus = ((one.gpus, one) for one in self.kinds if one.gpus)
        by_gangs = ((1, one) for one in self.kinds)
        return max(
            _cheapest(by_gpus, reached.get(f"{self.name}.gpus", 0)),
            _cheapest(by_gangs, reached.get(f"{self.name}.gangs", 0)),
        )


def _cheapest(gains: Iterable[tuple[int, Kind]], wanted: int) -> int:
    """``min sum cost z`` with ``sum gain z >= wanted`` and ``0 <= z <= count``, rounded up."""
    cost = 0
    for gain, one in sorted(gains, key=lambda pair: Fraction(pair[1].cost, pair[0])):
        if wanted <= 0:
            break
        whole = min(one.count, wanted // gain)
        cost += whole * one.cost
        wanted -= whole * gain
        if whole < one.count and wanted > 0:
            return cost - (-wanted * one.cost // gain)
    return cost
