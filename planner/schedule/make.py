"""Make a schedule: when everything starts over a horizon, the first buckets on nodes, loans back in time, verified."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from models.effective import EffectivePolicy
from models.findings import Finding, InputError
from models.horizon import Horizon, bucket_grid
from models.lending import LendingLimits
from models.moments import epoch_seconds
from models.plan import PlanResult
from models.policy import Policy
from models.snapshot import Snapshot
from models.zones import ever_open, zone_edges
from planner.documents.withheld import PlanningError
from planner.encode.prepared import Prepared, prepare
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.problem.timed import Column, Cut
from planner.runtime.stage_clock import StageClock
from planner.schedule.document import ScheduleDocument
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.places import Places
from planner.schedule.encode.rows import Rows
from planner.schedule.encode.settle import settled
from planner.schedule.encode.timetable import Timetable
from planner.schedule.entries import times_of
from planner.schedule.first_buckets import FirstBuckets, Packed
from planner.schedule.guarded import run_timed
from planner.schedule.inputs import ScheduleInputs, timed_input
from planner.schedule.model.tiers import timed_tiers
from planner.schedule.search import TimedOutcome, WholeSearch, search_of, tighter
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.verify.check import verify

Demand = Callable[[Horizon], LendingLimits | None]
"""Loan limits for the buckets of a horizon; None where no service lends anything."""
MOST_ROUNDS = 4
"""Times that starts which do not pack are cut off and the schedule is searched again."""
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
    run = _Run(given, options.limits, stopped, clock, guard=guard)
    outcome, packed, interrupted = run.until_packed(exact)
    clock.stage("explain")
    document = ScheduleDocument(
        now=now,
        given=given,
        outcome=outcome,
        times=times_of(given, outcome.chosen, earlier),
        packed=packed,
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
    stages = {name: round(value, 3) for name, value in clock.stages.items()}
    deterministic = options.limits.deterministic
    certificate = result.certificate.model_copy(
        update={"seconds": seconds, "stages": {} if deterministic else stages}
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
    """Search, pack the first buckets, cut what does not pack, search again."""

    def __init__(
        self,
        given: TimedInput,
        limits: Limits,
        stopped: Callable[[], bool],
        clock: StageClock,
        *,
        guard: bool,
    ) -> None:
        self.given, self.limits, self.stopped, self.clock = given, limits, stopped, clock
        self.guard = guard
        rows = Rows(
            given.prepared,
            given.occupancy,
            given.supply,
            Places(given.prepared, given.occupancy),
            {},
        )
        small = len(given.prepared.problem.node_names) <= SMALL_CLUSTER
        self._first = FirstBuckets(
            given,
            rows.free,
            replace(limits, time_limit_s=max(limits.time_limit_s * PACK_SHARE, 1.0), gap=0.0),
            stopped,
            guard=guard and not small,
        )

    def until_packed(self, exact: int) -> tuple[TimedOutcome, Packed, bool]:
        """The last outcome, its first buckets, and whether a search was interrupted."""
        cuts: tuple[Cut, ...] = ()
        first: TimedOutcome | None = None
        interrupted = False
        limits = self.limits
        began = time.perf_counter()
        for _ in range(MOST_ROUNDS):
            outcome, ended = run_timed(
                self.given.problem, limits, cuts, self.clock.tier, self.stopped, guard=self.guard
            )
            interrupted = interrupted or ended
            first = first or outcome
            packed = self._packed(outcome, exact)
            if not packed.missing:
                return self._certified(first, outcome), packed, interrupted
            left = self.limits.time_limit_s - (time.perf_counter() - began)
            if not self.limits.deterministic and left < 1:
                self._first.quick = True
                break
            cuts = (*cuts, *self._cuts(outcome, packed))
            seconds = limits.time_limit_s / 3
            seconds = seconds if self.limits.deterministic else min(seconds, left)
            limits = replace(limits, time_limit_s=seconds)
        assert first is not None
        outcome, packed = self._without(outcome, packed, exact)
        return self._certified(first, outcome), packed, interrupted

    def _packed(self, outcome: TimedOutcome, exact: int) -> Packed:
        times = times_of(self.given, outcome.chosen, {})
        return self._first.place(sorted(times.items(), key=lambda pair: pair[0]), exact)

    def _cuts(self, outcome: TimedOutcome, packed: Packed) -> tuple[Cut, ...]:
        """Per bucket: of the classes that did not all pack, at most as many start as did."""
        times = times_of(self.given, outcome.chosen, {})
        found = []
        for bucket in sorted({bucket for _, bucket in packed.missing}):
            pairs = frozenset(
                (times[item].work_class, times[item].option)
                for item, at in packed.missing
                if at == bucket
            )
            cut = Cut(pairs, bucket, self._next_release(outcome, bucket), 0)
            started = sum(n for column, n in outcome.chosen.items() if cut.concerns(column))
            missing = sum(at == bucket for _, at in packed.missing)
            found.append(replace(cut, most=max(started - missing, 0)))
        return tuple(found)

    def _next_release(self, outcome: TimedOutcome, bucket: int) -> int:
        """First bucket after this one in which a running or scheduled gang has given its nodes back."""
        ends = [gang.gone_bucket for gang in self.given.occupancy.running]
        ends += [
            end
            for column in outcome.chosen
            if column.start <= bucket
            for _, end in column.stretches
        ]
        last = self.given.problem.horizon.count
        return min((end for end in ends if end > bucket), default=last)

    def _without(
        self, outcome: TimedOutcome, packed: Packed, exact: int
    ) -> tuple[TimedOutcome, Packed]:
        """Take what still does not pack out of the first buckets, and start it afterwards where there is room."""
        chosen: dict[Column, int] = dict(outcome.chosen)
        while packed.missing:
            times = times_of(self.given, chosen, {})
            for item, _ in packed.missing:
                chosen[times[item]] -= 1
            chosen = {column: count for column, count in chosen.items() if count}
            packed = self._packed(replace(outcome, chosen=chosen), exact)
        problem = self.given.problem
        early = sum(count for column, count in chosen.items() if column.start < exact)
        table = Timetable(problem, (Cut(frozenset(problem.starts.pairs), 0, exact, early),))
        for column, count in chosen.items():
            table.place(column, count)
        for tier_class, rank in problem.order:
            table.fill(tier_class, rank)
        legal = settled(problem, table.chosen, table.cuts)
        return replace(outcome, chosen=legal), packed

    def _of(self, outcome: TimedOutcome, place: tuple[str, int]) -> dict[Column, int]:
        """Gangs per column of one class and rank."""
        classes = self.given.problem.classes
        return {
            column: count
            for column, count in outcome.chosen.items()
            if (classes[column.work_class].tier_class, classes[column.work_class].rank) == place
        }

    def _certified(self, first: TimedOutcome, last: TimedOutcome) -> TimedOutcome:
        """The values of the last schedule, with bounds of the search without cuts: these hold for every schedule.

        Below the first tier that cuts changed they held for other values above (or, where ranks are planned one after
        the other, other start times), and are not told.
        """
        in_order = search_of(self.given.problem) is not WholeSearch
        tiers = []
        same = True
        for tier, one, two in zip(
            timed_tiers(self.given.problem), first.tiers, last.tiers, strict=True
        ):
            value = tier.value(self.given.problem, last.chosen)
            bound = tighter(tier, one.bound if same else None, tier.ideal)
            tiers.append(replace(two, value=value, bound=bound))
            same = same and one.value == value
            if in_order and tier.place is not None:
                same = same and self._of(first, tier.place) == self._of(last, tier.place)
        return replace(last, tiers=tuple(tiers))


def _never() -> bool:
    return False
