"""Sections of a drill: who leaves, the curve, the room, what blocks the rest, what would help, the proof."""

from __future__ import annotations

from models.drill import DrillResult, NeedEntry
from planner.report.frames.reasons import finding_rows
from planner.report.hostlist import hostlist
from planner.report.proof_words import proof_detail, status_words, tier_words, verification_words
from planner.report.rows import rest_note
from planner.report.sections.findings import findings_of
from planner.report.svg.curve import drill_curve
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import DASH, counted, gpu_hours, number, ratio_percent, resource_text

_BRIEF = 12
"""Holders that a plain terminal table lists one by one."""
_FILES = "-o json and the CSV set (-o csv --out DIR)"
_CODES = {
    "grace": "grace period",
    "terminating_late": "terminating, late",
    "terminating_overdue": "terminating, overdue",
    "mark": "not preemptable",
    "budget": "disruption budget",
    "deserved": "not lent",
    "guarantee": "guarantee",
    "reclaimable": "not reclaimable",
    "same_queue": "same queue",
    "gang": "gang",
    "protected": "protected",
    "own": "its own",
    "fragment": "fragment",
    "queue_limit": "queue limit",
    "kept": "no gain",
    "spare": "spare",
    "closed_node": "closed node",
}
_CHANGES = {
    "shorter_grace": "shorter grace",
    "preemptable": "mark preemptable",
    "reclaimable": "let reclaim",
    "budget": "widen budget",
    "lend_less": "lend less",
    "by_hand": "by hand",
    "capability": "raise limit",
    "more_time": "call earlier",
}


def drill_sections(result: DrillResult, place: Place, limit: int) -> tuple[Section, ...]:
    """Sections for a kind of output."""
    found = [_leaving(result, place, limit), _curve(result, limit)]
    if place != "table" or not result.summary.in_time:
        found.append(_holders(result, min(limit, _BRIEF) if place == "table" else limit))
    if result.changes_tried or result.changes_left_out:
        found.append(_changes(result, limit))
    if place != "table":
        found += [_room(result, limit), _needs(result), _method(result)]
    found.append(_findings(result, place, limit))
    return tuple(found)


def _leaving(result: DrillResult, place: Place, limit: int) -> Section:
    gangs = Table(
        "Gangs that lose pods",
        (
            Column("GANG"),
            Column("QUEUE", needs_width=90),
            Column("DECISION"),
            Column("PODS", "leave", numeric=True),
            Column("STAY", "pods", numeric=True, needs_width=100),
            Column("FREED", "GPUs", numeric=True),
            Column("FREE AFTER", "s", numeric=True),
            Column("LOST WORK", numeric=True),
            Column("NODES", grows=True),
        ),
        tuple(
            (
                one.gang,
                one.queue,
                one.decision,
                number(one.pods),
                number(one.pods_left),
                number(one.gpus),
                number(one.last_second),
                gpu_hours(one.lost_gpu_seconds),
                hostlist(one.nodes),
            )
            for one in result.gangs[:limit]
        ),
        empty="Nobody has to leave."
        if result.summary.in_time
        else "Nobody leaves: it would help nothing.",
        notes=rest_note(min(limit, len(result.gangs)), len(result.gangs), "gangs", _FILES),
    )
    tables = (gangs,) if place == "table" or not result.leaving else (gangs, _pods(result, limit))
    lead = (
        "In the order in which their room is free; all are told at second 0."
        if result.gangs
        else ""
    )
    return Section("leaving", "Who leaves", lead=lead, tables=tables)


def _pods(result: DrillResult, limit: int) -> Table:
    shown = result.leaving[:limit]
    return Table(
        "Pods in the order of leaving",
        (
            Column("ORDER", numeric=True),
            Column("FREE AFTER", "s", numeric=True),
            Column("GRACE", "s", numeric=True),
            Column("POD", grows=True),
            Column("NODE"),
            Column("FREED", "GPUs", numeric=True),
            Column("LOST WORK", numeric=True),
        ),
        tuple(
            (
                number(one.order),
                number(one.second),
                number(one.grace_seconds),
                one.pod,
                one.node,
                number(one.gpus),
                gpu_hours(one.lost_gpu_seconds),
            )
            for one in shown
        ),
        notes=rest_note(len(shown), len(result.leaving), "pods", _FILES),
    )


