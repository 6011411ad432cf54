"""KAI's division of one resource: quota first, then the rest by priority, weight and past use, in whole units.

Facts from KAI-Scheduler, ``pkg/scheduler/plugins/proportion/resource_division``. Quotas are never scaled down: if they
sum up to more than the total, so do the shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

UNLIMITED = -1


@dataclass(frozen=True, slots=True)
class KaiClaim:
    """One queue's claim on one resource, in the units that are divided (devices, milli-CPU, bytes).

    Attributes
    ----------
    quota
        Given first, as far as it is asked for; :data:`UNLIMITED` = the whole total.
    limit
        Ceiling; :data:`UNLIMITED` = none. KAI reads an unset limit as 0: nothing may be used.
    request
        What its subtree runs and asks for.
    weight
        ``overQuotaWeight``; 0 takes no part in what is left after the quotas.
    usage
        Past share of the cluster, 0 to 1; 0 unless fair shares over time are on.
    created, uid
        Break ties: older first, then by UID.
    """

    name: str
    parent: str = ""
    quota: Fraction | int = 0
    limit: Fraction | int = UNLIMITED
    request: Fraction | int = 0
    weight: Fraction | int = 1
    priority: int = 100
    usage: Fraction | int = 0
    created: str = ""
    uid: str = ""

    @property
    def requestable(self) -> Fraction:
        """The request, within the limit."""
        if self.limit == UNLIMITED:
            return Fraction(self.request)
        return Fraction(min(self.limit, self.request))


def kai_shares(
    total: Fraction | int, claims: Sequence[KaiClaim], *, usage_factor: Fraction | int = 0
) -> dict[str, Fraction]:
    """Fair share per queue; children divide their parent's share.

    Parameters
    ----------
    usage_factor
        KAI's ``k``: how much past use counts against the weight.

    Raises
    ------
    ValueError
        A parent is missing, or queues are their own ancestors.
    """
    children: dict[str, list[KaiClaim]] = {}
    for claim in claims:
        children.setdefault(claim.parent, []).append(claim)
    shares: dict[str, Fraction] = {}
    todo = [("", Fraction(total))]
    while todo:
        parent, amount = todo.pop()
        below = children.get(parent, [])
        shares.update(_divide(amount, below, Fraction(usage_factor)))
        todo += [(claim.name, shares[claim.name]) for claim in below if claim.name in children]
    lost = [claim.name for claim in claims if claim.name not in shares]
    if lost:
        raise ValueError(f"queue {lost[0]} hangs below no top queue")
    return shares


def _divide(total: Fraction, claims: Sequence[KaiClaim], factor: Fraction) -> dict[str, Fraction]:
    """One level: quotas, then priority by priority what is left."""
    shares = {
        one.name: min(total if one.quota == UNLIMITED else Fraction(one.quota), one.requestable)
        for one in claims
    }
    left = total - sum(shares.values())
    for priority in sorted({claim.priority for claim in claims}, reverse=True):
        if left <= 0:
            break
        peers = [claim for claim in claims if claim.priority == priority]
        left, fractions = _by_weight(left, peers, shares, factor)
        left = _single_units(left, peers, shares, fractions)
    return shares


def _unmet(claims: Iterable[KaiClaim], shares: Mapping[str, Fraction]) -> list[KaiClaim]:
    return [one for one in claims if shares[one.name] < one.requestable and one.weight > 0]


def _by_weight(
    left: Fraction, peers: Sequence[KaiClaim], shares: dict[str, Fraction], factor: Fraction
) -> tuple[Fraction, dict[str, Fraction]]:
    """Rounds in which every unmet queue gets its part, rounded down unless that is all it asks for."""
    fractions: dict[str, Fraction] = {}
    while left > 0:
        unmet = _unmet(peers, shares)
        parts = _parts(unmet, factor)
        whole = sum(parts.values())
        if not whole:
            break
        amount, satisfied = left, False
        for claim in unmet:
            offer = amount * parts[claim.name] / whole
            asked = claim.requestable - shares[claim.name]
            given = asked if asked <= offer else Fraction(int(offer))
            fractions[claim.name] = Fraction(0) if asked <= offer else offer - given
            satisfied |= asked <= offer
            shares[claim.name] += given
            left -= given
        if not satisfied:
            break
    return left, fractions


def _parts(unmet: Sequence[KaiClaim], factor: Fraction) -> dict[str, Fraction]:
    """Weight among the unmet queues, lowered by past use; never below 0."""
    weights = sum((Fraction(claim.weight) for claim in unmet), Fraction(0))
    parts = {}
    for claim in unmet:
        part = Fraction(claim.weight) / weights
        parts[claim.name] = max(Fraction(0), part + factor * (part - Fraction(claim.usage)))
    return parts


def _single_units(
    left: Fraction,
    peers: Sequence[KaiClaim],
    shares: dict[str, Fraction],
    fractions: Mapping[str, Fraction],
) -> Fraction:
    """What rounding down left over, one unit each: largest fraction first, then the oldest queue, then UID.

    A priority takes its own leftover before the next lower one divides anything, so that a lower priority gets none
    while a higher one is unmet.
    """
    order = sorted(
        (one for one in _unmet(peers, shares) if fractions.get(one.name)),
        key=lambda one: (-fractions[one.name], one.created, one.uid, one.name),
    )
    for claim in order:
        given = min(Fraction(1), left, claim.requestable - shares[claim.name])
        if given <= 0:
            break
        shares[claim.name] += given
        left -= given
    return left
