"""Weighted water filling of Volcano's ``proportion`` plugin, exact.

Source of the rule: ``pkg/scheduler/plugins/proportion/proportion.go`` (volcano-sh/volcano). Per round every unmet queue
receives its weight's part of what remains, capped by its ceiling and its request and lifted to its guarantee; all
queues of a round see the same remainder, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

_EMPTY = Fraction(1, 10**7)
"""A remainder below this, in base units, counts as used up: the filling is a limit process."""
_MAX_DENOMINATOR = 10**12
_MAX_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Claim:
    """One queue's part in the filling; resource maps in base units, absent = 0 (ceiling: absent = nothing)."""

    name: str
    weight: int
    request: Mapping[str, int]
    ceiling: Mapping[str, int]
    guarantee: Mapping[str, int]


def water_filling(
    total: Mapping[str, int], claims: Sequence[Claim]
) -> dict[str, dict[str, Fraction]]:
    """Deserved amount per queue and dimension of ``total``."""
    shares = {claim.name: dict.fromkeys(total, Fraction(0)) for claim in claims}
    remaining = {name: Fraction(amount) for name, amount in total.items()}
    unmet = list(claims)
    for _ in range(_MAX_ROUNDS):
        weights = sum(claim.weight for claim in unmet)
        if not weights or all(amount <= _EMPTY for amount in remaining.values()):
            break
        given = dict.fromkeys(total, Fraction(0))
        following: list[Claim] = []
        for claim in unmet:
            before = shares[claim.name]
            after = {
                name: _raised(claim, name, before[name] + remaining[name] * claim.weight / weights)
                for name in total
            }
            shares[claim.name] = after
            for name in total:
                given[name] += after[name] - before[name]
            met = all(claim.request.get(name, 0) <= after[name] for name in total)
            if not met and after != before:
                following.append(claim)
        left = {name: max(remaining[name] - given[name], Fraction(0)) for name in total}
        if left == remaining:
            break
        remaining, unmet = left, following
    return shares


def _raised(claim: Claim, name: str, amount: Fraction) -> Fraction:
    """Cap an amount by ceiling and request, lift it to the guarantee, and keep its denominator small."""
    wanted = min(claim.request.get(name, 0), claim.ceiling.get(name, 0))
    share = max(min(amount, Fraction(wanted)), Fraction(claim.guarantee.get(name, 0)))
    if share.denominator < _MAX_DENOMINATOR:
        return share
    return Fraction(round(share * 10**9), 10**9)


def whole_limit(share: Fraction) -> int:
    """Largest whole amount that does not exceed a share, with the tolerance of a limit process.

    The tolerance is the larger of 1/1000 base unit and 10^-9 of the share.
    """
    return int(share + max(Fraction(1, 1000), share / 10**9))
