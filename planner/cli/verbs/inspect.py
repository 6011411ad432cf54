"""``gangplan inspect``: what the export holds, without a solver."""

from __future__ import annotations

from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SnapshotPaths,
    TalkOptions,
)
from planner.cli.planning_run import read_input
from planner.cli.sink import write_data
from planner.cli.talk import Talk


def inspect(
    snapshot: SnapshotPaths,
    policy: PolicyOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
) -> int:
    """Inventory, queues, waiting gangs and findings; nothing is planned."""
    from planner.report.inspect_report import inspect_report
    from planner.report.inspect_result import inspect as inspect_snapshot

    talk = Talk(talking)
    given = read_input(snapshot, policy, shown)
    talk.findings(given.findings)
    result = inspect_snapshot(given.snapshot, given.findings, given.policy)
    write_data(
        inspect_report(
            result, namespaces=tuple(shown.namespace or ()), queues=tuple(shown.queue or ())
        ),
        output,
        talk,
    )
    if not policy.allow_incomplete:
        given.refuse_incomplete()  # at the end: what is there may show why something is not
    return 0
