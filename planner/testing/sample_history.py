"""A history for tests and pictures: nights of the sample ``evening``, each with other work waiting.

``python -m planner.testing.sample_history URL [NIGHTS]`` makes one; the last night but one failed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from models.nightly.run import NightRun, NightSnapshot
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.history.opening import open_history
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.usecases.cluster_session import open_sample
from planner.usecases.inputs.lending import LendingSource

FIRST = date(2026, 9, 9)
LIMIT_S = 10.0


def fill_history(url: str, nights: int = 7) -> None:
    """Record nights; each leaves out some of the gangs that wait, so that figures differ."""
    given = open_sample("evening").under({})
    with open_history(url) as history:
        for place in range(nights):
            night = FIRST + timedelta(days=place)
            if place and place == nights - 2:
                failed = run_of(
                    night, outcome="input_error", exit_code=3, error="nodes.json: cut off"
                )
                history.record(failed, None, None)
                continue
            snapshot = _without(given.snapshot, place % 4)
            source = LendingSource(snapshot, given.policy.policy)
            options = ScheduleOptions(limits=Limits(time_limit_s=LIMIT_S))
            plan = make_schedule(snapshot, given.policy, source, options, guard=False)
            history.record(run_of(night, plan), plan, snapshot)


def run_of(night: date, plan: PlanResult | None = None, **values: object) -> NightRun:
    """What ``run.json`` of a night says."""
    told = {"sentence": plan.summary.sentence} if plan is not None else {}
    return NightRun.model_validate(
        {
            "run_id": f"run-{night.isoformat()}",
            "night": night.isoformat(),
            "timezone": "Europe/Berlin",
            "horizon_s": 86_400,
            "started_at": f"{night.isoformat()}T19:00:05Z",
            "finished_at": f"{night.isoformat()}T19:01:05Z",
            "snapshot": NightSnapshot(as_of=f"{night.isoformat()}T19:00:00Z", digest="0" * 64),
            **told,
            **values,
        }
    )


def _without(snapshot: Snapshot, count: int) -> Snapshot:
    """The snapshot without the last ``count`` gangs that wait (those without running pods)."""
    running = {pod.gang for pod in snapshot.pods if pod.running}
    waiting = [gang.full_name for gang in snapshot.gangs if gang.full_name not in running]
    gone = set(waiting[len(waiting) - count :])
    return replace(
        snapshot,
        gangs=tuple(gang for gang in snapshot.gangs if gang.full_name not in gone),
        pods=tuple(pod for pod in snapshot.pods if pod.gang not in gone),
    )


def main(arguments: Sequence[str]) -> None:
    """Make the history that the command line names."""
    fill_history(arguments[0], int(arguments[1]) if len(arguments) > 1 else 7)


if __name__ == "__main__":
    main(sys.argv[1:])
