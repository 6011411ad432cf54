"""No undoing: a plan after which a gang that was given up could evict the newcomers at once is searched anew."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from models.findings import Finding, NoPlanInTimeError
from models.plan import Reason
from planner.encode.prepared import Prepared
from planner.problem.limits import Limits
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.eviction_search import EvictionSearch
from planner.search.outcome import Outcome, SearchSettings
from planner.search.plan_values import plan_values, worse
from planner.search.stages.bound.tier_bounds import certified
from planner.search.stages.complete.maximal_fill import last_pass
from planner.search.stages.evict.eviction_repair import Repair
from planner.search.stages.evict.exact_evictions import ExactEvictions, is_small
from planner.search.stages.evict.victim_rules import Fault, VictimRules
from planner.search.stages.evict.victim_ties import VictimTies

MOST_SEARCHES = 12
"""Searches at most; after that the plan is made without evictions, which undoes nothing."""

FIRST_SHARE = 0.75
"""Part of the time (or work) of the first search; checks, a search without what they refuse and bounds follow."""

LEAST_SECONDS = 1.0
"""Seconds for bounds and ties, even where the time is up."""

SECOND_BUILDS = 2
"""Times the seconds of building the first model that have to be left for a further search."""

Search = Callable[[SearchSettings], tuple[Outcome, bool]]


class _Spent:
    """The time that all passes share; deterministic plans count the work of their searches."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._began = time.perf_counter()
        self.work = 0.0

    def left(self) -> float:
        """What is left of the limit, a little in any case."""
        return max(self._limits.time_limit_s - self._used(), LEAST_SECONDS)

    def over(self) -> bool:
        """Whether nothing is left."""
        return self._used() >= self._limits.time_limit_s

    def _used(self) -> float:
        return self.work if self._limits.deterministic else time.perf_counter() - self._began


@dataclass
class Cycle:
    """Evictions that a gang given up would undo: newcomer to the gangs that would evict it again."""

    by: dict[str, set[str]] = field(default_factory=dict)

    def add(self, faults: Sequence[Fault]) -> None:
        """Remember what was cut off."""
        for one in faults:
            for name in one.newcomers:
                self.by.setdefault(name, set()).update(one.gangs)

    def findings(self, waiting: set[str]) -> tuple[Finding, ...]:
        """One ``reclaim_cycle`` per gang that waits for this reason."""
        return tuple(
            Finding(
                "reclaim_cycle",
                "warning",
                f"gang/{name}",
                f"{name} could start only by evicting {_listed(self.by[name])}, which could evict it again at once",
                "change what the two queues deserve, or the priorities, so that only one of the two may evict",
            )
            for name in sorted(self.by)
            if name in waiting
        )

    def reason(self, name: str) -> Reason:
        """Why a newcomer of a cycle waits."""
        return Reason(
            code="protected_victims",
            message=f"evicting {_listed(self.by[name])} for it would be undone at once: they could evict it again",
            data={"gangs": sorted(self.by[name]), "cycle": True},
        )

    def with_reason(self, name: str, others: tuple[Reason, ...]) -> tuple[Reason, ...]:
        """Its reasons with this one; that too few pods may be evicted says the same with less."""
        if name not in self.by:
            return others
        return (self.reason(name), *(one for one in others if not _too_few(one)))


def _too_few(reason: Reason) -> bool:
    rows = reason.data.get("protections", ()) if reason.code == "protected_victims" else ()
    return bool(rows) and all(row["tooFew"] for row in rows)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def search_without_undoing(
    prepared: Prepared,
    victims: Victims | None,
    classes: Sequence[GangClass],
    settings: SearchSettings,
    search: Search,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Outcome, bool, Cycle]:
    """The best outcome that nothing undoes, whether the search was interrupted, and the cycles that were cut off.

    What the rules on victims leave open is tried in full where the cluster is small. Last, ties among victims are
    settled.
    """
    spent = _Spent(settings.limits)
    found, interrupted, cycle = _best(prepared, victims, classes, settings, search, stopped, spent)
    if victims is not None and not interrupted and found.assignment.evicted:
        limits = replace(settings.limits, time_limit_s=spent.left())
        ties = VictimTies(
            prepared.problem, classes, replace(settings, limits=limits), stopped=stopped
        )
        rules = VictimRules(prepared, victims)
        found = ties.settled(found, lambda plan: not rules.faults(plan))
    return found, interrupted, cycle


def _best(
    prepared: Prepared,
    victims: Victims | None,
    classes: Sequence[GangClass],
    settings: SearchSettings,
    search: Search,
    stopped: Callable[[], bool],
    spent: _Spent,
) -> tuple[Outcome, bool, Cycle]:
    outcome, interrupted, cycle, first, kept = _searched(
        prepared, victims, classes, settings, search, spent
    )
    cut = first is not outcome
    if victims is None or (not cut and (interrupted or outcome.proved)):
        return outcome, interrupted, cycle

    def late() -> bool:
        return stopped() or (not settings.limits.deterministic and spent.over())

    if not interrupted and is_small(prepared, victims, classes):
        found = ExactEvictions(prepared, victims, classes, settings, late).run(outcome)
        if found is not None:
            return found, interrupted, cycle
    if cut:
        seconds = LEAST_SECONDS if interrupted else spent.left()
        rules = VictimRules(prepared, victims)
        outcome = _honest(prepared, rules, classes, settings, first, outcome, kept, seconds)
    return outcome, interrupted, cycle


