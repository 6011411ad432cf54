"""A first answer while the search for a better one goes on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from models.edits.scenario import Scenario
from models.edits.short import short_edits
from models.plan import PlanResult, Tier, stage_entries
from planner.testing.here import Here
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.whatif import background
from planner.usecases.whatif.background import Known, Question, WhatIfJob
from planner.usecases.whatif.base import EFFORT_S, Base, Planned, plan_scenario
from planner.usecases.whatif.hasty import better_of, hasty_base, is_open

MORE = Scenario("more", short_edits("add/n-0", 1))


def _searched(plan: PlanResult, **seconds: float) -> PlanResult:
    certificate = plan.certificate.model_copy(update={"stages": stage_entries(seconds)})
    return plan.model_copy(update={"certificate": certificate})


def _with(planned: Planned, tiers: Sequence[Tier]) -> Planned:
    assert planned.plan is not None
    certificate = planned.plan.certificate.model_copy(update={"tiers": tuple(tiers)})
    return replace(planned, plan=planned.plan.model_copy(update={"certificate": certificate}))


@pytest.fixture(scope="module")
def planned(base: Base) -> Planned:
    return plan_scenario(base, MORE)


def test_what_is_searched_for_long_has_a_first_answer(base: Base) -> None:
    long = replace(base, plan=_searched(base.plan, solve=5.0, verify=1.0))
    soon = hasty_base(long)
    assert soon is not None
    assert soon.warm.effort_s == 0
    assert long.warm.effort_s == EFFORT_S


@pytest.mark.parametrize(
    "seconds", [{}, {"solve": 0.5}, {"solve": 9.0, "explain": 3.0, "verify": 3.0}]
)
def test_small_clusters_and_those_without_much_to_search_are_searched_at_once(
    base: Base, seconds: dict[str, float]
) -> None:
    assert hasty_base(replace(base, plan=_searched(base.plan, **seconds))) is None


def test_only_open_plans_are_searched_again(base: Base, planned: Planned) -> None:
    assert planned.plan is not None
    tiers = planned.plan.certificate.tiers
    last = tiers[-1]
    assert not is_open(base, planned)
    assert is_open(base, _with(planned, [*tiers[:-1], replace_bound(last, last.value + 1)]))
    assert is_open(base, _with(planned, [*tiers[:-1], replace_bound(last, None)]))
    assert not is_open(base, replace(planned, plan=base.plan))
    assert not is_open(base, replace(planned, plan=None))


def replace_bound(tier: Tier, bound: int | None) -> Tier:
    return tier.model_copy(update={"bound": bound})


def test_the_better_plan_is_kept(planned: Planned) -> None:
    assert planned.plan is not None
    tiers = planned.plan.certificate.tiers
    first = tiers[0]
    step = 1 if first.sense == "max" else -1
    better = _with(planned, [first.model_copy(update={"value": first.value + step}), *tiers[1:]])
    assert better_of(better, planned) is better
    assert better_of(planned, better) is better
    again = replace(planned)
    assert better_of(planned, again) is again
    assert better_of(None, planned) is planned
    assert better_of(planned, replace(planned, plan=None)) is planned


def test_the_first_answer_is_shown_and_the_search_goes_on_from_it(
    given: CheckedInput, base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    asked: list[tuple[float, int]] = []
    plan = background.plan_scenarios

    def watched(base: Base, prepared: Any, **options: Any) -> tuple[Planned, ...]:
        asked.append((base.warm.effort_s, len(options["beside"])))
        if base.warm.effort_s:
            assert go_on.wait(60)
        return plan(base, prepared, **options)

    monkeypatch.setattr(background, "plan_scenarios", watched)
    monkeypatch.setattr(background, "is_open", lambda base, planned: True)
    monkeypatch.setattr(
        background, "hasty_base", lambda base: replace(base, warm=replace(base.warm, effort_s=0.0))
    )
    request = PlanRequest(given.snapshot, given.policy, base.limits, given.findings)
    known = Known()
    job = WhatIfJob(
        Question(request, base.plan, scenarios=(MORE,)), known, Here, guard=False
    ).start()
    assert job.await_news(None, 60)
    first = job.view()
    assert first.going_on
    assert first.result is not None
    assert first.result.document.scenarios[0].verdict is not None
    assert not known.planned
    assert not job.await_news(first.result, 0.01)
    go_on.set()
    assert job.await_news(first.result, 60)
    assert job.wait(60)
    last = job.view()
    assert last.state == "done"
    assert last.result is not first.result
    assert asked == [(0.0, 0), (EFFORT_S, 1)]
    assert len(known.planned) == 1
