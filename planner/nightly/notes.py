"""What a reader should know of a run itself: clocks that disagree, demand that nobody told."""

from __future__ import annotations

from collections.abc import Sequence

from models.demand import DemandSamples
from models.moments import epoch_seconds
from models.nightly.run import NightRun
from models.plan import PlanResult
from planner.report.text import duration
from planner.usecases.inputs.checked_input import CheckedInput

STALE_S = 26 * 3600
AHEAD_S = 15 * 60


def clock_notes(run: NightRun, given: CheckedInput, earlier: Sequence[NightRun]) -> list[str]:
    """Where the time of the export, the clock of this machine and the runs before do not fit together."""
    found = []
    started = epoch_seconds(run.started_at) or 0
    export = epoch_seconds(given.snapshot.as_of)
    if export is not None and given.policy.origins.get("now") == "snapshot":
        if started - export > STALE_S:
            found.append(
                f"The export is of {given.snapshot.as_of}, {duration(started - export)} before this run; "
                "the night is planned for then. Check what writes it."
            )
        elif export - started > AHEAD_S:
            found.append(
                f"The export is of {given.snapshot.as_of}, {duration(export - started)} ahead of this machine's clock; "
                "check both clocks."
            )
    last = max((epoch_seconds(one.started_at) or 0 for one in earlier), default=0)
    if last > started:
        found.append(
            f"The clock of this machine went back: an earlier run began {duration(last - started)} later than this one."
        )
    newest = max((one.night for one in earlier), default="")
    if newest > run.night:
        found.append(f"Nights up to {newest} are there already; this one is planned beside them.")
    return found


def demand_note(result: PlanResult, demand: Sequence[DemandSamples]) -> list[str]:
    """Where the demand of online services was taken from, if no file told it."""
    if demand:
        return [
            f"Demand of {one.service or 'the service'}: {note}"
            for one in demand
            for note in one.notes
        ]
    lending = result.schedule.lending if result.schedule is not None else None
    if lending is None:
        return [
            "No online services are known (no demand file, none in the policy): nothing is lent."
        ]
    origins = {one.service: one.origin for one in lending.forecasts}
    profiles = sorted(name for name, origin in origins.items() if origin == "profile")
    replicas = sorted(name for name, origin in origins.items() if origin == "replicas")
    found = []
    if profiles:
        found.append(
            f"No demand file: loans rest on the policy's profile of {', '.join(profiles)}."
        )
    if replicas:
        found.append(
            f"No demand is known of {', '.join(replicas)}: it keeps the GPUs that its pods hold now."
        )
    return found
