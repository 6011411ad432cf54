"""The plan document of a schedule: the first bucket as a plan for now, and the ``schedule`` part."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from models.checks.wording import counted
from models.findings import Finding
from models.plan import PlanResult, Reason, Tier
from models.schedule import Schedule, ScheduledGang
from planner.documents.assemble import assemble
from planner.encode.eligibility import standings
from planner.encode.prepared import Prepared
from planner.encode.victims.victims import possible_victims
from planner.explain.waiting import waiting_reasons
from planner.problem.limits import Limits
from planner.problem.timed import Column
from planner.schedule.encode.build import TimedInput
from planner.schedule.entries import Entries
from planner.schedule.placed import Placed
from planner.schedule.pools import (
    loan_entries,
    pool_entries,
    queue_entries_over_time,
)
from planner.schedule.ranges import start_ranges
from planner.schedule.reasons import WaitingReasons
from planner.schedule.reservations import reservations
from planner.schedule.search import TimedOutcome, WholeSearch, search_of
from planner.schedule.sentence import schedule_sentence
from planner.schedule.services import missed_returns, service_places
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.outcome import Outcome
from planner.search.stages.presolve.startable import startable_demands
from planner.simulate.baseline import baseline_of


@dataclass(frozen=True)
class ScheduleDocument:
    """Everything that the document is made of; ``now`` is the problem with the revocable zones that are open now."""

    now: Prepared
    given: TimedInput
    outcome: TimedOutcome
    placed: Placed
    exact_buckets: int
    previous: PlanResult | None
    earlier: Mapping[str, int]

    @property
    def times(self) -> Mapping[int, Column]:
        """Work item to the column that it runs in."""
        return self.placed.times

    def result(
        self,
        *,
        findings: Sequence[Finding],
        limits: Limits,
        reproducible: bool,
        stopped: Callable[[], bool],
    ) -> PlanResult:
        """The document without its verification."""
        prepared = self.now
        victims = possible_victims(prepared)
        startable = startable_demands(prepared.problem, exact_fit, victims)
        placed_in = standings(prepared, startable, victims)
        now = waiting_reasons(
            prepared, self.placed.now, startable, placed_in, exact=exact_fit, deadline=stopped
        )
        schedule = self.schedule(now)
        result = assemble(
            prepared,
            Outcome(self.placed.now, self.outcome.tiers, 0, 0, 0, maximal=True),
            placed_in,
            reasons={**now, **self._later(schedule)},
            findings=findings,
            limits=limits,
            baseline=baseline_of(prepared.snapshot, prepared.policy, prepared.ruled),
            reproducible=reproducible,
            gang_classes=len(self.given.problem.classes),
        )
        tiers = self._conditional(result.certificate.tiers)
        certificate = result.certificate.model_copy(
            update={"properties": "maximal", "tiers": tiers}
        )
        summary = result.summary.model_copy(
            update={
                "sentence": " ".join(
                    part
                    for part in (
                        schedule_sentence(result, schedule),
                        self._evicting(schedule, startable),
                    )
                    if part
                ),
                "missed_returns": self.given.problem.missed_returns,
            }
        )
        return result.model_copy(
            update={"certificate": certificate, "summary": summary, "schedule": schedule}
        )

    def _evicting(self, schedule: Schedule, startable: frozenset[int]) -> str:
        """Why a plan for now may start what this schedule starts later: it evicts, and a schedule does not."""
        prepared = self.now
        if not prepared.policy.evict:
            return ""
        alone = startable_demands(prepared.problem, exact_fit)
        now = {g.full_name for g in schedule.gangs if g.runs and g.runs[0].start_bucket == 0}
        demands = prepared.problem.demands
        names = [prepared.cases[demands[n].gang].gang.full_name for n in sorted(startable - alone)]
        later = [name for name in names if name not in now]
        if not later:
            return ""
        start = {g.full_name: g.starts_at for g in schedule.gangs if g.status == "starts"}
        when = start.get(later[0])
        planned = f"at {when}" if when else "not within the horizon"
        more = f" (and {len(later) - 1:,} more)" if len(later) > 1 else ""
        return (
            f"A plan for now may evict running gangs ({', '.join(prepared.policy.evict)}) and start {later[0]}{more} "
            f"at once; a schedule evicts nobody for what waits, so it starts {planned}."
        )

    def _conditional(self, tiers: tuple[Tier, ...]) -> tuple[Tier, ...]:
        """Ranks planned one after the other: bounds below the first one hold for the start times above them."""
        if search_of(self.given.problem) is WholeSearch:
            return tiers
        found = []
        decided = False
        for tier in tiers:
            if decided and tier.backend != "counting":
                tier = tier.model_copy(update={"conditional": True})
            found.append(tier)
            decided = decided or tier.name.endswith(("missed_deadlines", ".gpu_hours"))
        return tuple(found)

    def _later(self, schedule: Schedule) -> dict[str, tuple[Reason, ...]]:
        """Why gangs do not start now: because they start later, or not within the horizon."""
        found: dict[str, tuple[Reason, ...]] = {}
        for gang in schedule.gangs:
            if gang.status == "starts" and gang.runs[0].start_bucket > 0:
                told = f"starts at {gang.starts_at} (see the schedule)"
                data = {"startsAt": gang.starts_at}
                found[gang.full_name] = (Reason(code="scheduled_later", message=told, data=data),)
            elif gang.status == "waits" and gang.reasons:
                found[gang.full_name] = gang.reasons
        return found

    def schedule(self, now: Mapping[str, tuple[Reason, ...]]) -> Schedule:
        """The ``schedule`` part."""
        given, horizon = self.given, self.given.problem.horizon
        entries = Entries(given, self.earlier, self.placed.nodes, self.placed.grown)
        spans = start_ranges(given, self.times)
        why = WaitingReasons(given, now, self.outcome.chosen)
        gangs = entries.running()
        for number in range(len(given.items)):
            column = self.times.get(number)
            if column is not None:
                gangs.append(entries.started(number, column, spans.get(number)))
            else:
                gangs.append(entries.waits(number, *why.of(number)))
        gangs += self._blocked(gangs, now)
        pools = pool_entries(given, self.times)
        chosen = self.outcome.chosen
        classes = given.problem.classes
        work = sum(classes[c.work_class].gpus * c.work_s * n for c, n in chosen.items())
        lost = sum(classes[c.work_class].gpus * c.lost_s * n for c, n in chosen.items())
        held = sum(
            classes[c.work_class].gpus
            * n
            * sum(horizon.edges[end] - horizon.edges[start] for start, end in c.stretches)
            for c, n in chosen.items()
        )
        return Schedule(
            edges=horizon.edges,
            timezone=horizon.timezone,
            exact_buckets=self.exact_buckets,
            gangs=tuple(sorted(gangs, key=_in_order)),
            pools=pools,
            queues=queue_entries_over_time(given, self.times, chosen),
            lending=given.occupancy.lending,
            loans=loan_entries(given, pools, gangs),
            service_places=service_places(given),
            missed_returns=missed_returns(given),
            reservations=reservations(
                gangs, {place: n for n, place in enumerate(given.problem.order)}
            ),
            work_gpu_seconds=work,
            running_gpu_seconds=sum(g.work_gpu_seconds for g in gangs if g.status == "running"),
            rounding_gpu_seconds=max(held - work - lost, 0),
            growth_gpu_seconds=sum(one.gpu_seconds for gang in gangs for one in gang.grows),
            fill_bound_gpu_seconds=self._fill_bound(),
            previous_digest=_digest(self.previous),
            notes=self._notes(),
        )

    def _fill_bound(self) -> int | None:
        """GPU-seconds that pools offer beside running gangs: no schedule does more work than this."""
        given = self.given
        lengths = given.problem.horizon.lengths
        used = given.supply.capacity.copy()
        total = 0
        for row in used:
            total += sum(int(gpus) * length for gpus, length in zip(row, lengths, strict=True))
        return total

    def _blocked(
        self, known: Sequence[ScheduledGang], now: Mapping[str, tuple[Reason, ...]]
    ) -> list[ScheduledGang]:
        """Gangs for which nothing may be placed at all, with their structural reasons."""
        names = {gang.full_name for gang in known}
        found = []
        for case in self.given.prepared.cases:
            gang = case.gang
            if case.ready or gang.asks_nothing or gang.full_name in names:
                continue
            reasons = case.blocked or now.get(gang.full_name, ())
            found.append(
                ScheduledGang(
                    namespace=gang.namespace,
                    name=gang.name,
                    queue=gang.queue,
                    priority=gang.priority,
                    status="waits",
                    reasons=reasons,
                )
            )
        return found

    def _notes(self) -> tuple[str, ...]:
        found = []
        if self.given.prepared.limits.proportional:
            found.append(
                "A queue's share in a bucket is computed from what runs or waits then in this schedule: a gang asks "
                "for its pods from its submission to its planned end."
            )
        if self.placed.grown:
            found.append(
                f"{counted(len(self.placed.grown), 'gang')} can grow above the minimum until the end of the run; "
                "figures of work, loans and pools do not count that."
            )
        estimated = [i for i in self.given.items if i.duration.uncertain]
        if estimated:
            found.append(
                f"{len(estimated):,} durations are estimates; starts that depend on them are shown with a range."
            )
        guessed = {
            g.gang.full_name for g in self.given.occupancy.running if g.duration.source == "default"
        }
        if guessed:
            verb = "runs" if len(guessed) == 1 else "run"
            found.append(
                f"How long {counted(len(guessed), 'running gang')} still {verb} is unknown: the end is the policy's "
                "default after the start, doubled where that has passed; what starts afterwards depends on this guess."
            )
        if self.given.prepared.preferred is not None:
            found.append(
                "What pods only prefer (affinity, spread, taints with PreferNoSchedule) is not looked at; a plan for "
                "now chooses nodes by it."
            )
        lending = self.given.occupancy.lending
        if lending is not None and lending.maximal_grace_s < 0:
            found.append(
                f"With a deadline of {lending.deadline_s} s no pod leaves in time; raise the deadline."
            )
        return tuple(found)


def _in_order(gang: ScheduledGang) -> tuple[int, int, str]:
    """Running ones, then by start, then those that wait."""
    kinds = {"running": 0, "starts": 1, "waits": 2}
    start = gang.runs[0].start_bucket if gang.runs else 0
    return (kinds[gang.status], start, gang.full_name)


def _digest(previous: PlanResult | None) -> str:
    if previous is None or previous.schedule is None:
        return ""
    return hashlib.sha256(previous.schedule.model_dump_json().encode()).hexdigest()
