"""Drill: a service wants GPUs back now. Who leaves, and is it in time."""

from __future__ import annotations

import streamlit as st

from models.drill import DrillResult
from models.findings import UsageError
from planner.report.drill_report import drill_report
from planner.usecases.jobs.night_jobs import DrillRequest
from ui.commands import command_of_drill
from ui.export import Export
from ui.launch import launch
from ui.night import begin_drill, drill_request
from ui.parts.banners import show_fault
from ui.parts.drill_result import show_drill
from ui.parts.drill_settings import drill_settings
from ui.parts.page import Metric, Page, begin, head
from ui.parts.run_banners import run_banners
from ui.parts.text import plain
from ui.runs import Answered, try_to


def _wanted(page: Page) -> tuple[DrillRequest | None, UsageError | None]:
    """What would be drilled now, or why that cannot be told."""
    try:
        return drill_request(page.state), None
    except UsageError as error:
        return None, error


def _top(page: Page, wanted: DrillRequest | None, fault: UsageError | None) -> None:
    say, run = page.say, page.state.night.drill

    def banner() -> None:
        for error in (page.state.fault, fault):
            if error is not None:
                show_fault(say, error)
        run_banners(run, run.freshness(wanted), say, key="drill")

    done = run.shown(wanted)
    if done is None:
        sentence = say(
            "There is no drill yet: say who needs how many GPUs, and within how many seconds."
        )
        head(page, say("Drill"), sentence, (), banner=banner)
        if not run.going_on:
            st.markdown(
                say(
                    "A drill tells who would leave if a service called its GPUs back now, when the last of them is "
                    "free, what that costs, and what would help if it is not in time. Nothing is evicted."
                )
            )
        return
    result = done.result
    head(
        page,
        say("Drill"),
        _sentence(page, result),
        _metrics(page, result),
        snapshot=result.snapshot,
        banner=banner,
    )


def _sentence(page: Page, result: DrillResult) -> str:
    say, one = page.say, result.summary
    who = ", ".join(plain(name) for name in dict.fromkeys(need.service for need in result.needs))
    wanted = say.gpus(one.gpus_needed)
    if one.in_time and not one.last_second:
        return say(
            "In time: {who} has {wanted} free at once; nobody leaves.", who=who, wanted=wanted
        )
    if one.in_time:
        return say(
            "In time: {who} has {wanted} back after {last} s of {deadline} s; {pods} leave.",
            who=who,
            wanted=wanted,
            last=one.last_second,
            deadline=one.deadline_seconds,
            pods=say.pods(one.pods_evicted),
        )
    return say(
        "Not in time: {some} of {wanted} can be back for {who} within {deadline} s, {back} in the end.",
        some=one.gpus_in_time,
        wanted=wanted,
        who=who,
        deadline=one.deadline_seconds,
        back=one.gpus_back,
    )


def _metrics(page: Page, result: DrillResult) -> tuple[Metric, ...]:
    say, one = page.say, result.summary
    bound = one.gpus_most_in_time
    most = say("no bound proved") if bound is None else say("at most {count}", count=bound)
    last = say("never") if one.last_second is None else f"{one.last_second:,} s"
    gangs = say.counted(one.gangs_evicted + one.gangs_shrunk, "of {count} gang", "of {count} gangs")
    return (
        Metric(say("Back in time (GPUs)"), f"{one.gpus_in_time:,}", most),
        Metric(say("Free now (GPUs)"), f"{one.gpus_free:,}"),
        Metric(say("Last one back"), last, say("all {count} asked for", count=one.gpus_needed)),
        Metric(say("Leave (pods)"), f"{one.pods_evicted:,}", gangs),
        Metric(say("Lost work (GPU-hours)"), f"{one.lost_gpu_seconds / 3600:,.1f}"),
    )


def _export(page: Page, done: Answered[DrillRequest, DrillResult]) -> Export:
    filters, result = page.state.filters, done.result
    return Export(
        "drill",
        lambda: drill_report(result, namespaces=filters.namespaces, queues=filters.queues),
        done.request.snapshot,
        command_of_drill(page.state, done.request),
    )


def _draw(page: Page) -> None:
    state, run = page.state, page.state.night.drill
    top, box, below = st.container(), st.container(), st.container()
    if not launch().read_only:
        with box:
            drill_settings(page)
        try_to(run, lambda: begin_drill(state))
    wanted, fault = _wanted(page)
    with top:
        if launch().read_only:
            head(
                page,
                page.say("Drill"),
                page.say("This server is read-only; it starts no drills."),
                (),
            )
        else:
            _top(page, wanted, fault)
    done = run.shown(wanted)
    if done is not None:
        with below:
            show_drill(page.say, done.result)
        state.export = _export(page, done)


page = begin()
if page is not None:
    _draw(page)
