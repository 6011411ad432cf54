"""What the pages Night and Drill do: ask for schedules and drills of the open cluster. No widget is drawn here."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from models.drill import Need
from models.findings import InputError, PlannerError
from models.policy import Policy
from planner.drill.text import parse_need
from planner.drill.use_case import drill_question
from planner.usecases.cluster_session import state_of_files
from planner.usecases.inputs.demand_files import with_services
from planner.usecases.inputs.demand_uploads import (
    demand_of_files,
    demand_of_sample,
    demand_of_uploads,
)
from planner.usecases.jobs.night_jobs import (
    NO_DEMAND,
    DemandInput,
    DrillJob,
    DrillRequest,
    ScheduleJob,
    ScheduleRequest,
    demand_input,
    search_limits,
    under_deadline,
)
from ui.launch import launch
from ui.session import cached, ground
from ui.state import PlannerState

MIB = 1 << 20


@st.cache_resource(show_spinner=False, max_entries=1)
def _files(paths: tuple[str, ...], state_of_files: str) -> DemandInput:
    return demand_of_files(paths)


@st.cache_resource(show_spinner=False, max_entries=8)
def _sample(name: str) -> DemandInput | None:
    return demand_of_sample(name)


def of_sample(state: PlannerState, demand: DemandInput) -> bool:
    """Whether this demand is the own one of the open sample."""
    kind, _, name = state.source.partition(":")
    return kind == "sample" and demand is _sample(name)


def demand_sources(state: PlannerState) -> tuple[str, ...]:
    """Where demand can come from now, the one that is taken unless the visitor chooses first."""
    found = ["upload"] if state.night.uploaded is not None else []
    kind, _, name = state.source.partition(":")
    if kind == "sample" and _sample(name) is not None:
        found.append("sample")
    if launch().demand and kind == "files":
        found.append("files")
    return (*found, "policy")


def demand(state: PlannerState) -> DemandInput:
    """Demand of the chosen source.

    Raises
    ------
    InputError
        The server's demand file cannot be read.
    """
    known = demand_sources(state)
    chosen = state.night.settings.demand
    source = chosen if chosen in known else known[0]
    if source == "upload" and state.night.uploaded is not None:
        return state.night.uploaded
    if source == "sample":
        return _sample(state.source.partition(":")[2]) or NO_DEMAND
    if source == "files":
        paths = launch().demand
        return _files(paths, state_of_files(paths))
    base = ground(state)
    return NO_DEMAND if base is None else _of_policy(state.reading, base.given.policy.policy)


def _of_policy(reading: str, policy: Policy) -> DemandInput:
    """What the policy's services ask a Prometheus; once per reading of a running cluster."""
    asked = [one for one in policy.services if one.prometheus is not None]
    return _asked(f"{reading} {asked!r}", policy) if asked else NO_DEMAND


@st.cache_resource(show_spinner=False, max_entries=4)
def _asked(key: str, _policy: Policy) -> DemandInput:
    return demand_input("Prometheus", with_services((), _policy))


def take_demand(state: PlannerState, files: Sequence[tuple[str, bytes]]) -> bool:
    """Read uploaded demand; a fault leaves what was there before and is returned as False."""
    night = state.night
    try:
        night.uploaded = demand_of_uploads(files, limit_bytes=launch().max_upload_mb * MIB)
    except PlannerError as error:
        night.upload_fault = error
        return False
    night.upload_fault = None
    night.upload_round += 1
    return True


def schedule_request(state: PlannerState) -> ScheduleRequest | None:
    """What would be scheduled now; None where nothing is open.

    Raises
    ------
    InputError
        The demand cannot be read, or the deadline cannot be used.
    """
    base = ground(state)
    if base is None:
        return None
    given, asked, settings = base.given, demand(state), state.night.settings
    limits = search_limits(state.settings.time_limit_s, state.settings.gap_percent / 100)

    def make() -> ScheduleRequest:
        return ScheduleRequest(
            given.snapshot,
            under_deadline(given, settings.deadline_s),
            limits,
            asked,
            settings.horizon_h * 3600,
            settings.bucket_min * 60 or None,
            given.findings,
        )

    key = (id(base), asked.digest, settings, limits)
    return cached(state, "schedule request", key, make)


def begin_schedule(state: PlannerState) -> None:
    """Begin to schedule in the background.

    Raises
    ------
    InputError
        The export is incomplete and the visitor has not allowed that, or the demand cannot be used.
    """
    wanted = schedule_request(state)
    if wanted is not None:
        _refuse_incomplete(state)
        state.night.schedule.begin(wanted, ScheduleJob(wanted))


@st.cache_resource(show_spinner=False, max_entries=1)
def _shared_job(key: str, _request: ScheduleRequest) -> ScheduleJob:
    job = ScheduleJob(_request, absent_after_s=None)
    job.begin()
    return job


def join_shared_schedule(state: PlannerState) -> None:
    """In read-only mode every visitor sees the same schedule, made once."""
    run = state.night.schedule
    if run.job or run.done or run.failure or run.fault:
        return
    try:
        wanted = schedule_request(state)
        if wanted is not None:
            _refuse_incomplete(state)
            run.begin(wanted, _shared_job(wanted.key, wanted), start=False)
            run.take_over()
    except InputError as error:
        run.fault = error


def drill_needs(state: PlannerState) -> tuple[Need, ...]:
    """The needs that the page asks for.

    Raises
    ------
    UsageError
        A line of the further needs is none.
    """
    asked = state.night.drill_settings
    first = Need(
        service=asked.claimant,
        gpus=asked.gpus,
        per_pod=asked.per_pod or None,
        gpu_model=asked.gpu_model,
    )
    lines = [line.strip() for line in asked.more.splitlines()]
    return (first, *(parse_need(line) for line in lines if line))


def drill_request(state: PlannerState) -> DrillRequest | None:
    """What would be drilled now; None where nothing is open or nobody can ask.

    Raises
    ------
    UsageError
        A need is written wrong, or twice.
    """
    base = ground(state)
    asked = state.night.drill_settings
    if base is None or not asked.claimant:
        return None
    given = base.given
    question = drill_question(
        drill_needs(state),
        deadline_seconds=asked.deadline_s,
        policy=given.policy,
        by_hand=asked.by_hand,
    )
    limits = search_limits(state.settings.time_limit_s, state.settings.gap_percent / 100)
    return DrillRequest(given.snapshot, given.policy, limits, question, given.findings)


def begin_drill(state: PlannerState) -> None:
    """Begin a drill in the background.

    Raises
    ------
    InputError, UsageError
        The export is incomplete, or a need is written wrong.
    """
    wanted = drill_request(state)
    if wanted is not None:
        _refuse_incomplete(state)
        state.night.drill.begin(wanted, DrillJob(wanted))


def take_over_runs(state: PlannerState) -> None:
    """Attend the running jobs and take over their results."""
    state.night.schedule.take_over()
    state.night.drill.take_over()


def _refuse_incomplete(state: PlannerState) -> None:
    base = ground(state)
    if base is not None and not (state.settings.allow_incomplete or launch().allow_incomplete):
        base.given.refuse_incomplete()