def _curve(result: DrillResult, limit: int) -> Section:
    shown = result.curve[:limit]
    table = Table(
        "GPUs back against seconds",
        (
            Column("AFTER", "s", numeric=True),
            Column("THIS DRILL", "GPUs", numeric=True),
            Column("AT MOST", "GPUs", numeric=True),
            Column("PROVED BOUND", "GPUs", numeric=True, needs_width=60),
            Column("", needs_width=60),
        ),
        tuple(
            (
                number(one.second),
                number(one.gpus_planned),
                number(one.gpus_most),
                DASH if one.bound is None else number(one.bound),
                "deadline" if one.second == result.summary.deadline_seconds else "",
            )
            for one in shown
        ),
        notes=rest_note(len(shown), len(result.curve), "points", _FILES),
    )
    figure = Figure(
        "This drill, and the most that is possible at every second", lambda: drill_curve(result)
    )
    return Section("curve", "GPUs back against seconds", figures=(figure,), tables=(table,))


def _holders(result: DrillResult, limit: int) -> Section:
    shown = result.holders[:limit]
    table = Table(
        "GPUs that are not back in time",
        (
            Column("CAUSE"),
            Column("HELD BY", grows=True),
            Column("HELD", "GPUs", numeric=True),
            Column("PODS", numeric=True, needs_width=100),
            Column("FREE AFTER", "s", numeric=True),
            Column("NODES", grows=True, needs_width=110),
            Column("WHY", grows=True),
        ),
        tuple(
            (
                _CODES.get(one.code, one.code),
                one.object or DASH,
                number(one.gpus),
                number(one.pods),
                number(one.second),
                hostlist(one.nodes),
                one.message,
            )
            for one in shown
        ),
        empty="All GPUs of the open nodes are back.",
        notes=rest_note(len(shown), len(result.holders), "holders", _FILES),
    )
    missing = result.summary.gpus_missing
    lead = f"{counted(missing, 'GPU')} of those asked for are not back in time. " if missing else ""
    opened = max((need.gpus_open for need in result.needs), default=0)
    if len(result.needs) == 1:
        lead += f"Of {counted(opened, 'GPU')} on the open nodes, these are not back within the deadline:"
    return Section("holders", "What holds the rest", lead=lead, tables=(_causes(result), table))


def _causes(result: DrillResult) -> Table:
    rows = []
    for one in result.causes:
        first, last = one.first_second, one.last_second
        free = number(first) if first == last else f"{first:,} to {last:,}"
        row = (number(one.gpus), number(one.pods), number(one.objects), free)
        rows.append((_CODES.get(one.code, one.code), *row))
    columns = (
        Column("CAUSE"),
        Column("HELD", "GPUs", numeric=True),
        Column("PODS", numeric=True),
        Column("HOLDERS", numeric=True),
        Column("FREE AFTER", "s", numeric=True),
    )
    closed = any(one.code == "closed_node" for one in result.causes)
    notes = ("GPUs on closed nodes come on top of those on the open ones.",) if closed else ()
    return Table("By cause", columns, tuple(rows), empty="", notes=notes)


def _changes(result: DrillResult, limit: int) -> Section:
    shown = result.changes[:limit]
    table = Table(
        "What would help",
        (
            Column("CHANGE"),
            Column("WHAT TO DO", grows=True),
            Column("MORE", "GPUs in time", numeric=True),
            Column("THEN", "GPUs in time", numeric=True),
            Column("ENOUGH"),
        ),
        tuple(
            (
                _CHANGES.get(one.code, one.code),
                one.message,
                f"+{one.gain:,}",
                number(one.gpus_in_time),
                "yes" if one.in_time else "no",
            )
            for one in shown
        ),
        empty="None of the changes that were tried brings more back in time.",
        notes=rest_note(len(shown), len(result.changes), "changes", _FILES),
    )
    notes = [
        f"{counted(result.changes_tried, 'change')} tried; each was drilled and verified on the edited cluster."
    ]
    if result.changes_left_out:
        notes.append(
            f"{counted(result.changes_left_out, 'change')} not tried: too many, or no time."
        )
    return Section("changes", "What would help", tables=(table,), notes=tuple(notes))


