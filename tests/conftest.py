"""Settings of the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "dev", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of reference data beside the checkout; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the reference data beside the checkout is absent")
    return SHARED


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour, width or solver setting of the person who runs the tests reaches the output."""
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--solvers cp-sat,highs`` runs the tests of solver backends over these only."""
    parser.addoption(
        "--solvers",
        default="cp-sat,highs,pulp-highs,pulp-cbc",
        help="comma-separated backends that the tests of planner.solve run over (default: all)",
    )
