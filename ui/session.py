"""What a session does: open, plan, take over results, tell what is stale. No widget is drawn here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast

import streamlit as st

from models.findings import InputError, PlannerError
from planner.report.inspect_result import inspect
from planner.report.plan_view import PlanView
from planner.report.selection import select
from planner.usecases.cluster_session import (
    Opened,
    open_files,
    open_sample,
    open_uploads,
    state_of_files,
    unplanned,
)
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.jobs.background import PlanningJob, PlanRequest, plan_request
from planner.usecases.readings import Readings
from ui.launch import Launch, launch, reads_cluster
from ui.state import STATE_KEY, Failure, Finished, Ground, PlannerState

Value = TypeVar("Value")
Freshness = Literal["fresh", "settings", "snapshot"]
MIB = 1 << 20


def session() -> PlannerState:
    """The state of this browser session."""
    if STATE_KEY not in st.session_state:
        st.session_state[STATE_KEY] = PlannerState()
    return cast("PlannerState", st.session_state[STATE_KEY])


def cached(state: PlannerState, name: str, key: object, make: Callable[[], Value]) -> Value:
    """The value that was made last under this name if its key is still the same, else a new one."""
    found = state.caches.get(name)
    if found is None or found[0] != key:
        found = (key, make())
        state.caches[name] = found
    return cast("Value", found[1])


@st.cache_resource(show_spinner=False, max_entries=8)
def _sample(name: str) -> Opened:
    return open_sample(name)


@st.cache_resource(show_spinner=False, max_entries=1)
def readings() -> Readings:
    """The readings of the running cluster, for all visitors."""
    return Readings(launch().read_every_s)


def _state_of_source(source: str) -> str:
    """Another text means that the source has to be opened again; of files this is on request only."""
    return f"reading {readings().number()}" if source == "files" and reads_cluster() else ""


@st.cache_resource(show_spinner=False, max_entries=1)
def _files(paths: tuple[str, ...], state_of_files: str) -> Opened:
    return open_files(paths, launch().policy)


def choose_source(state: PlannerState, source: str) -> None:
    """Open what was chosen; a fault is kept for the pages to show."""
    reading, same = _state_of_source(source), source == state.source
    opened = state.opened is not None or state.fault is not None
    if same and opened and reading == state.reading:
        return
    kept = state.opened if same and reading else None
    state.source, state.reading, state.fault, state.reading_fault = source, reading, None, None
    state.keep_old = same and state.keep_old
    try:
        if source == "upload":
            state.opened = state.uploaded
        elif source == "files":
            paths = launch().paths
            state.opened = _files(paths, reading + state_of_files(paths))
        else:
            state.opened = _sample(source.removeprefix("sample:"))
    except PlannerError as error:
        state.opened = kept
        if kept is None:
            state.fault = error
        else:
            state.reading_fault = error


def take_upload(state: PlannerState, files: Sequence[tuple[str, bytes]]) -> bool:
    """Open uploaded files; a fault leaves what was open before and is returned as False."""
    limit = launch().max_upload_mb * MIB
    try:
        state.uploaded = open_uploads(files, limit_bytes=limit)
    except PlannerError as error:
        state.upload_fault = error
        return False
    state.upload_fault = None
    state.next_source, state.source = "upload", ""
    state.upload_round += 1
    return True


def flags_of(state: PlannerState, started: Launch) -> dict[str, Any]:
    """Policy keys of the server's command line and, above them, of the solve box."""
    chosen = {
        "queue_model": state.settings.queue_model,
        "objective": state.settings.objective,
        "priority_scope": state.settings.priority_scope,
    }
    return {**started.flags, **{key: value for key, value in chosen.items() if value}}


def ground(state: PlannerState) -> Ground | None:
    """The cluster as it is, checked under the current policy; None where nothing is open."""
    opened = state.opened
    if opened is None:
        return None
    started = launch()
    flags = flags_of(state, started)
    own = state.own_policy.policy if state.own_policy is not None else started.policy
    policy = own if own is not None else opened.policy
    opened = Opened(opened.origin, opened.name, opened.snapshot, policy)

    def make() -> Ground:
        given = opened.under(flags)
        inventory = inspect(given.snapshot, given.findings, given.policy)
        return Ground(given, inventory, PlanView(unplanned(given)))

    key = (opened.snapshot.digest, repr(sorted(flags.items())), state.policy_round)
    try:
        found = cached(state, "ground", key, make)
    except PlannerError as error:
        state.fault = error
        return None
    state.fault = None
    return found


