"""Columns of the last tier, what preferred rules cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.model.variables import Terms


@dataclass(frozen=True)
class Company:
    """Columns of a term in one domain: its owners, whom it selects, whether it is met, and the pods that lose."""

    near: bool
    itself: int
    owners: Terms
    selected: Terms
    met: int
    lost: int


@dataclass(frozen=True)
class Beyond:
    """Columns of a constraint in one domain."""

    held: int
    skew: int
    came: Terms
    matching: Terms
    lost: int
    all_of_them: int | None


@dataclass(frozen=True)
class SpreadColumns:
    """One constraint: held and new matching pods by domain, the fewest of a domain, and where pods may be too many."""

    held: tuple[int, ...]
    matching: tuple[Terms, ...]
    fewest: int | None
    beyond: tuple[Beyond, ...]


@dataclass
class WishColumns:
    """Columns that a plan's pods decide."""

    company: list[Company] = field(default_factory=list)
    spreads: list[SpreadColumns] = field(default_factory=list)
