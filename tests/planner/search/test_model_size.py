"""Models that are too large are refused with a message before they are built; simplified ones say so."""

from __future__ import annotations

import pytest

from models.findings import BackendError
from planner.model.build import build
from planner.problem.limits import Limits
from planner.reduce.node_groups import Grouping
from planner.report.sections import method
from planner.search import model_size
from planner.search.model_size import GIB, estimated, refuse_too_large
from planner.search.stages.presolve import initial_groups as first_groups
from planner.testing.problems import classes_of, prepared_of
from planner.testing.random_snapshots import random_case
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def test_the_estimate_follows_the_model() -> None:
    for seed in range(7400, 7410):
        prepared = prepared_of(random_case(seed, "twins").snapshot)
        classes = classes_of(prepared)
        groups = Grouping(prepared.problem).uniform()
        size, built = estimated(classes, groups), build(prepared.problem, classes, groups)
        entries = sum(len(row.columns) for row in built.model.rows)
        assert built.model.size / 3 <= size.columns <= 3 * built.model.size + 10, seed
        assert size.entries >= entries / 4, seed


def test_too_large_a_model_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepared_of(random_case(7400, "twins").snapshot)
    classes = classes_of(prepared)
    groups = Grouping(prepared.problem).uniform()
    refuse_too_large(classes, groups)
    monkeypatch.setattr(model_size, "MOST_ENTRIES", 1)
    with pytest.raises(BackendError, match=r"too large: about [\d,]+ columns .*plan part of it"):
        refuse_too_large(classes, groups)


def test_too_large_a_model_is_refused_by_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepared_of(random_case(7400, "twins").snapshot)
    classes = classes_of(prepared)
    groups = Grouping(prepared.problem).uniform()
    monkeypatch.setattr(model_size, "memory_limit_bytes", lambda: 2 * GIB)
    refuse_too_large(classes, groups)
    monkeypatch.setattr(model_size, "BYTES_PER_ENTRY", GIB)
    with pytest.raises(BackendError, match=r"of 1\.0 GiB that a model may take here"):
        refuse_too_large(classes, groups)
    monkeypatch.setattr(model_size, "memory_limit_bytes", lambda: None)
    refuse_too_large(classes, groups)


@pytest.mark.parametrize("guard", [False, True])
def test_planning_ends_with_the_message(guard: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_size, "MOST_ENTRIES", 1)
    case = random_case(7400, "twins")
    with pytest.raises(BackendError, match="the model would be too large"):
        make_plan(case.snapshot, case.policy, LIMITS, guard=guard)


def test_merged_groups_are_told_in_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [random_case(seed, "twins") for seed in range(7400, 7410)]
    exact = [make_plan(case.snapshot, case.policy, LIMITS, guard=False) for case in cases]
    assert not any(plan.certificate.approximations for plan in exact)
    monkeypatch.setattr(first_groups, "MODEL_VARIABLES", 2)
    merged = [make_plan(case.snapshot, case.policy, LIMITS, guard=False) for case in cases]
    told = [plan for plan in merged if plan.certificate.approximations]
    assert told
    for plan in told:
        assert "not alike" in plan.certificate.approximations[0]
        points = method._points(plan)
        assert any(one.startswith("Simplified in the model:") for one in points)
