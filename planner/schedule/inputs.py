"""From a snapshot, a policy and loan limits to the timed problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.horizon import Horizon
from models.lending import LendingLimits
from planner.encode.eligibility import one_class, standings
from planner.encode.prepared import Prepared
from planner.schedule.encode.build import TimedInput, build_timed
from planner.schedule.encode.occupancy import occupancy
from planner.schedule.encode.places import Places
from planner.schedule.encode.service_pods import with_service_pods
from planner.schedule.encode.supply import leaving_for_maintenance, supply
from planner.schedule.encode.work import CARRIED, carried_work, ranked, waiting_work
from planner.search.exact.fit_by_cpsat import exact_fit


@dataclass(frozen=True)
class ScheduleInputs:
    """What a schedule is asked for.

    Attributes
    ----------
    exact_buckets
        Starts in the first so many buckets are placed on concrete nodes.
    earlier
        Gang to the bucket in which a previous schedule starts it.
    """

    horizon: Horizon
    lending: LendingLimits | None = None
    exact_buckets: int = 1
    earlier: Mapping[str, int] | None = None


def timed_input(prepared: Prepared, given: ScheduleInputs) -> TimedInput:
    """Who holds what until when, what waits, and every column."""
    horizon, lending = given.horizon, given.lending
    one = occupancy(prepared, horizon, lending, exact_buckets=given.exact_buckets)
    have = supply(one)
    one = with_service_pods(prepared, leaving_for_maintenance(one))
    items = (*waiting_work(prepared, horizon, lending, exact_fit), *carried_work(prepared, one))
    places = Places(prepared, one)
    may_start = [item.demand for item in items if item.demand != CARRIED and places.options(item)]
    stand = standings(prepared, may_start)
    if prepared.policy.policy.objective == "throughput":
        stand = one_class(stand)
    order = {place.demand: (place.tier_class, place.rank) for place in stand}
    return build_timed(
        prepared,
        one,
        have,
        ranked(items, order),
        earlier=given.earlier or {},
        missed_returns=one.services.missed_gpu_seconds(horizon),
    )
