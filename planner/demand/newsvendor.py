"""From what shortage and idleness cost to the service level, and back (newsvendor)."""

from __future__ import annotations


def service_level_of(shortage_cost: float, idle_cost: float) -> float:
    """Quantile of demand to hold: shortage / (shortage + idle).

    Parameters
    ----------
    shortage_cost
        Of one GPU missing for an hour, in any currency, above 0.
    idle_cost
        Of one GPU kept idle for an hour, in the same currency, 0 or more.

    Raises
    ------
    ValueError
        A cost out of range.
    """
    if not 0 < shortage_cost < float("inf") or not 0 <= idle_cost < float("inf"):
        raise ValueError("the shortage cost must be above 0 and the idle cost 0 or more")
    return shortage_cost / (shortage_cost + idle_cost)


def implied_cost_ratio(service_level: float) -> float:
    """How many times as much as an idle GPU-hour a missing one costs, if this level is right."""
    if not 0 < service_level < 1:
        raise ValueError("the service level must lie between 0 and 1")
    return service_level / (1 - service_level)
