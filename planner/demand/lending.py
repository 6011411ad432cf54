"""From demand curves to loan limits per pool and bucket, with the moments at which loans must be back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.horizon import Horizon
from models.lending import DemandCurve, LendingLimits, PoolLending
from planner.demand.curve import ServiceCurve
from planner.demand.quality import forecast_quality
from planner.demand.rules import LendingRules


def lending_limits(
    curves: Sequence[ServiceCurve],
    pools: Mapping[str, Mapping[str, int]],
    horizon: Horizon,
    rules: LendingRules,
    *,
    capacity: Mapping[str, int] | None = None,
) -> LendingLimits:
    """Limits of all pools in which services have GPUs.

    Every service keeps its own margin; that all of them reach it together is rarer than the level says.

    Parameters
    ----------
    pools
        Service to pool to GPUs that it holds there now; a service that holds none anywhere uses pools with weight 1.
    capacity
        Pool to GPUs that it has; services own no more of it.
    """
    demand = [part for curve in curves for part in _by_pool(curve, pools.get(curve.service, {}))]
    owned: dict[str, int] = {}
    for curve in curves:
        for pool, gpus in _shared(curve.owned, pools.get(curve.service, {})).items():
            owned[pool] = owned.get(pool, 0) + gpus
    if capacity is not None:
        owned = {pool: min(gpus, capacity.get(pool, 0)) for pool, gpus in owned.items()}
    return LendingLimits(
        deadline_s=rules.deadline_s,
        overhead_s=rules.overhead_s,
        maximal_grace_s=rules.maximal_grace_s,
        edges=horizon.edges,
        service_level=percent_text(rules.service_level),
        pools=tuple(
            _pool(name, gpus, [one for one in demand if one.pool == name], horizon, rules)
            for name, gpus in sorted(owned.items())
        ),
        demand=tuple(demand),
        surge_level=percent_text(rules.surge.service_level),
        forecasts=tuple(forecast_quality(one) for one in curves),
    )


def leave_by(
    lendable: Sequence[int], edges: Sequence[int], overhead_s: int
) -> tuple[int | None, ...]:
    """Per bucket the second by which loans beyond the next limit are gone; None where the next limit is no smaller."""
    found: list[int | None] = []
    for place, gpus in enumerate(lendable):
        shrinks = place + 1 < len(lendable) and lendable[place + 1] < gpus
        found.append(edges[place + 1] - overhead_s if shrinks else None)
    return tuple(found)


def drain_from(leave_by_s: int, grace_s: int) -> int:
    """Second at which a pod must be told to end so that it is gone by the leave-by time."""
    return leave_by_s - grace_s


def percent_text(share: float) -> str:
    """A share as a percentage with at most two decimals, e.g. ``99.5%``."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def _pool(
    name: str, owned: int, demand: Sequence[DemandCurve], horizon: Horizon, rules: LendingRules
) -> PoolLending:
    held = [sum(values) for values in zip(*(one.held for one in demand), strict=True)]
    upper = [sum(values) for values in zip(*(one.upper for one in demand), strict=True)]
    lendable = tuple(max(0, owned - gpus) for gpus in held)
    slow = tuple(
        max(0, min(owned - most, room)) for most, room in zip(upper, lendable, strict=True)
    )
    return PoolLending(
        pool=name,
        owned_gpus=owned,
        lendable_gpus=lendable,
        slow_gpus=slow,
        leave_by=leave_by(lendable, horizon.edges, rules.overhead_s),
    )


def _by_pool(curve: ServiceCurve, weights: Mapping[str, int]) -> list[DemandCurve]:
    columns = [
        [_shared(gpus, weights) for gpus in values]
        for values in (curve.expected, curve.held, curve.surge)
    ]
    return [
        DemandCurve(
            service=curve.service,
            pool=pool,
            forecast=tuple(part[pool] for part in columns[0]),
            held=tuple(part[pool] for part in columns[1]),
            upper=tuple(part[pool] for part in columns[2]),
        )
        for pool in sorted(weights)
    ]


def _shared(gpus: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Whole GPUs by weight, rounded by largest remainder (names break ties); equal parts where no weight is set."""
    if not weights:
        return {}
    used = weights if any(weights.values()) else dict.fromkeys(weights, 1)
    total = sum(used.values())
    parts = {pool: gpus * weight // total for pool, weight in used.items()}
    rest = sorted(used, key=lambda pool: (-(gpus * used[pool] % total), pool))
    for pool in rest[: gpus - sum(parts.values())]:
        parts[pool] += 1
    return parts
