"""The command lines that repeat a plan, a schedule or a drill of a page."""

from __future__ import annotations

from planner.report.reproduce import Inputs, drill_command, plan_command, schedule_command
from planner.samples import sample_demand, sample_policy
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.jobs.night_jobs import DrillRequest, ScheduleRequest

POLICY_FILE = "POLICY.yaml"
"""Stands for the policy file of the server, whose path visitors do not learn."""


def command_of_schedule(asked: ScheduleRequest, sample: str = "", *, own_file: bool = False) -> str:
    """``gangplan schedule …``.

    Parameters
    ----------
    sample
        Name of the sample that was asked about, "" for another cluster.
    own_file
        The policy came from a file that was given, not from the sample.
    """
    found = sample_demand(sample) if sample else None
    name = asked.demand.name
    demand = []
    if name:
        demand.append(f"sample:{sample}" if found is not None and found.name == name else name)
    return schedule_command(
        _inputs(asked, sample, own_file=own_file),
        asked.limits,
        demand=demand,
        horizon_s=asked.horizon_s,
        bucket_s=asked.bucket_s,
    )


def command_of_plan(asked: PlanRequest, sample: str = "", *, own_file: bool = False) -> str:
    """``gangplan plan …``; parameters as :func:`command_of_schedule`."""
    return plan_command(_inputs(asked, sample, own_file=own_file), asked.limits)


def command_of_drill(asked: DrillRequest, sample: str = "", *, own_file: bool = False) -> str:
    """``gangplan reclaim …``; parameters as :func:`command_of_schedule`."""
    return drill_command(_inputs(asked, sample, own_file=own_file), asked.limits, asked.question)


def _inputs(
    asked: PlanRequest | ScheduleRequest | DrillRequest, sample: str, *, own_file: bool
) -> Inputs:
    sources = (f"sample:{sample}",) if sample else tuple(s.name for s in asked.snapshot.sources)
    origins, document = asked.policy.origins, asked.policy.document()
    policy = ""
    if "file" in origins.values():
        of_sample = bool(sample) and not own_file and sample_policy(sample) is not None
        policy = f"sample:{sample}" if of_sample else POLICY_FILE
    flags = {key: document[key]["value"] for key, origin in origins.items() if origin == "flag"}
    return Inputs(sources, policy, flags)
