"""Night: when does everything start, what is lent, and is it back in time."""

from __future__ import annotations

import streamlit as st

from models.findings import InputError
from models.plan import PlanResult
from models.schedule import Schedule
from planner.report.schedule_report import schedule_report, work_gap
from planner.report.text import gpu_hours, ratio_percent
from planner.usecases.jobs.night_jobs import ScheduleAnswer, ScheduleRequest, manifests_bytes
from ui.commands import command_of_schedule
from ui.export import Export
from ui.launch import launch
from ui.night import begin_schedule, join_shared_schedule, schedule_request
from ui.parts.banners import show_fault
from ui.parts.findings import finding_list
from ui.parts.night_settings import night_settings
from ui.parts.page import Metric, Page, begin, head
from ui.parts.run_banners import run_banners
from ui.parts.schedule_result import show_schedule
from ui.runs import Answered, try_to


def _wanted(page: Page) -> tuple[ScheduleRequest | None, InputError | None]:
    """What would be scheduled now, or why that cannot be told."""
    try:
        return schedule_request(page.state), None
    except InputError as error:
        return None, error


def _top(page: Page, wanted: ScheduleRequest | None, fault: InputError | None) -> None:
    """Title, answer, what is wrong or stale, figures."""
    say, run = page.say, page.state.night.schedule

    def banner() -> None:
        for error in (page.state.fault, fault):
            if error is not None:
                show_fault(say, error)
        again = not launch().read_only
        run_banners(run, run.freshness(wanted), say, key="night", again=again)

    done = run.shown(wanted)
    if done is None:
        sentence = (
            say("There is no schedule yet: the search for one runs.")
            if run.going_on
            else say("There is no schedule yet: nothing has been asked of the planner.")
        )
        head(page, say("Night"), sentence, (), banner=banner)
        if not run.going_on:
            st.markdown(
                say(
                    "A schedule tells when every gang that waits starts within the horizon, which GPUs of online "
                    "services are lent until when, and proves that they are back before their services need them."
                )
            )
        return
    result = done.result.result
    assert result.schedule is not None
    head(
        page,
        say("Night"),
        _sentence(page, result.schedule),
        _metrics(page, result, result.schedule),
        snapshot=result.snapshot,
        timezone=result.schedule.timezone,
        banner=banner,
    )


def _below(page: Page, done: Answered[ScheduleRequest, ScheduleAnswer]) -> None:
    """Charts, tables and what can be taken away."""
    answer, filters = done.result, page.state.filters
    result = answer.result
    assert result.schedule is not None
    show_schedule(page.say, result, result.schedule, filters)
    if answer.demand_findings:
        st.subheader(page.say("Findings about the demand"), anchor=False)
        finding_list(page.say, answer.demand_findings, most=len(answer.demand_findings))
    page.state.export = Export(
        "schedule",
        lambda: schedule_report(result, namespaces=filters.namespaces, queues=filters.queues),
        done.request.snapshot,
        command_of_schedule(page.state, done.request),
        archives=(
            (
                page.say("Manifests"),
                "gangplan-manifests.zip",
                lambda: manifests_bytes(done.request, result),
            ),
        ),
    )


def _sentence(page: Page, schedule: Schedule) -> str:
    say = page.say
    starts, now, waits = _counts(schedule)
    hours = round((schedule.edges[-1] - schedule.edges[0]) / 3600)
    text = say(
        "{started} of {waited} start within {hours} hours, {now} of them now;",
        started=starts,
        waited=say.counted(starts + waits, "{count} waiting gang", "{count} waiting gangs"),
        hours=hours,
        now=now,
    )
    if not schedule.loans:
        return f"{text} {say('no GPUs are lent.')}"
    lent = sum(loan.gpu_seconds for loan in schedule.loans)
    last = max(schedule.loans, key=lambda loan: loan.end_bucket).returned_by
    if schedule.missed_returns:
        missed = sum(one.gpus for one in schedule.missed_returns)
        return f"{say('{count} GPUs not back in time', count=missed)}; {text}"
    return f"{text} " + say(
        "online services lend up to {most} for {hours}, all back by {when} ({zone}).",
        most=say.gpus(max(loan.gpus for loan in schedule.loans)),
        hours=gpu_hours(lent),
        when=last[:16].replace("T", " "),
        zone=schedule.timezone,
    )


def _counts(schedule: Schedule) -> tuple[int, int, int]:
    starts = [gang for gang in schedule.gangs if gang.status == "starts"]
    now = sum(gang.runs[0].start_bucket == 0 for gang in starts)
    return len(starts), now, sum(gang.status == "waits" for gang in schedule.gangs)


def _metrics(page: Page, result: PlanResult, schedule: Schedule) -> tuple[Metric, ...]:
    say = page.say
    starts, now, waits = _counts(schedule)
    lent = sum(loan.gpu_seconds for loan in schedule.loans)
    gap = work_gap(result)
    missed = sum(one.gpus for one in schedule.missed_returns)
    back = say("{count} GPUs not back in time", count=missed) if missed else say("all back in time")
    return (
        Metric(say("Start now (gangs)"), f"{now:,}", say("placed on nodes")),
        Metric(say("Start later (gangs)"), f"{starts - now:,}"),
        Metric(say("Do not start (gangs)"), f"{waits:,}"),
        Metric(say("Lent (GPU-hours)"), f"{lent / 3600:,.1f}", back if schedule.loans else ""),
        Metric(
            say("Gap to the best"),
            say("open") if gap is None else ratio_percent(gap),
            say("of the work tiers"),
        ),
    )


def _draw(page: Page) -> None:
    state, run = page.state, page.state.night.schedule
    top, box, below = st.container(), st.container(), st.container()
    if launch().read_only:
        join_shared_schedule(state)
    else:
        with box:
            night_settings(page)
        try_to(run, lambda: begin_schedule(state))
    wanted, fault = _wanted(page)
    with top:
        _top(page, wanted, fault)
    done = run.shown(wanted)
    if done is not None:
        with below:
            _below(page, done)


page = begin()
if page is not None:
    _draw(page)
