"""What is installed, which solvers are there, and what this machine gives (``gangplan doctor``)."""

from __future__ import annotations

import importlib
import platform
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from models.plan import Part
from planner.runtime.machine import (
    cpu_quota,
    memory_limit_bytes,
    physical_memory_bytes,
    usable_cores,
)
from planner.usecases.cluster_access import ClusterAccess

LIBRARIES = (
    "ortools",
    "PuLP",
    "highspy",
    "cbcbox",
    "numpy",
    "scipy",
    "pandas",
    "pydantic",
    "PyYAML",
    "jinja2",
    "typer",
    "rich",
    "altair",
    "vl-convert-python",
    "streamlit",
    "SQLAlchemy",
    "alembic",
    "psycopg",
    "pyarrow",
    "ray",
    "statsmodels",
    "kubernetes",
)
EXTRAS = {
    "cbc": ("cbcbox", "second opinion from the solver CBC"),
    "live": ("kubernetes", "running clusters and Prometheus instead of files"),
    "forecast": ("statsmodels", "demand forecasts with statsmodels"),
    "parquet": ("pyarrow", "tables and demand as Parquet"),
    "postgres": ("psycopg", "history of nights in PostgreSQL"),
    "ray": ("ray", "sweeps on several machines"),
    "report": ("vl-convert-python", "charts of the dashboard as SVG without a browser"),
    "ui": ("streamlit", "the dashboard"),
}


class Solver(Part):
    """One solver: what it is for, whether it loads, and why not."""

    name: str
    purpose: str
    needed: bool
    available: bool
    version: str = ""
    detail: str = ""


class Extra(Part):
    """One optional part of the installation."""

    name: str
    purpose: str
    installed: bool


class Machine(Part):
    """Limits of the machine or container; memory in bytes, quota in cores, None where there is none."""

    system: str
    python: str
    cores: int
    cpu_quota: float | None = None
    memory_bytes: int | None = None
    memory_limit_bytes: int | None = None


class Environment(Part):
    """The document of ``gangplan doctor``."""

    schema_version: int = 1
    kind: Literal["Environment"] = "Environment"
    version: str
    can_plan: bool
    sentence: str
    solvers: tuple[Solver, ...]
    machine: Machine
    extras: tuple[Extra, ...]
    libraries: dict[str, str]
    cluster: ClusterAccess | None = None


def examine(cluster: ClusterAccess | None = None) -> Environment:
    """Look at this installation; nothing is solved and nothing is changed."""
    solvers = (_cp_sat(), _highs(), _cbc())
    missing = [one for one in solvers if one.needed and not one.available]
    own = installed_version("gangplan")
    cores = usable_cores()
    sentence = f"gangplan {own or 'unknown'} can plan with {cores} cores."
    if missing:
        faults = "; ".join(f"{one.name}: {one.detail}" for one in missing)
        sentence = f"gangplan {own or 'unknown'} cannot plan: {faults}."
    if cluster is not None:
        sentence = f"{sentence} {cluster.sentence}"
    return Environment(
        version=own,
        can_plan=not missing and (cluster is None or cluster.can_plan),
        sentence=sentence,
        solvers=solvers,
        machine=Machine(
            system=platform.platform(),
            python=platform.python_version(),
            cores=cores,
            cpu_quota=cpu_quota(),
            memory_bytes=physical_memory_bytes(),
            memory_limit_bytes=memory_limit_bytes(),
        ),
        extras=tuple(
            Extra(name=name, purpose=purpose, installed=bool(installed_version(library)))
            for name, (library, purpose) in EXTRAS.items()
        ),
        libraries={name: installed_version(name) for name in LIBRARIES},
        cluster=cluster,
    )


def installed_version(distribution: str) -> str:
    """Version of an installed distribution, "" where it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _cp_sat() -> Solver:
    return _solver(
        "CP-SAT",
        "ortools",
        "builds and solves the plan",
        needed=True,
        check=lambda: _loads("ortools.sat.python.cp_model"),
    )


def _highs() -> Solver:
    return _solver(
        "HiGHS",
        "highspy",
        "linear bounds and large plans",
        needed=True,
        check=lambda: _loads("highspy") or _loads("pulp"),
    )


def _cbc() -> Solver:
    def check() -> str:
        fault = _loads("cbcbox")
        if fault:
            return fault
        binary = Path(importlib.import_module("cbcbox").cbc_bin_path())
        return "" if binary.is_file() else f"{binary} is missing"

    return _solver("CBC", "cbcbox", "second opinion (extra cbc)", needed=False, check=check)


def _solver(
    name: str, distribution: str, purpose: str, *, needed: bool, check: Callable[[], str]
) -> Solver:
    found = installed_version(distribution)
    fault = check() if found else f"{distribution} is not installed"
    return Solver(
        name=name,
        purpose=purpose,
        needed=needed,
        available=not fault,
        version=found,
        detail=fault,
    )


def _loads(module: str) -> str:
    """Why a module cannot be imported, "" where it can; a broken binary shows here and not in its version."""
    try:
        importlib.import_module(module)
    except Exception as error:
        return f"{module} does not load: {type(error).__name__}: {error}"
    return ""
