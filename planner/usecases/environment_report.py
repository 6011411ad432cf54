"""The result of ``gangplan doctor`` for every output format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import DASH, gibibytes_text
from planner.usecases.cluster_access import ClusterAccess
from planner.usecases.environment import Environment, Machine

if TYPE_CHECKING:
    import pandas as pd


def environment_report(environment: Environment) -> Report:
    """The report on an installation."""
    tables = (
        *([_cluster_table(environment.cluster)] if environment.cluster else []),
        _solver_table(environment),
        _machine_table(environment.machine),
        _extra_table(environment),
        _library_table(environment),
    )

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return tuple(
            Section(
                anchor=table.title.lower().replace(" ", "-"), title=table.title, tables=(table,)
            )
            for table in tables
        )

    def frames() -> Mapping[str, pd.DataFrame]:
        import pandas as pd

        return {
            "solvers": pd.DataFrame([one.model_dump(by_alias=True) for one in environment.solvers]),
            "libraries": pd.DataFrame(
                list(environment.libraries.items()), columns=["library", "version"]
            ),
        }

    return Report(
        name="doctor",
        title="Installation",
        sentence=environment.sentence,
        document=environment,
        sections=sections,
        frames=frames,
    )


def _solver_table(environment: Environment) -> Table:
    return Table(
        "Solvers",
        (
            Column("SOLVER"),
            Column("VERSION"),
            Column("FOUND"),
            Column("NEEDED"),
            Column("USED FOR", grows=True),
        ),
        tuple(
            (
                one.name,
                one.version or DASH,
                "yes" if one.available else "no",
                "yes" if one.needed else "no",
                "; ".join(filter(None, (one.purpose, one.detail))),
            )
            for one in environment.solvers
        ),
    )


def _cluster_table(cluster: ClusterAccess) -> Table:
    return Table(
        "Cluster",
        (
            Column("KIND"),
            Column("ACCESS"),
            Column("VERSION"),
            Column("OBJECTS"),
            Column("DETAIL", grows=True),
        ),
        tuple(
            (
                one.resource,
                one.access,
                one.api_version or DASH,
                DASH if one.objects is None else f"{one.objects:,}",
                one.detail,
            )
            for one in cluster.kinds
        ),
        notes=(
            f"Context {cluster.context}, {cluster.server}, "
            f"Kubernetes {cluster.server_version or 'of unknown version'}, read {cluster.read_at}.",
        ),
    )


def _machine_table(machine: Machine) -> Table:
    quota = f"{machine.cpu_quota:g} cores" if machine.cpu_quota is not None else "none"
    rows = (
        ("system", machine.system),
        ("Python", machine.python),
        ("usable cores", str(machine.cores)),
        ("CPU quota of the container", quota),
        ("memory", _memory(machine.memory_bytes)),
        ("usable memory", _memory(machine.memory_limit_bytes)),
    )
    return Table("Machine", (Column("WHAT"), Column("VALUE", grows=True)), rows)


def _memory(size: int | None) -> str:
    return "unknown" if size is None else f"{gibibytes_text(size)} GiB"


def _extra_table(environment: Environment) -> Table:
    return Table(
        "Extras",
        (Column("EXTRA"), Column("INSTALLED"), Column("GIVES", grows=True)),
        tuple(
            (one.name, "yes" if one.installed else "no", one.purpose) for one in environment.extras
        ),
        notes=('An extra is added with its name, e.g. pip install "gangplan[ui]".',),
    )


def _library_table(environment: Environment) -> Table:
    return Table(
        "Libraries",
        (Column("LIBRARY"), Column("VERSION")),
        tuple((name, found or "not installed") for name, found in environment.libraries.items()),
    )
