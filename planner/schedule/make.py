"""Make a schedule: when everything starts over a horizon, the first buckets on nodes, loans back in time, verified."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from models.broken_trees import broken_trees
from models.checks.admission import NOT_OVER_TIME
from models.effective import EffectivePolicy, with_keys
from models.findings import Finding, InputError
from models.horizon import Horizon, bucket_grid
from models.lending import LendingLimits
from models.moments import epoch_seconds
from models.plan import PlanResult, stage_entries
from models.policy import Policy
from models.snapshot import Snapshot
from models.zones import ever_open, zone_edges
from planner.documents.withheld import PlanningError
from planner.encode.prepared import Prepared, prepare
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.problem.timed import Chosen, Column, Conflict
from planner.reduce.disaggregate import Assignment
from planner.runtime.stage_clock import StageClock
from planner.schedule.document import ScheduleDocument
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.places import Places
from planner.schedule.encode.rows import Rows
from planner.schedule.encode.settle import until_settled
from planner.schedule.entries import times_of
from planner.schedule.exact_packing import (
    Packing,
    exact_packing,
    packs_exactly,
    smallest_conflict,
)
from planner.schedule.growing import Growing
from planner.schedule.guarded import run_timed
from planner.schedule.inputs import ScheduleInputs, timed_input
from planner.schedule.placed import Placed, PlacedWalk
from planner.schedule.placing import Placer
from planner.schedule.search import (
    TimedOutcome,
    WholeSearch,
    certified,
    is_as_good,
    is_better,
    search_of,
)
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.verify.check import verify

Demand = Callable[[Horizon], LendingLimits | None]
"""Loan limits for the buckets of a horizon; None where no service lends anything."""
MOST_CONFLICTS = 60
"""Searches of a small problem that follow one another because starts do not pack."""
PACK_SHARE = 0.15
"""Part of the time limit for one packing of the first buckets."""
SMALL_CLUSTER = 200
"""Nodes up to which packing needs no child process that could be ended from outside."""
DAY = 86_400
EXACT_S = 900
"""Seconds from now in which starts are placed on concrete nodes where nothing else is asked for."""


@dataclass(frozen=True)
class ScheduleOptions:
    """What a schedule is asked for.

    Attributes
    ----------
    horizon_s
        Seconds to plan.
    bucket_s
        Seconds of every bucket; None for fine near and coarse far.
    exact_buckets
        Starts in the first so many buckets are placed on concrete nodes; None for those that begin within
        :data:`EXACT_S`.
    previous
        Earlier document against which stability is counted.
    limits
        Limits of the search.
    """

    horizon_s: int = DAY
    bucket_s: int | None = None
    exact_buckets: int | None = None
    previous: PlanResult | None = None
    limits: Limits = field(default_factory=Limits)


def schedule_horizon(policy: EffectivePolicy, options: ScheduleOptions) -> Horizon:
    """The bucket grid from the policy's ``now`` on; ends of maintenance and reservations are edges.

    Raises
    ------
    InputError
        The export holds no time at all and the policy sets none.
    """
    now = epoch_seconds(policy.now)
    if now is None:
        finding = Finding(
            "no_time", "error", "snapshot", "no object has a time", "set `now` in the policy"
        )
        raise InputError(
            "the export holds no time to start from: set `now` in the policy", [finding]
        )
    return bucket_grid(
        now,
        options.horizon_s,
        bucket_s=options.bucket_s,
        timezone=policy.policy.timezone,
        cuts=_cuts(policy.policy, now, options.horizon_s),
    )


def _cuts(policy: Policy, now: int, horizon_s: int) -> list[int]:
    texts = [text for one in policy.maintenance for text in (one.start, one.end)]
    texts += [text for one in policy.reservations for text in (one.start, one.end)]
    moments = (epoch_seconds(text) for text in texts)
    edges = zone_edges(policy.revocable_zones, now, now + horizon_s)
    return sorted({*(moment for moment in moments if moment is not None), *edges})


def make_schedule(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    demand: Demand | LendingLimits | None = None,
    options: ScheduleOptions | None = None,
    *,
    findings: Sequence[Finding] = (),
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
    guard: bool = True,
) -> PlanResult:
    """The plan document with its ``schedule`` part.

    Parameters
    ----------
    demand
        Loan limits over the horizon, or what makes them for a bucket grid.
    stop
        When set, the search ends and the best schedule so far is finished and verified.
    guard
        Search in a child process that can be ended from outside.

    Raises
    ------
    VerificationError
        The schedule failed the independent check; the error's ``result`` holds it.
    InputError, NoPlanInTimeError, BackendError
        As :func:`planner.usecases.planning.make_plan`.
    """
    options = options or ScheduleOptions()
    policy, left_out = _without_admission(snapshot, policy)
    findings = (*findings, *left_out)
    clock = StageClock(on_progress)
    clock.stage("prepare")
    stopped = stop.is_set if stop is not None else _never
    horizon = schedule_horizon(policy, options)
    lending = demand(horizon) if callable(demand) else demand
    now = prepare(snapshot, policy, exact_least)
    prepared = _over_time(now)
    earlier = earlier_starts(options.previous, horizon)
    wanted = options.exact_buckets or horizon.first_from(horizon.start + EXACT_S)
    exact = min(max(wanted, 1), horizon.count)
    given = timed_input(prepared, ScheduleInputs(horizon, lending, exact, earlier))
    clock.stage("solve")
    run = _Run(given, options.limits, stopped, clock, earlier, exact=exact, guard=guard)
    outcome, placed, interrupted = run.until_placed()
    given = run.given
    clock.stage("explain")
    document = ScheduleDocument(
        now=now,
        given=given,
        outcome=outcome,
        placed=placed,
        exact_buckets=exact,
        previous=options.previous,
        earlier=earlier,
    )
    result = document.result(
        findings=findings,
        limits=options.limits,
        reproducible=options.limits.deterministic and not interrupted,
        stopped=stopped,
    )
    clock.stage("verify")
    verification = verify(snapshot, policy, result)
    clock.stage("")
    seconds = round(sum(clock.stages.values()), 3)
    stages = stage_entries(clock.stages)
    deterministic = options.limits.deterministic
    certificate = result.certificate.model_copy(
        update={"seconds": seconds, "stages": () if deterministic else stages}
    )
    result = result.model_copy(update={"verification": verification, "certificate": certificate})
    if verification.violations:
        first = verification.violations[0]
        raise PlanningError(
            f"the schedule failed verification ({len(verification.violations)} violations; first: "
            f"{first.rule} {first.object}: {first.message})",
            result,
        )
    return result


def _without_admission(
    snapshot: Snapshot, policy: EffectivePolicy
) -> tuple[EffectivePolicy, tuple[Finding, ...]]:
    """The policy of a schedule: what admission lets in changes with every gang that ends, and is not followed.

    A broken queue tree stops everything over time as it does now.
    """
    if not (policy.admits_first or policy.prefilters_pending):
        return policy, ()
    if policy.admits_first and policy.hierarchy and any(broken_trees(snapshot)):
        return policy, ()
    found = Finding(
        NOT_OVER_TIME.code,
        NOT_OVER_TIME.severity,
        "schedule/admission",
        "the scheduler admits PodGroups (and their topology domains) before it looks at their pods; start times do not "
        "count that",
        NOT_OVER_TIME.remedy,
    )
    return with_keys(policy, {"admission": "ignore", "topology_prefilter": "minimum"}), (found,)


def _over_time(now: Prepared) -> Prepared:
    """The placement problem with every revocable zone that opens at some time open; buckets close it again."""
    zones = ever_open(now.policy.policy.revocable_zones)
    if not zones:
        return now
    policy = now.policy.policy.model_copy(update={"revocable_zones": zones})
    opened = prepare(now.snapshot, replace(now.policy, policy=policy), exact_least)
    return replace(now, problem=replace(now.problem, admits=opened.problem.admits))


def earlier_starts(previous: PlanResult | None, horizon: Horizon) -> dict[str, int]:
    """Gang to the bucket in which an earlier schedule starts it, on this grid."""
    found: dict[str, int] = {}
    if previous is None or previous.schedule is None:
        return found
    for gang in previous.schedule.gangs:
        start = epoch_seconds(gang.starts_at) if gang.starts_at else None
        if gang.status == "starts" and start is not None:
            bucket = horizon.bucket_at(start)
            if 0 <= bucket < horizon.count:
                found[gang.full_name] = bucket
    return found


class _Run:
    """Search, place every start on nodes, rule out what does not pack, search again."""

    def __init__(
        self,
        given: TimedInput,
        limits: Limits,
        stopped: Callable[[], bool],
        clock: StageClock,
        earlier: Mapping[str, int],
        *,
        exact: int,
        guard: bool,
    ) -> None:
        self.given, self.limits, self.stopped, self.clock = given, limits, stopped, clock
        self.guard, self.earlier = guard, earlier
        rows = Rows(
            given.prepared,
            given.occupancy,
            given.supply,
            Places(given.prepared, given.occupancy),
            {},
        )
        small = len(given.prepared.problem.node_names) <= SMALL_CLUSTER
        self._placer = Placer(
            given,
            rows.free,
            replace(limits, time_limit_s=max(limits.time_limit_s * PACK_SHARE, 1.0), gap=0.0),
            stopped,
            exact=exact,
            guard=guard and not small,
        )
        self.given = given = self._with_hope()
        self._exact = packs_exactly(given) and search_of(given.problem) is WholeSearch

    def _with_hope(self) -> TimedInput:
        """The problem without starts at which a gang does not even fit alone (large clusters: if it needs a domain)."""
        given, problem = self.given, self.given.problem
        starts, may = problem.starts, problem.starts.may.copy()
        small = packs_exactly(given)

        def asked(number: int) -> bool:
            work = given.items[problem.classes[number].items[0]]
            if small or work.demand < 0:
                return small
            return given.prepared.problem.demands[work.demand].choices is not None

        def hopeless(column: Column) -> bool:
            items = problem.classes[column.work_class].items
            return all(self._placer.hopeless(item, column) for item in items)

        for line, (number, _) in enumerate(starts.pairs):
            for bucket in np.flatnonzero(may[line]) if asked(number) else ():
                may[line, bucket] = not hopeless(starts.column(line, int(bucket)))
        split = tuple(c for c in starts.split if not (asked(c.work_class) and hopeless(c)))
        starts = replace(starts, may=may, split=split)
        return replace(given, problem=replace(problem, starts=starts))

    def until_placed(self) -> tuple[TimedOutcome, Placed, bool]:
        """The last outcome, its starts on nodes, and whether a search was interrupted."""
        problem, limits = self.given.problem, self.limits
        conflicts: tuple[Conflict, ...] = ()
        best: tuple[Chosen, Placed] | None = None
        interrupted = False
        began = time.perf_counter()
        for _ in range(MOST_CONFLICTS):
            outcome, ended = run_timed(
                problem,
                limits,
                self.clock.tier,
                self.stopped,
                guard=self.guard,
                conflicts=conflicts,
                start=None if best is None else best[0],
            )
            interrupted = interrupted or ended
            wanted = {column: count for column, count in outcome.chosen.items() if count}
            chosen, placed = self._walked(wanted)
            if best is None or is_better(problem, chosen, best[0]):
                best = chosen, placed
            if not self._exact or chosen == wanted or is_as_good(problem, best[0], wanted):
                break
            times = times_of(self.given, wanted, self.earlier)
            packing = exact_packing(self.given, self._placer, times)
            if isinstance(packing, Packing):
                best = wanted, self._placed(times, packing)
                break
            if packing == "unknown":
                break
            conflicts = (*conflicts, smallest_conflict(self.given, self._placer, times))
            left = self.limits.time_limit_s - (time.perf_counter() - began)
            if not self.limits.deterministic and left < 1:
                break
            limits = limits if self.limits.deterministic else replace(limits, time_limit_s=left)
        assert best is not None
        chosen, placed = best
        growing = Growing(self.given, self._placer, placed.times, placed.nodes, chosen)
        placed = replace(placed, grown=growing.run())
        return certified(problem, outcome, chosen), placed, interrupted

    def _walked(self, wanted: Chosen) -> tuple[Chosen, Placed]:
        walk, chosen = until_settled(
            self.given.problem,
            wanted,
            lambda: PlacedWalk(self.given, self._placer, self.earlier),
        )
        return chosen, Placed(dict(walk.times), dict(self._placer.nodes), self._placer.now)

    def _placed(self, times: Mapping[int, Column], packing: Packing) -> Placed:
        """Starts with the nodes that an exact packing found."""
        now = {
            self.given.items[item].demand: dict(packing.first[item])
            for item, column in times.items()
            if column.start == 0 and self.given.items[item].demand >= 0
        }
        return Placed(dict(times), packing.nodes, Assignment(now))


def _never() -> bool:
    return False
