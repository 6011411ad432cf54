"""``gangplan doctor``: what is installed and what this machine gives."""

from __future__ import annotations

from typing import Annotated

import typer

from models.findings import UsageError
from planner.cli.exit_codes import CANNOT_RUN
from planner.cli.option_groups import OutputOptions, TalkOptions
from planner.cli.sink import write_data
from planner.cli.talk import Talk

Cluster = Annotated[
    bool,
    typer.Option(
        "--cluster", help="Also what may be read of the running cluster.", show_default=False
    ),
]
Context = Annotated[
    str,
    typer.Option(
        "--context",
        metavar="NAME",
        help="With --cluster: a context of the kubeconfig.",
        show_default="the current one",
    ),
]


def doctor(
    output: OutputOptions, talking: TalkOptions, cluster: Cluster = False, context: Context = ""
) -> int:
    """Versions, solvers found, cores, memory and extras; with --cluster what may be read of a cluster."""
    if context and not cluster:
        raise UsageError("--context belongs to --cluster")
    from planner.usecases.cluster_access import examine_cluster
    from planner.usecases.environment import examine
    from planner.usecases.environment_report import environment_report

    environment = examine(examine_cluster(context) if cluster else None)
    write_data(environment_report(environment), output, Talk(talking))
    return 0 if environment.can_plan else CANNOT_RUN
