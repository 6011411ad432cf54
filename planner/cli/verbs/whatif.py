"""``gangplan whatif``: what changes if."""

from __future__ import annotations

from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    SnapshotPaths,
    TalkOptions,
)
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.cli.whatif_options import EditOptions, RunOptions
from planner.cli.whatif_run import WhatIfRun


def whatif(
    snapshot: SnapshotPaths,
    edits: EditOptions,
    running: RunOptions,
    policy: PolicyOptions,
    search: SearchOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
) -> int:
    """Scenarios beside the base, sweeps over grids, and what one more of everything is worth."""
    talk = Talk(talking)
    run = WhatIfRun(snapshot, edits, running, policy, search, talk)
    report, code = run.sweep() if edits.sweep is not None else run.scenarios(shown)
    write_data(report, output, talk)
    return code
