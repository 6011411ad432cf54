"""No undoing: a plan after which a gang that was given up could evict the newcomers at once is searched anew."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from models.entries import gang_entries
from models.findings import Finding, NoPlanInTimeError
from models.plan import PlanResult, Reason
from models.rules import RuleId
from models.workloads import Gang
from planner.encode.prepared import Prepared
from planner.encode.victims.victim_causes import VictimCauses
from planner.explain.guards import NOT_ENOUGH
from planner.model.eviction_rows import EvictionCut
from planner.problem.limits import Limits
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.pod_placements import placements
from planner.search.eviction_search import EvictionSearch
from planner.search.outcome import Outcome, SearchSettings
from planner.search.plan_values import plan_values, worse
from planner.search.stages.bound.tier_bounds import certified
from planner.search.stages.complete.maximal_fill import last_pass
from planner.search.stages.evict.eviction_repair import Repair
from planner.search.stages.evict.exact_evictions import RULES, ExactEvictions, is_small
from planner.search.stages.evict.victim_ties import VictimTies
from planner.verify.beside import upsets_evictions
from planner.verify.standing import RankedState
from planner.verify.undoing import Loss, returning
from planner.verify.victim_rules import (
    check_causes,
    check_entitlement,
    check_guarantees,
    check_needed,
)

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
    return bool(rows) and all(row["what"].startswith(NOT_ENOUGH) for row in rows)


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
        found = ties.settled(found, lambda plan: is_right(prepared, victims, plan))
    return found, interrupted, cycle


def is_right(prepared: Prepared, victims: Victims, plan: Assignment) -> bool:
    """Whether a plan obeys all rules on victims, in the eyes of the independent check too."""
    if VictimCauses(prepared.problem, victims, plan).fault():
        return False
    state = _state(prepared, plan)
    return not any(any(check(state)) for check in RULES)


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
        outcome = _honest(prepared, classes, settings, first, outcome, kept, seconds)
    return outcome, interrupted, cycle


def _honest(
    prepared: Prepared,
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
        allowed=lambda plan: not any(returning(_state(prepared, plan))),
        may_wait=lambda plan: _may_wait(prepared, plan),
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


def _may_wait(prepared: Prepared, plan: Assignment) -> frozenset[int]:
    """Demands that the independent check lets wait beside the plan's evictions."""
    state = _state(prepared, plan)
    problem = prepared.problem
    found = set()
    for index, demand in enumerate(problem.demands):
        standing = state.standings.get(problem.gang_names[demand.gang])
        if standing is not None and upsets_evictions(state, standing.gang, standing.need):
            found.add(index)
    return frozenset(found)


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
    whole = settings.limits
    share = FIRST_SHARE if victims is not None else 1.0
    given = replace(whole, time_limit_s=share * whole.time_limit_s)
    outcome, interrupted = search(replace(settings, limits=given))
    first = outcome
    spent.work += outcome.work
    left_over: list[Assignment] = []
    for number in range(MOST_SEARCHES):
        if victims is None or not outcome.assignment.evicted:
            break
        state = _state(prepared, outcome.assignment)
        back = list(returning(state))
        cuts = _cuts(prepared, victims, classes, outcome.assignment, back, cycle)
        kept = _without_returns(prepared, victims, classes, outcome.assignment, state, back)
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


def _without_returns(
    prepared: Prepared,
    victims: Victims,
    classes: Sequence[GangClass],
    assignment: Assignment,
    state: RankedState,
    returns: Sequence[tuple[Gang, Loss]],
) -> Assignment:
    """The plan with every gang that would come back left where it is, and newcomers in its way waiting.

    ``returns`` are the gangs that would come back beside the plan itself, ``state`` is the plan's.
    """
    repair = Repair(prepared.problem, victims, classes)
    found = assignment
    while found.evicted and (back := _to_keep(state, returns)):
        if prepared.problem.cards is not None:
            return Assignment({})
        gangs = [prepared.snapshot.gang_by_name[name] for name in sorted(back)]
        names = [pod.full_name for gang in gangs for pod in prepared.snapshot.pods_of(gang)]
        found = repair.legal(repair.kept(found, names, frozenset()))
        state = _state(prepared, found)
        returns = list(returning(state))
    return found


def _to_keep(state: RankedState, returns: Sequence[tuple[Gang, Loss]]) -> set[str]:
    """Gangs that would come back, or whose loss breaks a rule in the eyes of the independent check."""
    found = {gang.full_name for gang, _ in returns}
    found |= {one.object.removeprefix("gang/") for one in check_needed(state)}
    return found or _against_the_rules(state)


def _against_the_rules(state: RankedState) -> set[str]:
    """Gangs whose pods leave without a right to take them: those that a rule names, of a queue all that lose pods."""
    evicted = state.reading.evicted.values()
    owner = {pod.full_name: pod.gang for pod in evicted}
    gang_of = state.snapshot.gang_by_name
    found = set()
    for check in (check_causes, check_entitlement, check_guarantees):
        for broken in check(state):
            kind, _, name = broken.object.partition("/")
            found |= (
                {gang for gang in owner.values() if gang_of[gang].queue == name}
                if kind == "queue"
                else {owner[name]}
            )
    return found


def _state(prepared: Prepared, assignment: Assignment) -> RankedState:
    placed = placements(prepared.problem, assignment)
    entries = gang_entries(prepared.snapshot, placed, evicted=assignment.evicted)
    return RankedState(prepared.snapshot, prepared.policy, PlanResult(gangs=entries))


def _cuts(
    prepared: Prepared,
    victims: Victims,
    classes: Sequence[GangClass],
    assignment: Assignment,
    returns: Sequence[tuple[Gang, Loss]],
    cycle: Cycle,
) -> list[EvictionCut]:
    """One cut per gang that would come back: it is not given up together with these newcomers and no others."""
    problem = prepared.problem
    starts = {
        one.demands[0]: sum(bool(assignment.pods.get(d)) for d in one.demands)
        for one in classes
        if not one.growing
    }
    found = []
    for gang, pods in returns:
        newcomers = {pod.gang for pod in pods}
        for name in newcomers:
            cycle.by.setdefault(name, set()).add(gang.full_name)
        lost = {pod.full_name for pod in prepared.snapshot.pods_of(gang)}
        at_least: dict[tuple[int, int], int] = {}
        for one in victims.pods:
            count = sum(pod in lost for pod in one.names)
            if count:
                kind = (one.kind, -1)
                at_least[kind] = at_least.get(kind, 0) + count
        came = {
            one.demands[0]: starts[one.demands[0]]
            for one in classes
            if not one.growing
            and any(problem.gang_names[problem.demands[d].gang] in newcomers for d in one.demands)
        }
        found.append(EvictionCut(at_least, came, starts, rule=RuleId.NO_UNDOING))
    return found
