"""Which waiting gangs can start, which running ones can grow, their rank and class, by the default objective."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from models.plan import GangEntry
from models.workloads import Gang
from planner.verify.causes import Causes, comers
from planner.verify.fitting import Fitting
from planner.verify.needs import Need, further_of, need_of
from planner.verify.readiness import is_ready
from planner.verify.state import State
from planner.verify.support import never_created, unmodelled_rules
from planner.verify.takable import Takable

if TYPE_CHECKING:
    from planner.verify.needed import Neededness

_WAITING_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
_GO_PARTS = re.compile(r"([0-9.]+)(ns|us|µs|ms|h|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
RankKey = tuple[int, bool, float]


@dataclass(frozen=True, slots=True)
class Standing:
    """A gang that waited before the plan and has no unmodelled rule.

    Attributes
    ----------
    startable
        It fits alone beside the running pods, those gone that some waiting gang may take.
    decided
        False where that was taken from the document because the search hit its bound.
    pods, gpus
        The least it still lacks.
    least
        Per resource the least that any set which makes it ready requests; None where the sets are not known.
    """

    gang: Gang
    need: Need
    startable: bool
    decided: bool
    pods: int
    gpus: int
    least: Mapping[str, int] | None
    rank: int = 0
    tier_class: str = ""


@dataclass(frozen=True)
class Alone:
    """What snapshot and policy alone say about the waiting gangs.

    Attributes
    ----------
    waiting
        Gangs with what they need, in snapshot order.
    answers
        Whether each fits alone, by full name; None where that is not decided.
    further
        Whether a smallest legal number of further pods of a running gang fits alone.
    """

    waiting: Sequence[tuple[Gang, Need]]
    takable: Takable
    answers: Mapping[str, bool | None]
    further: Mapping[str, bool | None]


class RankedState(State):
    """A state that also knows how its waiting gangs stand."""

    @cached_property
    def alone(self) -> Alone:
        """Which waiting gangs fit alone; no plan changes it."""
        return fitting_alone(self)

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        """Standing of every waiting gang by full name; ranks and classes are set for the startable ones."""
        return standings(self)

    @cached_property
    def growing(self) -> Mapping[str, Gang]:
        """Running gangs of whose waiting pods a smallest legal number fits alone; where that is undecided, as told."""
        found = {}
        for name, answer in self.alone.further.items():
            entry = self.entry_by_gang.get(name)
            told = name in self.placed_by_gang or (entry is not None and entry.rank is not None)
            if told if answer is None else answer:
                found[name] = self.snapshot.gang_by_name[name]
        return found

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """Rank of every startable or growing gang by full name."""
        startable = [one.gang for one in _startable(self).values() if one.startable]
        return _ranks(self, [*startable, *self.growing.values()])

    @cached_property
    def causes(self) -> Causes:
        """For whom the plan evicts."""
        return Causes(self, comers(self), self.reading.evicted.values())

    @cached_property
    def neededness(self) -> Neededness:
        """Which losses the plan needs."""
        from planner.verify.needed import Neededness  # it asks how gangs stand

        return Neededness(self)


def waiting_gangs(state: State) -> list[Gang]:
    """Gangs that were not ready before the plan and may start one day: supported and declared, in snapshot order."""
    return [
        gang
        for gang in state.snapshot.gangs
        if not (gang.asks_nothing or gang.not_admitted or never_created(gang))
        and not is_ready(gang, state.running_before(gang), state.succeeded(gang))
        and not unmodelled_rules(state, gang)
    ]


def growing_gangs(state: State) -> list[Gang]:
    """Gangs that were ready before the plan and whose further pods a plan may place, in snapshot order."""
    return [
        gang
        for gang in state.snapshot.gangs
        if not (gang.finished or gang.not_admitted or gang.missing_group)
        and is_ready(gang, state.running_before(gang), state.succeeded(gang))
        and not unmodelled_rules(state, gang)
    ]


def fitting_alone(state: State) -> Alone:
    """Which waiting gangs fit alone beside the running pods that nobody may take, and of which running ones a part."""
    waiting = [(gang, need_of(state, gang)) for gang in waiting_gangs(state)]
    further = [
        (gang, need)
        for gang in growing_gangs(state)
        if (need := further_of(state, gang)).pieces and need.possible
    ]
    needs = [need for _, need in (*waiting, *further)]
    specs = {id(piece.spec): piece.spec for need in needs for piece in need.pieces}
    takable = Takable(state, waiting)
    everyone = Fitting(state, *takable.gone(None), list(specs.values()))
    answers = {}
    for gang, need in waiting:
        fitting = everyone
        if takable.owns_any(gang):  # its own pods stay while it starts
            fitting = Fitting(state, *takable.gone(gang), list(specs.values()))
        answers[gang.full_name] = fitting.fits(gang, need)
    now = Fitting(state, state.held_before, state.queue_before, list(specs.values()))
    grows: dict[str, bool | None] = {}
    for gang, need in further:
        answer = everyone.fits(gang, need)
        if answer is not False and takable.owns_any(gang):  # its own pods stay while it grows
            answer = now.fits(gang, need)
            if not answer:
                answer = Fitting(state, *takable.gone(gang), list(specs.values())).fits(gang, need)
        grows[gang.full_name] = answer
    return Alone(waiting, takable, answers, grows)


def standings(state: RankedState) -> dict[str, Standing]:
    """Standing of every waiting gang by full name; ranks and classes are set for the startable ones."""
    found = _startable(state)
    ranks = {name: rank for name, rank in state.ranks.items() if name in found}
    covered = _covered(state, found, ranks, state.alone.takable)
    for name, rank in ranks.items():
        tier_class = "covered" if name in covered else "rest"
        found[name] = replace(found[name], rank=rank, tier_class=tier_class)
    return found


def _startable(state: RankedState) -> dict[str, Standing]:
    """Waiting gangs, ranks and classes still open."""
    alone = state.alone
    return {
        gang.full_name: _standing(state, gang, need, alone.answers[gang.full_name])
        for gang, need in alone.waiting
    }


def _standing(state: State, gang: Gang, need: Need, answer: bool | None) -> Standing:
    claim = state.entry_by_gang.get(gang.full_name)
    startable = answer
    if startable is None:
        claimed = claim.startable if claim else None
        startable = gang.full_name in state.placed_by_gang if claimed is None else claimed
    least = least_of(state, need) if startable else None
    pods = need.least(lambda _: 1) if need.counts else None
    return Standing(
        gang=gang,
        need=need,
        startable=startable,
        decided=answer is not None,
        pods=max(need.total, sum(n for _, n in need.roles)) if pods is None else pods,
        gpus=_gpus(state, need if startable else None, claim),
        least=least,
    )


def least_of(state: State, need: Need) -> dict[str, int] | None:
    """Per resource the least that any set which makes a gang ready requests; None where the sets are not known."""
    if not need.counts:
        return None
    requests = [dict(state.request(piece.spec)) for piece in need.pieces]
    names = {name for request in requests for name in request}
    found = {
        name: min(
            sum(count * request.get(name, 0) for count, request in zip(one, requests, strict=True))
            for one in need.counts
        )
        for name in names
    }
    return {name: amount for name, amount in found.items() if amount}


def _gpus(state: State, need: Need | None, claim: GangEntry | None) -> int:
    """GPUs of a minimal set, in the unit of the objective."""
    found = None if need is None else need.least(lambda spec: state.measure.of(spec.request))
    if found is not None:
        return found
    claimed = claim.milli_gpus if claim and state.measure.fine else None
    return (claim.gpus if claim else 0) if claimed is None else claimed


def _ranks(state: State, gangs: Iterable[Gang]) -> dict[str, int]:
    """Position of the gang's priority among those of its queue, or of all queues."""
    cluster = state.policy.policy.priority_scope == "cluster"
    keys: dict[str, set[RankKey]] = {}
    own: dict[str, tuple[str, RankKey]] = {}
    for gang in gangs:
        group = "" if cluster else gang.queue
        own[gang.full_name] = (group, key := _rank_key(state, gang))
        keys.setdefault(group, set()).add(key)
    numbers = {
        (group, key): rank
        for group, members in keys.items()
        for rank, key in enumerate(sorted(members), start=1)
    }
    return {name: numbers[at] for name, at in own.items()}