def timezone_of(state: PlannerState) -> str:
    """The zone in which pages tell times: that of the policy, as charts and tables of schedules do."""
    base = ground(state)
    return base.given.policy.policy.timezone if base is not None else "UTC"


def shown_ground(state: PlannerState) -> Ground | None:
    """The cluster behind what pages show: that of the shown plan, where it is of another snapshot."""
    plan, base = shown_plan(state), ground(state)
    if plan is None or freshness(state) != "snapshot":
        return base
    asked = plan.request
    given = CheckedInput(asked.snapshot, asked.policy, asked.findings)

    def make() -> Ground:
        inventory = inspect(given.snapshot, given.findings, given.policy)
        return Ground(given, inventory, PlanView(unplanned(given)))

    return cached(state, "old ground", asked.key, make)


def request(state: PlannerState) -> PlanRequest | None:
    """What Run would plan now; None where nothing is open."""
    base = ground(state)
    if base is None:
        return None
    settings = state.settings
    return plan_request(
        base.given, time_limit_s=float(settings.time_limit_s), gap=settings.gap_percent / 100
    )


def run_plan(state: PlannerState) -> None:
    """Begin to plan in the background.

    Raises
    ------
    InputError
        The export is incomplete, and the visitor has not allowed that.
    """
    base, wanted = ground(state), request(state)
    if base is None or wanted is None or going_on(state):
        return
    if not (state.settings.allow_incomplete or launch().allow_incomplete):
        base.given.refuse_incomplete()
    state.failure = None
    state.job = PlanningJob(wanted).start()


def ask_to_run(state: PlannerState) -> None:
    """Plan with the settings that this run of the script will read.

    A click can arrive together with a number that was typed just before; callbacks come before the script has seen it.
    """
    state.run_asked = True


def try_run(state: PlannerState) -> None:
    """Begin to plan; an incomplete export is kept as a fault of the solve box."""
    state.run_fault, state.run_asked = None, False
    try:
        run_plan(state)
    except InputError as error:
        state.run_fault = error


@st.cache_resource(show_spinner=False, max_entries=1)
def _shared_job(key: str, _request: PlanRequest) -> PlanningJob:
    return PlanningJob(_request, absent_after_s=None).start()


def join_shared_plan(state: PlannerState) -> None:
    """In read-only mode every visitor sees the same plan, made once."""
    base, wanted = ground(state), request(state)
    if base is None or wanted is None or state.job:
        return
    ended = (one for one in (state.plan, state.failure) if one is not None)
    if any(one.request.key == wanted.key for one in ended):
        return
    try:
        if not launch().allow_incomplete:
            base.given.refuse_incomplete()
    except InputError as error:
        state.run_fault = error
        return
    state.job = _shared_job(wanted.key, wanted)


def going_on(state: PlannerState) -> bool:
    """Whether a search of this session has not ended yet."""
    return state.job is not None and state.job.view().going_on


def take_over(state: PlannerState) -> None:
    """Attend the running job; once it has ended keep its plan, or why there is none."""
    job = state.job
    if job is None:
        return
    job.attend()
    view = job.view()
    if view.going_on:
        return
    state.job = None
    if view.result is not None:
        state.plan, state.failure, state.keep_old = (
            Finished(job.request, view.result, view),
            None,
            False,
        )
    elif view.error is not None:
        state.failure = Failure(job.request, view.error, view)


def freshness(state: PlannerState) -> Freshness:
    """Whether the plan answers what Run would ask now, and if not, what has changed."""
    wanted, plan = request(state), state.plan
    if plan is None or wanted is None or plan.request.key == wanted.key:
        return "fresh"
    same = plan.request.snapshot.digest == wanted.snapshot.digest
    return "settings" if same else "snapshot"


def shown_plan(state: PlannerState) -> Finished | None:
    """The plan that pages show: not one of another snapshot, unless the visitor asked for it."""
    if state.plan is None or (freshness(state) == "snapshot" and not state.keep_old):
        return None
    return state.plan


def shown_view(state: PlannerState) -> PlanView | None:
    """Frames of the shown plan under the filters, else of the cluster as it is; None where nothing is open."""
    plan, base = shown_plan(state), ground(state)
    if plan is None:
        return base.view if base is not None else None
    filters = state.filters
    return cached(
        state,
        "view",
        (id(plan), filters),
        lambda: PlanView(select(plan.result, namespaces=filters.namespaces, queues=filters.queues)),
    )
