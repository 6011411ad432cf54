"""The command line that repeats what a page shows."""

from __future__ import annotations

from planner.usecases.jobs import night_commands
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.jobs.night_jobs import DrillRequest, ScheduleRequest
from ui.own_policy import has_own_file
from ui.state import PlannerState


def command_of_plan(state: PlannerState, asked: PlanRequest) -> str:
    """``gangplan plan …``."""
    own = has_own_file(state)
    return night_commands.command_of_plan(asked, _sample(state, asked), own_file=own)


def command_of_schedule(state: PlannerState, asked: ScheduleRequest) -> str:
    """``gangplan schedule …``."""
    own = has_own_file(state)
    return night_commands.command_of_schedule(asked, _sample(state, asked), own_file=own)


def command_of_drill(state: PlannerState, asked: DrillRequest) -> str:
    """``gangplan reclaim …``."""
    own = has_own_file(state)
    return night_commands.command_of_drill(asked, _sample(state, asked), own_file=own)


def _sample(state: PlannerState, asked: PlanRequest | ScheduleRequest | DrillRequest) -> str:
    """Name of the sample that was asked about, "" for another cluster."""
    opened = state.opened
    if opened is None or opened.origin != "sample":
        return ""
    return opened.name if opened.snapshot.digest == asked.snapshot.digest else ""
