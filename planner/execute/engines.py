"""Executors by name."""

from __future__ import annotations

from models.findings import UsageError
from planner.execute.jobs import Executor

ENGINES = ("local", "ray")


def executor_named(name: str, *, workers: int, ray_address: str | None = None) -> Executor:
    """The executor of this name.

    Parameters
    ----------
    workers
        Local processes; a Ray cluster uses all its CPUs.

    Raises
    ------
    UsageError
        Unknown name, an address without Ray, or Ray is not installed.
    """
    if name not in ENGINES:
        raise UsageError(f"unknown engine {name!r}; known: {', '.join(ENGINES)}")
    if name == "ray":
        from planner.execute.ray_cluster import RayCluster

        return RayCluster(ray_address)
    if ray_address is not None:
        raise UsageError("--ray-address needs --engine ray")
    from planner.execute.local import LocalProcesses

    return LocalProcesses(workers)