def _rank_key(state: State, gang: Gang) -> RankKey:
    """Higher priority first; with ``sla`` then creation + waiting time, gangs without either last."""
    if not state.policy.sla:
        return (-gang.priority, False, 0.0)
    waiting = next((gang.annotations[key] for key in _WAITING_KEYS if key in gang.annotations), "")
    seconds = go_seconds(waiting)
    if seconds is None or not gang.created:
        return (-gang.priority, True, 0.0)
    return (-gang.priority, False, moment(gang.created).timestamp() + seconds)


def go_seconds(duration: str) -> float | None:
    """Seconds of a Go duration (``1h30m``), None where it is none."""
    parts = _GO_PARTS.findall(duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        return None
    try:
        return sum(float(number) * _SECONDS[unit] for number, unit in parts)
    except ValueError:
        return None


def moment(created: str) -> datetime:
    """Creation time; without one (or an unreadable one) a gang counts as oldest."""
    try:
        found = datetime.fromisoformat(created.replace("Z", "+00:00"))
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return found.replace(tzinfo=found.tzinfo or UTC)


def _covered(
    state: State, found: Mapping[str, Standing], ranks: Mapping[str, int], takable: Takable
) -> set[str]:
    """Startable gangs within the entitlement of their queue; under ``proportion`` all."""
    if state.queues.proportional:
        return set(ranks)
    queues: dict[str, list[Standing]] = {}
    for name in ranks:
        queues.setdefault(found[name].gang.queue, []).append(found[name])
    covered: set[str] = set()
    for queue, members in queues.items():
        covered |= _walk(state, queue, members, ranks, takable)
    return covered


def _walk(
    state: State,
    queue: str,
    members: list[Standing],
    ranks: Mapping[str, int],
    takable: Takable,
) -> set[str]:
    """By rank, creation, name: a gang is covered while the sum stays within deserved; ends after a rank with a miss."""
    added: dict[str, int] = {}
    covered: set[str] = set()
    missed_in = 0
    order = sorted(
        members,
        key=lambda one: (
            ranks[one.gang.full_name],
            moment(one.gang.created),
            one.gang.full_name,
        ),
    )
    for one in order:
        name = one.gang.full_name
        if missed_in and ranks[name] > missed_in:
            break
        used = dict(takable.staying(one.gang))
        for resource, amount in added.items():
            used[resource] = used.get(resource, 0) + amount
        if _is_within(state, queue, used, one):
            covered.add(name)
            for resource, amount in (one.least or {}).items():
                added[resource] = added.get(resource, 0) + amount
        else:
            missed_in = ranks[name]
    return covered


def _is_within(state: State, queue: str, used: Mapping[str, int], one: Standing) -> bool:
    if one.least is None:
        claim = state.entry_by_gang.get(one.gang.full_name)
        return claim is not None and claim.tier_class == "covered"
    counted = [name for name in one.least if state.queues.entitled(queue, name)]
    return bool(counted) and all(
        used.get(name, 0) + one.least[name] <= state.queues.deserved(queue, name)
        for name in counted
    )
