"""``explain``: why gangs wait in a plan, and changes that start them, each confirmed by a plan of its own."""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.checks.wording import counted, names_text
from models.effective import EffectivePolicy
from models.explanation import ConfirmedFix, ExplainedGang, Explanations
from models.findings import Finding, UsageError
from models.plan import GangEntry, PlanResult, WaitingClass
from models.snapshot import Snapshot
from planner.documents.explained_words import proof_of, sentence_of, summary_of
from planner.problem.limits import Limits
from planner.problem.progress import Progress, ProgressSink
from planner.usecases.explain.fix_candidates import PlannedChange, changes_of
from planner.usecases.explain.fix_trials import Trials
from planner.usecases.planning import make_plan

ONCE = ("allow_evictions", "raise_priority", "raise_budget")
"""Kinds of which only the smallest change that is confirmed is shown."""
SHARE_OF_PLAN = 0.5
"""Part of the time limit for the plan that is explained; the rest is for plans of edited snapshots."""


@dataclass(frozen=True)
class Question:
    """Which gangs to explain: by name, or all that wait in these namespaces and queues."""

    gangs: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()


def explain_gangs(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    limits: Limits,
    question: Question,
    *,
    findings: Sequence[Finding] = (),
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
    guard: bool = True,
    plan: PlanResult | None = None,
) -> Explanations:
    """Plan, then plan the edited snapshot of every change that may start one of the gangs.

    Parameters
    ----------
    plan
        A verified plan of this snapshot under this policy to explain, instead of making one.

    Raises
    ------
    UsageError
        A gang that is not in the snapshot (the nearest is named), or a question that names nothing.
    PlannerError
        As :func:`planner.usecases.planning.make_plan` does for the plan that is explained.
    """
    began = time.perf_counter()
    wanted = gang_names(snapshot, question)
    first = replace(limits, time_limit_s=limits.time_limit_s * SHARE_OF_PLAN)
    result = plan or make_plan(
        snapshot,
        policy,
        first,
        findings=findings,
        on_progress=on_progress,
        stop=stop,
        guard=guard,
        baseline=False,
        fixes=wanted or _all_asked(snapshot, question),
    )
    entries = _chosen(result, wanted, question)
    trials = Trials(
        snapshot,
        policy,
        result,
        limits,
        began=began,
        on_progress=on_progress,
        stop=stop,
        guard=guard,
    )
    plans = [(entry, changes_of(snapshot, policy, result, entry)) for entry in entries]
    left = sum(len(changes) for _, changes in plans)
    gangs = []
    for entry, changes in plans:
        gangs.append(_explained(result, entry, changes, trials, left))
        left -= len(changes)
    seconds = 0.0 if limits.deterministic else round(time.perf_counter() - began, 3)
    return Explanations(
        sentence=summary_of(gangs),
        snapshot=result.snapshot,
        policy=result.policy,
        plan=result.summary,
        status=result.certificate.status,
        properties=result.certificate.properties,
        gangs=tuple(gangs),
        seconds=seconds,
        plans=trials.plans + (plan is None),
    )


def gang_names(snapshot: Snapshot, question: Question) -> tuple[str, ...]:
    """Full names of the gangs that are asked for by name, aliases resolved.

    Raises
    ------
    UsageError
        One is unknown, or nothing is asked for.
    """
    if not question.gangs and not question.namespaces and not question.queues:
        raise UsageError("name a gang with --gang NAMESPACE/NAME, or choose by -n or -q")
    names = tuple(dict.fromkeys(_resolved(snapshot, name) for name in question.gangs))
    gangs = [snapshot.gang_by_name[name] for name in names]
    outside = [one.full_name for one in gangs if not _asked(one.namespace, one.queue, question)]
    if outside:
        are = "is" if len(outside) == 1 else "are"
        raise UsageError(
            f"{names_text(outside)} {are} not in the namespaces and queues of -n and -q"
        )
    return names


def _resolved(snapshot: Snapshot, name: str) -> str:
    known = snapshot.gang_by_name
    if name in known:
        return known[name].full_name
    same = sorted({one.full_name for one in snapshot.gangs if one.name == name})
    if len(same) == 1:
        return same[0]
    if same:
        raise UsageError(
            f"there are several gangs {name!r}: {names_text(same)}; write the namespace"
        )
    folded = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.4)
    if not near:
        short = {one.name.casefold(): one.full_name for one in snapshot.gangs}
        last = name.rpartition("/")[2].casefold()
        near = difflib.get_close_matches(last, short, n=1, cutoff=0.4)
        folded = short
    hint = "; gangplan inspect lists the gangs of a snapshot"
    if near:
        hint = f"; did you mean {folded[near[0]]!r}?"
    raise UsageError(f"there is no gang {name!r}{hint}")


def _all_asked(snapshot: Snapshot, question: Question) -> tuple[str, ...]:
    return tuple(
        one.full_name for one in snapshot.gangs if _asked(one.namespace, one.queue, question)
    )


def _asked(namespace: str, queue: str, question: Question) -> bool:
    return (not question.namespaces or namespace in question.namespaces) and (
        not question.queues or queue in question.queues
    )


def _chosen(result: PlanResult, wanted: tuple[str, ...], question: Question) -> list[GangEntry]:
    """Entries of the named gangs, in the order asked; else of all that wait, or have pods that do."""
    by_name = {one.full_name: one for one in result.gangs}
    if wanted:
        return [by_name[name] for name in wanted]
    return [
        one
        for one in result.gangs
        if (one.decision == "wait" or one.pods_pending)
        and _asked(one.namespace, one.queue, question)
    ]


def _explained(
    result: PlanResult,
    entry: GangEntry,
    changes: Sequence[PlannedChange],
    trials: Trials,
    left: int,
) -> ExplainedGang:
    fixes: list[ConfirmedFix] = []
    tried = 0
    for number, change in enumerate(changes):
        if trials.over:
            break
        if change.kind in ONCE and any(one.kind == change.kind for one in fixes):
            tried += 1  # a smaller change of this kind is confirmed already
            continue
        trials.say(Progress("explain", trials.elapsed, message=_trying(number, changes, change)))
        found = trials.confirmed(entry.full_name, change, left - number)
        if found is not None:
            fixes.append(found)
        tried += found is not None or not trials.cut_short
    group = class_of(result, entry.full_name)
    return ExplainedGang(
        namespace=entry.namespace,
        name=entry.name,
        queue=entry.queue,
        priority=entry.priority,
        min_member=entry.min_member,
        gpus=entry.gpus,
        decision=entry.decision,
        sentence=sentence_of(entry),
        proof=proof_of(result, entry, group),
        pods=entry.pods,
        reasons=entry.reasons,
        minimal_sets=group.minimal_sets if group else (),
        fixes=tuple(fixes),
        candidates=len(changes),
        tried=tried,
        complete=tried == len(changes),
    )


def _trying(number: int, changes: Sequence[PlannedChange], change: PlannedChange) -> str:
    return f"planning change {number + 1} of {counted(len(changes), 'change')}: {change.text}"


def class_of(result: PlanResult, name: str) -> WaitingClass | None:
    """The class of a waiting gang."""
    return next((one for one in result.waiting if name in one.gangs), None)
