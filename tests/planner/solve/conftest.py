"""Runs every test that asks for ``backend`` over all solver backends, or those of ``--solvers``."""

from __future__ import annotations

import pytest

from planner.solve.backend import Backend
from planner.solve.cpsat import CpSatBackend
from planner.solve.highs import HighsBackend
from planner.solve.pulp_milp import PulpBackend


def _backend(name: str) -> Backend | None:
    """The backend of a name; None where its solver is not installed."""
    if name == "cp-sat":
        return CpSatBackend()
    if name == "highs":
        return HighsBackend()
    if name == "pulp-highs":
        return PulpBackend("highs") if PulpBackend.available("highs") else None
    if name == "pulp-cbc":
        return PulpBackend("cbc") if PulpBackend.available("cbc") else None
    raise pytest.UsageError(f"--solvers knows no backend {name!r}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" not in metafunc.fixturenames:
        return
    names = [name for name in metafunc.config.getoption("--solvers").split(",") if name]
    parameters = []
    for name in names:
        found = _backend(name)
        missing = [pytest.mark.skip(reason=f"{name} is not installed")] if found is None else []
        parameters.append(pytest.param(found, id=name, marks=missing))
    metafunc.parametrize("backend", parameters)