def _room(result: DrillResult, limit: int) -> Section:
    shown = result.places[:limit]
    table = Table(
        "Where the room is",
        (
            Column("FOR"),
            Column("NODE"),
            Column("FROM", "s", numeric=True),
            Column("PODS", numeric=True),
            Column("ROOM", "GPUs", numeric=True),
        ),
        tuple(
            (one.service, one.node, number(one.second), number(one.pods), number(one.gpus))
            for one in shown
        ),
        empty="There is no room.",
        notes=rest_note(len(shown), len(result.places), "places", _FILES),
    )
    return Section("room", "Where the room is", tables=(table,))


def _needs(result: DrillResult) -> Section:
    table = Table(
        "What was asked",
        (
            Column("FOR"),
            Column("ASKED", "GPUs", numeric=True),
            Column("PODS", numeric=True),
            Column("EACH REQUESTS", grows=True),
            Column("SHAPE FROM"),
            Column("ON", grows=True),
            Column("OPEN", "nodes", numeric=True),
            Column("FREE NOW", "GPUs", numeric=True),
            Column("IN TIME", "GPUs", numeric=True),
            Column("BACK", "GPUs", numeric=True),
            Column("LAST AFTER", "s", numeric=True),
        ),
        tuple(_need_row(one) for one in result.needs),
    )
    question = result.question
    lead = (
        f"Deadline {question.deadline_seconds} s; {question.overhead_seconds} s pass before a pod gets its signal. "
        f"{'Shares of queues are kept' if result.shares else 'Shares of queues are set aside'}; disruption budgets "
        f"{'are kept' if result.budgets else 'do not count'}."
    )
    return Section("needs", "What was asked", lead=lead, tables=(table,))


def _need_row(one: NeedEntry) -> tuple[str, ...]:
    kinds = [one.gpu_model, *(f"pool {p}" for p in one.pools)]
    kinds += [f"{key}={value}" for key, value in one.labels.items()]
    return (
        f"{one.service} ({one.found_as})",
        number(one.gpus),
        number(one.pods),
        ", ".join(resource_text(name, amount) for name, amount in one.request.items()),
        one.pattern or "assumed",
        ", ".join(filter(None, kinds)) or "any node",
        number(one.nodes),
        number(one.gpus_free),
        number(one.gpus_in_time),
        number(one.gpus_back),
        number(one.last_second),
    )


def _method(result: DrillResult) -> Section:
    certificate = result.certificate
    table = Table(
        "Tiers",
        (
            Column("TIER", grows=True),
            Column("SENSE"),
            Column("VALUE", numeric=True),
            Column("BOUND", numeric=True),
            Column("GAP", numeric=True),
        ),
        tuple(
            (
                tier_words(tier.name),
                tier.sense,
                f"{number(tier.value)} {tier.unit}",
                "not proved" if tier.bound is None else f"{number(tier.bound)} {tier.unit}",
                ratio_percent(tier.gap),
            )
            for tier in certificate.tiers
        ),
    )
    return Section(
        "method",
        "Method and proof",
        lead=f"The drill is {status_words(certificate)}: {proof_detail(certificate)}. "
        f"{verification_words(result.verification)}.",
        points=(
            "First most GPUs back within the deadline, then most in the end, then the last one as early as can be, "
            "then the least harm in the policy's order, then all of them early.",
            "A pod's room counts from overhead plus its whole grace period on (a preStop hook runs inside it); "
            "terminating pods count down already; nothing is assumed to end sooner.",
            "Starting the service's new pods takes further time, which is not part of the drill.",
        ),
        tables=(table,),
    )


def _findings(result: DrillResult, place: Place, limit: int) -> Section:
    snapshot = result.snapshot
    return findings_of(
        finding_rows(snapshot.findings),
        place,
        limit,
        missing=snapshot.missing_kinds,
        ignored=snapshot.ignored,
    )
