"""Lanes of a sweep: every point once, and neighbours' plans change nothing but the work."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from models.edits.sweep import Sweep, parse_sweep
from planner.problem.limits import Limits
from planner.solve.tiers import TierSearch
from planner.usecases.whatif.base import Base, plan_scenario
from planner.usecases.whatif.lanes import MOST_IN_LANE, inwards, lane_axis, point_jobs
from planner.usecases.whatif.sweep import SweepJobs, begin, plan_point


def _sweep(grid: dict[str, Any]) -> Sweep:
    return parse_sweep({"grid": grid}, source="s.yaml")


@pytest.mark.parametrize("size", [1, 2, 3, 10, 16])
def test_a_lane_goes_from_its_ends_inwards(size: int) -> None:
    order = inwards(size)
    assert sorted(order) == list(range(size))
    assert order[:2] == ([size - 1, 0] if size > 1 else [0])


def test_every_point_is_in_one_lane_and_lanes_are_whole() -> None:
    sweep = _sweep({"queue/q.weight": [1, 2], "add/n-0": "0..19", "drain/n-1": [False, True]})
    jobs = list(point_jobs(sweep))
    assert {job.number: job.point for job in jobs} == dict(enumerate(sweep.points()))
    assert len(jobs) == sweep.size
    lanes: dict[str, list[Any]] = {}
    for job in jobs:
        lanes.setdefault(job.lane, []).append(job)
    assert sum(first.lane != second.lane for first, second in pairwise(jobs)) == len(lanes) - 1
    for lane in lanes.values():
        assert len({(job.point[0], job.point[2]) for job in lane}) == 1
        assert len(lane) <= MOST_IN_LANE
        assert all(job.point[1] == ("add/n-0", job.place) for job in lane)


@pytest.mark.parametrize(
    ("grid", "key"),
    [
        ({"queue/q.weight": [1, 2, 3], "add/n-0": [1, 2]}, "add/n-0"),
        ({"add/n-0": [1, 2], "queue/q.capability.gpu": [8, 16]}, "queue/q.capability.gpu"),
        ({"policy.evict": [[], ["preempt"]], "queue/q.weight": [1, 2, 3]}, "queue/q.weight"),
        ({"queue/q.deserved.gpu": [1, 2, 3], "drain": ["none", "pool/a"]}, "drain"),
    ],
)
def test_lanes_follow_the_key_that_adds_or_takes_away(grid: dict[str, Any], key: str) -> None:
    sweep = _sweep(grid)
    assert sweep.grid[lane_axis(sweep)][0] == key


def test_between_two_plans_of_equal_worth_nothing_is_searched(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = replace(base, limits=Limits(time_limit_s=20, workers=1))
    sweep = _sweep({"queue/train.capability.gpu": [16, 24, 32, 40], "add/n-0": [0, 1]})
    state = begin(SweepJobs(quick, sweep))
    searched: list[Any] = []
    solve = TierSearch._search

    def counted(self: TierSearch, *words: Any) -> Any:
        searched.append(words)
        return solve(self, *words)

    monkeypatch.setattr(TierSearch, "_search", counted)
    for job in point_jobs(sweep):
        before = len(searched)
        row = plan_point(state, job)
        if job.place in (1, 2) and job.point[1][1] == 1:
            assert len(searched) == before
        alone = plan_scenario(base, sweep.at(job.point)).outcome
        figures = {one.key: one.value for one in alone.figures}
        assert (row.gpus_after, row.gangs_started) == (
            figures["gpus_after"],
            figures["gangs_started"],
        )
        assert row.gap_gpus == 0
        assert row.judgement == (alone.verdict.judgement if alone.verdict else None)
    assert searched
