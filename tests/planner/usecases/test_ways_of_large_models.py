"""Merged node groups, thrifty searches and linear relaxations, which only large models use, on tiny ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import pytest

from models.plan import PlanResult, Tier
from planner.model import rows
from planner.problem.limits import Limits
from planner.search import placement_search, search_steps
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.stages.bound import tier_bounds as certified
from planner.search.stages.presolve import initial_groups as first_groups
from planner.solve import tiers
from planner.testing.problems import classes_of, prepared_of
from planner.testing.random_snapshots import RandomCase, random_case
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)
WAYS: Mapping[str, Mapping[str, int]] = {
    "relaxed": {"SMALL_MODEL": 0},
    "thrifty": {"SMALL_MODEL": 0, "LARGE_MODEL": 0},
    "merged": {"MODEL_VARIABLES": 2},
    "merged without GPUs": {"MANY_GROUPS": 0},
    "patterns": {"PATTERN_GROUPS": 0, "SMALL_MODEL": 0},
    "merged, thrifty, HiGHS": {
        "MODEL_VARIABLES": 2,
        "LARGE_MODEL": 0,
        "SMALL_MODEL": 0,
        "CP_SAT_VARIABLES": 0,
    },
}

PLACES: Mapping[str, ModuleType] = {
    "SMALL_MODEL": tiers,
    "PATTERN_GROUPS": rows,
    "MODEL_VARIABLES": first_groups,
    "MANY_GROUPS": first_groups,
    "CP_SAT_VARIABLES": search_steps,
    "ONE_PASS": certified,
}


def _better(tier: Tier, one: int, other: int) -> bool:
    return one > other if tier.sense == "max" else one < other


def _checked_against(exact: PlanResult, plan: PlanResult, case: RandomCase) -> bool:
    """Values and bounds are right as far as the values above are equal; True where all are optimal."""
    for best, tier in zip(exact.certificate.tiers, plan.certificate.tiers, strict=True):
        assert tier.name == best.name
        assert not _better(tier, tier.value, best.value), (case.name, tier)
        if tier.bound is not None:
            assert not _better(tier, best.value, tier.bound), (case.name, tier, best.value)
        if tier.value != best.value:
            return False
    return True


@pytest.mark.parametrize("way", WAYS)
def test_bounds_are_right_and_values_never_too_good(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [random_case(seed, "twins" if seed % 2 else "tiny") for seed in range(7100, 7110)]
    exact = [make_plan(case.snapshot, case.policy, LIMITS, guard=False) for case in cases]
    for name, value in WAYS[way].items():
        place = PLACES.get(name, placement_search)
        monkeypatch.setattr(place, name, value)
    optimal = 0
    for case, best in zip(cases, exact, strict=True):
        assert best.certificate.closed
        plan = make_plan(case.snapshot, case.policy, LIMITS, guard=False)
        optimal += _checked_against(best, plan, case)
    assert optimal >= 8, "a relaxation costs little on clusters as small as these"


def test_rounded_plans_end_within_the_gap_of_all_gpu_tiers_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = [random_case(seed, "twins") for seed in range(7200, 7210)]
    exact = [make_plan(case.snapshot, case.policy, LIMITS, guard=False) for case in cases]
    monkeypatch.setattr(placement_search, "LARGE_MODEL", 0)
    monkeypatch.setattr(certified, "ONE_PASS", 0)
    limits = Limits(time_limit_s=20.0, workers=1, deterministic=True, gap=1.0)
    for case, best in zip(cases, exact, strict=True):
        plan = make_plan(case.snapshot, case.policy, limits, guard=False)
        _checked_against(best, plan, case)
        gpus = [tier for tier in plan.certificate.tiers if tier.name.endswith(".gpus")]
        still = sum((tier.bound or 0) - tier.value for tier in gpus)
        assert still <= max(1, sum(tier.value for tier in gpus)), case.name


def test_a_large_model_that_was_slow_to_build_begins_with_a_quick_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever ends the search from outside afterwards, there is a plan."""
    monkeypatch.setattr(placement_search, "LARGE_MODEL", 0)
    case = random_case(7100, "twins")
    prepared = prepared_of(case.snapshot)
    sent: list[Outcome] = []

    def search(limits: Limits) -> int:
        """How many plans were sent before the model was relaxed."""
        sent.clear()
        relaxed: list[int] = []
        monkeypatch.setattr(
            placement_search, "vertex_start", lambda *one, **_: relaxed.append(len(sent))
        )
        settings = SearchSettings(limits=limits)
        classes = classes_of(prepared)
        PlacementSearch(prepared.problem, classes, settings, publish=sent.append).run()
        return relaxed[0]

    assert search(Limits(time_limit_s=600.0, workers=1)) == 0
    assert search(Limits(time_limit_s=1e-3, workers=1)) == 1
    assert sent[0].assignment.pods
    assert all(tier.bound is None for tier in sent[0].tiers)
