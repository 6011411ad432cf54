from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.demand import DemandSamples
from models.horizon import bucket_grid
from planner.demand.curve import ServiceInput, service_curve
from planner.demand.lending import lending_limits
from planner.demand.occupants import Occupant
from planner.demand.returns import return_proof
from planner.demand.rules import LendingRules

NOW, HOUR = 1_787_529_600, 3600
RULES = LendingRules()


@st.composite
def services(draw):
    """A service with hourly demand of some days, perhaps with gaps, a guarantee and announced demand."""
    days = draw(st.integers(0, 4))
    before = draw(st.lists(st.integers(0, 40), min_size=24 * days, max_size=24 * days))
    after = draw(st.lists(st.integers(0, 40), max_size=5))
    keep = draw(st.integers(1, 5))
    points = [
        (NOW + HOUR * (place - len(before)), gpus)
        for place, gpus in enumerate([*before, *after])
        if place % keep == 0
    ]
    samples = DemandSamples("s", tuple(t for t, _ in points), tuple(g for _, g in points))
    return ServiceInput(
        draw(st.sampled_from("abc")),
        running_gpus=draw(st.integers(0, 30)),
        guarantee_gpus=draw(st.integers(0, 10)),
        reserved_gpus=draw(st.one_of(st.none(), st.integers(0, 60))),
        samples=samples if points else None,
    )


@given(services(), st.integers(1, 30), st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata"]))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_limits_of_any_service_hold_together(service, hours, timezone):
    horizon = bucket_grid(NOW, hours * HOUR, timezone=timezone)
    curve = service_curve(service, horizon, RULES)
    assert len(curve.expected) == len(curve.held) == len(curve.surge) == horizon.count
    assert all(a <= b <= c for a, b, c in zip(curve.expected, curve.held, curve.surge, strict=True))
    assert min(curve.held) >= min(service.guarantee_gpus, curve.owned)
    pools = {curve.service: {"p": 3, "q": 5}}
    limits = lending_limits([curve], pools, horizon, RULES)
    assert sum(pool.owned_gpus for pool in limits.pools) == curve.owned
    for pool in limits.pools:
        rows = zip(pool.lendable_gpus, pool.slow_gpus, strict=True)
        assert all(0 <= slow <= lendable <= pool.owned_gpus for lendable, slow in rows)
        for place, by in enumerate(pool.leave_by):
            following = pool.lendable_gpus[place + 1 : place + 2]
            shrinks = bool(following) and following[0] < pool.lendable_gpus[place]
            assert (by is not None) == shrinks
            assert by is None or by == horizon.edges[place + 1] - RULES.overhead_s


@given(services(), st.integers(0, 29), st.integers(30, 600))
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_full_use_of_the_limits_is_returnable_in_every_bucket(service, quick_s, slow_s):
    horizon = bucket_grid(NOW, 6 * HOUR)
    curve = service_curve(service, horizon, RULES)
    limits = lending_limits([curve], {curve.service: {"p": 1}}, horizon, RULES)
    (pool,) = limits.pools
    inside = [
        [
            Occupant("slow", slow, slow_s),
            *(Occupant(f"q{n}", 1, quick_s) for n in range(all_ - slow)),
        ]
        for all_, slow in zip(pool.lendable_gpus, pool.slow_gpus, strict=True)
    ]
    for one in return_proof(limits, "p", inside):
        assert one.short_gpus == 0
        assert one.slack_s is not None
        assert one.slack_s >= 0


def test_the_same_input_gives_the_same_limits(waves):
    horizon = bucket_grid(NOW, 24 * HOUR)
    seconds = range(NOW - 6 * 86_400, NOW, HOUR)
    samples = DemandSamples("s", tuple(seconds), tuple(s // HOUR * 7919 % 37 for s in seconds))
    first, second = (
        service_curve(ServiceInput("s", 0, samples=samples), horizon, RULES) for _ in range(2)
    )
    assert (first.held, first.surge) == (second.held, second.surge)
    with pytest.raises(ValueError, match="buckets"):
        return_proof(
            lending_limits([first], {"s": {"p": 1}}, horizon, RULES),
            "p",
            [[]] * (horizon.count + 1),
        )
