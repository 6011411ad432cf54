"""Drills of random clusters against every set of leavers, and properties that need no enumeration."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.drill import DrillResult, Need
from models.findings import UsageError
from models.resources import Resources
from planner.drill.use_case import make_drill
from planner.problem.limits import Limits
from planner.testing.every_drill import EveryDrill, TooMany, only_need
from planner.testing.random_drills import DrillCase, drill_case
from planner.verify.drill_state import DrillState

LIMITS = Limits(time_limit_s=20, deterministic=True, workers=1)


def drilled(case: DrillCase, *, changes: bool = False) -> DrillResult | None:
    try:
        return make_drill(case.snapshot, case.policy, case.question, LIMITS, changes=changes)
    except UsageError:
        return None  # a name that this cluster does not have


def enumerated(case: DrillCase, result: DrillResult) -> EveryDrill | None:
    if only_need(result) is None:
        return None
    return EveryDrill(DrillState(case.snapshot, case.policy, result))


def agrees(case: DrillCase) -> None:
    result = drilled(case)
    every = None if result is None else enumerated(case, result)
    if result is None or every is None:
        return
    try:
        best = every.best()
    except TooMany:
        return
    tiers = result.certificate.tiers
    assert tuple(-t.value if t.sense == "max" else t.value for t in tiers) == best, case.name
    assert all(tier.bound == tier.value for tier in tiers), case.name
    for point in result.curve:
        assert point.gpus_most == every.most_by(point.second), (case.name, point.second)
        assert point.bound == point.gpus_most, (case.name, point.second)


@settings(max_examples=20)
@given(st.integers(0, 100_000))
def test_a_drill_is_the_best_of_all(seed: int) -> None:
    agrees(drill_case(seed))


@pytest.mark.parametrize("seed", [2, 5, 11, 14, 23, 40, 77, 95, 127, 300])
def test_chosen_drills_are_the_best_of_all(seed: int) -> None:
    agrees(drill_case(seed))


@settings(max_examples=15)
@given(st.integers(0, 100_000))
def test_every_gpu_of_the_open_nodes_is_accounted_for(seed: int) -> None:
    case = drill_case(seed)
    result = drilled(case)
    if result is None or only_need(result) is None:
        return
    held = sum(one.gpus for one in result.holders if one.code != "closed_node")
    assert held + result.summary.gpus_in_time == result.needs[0].gpus_open, case.name


@settings(max_examples=15)
@given(st.integers(0, 100_000))
def test_curves_only_rise_and_the_drill_is_never_above_what_is_possible(seed: int) -> None:
    case = drill_case(seed)
    result = drilled(case)
    if result is None:
        return
    deadline = case.question.deadline_seconds
    for before, after in zip(result.curve, result.curve[1:], strict=False):
        assert before.second < after.second
        assert before.gpus_most <= after.gpus_most
        assert before.gpus_planned <= after.gpus_planned
    for point in result.curve:
        assert point.gpus_planned <= point.gpus_most
        assert point.second != deadline or point.gpus_planned == point.gpus_most


@settings(max_examples=8)
@given(st.integers(0, 100_000))
def test_shown_changes_bring_more(seed: int) -> None:
    case = drill_case(seed)
    result = drilled(case, changes=True)
    if result is None:
        return
    for change in result.changes:
        assert change.gain > 0
        assert change.gpus_in_time == result.summary.gpus_in_time + change.gain
        assert change.in_time == (change.gpus_in_time >= result.summary.gpus_needed)
    assert len(result.changes) <= result.changes_tried


def without_limits(case: DrillCase) -> DrillCase:
    """The same drill with queues whose limits cannot bind, which the enumeration of several needs leaves out."""
    queues = tuple(
        replace(one, capability=Resources(), guarantee=Resources()) for one in case.snapshot.queues
    )
    snapshot = replace(case.snapshot, queues=queues)
    return replace(case, snapshot=snapshot)


def two_needs(seed: int) -> DrillCase:
    case = drill_case(seed, "crowded", "capacity")
    names = [one.full_name for one in case.snapshot.gangs if not one.not_admitted][:2]
    needs = tuple(
        Need(service=name, gpus=2 + (seed + place) % 4, per_pod=1 + place)
        for place, name in enumerate(names)
    )
    question = case.question.model_copy(
        update={"needs": needs, "by_hand": True, "deadline_seconds": 31}
    )
    return without_limits(replace(case, question=question))


@pytest.mark.parametrize("seed", range(60))
def test_two_needs_get_together_what_is_possible(seed: int) -> None:
    case = two_needs(seed)
    result = drilled(case)
    if result is None or len(result.needs) < 2:
        return
    every = EveryDrill(DrillState(case.snapshot, case.policy, result))
    try:
        most = every.most_for_all(case.question.deadline_seconds)
    except TooMany:
        return
    assert result.summary.gpus_in_time <= most, case.name
    limited = any(one.code == "queue_limit" for one in result.holders)
    assert limited or result.summary.gpus_in_time == most, case.name
