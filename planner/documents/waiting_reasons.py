"""What a plan document says about gangs that wait: reasons by gang; classes with minimal sets and fixes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from models.checks.wording import counted
from models.findings import Finding
from models.plan import Reason, WaitingClass
from planner.encode.prepared import Prepared
from planner.explain.elastic import elastic_reasons
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import BESIDE
from planner.explain.fixes.find import Fixes
from planner.explain.ground import Search
from planner.explain.obstacles import Explanation
from planner.explain.running import RunningPods
from planner.explain.waiting import Evictions, explain_waiting, reasons_by_gang
from planner.problem.placement import Standing
from planner.reduce.disaggregate import Assignment
from planner.search.exact.fit_by_cpsat import exact_fit


@dataclass(frozen=True)
class WaitingTold:
    """Reasons by full name of the gang, the classes, and what they do not say."""

    reasons: dict[str, tuple[Reason, ...]]
    classes: tuple[WaitingClass, ...]
    findings: tuple[Finding, ...] = ()


def waiting_told(
    prepared: Prepared,
    assignment: Assignment,
    startable: frozenset[int],
    standings: Sequence[Standing],
    evictions: Evictions | None,
    stopped: Callable[[], bool],
    *,
    fixes: bool | Collection[str] = True,
) -> WaitingTold:
    """Explain every waiting gang, and try what would start it beside the plan (with ``fixes``: all, none, or of these).

    ``prepared`` has the evicted pods gone. Once it is ``stopped`` (an interrupt, or the time of explanations is over)
    nothing more is tried, and a finding says so.
    """
    running = RunningPods(prepared, assignment.evicted)
    explained = explain_waiting(
        prepared,
        assignment,
        startable,
        standings,
        exact=exact_fit,
        deadline=stopped,
        evictions=evictions,
        running=running,
    )
    reasons = reasons_by_gang(prepared, explained)
    bench = Bench(prepared, assignment, Search(exact_fit, stopped), running)
    tried = Fixes(bench, stopped)
    wanted = fixes if isinstance(fixes, bool) else frozenset(fixes)
    structural = _structural(prepared, reasons, explained)
    lacking = tuple(_lacking(prepared, one, tried, wanted) for one in explained)
    reasons |= elastic_reasons(prepared, assignment, Search(exact_fit, stopped))
    return WaitingTold(reasons, (*structural, *lacking), _cut(tried.cut, len(lacking)))


def _cut(groups: int, of: int) -> tuple[Finding, ...]:
    """A finding where the time for fixes ended before all were tried."""
    if not groups:
        return ()
    return (
        Finding(
            "fixes_not_tried",
            "info",
            "plan/waiting",
            f"the time for changes ended: for {groups:,} of {counted(of, 'class', 'classes')} of waiting gangs not all "
            "of them were tried",
            "raise --time-limit, or ask about single gangs with gangplan explain",
        ),
    )


def _lacking(
    prepared: Prepared, one: Explanation, fixes: Fixes, wanted: bool | frozenset[str]
) -> WaitingClass:
    problem, group = prepared.problem, one.group
    names = tuple(problem.gang_names[problem.demands[index].gang] for index in group.demands)
    tries = wanted if isinstance(wanted, bool) else not wanted.isdisjoint(names)
    return WaitingClass(
        queue=problem.queue_names[group.example.queue],
        gangs=names,
        gpus=group.example.gpus * problem.gpu_scale // 1000,
        priority=group.priority,
        codes=_codes(one.reasons),
        minimal_sets=tuple(dict.fromkeys(one.sets)),
        fixes=tuple(one.fix(names[0], BESIDE) for one in (fixes.of(group) if tries else ())),
    )


def _codes(reasons: Sequence[Reason]) -> tuple[str, ...]:
    """Codes of reasons, each once."""
    return tuple(dict.fromkeys(one.code for one in reasons))


def _structural(
    prepared: Prepared,
    reasons: dict[str, tuple[Reason, ...]],
    explained: Sequence[Explanation],
) -> tuple[WaitingClass, ...]:
    """Gangs that may not get pods whatever room there is: each of their reasons is a minimal set."""
    problem = prepared.problem
    known = {
        problem.gang_names[problem.demands[index].gang]
        for one in explained
        for index in one.group.demands
    }
    groups: dict[tuple[object, ...], list[str]] = {}
    for case in prepared.cases:
        name = case.gang.full_name
        if name in reasons and name not in known and not case.gang.asks_nothing:
            told = tuple((one.code, one.message) for one in reasons[name])
            groups.setdefault((case.gang.queue, case.gang.priority, told), []).append(name)
    return tuple(
        WaitingClass(
            queue=str(queue),
            gangs=tuple(names),
            priority=int(str(priority)),
            codes=_codes(reasons[names[0]]),
            minimal_sets=tuple((code,) for code in _codes(reasons[names[0]])),
        )
        for (queue, priority, _), names in groups.items()
    )
