"""The search finds the best schedule of tiny horizons, tier by tier, and its bounds are bounds."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.queues import Queue
from models.resources import Resources
from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.schedule.inputs import ScheduleInputs, timed_input
from planner.schedule.large_search import LargeSearch
from planner.schedule.search import WholeSearch
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.testing.timed import (
    GPU,
    best_values,
    cluster,
    fits,
    hours,
    lending,
    node,
    running,
    waiting,
)

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


@st.composite
def _problems(draw: st.DrawFn):
    buckets = draw(st.integers(2, 4))
    gangs = tuple(
        waiting(
            f"g{index}",
            draw(st.sampled_from((1, 2, 4, 8))),
            f"{draw(st.sampled_from((30, 60, 90, 120, 300)))}m",
            priority=draw(st.sampled_from((0, 10))),
            queue=draw(st.sampled_from(("q", "r"))),
            marks=draw(
                st.sampled_from(
                    (
                        {},
                        {
                            "gangplan.io/checkpoint-interval": "30m",
                            "gangplan.io/restart-cost": "5m",
                        },
                        {"gangplan.io/deadline": "2026-09-15T22:00:00Z"},
                        {"gangplan.io/earliest-start": "2026-09-15T21:00:00Z"},
                    )
                )
            ),
        )
        for index in range(draw(st.integers(1, 3)))
    )
    runs = (
        (running("r", 4, f"{draw(st.sampled_from((1, 2)))}h", "n0", queue="r"),)
        if draw(st.booleans())
        else ()
    )
    queues = (Queue("q", deserved=Resources({GPU: 4})), Queue("r", capability=Resources({GPU: 6})))
    snapshot, policy = cluster((node("n0"),), gangs, runs, queues)
    horizon = hours(buckets)
    lent = None
    if draw(st.booleans()):
        limits = tuple(draw(st.lists(st.integers(0, 4), min_size=buckets, max_size=buckets)))
        lent = lending(horizon, "p", 4, limits)
    prepared = prepare(snapshot, policy, exact_least)
    return timed_input(prepared, ScheduleInputs(horizon, lent)).problem


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(_problems())
def test_small_problems_are_solved_exactly(problem) -> None:
    outcome = WholeSearch(problem, LIMITS).run()
    assert fits(problem, dict(outcome.chosen))
    assert tuple(tier.value for tier in outcome.tiers) == best_values(problem)
    assert all(tier.bound == tier.value for tier in outcome.tiers)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(_problems())
def test_the_first_rank_of_the_large_search_is_bounded_rightly(problem) -> None:
    outcome = LargeSearch(problem, LIMITS).run()
    assert fits(problem, dict(outcome.chosen))
    best = best_values(problem)
    for tier, value in zip(outcome.tiers, best, strict=True):
        if tier.bound is not None:
            worse = tier.bound < value if tier.goal.sense == "max" else tier.bound > value
            assert not worse, tier.goal.name
        decides = tier.goal.name.endswith(("missed_deadlines", "gpu_hours"))
        if tier.value != value or decides:
            break  # below, bounds hold for the start times above


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(_problems())
def test_every_column_is_within_its_windows(problem) -> None:
    for column in problem.starts.columns():
        one = problem.classes[column.work_class]
        edges = problem.horizon.edges
        assert edges[column.start] >= one.earliest_s
        assert 0 < column.work_s <= one.duration_s
        assert all(start < end for start, end in column.stretches)
        assert all(
            a[1] <= b[0] for a, b in zip(column.stretches, column.stretches[1:], strict=False)
        )
        if len(column.stretches) > 1:
            assert one.stoppable
        if one.deadline_s is not None:
            assert edges[column.start] + one.duration_s <= one.deadline_s