def _honest(
    prepared: Prepared,
    rules: VictimRules,
    classes: Sequence[GangClass],
    settings: SearchSettings,
    first: Outcome,
    outcome: Outcome,
    kept: Sequence[Assignment],
    seconds: float,
) -> Outcome:
    """The last pass, and bounds of the search without cuts: a cut may forbid a little more than its rule.

    ``kept`` are what was left of earlier plans; where one of them is worth more than the last plan, it is the answer.
    """
    search = EvictionSearch(prepared.problem, classes, settings)
    best = _best_of(search, [outcome.assignment, *kept])
    if best is not outcome.assignment:
        outcome = replace(outcome, assignment=best, maximal=False)
    # Its tiers are of a model with cuts, whose columns this search does not have; they are certified anew below.
    outcome = last_pass(
        search,
        replace(outcome, tiers=()),
        allowed=lambda plan: not rules.undone(plan),
        may_wait=rules.may_wait,
    )
    built = search.model()
    reached = plan_values(built, outcome.assignment)
    vector = [goal.expression.value(reached) for goal in built.tiers]
    seconds = math.inf if settings.limits.deterministic else seconds
    workers = settings.limits.workers
    tiers = certified(built, first.tiers, vector, workers=workers, seconds=seconds)
    return replace(outcome, tiers=tiers)


def _best_of(search: EvictionSearch, plans: Sequence[Assignment]) -> Assignment:
    """The plan that is worth most, tier by tier; of equal ones the first."""
    best, *others = plans
    if not others:
        return best
    built = search.model()

    def worth(plan: Assignment) -> list[int]:
        values = plan_values(built, plan)
        return [goal.expression.value(values) for goal in built.tiers]

    most = worth(best)
    for plan in others:
        value = worth(plan)
        if worse(built.tiers, most, value):
            best, most = plan, value
    return best


def _searched(
    prepared: Prepared,
    victims: Victims | None,
    classes: Sequence[GangClass],
    settings: SearchSettings,
    search: Search,
    spent: _Spent,
) -> tuple[Outcome, bool, Cycle, Outcome, list[Assignment]]:
    """Search by search, each without what the ones before would have had undone; the last and the first outcome.

    What is left of a plan once everything that would be undone is taken out of it begins the next search, and is the
    answer where no time or no search is left; the last item is what was left of the plans before the last one.
    """
    cycle = Cycle()
    rules = None if victims is None else VictimRules(prepared, victims)
    whole = settings.limits
    share = FIRST_SHARE if victims is not None else 1.0
    given = replace(whole, time_limit_s=share * whole.time_limit_s)
    outcome, interrupted = search(replace(settings, limits=given))
    first = outcome
    spent.work += outcome.work
    left_over: list[Assignment] = []
    for number in range(MOST_SEARCHES):
        if victims is None or rules is None or not outcome.assignment.evicted:
            break
        back = rules.undone(outcome.assignment)
        cycle.add(back)
        cuts = [rules.cut(outcome.assignment, one, classes) for one in back]
        kept = _without_faults(prepared, rules, victims, classes, outcome.assignment)
        if not cuts:
            if kept.evicted != outcome.assignment.evicted:
                outcome = replace(outcome, assignment=kept, maximal=False)
            break
        left = spent.left()
        late = left <= max(LEAST_SECONDS, SECOND_BUILDS * _to_begin(first, whole))
        if interrupted or late or number == MOST_SEARCHES - 1:  # the last is not searched anew
            outcome = replace(outcome, assignment=kept, maximal=False)
            break
        limits = replace(whole, time_limit_s=left)
        settings = replace(settings, cuts=(*settings.cuts, *cuts), limits=limits, start=kept)
        left_over.append(kept)
        try:
            outcome, interrupted = search(settings)
        except NoPlanInTimeError:  # there is one already
            outcome = replace(outcome, assignment=kept, maximal=False)
            break
        spent.work += outcome.work
    return outcome, interrupted, cycle, first, left_over


def _to_begin(outcome: Outcome, limits: Limits) -> float:
    """Seconds before a search of the same cluster comes to search; work is not counted for it."""
    if limits.deterministic:
        return 0.0
    return outcome.stages.get("prepare", 0.0) + outcome.stages.get("build", 0.0)


def _without_faults(
    prepared: Prepared,
    rules: VictimRules,
    victims: Victims,
    classes: Sequence[GangClass],
    assignment: Assignment,
) -> Assignment:
    """The plan with every gang that it must not take left where it is, and newcomers in its way waiting."""
    repair = Repair(prepared.problem, victims, classes)
    found = assignment
    while found.evicted and (faults := rules.faults(found)):
        if prepared.problem.cards is not None:
            return Assignment({})
        back = {name for one in faults for name in one.gangs}
        gangs = [prepared.snapshot.gang_by_name[name] for name in sorted(back)]
        names = [pod.full_name for gang in gangs for pod in prepared.snapshot.pods_of(gang)]
        found = repair.legal(repair.kept(found, names, frozenset()))
    return found
