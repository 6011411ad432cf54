"""What an earlier plan document says about this snapshot, and whether it is about it at all."""

from __future__ import annotations

from models.checks.wording import counted
from models.findings import Finding
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.service.warm import placements_of


def unrelated(earlier: PlanResult, snapshot: Snapshot) -> tuple[Finding, ...]:
    """A finding where not one new pod of the document has its gang and its node in the snapshot."""
    placements = placements_of(earlier)
    gangs = {gang.full_name for gang in snapshot.gangs}
    nodes = {node.name for node in snapshot.nodes}
    if not placements or any(one.gang in gangs and one.node in nodes for one in placements):
        return ()
    known = {gang.full_name for gang in earlier.gangs}
    return (
        Finding(
            "previous_unrelated",
            "warning",
            "--previous",
            f"the earlier plan has nothing to do with this snapshot: of its {counted(len(known), 'gang')} "
            f"{len(known & gangs):,} are here, of its {counted(len(earlier.nodes), 'node')} "
            f"{sum(one.name in nodes for one in earlier.nodes):,}; everything is planned anew",
            "give the last plan of the same cluster, or leave --previous out",
        ),
    )
