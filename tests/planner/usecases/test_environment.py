from __future__ import annotations

import pytest

from planner.usecases import environment
from planner.usecases.environment import examine, installed_version


def test_this_installation_can_plan() -> None:
    found = examine()
    assert found.can_plan
    assert found.sentence.startswith(f"gangplan {installed_version('gangplan')} can plan")
    assert {one.name for one in found.solvers} == {"CP-SAT", "HiGHS", "CBC"}
    assert found.libraries["pydantic"]
    assert found.machine.cores >= 1


def test_a_solver_that_does_not_load_is_told_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(name: str) -> None:
        raise ImportError(f"undefined symbol in {name}")

    monkeypatch.setattr(environment.importlib, "import_module", broken)
    found = examine()
    assert not found.can_plan
    assert "cannot plan" in found.sentence
    assert "undefined symbol" in found.solvers[0].detail


def test_a_missing_distribution_is_no_error() -> None:
    assert installed_version("no-such-distribution-anywhere") == ""
