"""A victim is needed: the rule as docs/evictions.md defines it, over every plan that evicts less.

For a loss the sets of gangs that can run while it is smaller are listed, the largest ones. It is needed where one of
them cannot be extended by a gang that may cause the loss.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from models.workloads import Gang, Pod
from planner.verify.causes import Causes, Comer, comers
from planner.verify.needs import Need, need_of
from planner.verify.readiness import stays_legal
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.standing import RankedState
from planner.verify.subgroups import group_key
from planner.verify.together import Together

MOST_GANGS = 12
"""Starting gangs whose sets are listed."""
MOST_WORK = 20_000
"""Questions about one plan, weighed by the size of the cluster that they ask about."""

Names = frozenset[str]


class UndecidedError(Exception):
    """The answer would take more work than the check may do."""


@dataclass(frozen=True)
class Lost:
    """What one gang loses."""

    gang: Gang
    pods: tuple[Pod, ...]


class NeededLosses:
    """Judges the losses of one plan."""

    def __init__(self, state: RankedState) -> None:
        self._state = state
        self._causes = state.causes
        self._starters: dict[str, tuple[Gang, Need]] = {
            one.gang.full_name: (one.gang, need_of(state, one.gang)) for one in comers(state)
        }
        self._together = Together(state, self._starters)
        self._right: dict[tuple[Names, Names], bool] = {}
        self._questions = 0
        lost: dict[str, list[Pod]] = {}
        for pod in self._causes.open_victims:
            lost.setdefault(pod.gang, []).append(pod)
        self.losses = tuple(
            Lost(state.snapshot.gang_by_name[name], tuple(pods)) for name, pods in lost.items()
        )

    def needed(self, loss: Lost) -> bool:
        """Whether the plan needs it.

        Raises
        ------
        UndecidedError
            It is not decided within the limits.
        """
        return self._needed(loss, frozenset(self._starters), self.losses, self._causes)

    def takers(self, loss: Lost) -> list[str]:
        """Starting gangs that may evict some pod of a loss, with what reclaim asks of its queue."""
        return self._takers(loss, self._causes)

    def _needed(self, loss: Lost, starts: Names, losses: Sequence[Lost], causes: Causes) -> bool:
        takers = self._takers(loss, causes)
        if any(self._cannot_run(frozenset({one}), loss, losses) for one in takers):
            return True  # alone already
        if len(starts) > MOST_GANGS:
            return self._clearly_needed(loss, starts, losses, takers)
        largest = self._largest_beside(loss, starts, losses)
        for taker in takers:
            for runs in largest:
                first = {one for one in runs if self._place(one) <= self._place(taker)}
                if taker not in runs and not any(first | {taker} <= one for one in largest):
                    return True
        return False

    def _clearly_needed(
        self, loss: Lost, starts: Names, losses: Sequence[Lost], takers: Sequence[str]
    ) -> bool:
        """For plans of many gangs: what runs without any eviction is no circle, and often tells enough."""
        last = max((self._place(one) for one in takers), default=None)
        if last is None:
            return False
        before = sorted((one for one in starts if self._place(one) <= last), key=self._key)
        if self._together.fits(frozenset(before), frozenset()):
            return False
        for taker in takers:
            beside: Names = frozenset()
            for one in before:
                if one != taker and self._place(one) <= self._place(taker):
                    self._count()
                    if self._together.fits(beside | {one}, frozenset()):
                        beside |= {one}
            if self._cannot_run(beside | {taker}, loss, losses):
                return True
        raise UndecidedError

    def _cannot_run(self, names: Names, loss: Lost, losses: Sequence[Lost]) -> bool:
        """Room is too small for these gangs and any smaller loss, whatever else goes."""
        others = frozenset(pod.full_name for one in losses if one is not loss for pod in one.pods)
        for part in self._parts(loss):
            self._count()
            gone = others | {pod.full_name for pod in part}
            if self._together.fits(names, gone) is not False:
                return False
        return True

    def _largest_beside(self, loss: Lost, starts: Names, losses: Sequence[Lost]) -> list[Names]:
        found: list[Names] = []
        for size in range(len(starts), -1, -1):
            for chosen in map(frozenset, itertools.combinations(sorted(starts), size)):
                if any(chosen <= one for one in found):
                    continue
                if self._runs(chosen, loss, losses):
                    found.append(chosen)
        return found

    def _runs(self, names: Names, loss: Lost, losses: Sequence[Lost]) -> bool:
        """Some correct plan starts just these gangs, with this loss smaller and no other larger."""
        if self._cannot_run(names, loss, losses):
            return False
        choices = [[*self._parts(one), *(() if one is loss else (one.pods,))] for one in losses]
        for chosen in itertools.product(*choices):
            smaller = [
                Lost(one.gang, pods) for one, pods in zip(losses, chosen, strict=True) if pods
            ]
            if self._is_right(names, smaller):
                return True
        return False

    def _is_right(self, names: Names, losses: Sequence[Lost]) -> bool:
        gone = frozenset(pod.full_name for one in losses for pod in one.pods)
        key = names, gone
        if key not in self._right:
            self._count()
            fits = self._together.fits(names, gone)
            if fits is None:
                raise UndecidedError
            self._right[key] = fits and (
                not losses
                or any(
                    all(self._needed(one, names, losses, causes) for one in losses)
                    for causes in self._legal_causes(names, losses)
                )
            )
        return self._right[key]

    def _legal_causes(self, names: Names, losses: Sequence[Lost]) -> Iterator[Causes]:
        """Who evicts whom, per choice of the pods that make the gangs ready, where that is allowed."""
        gangs = [self._starters[name] for name in sorted(names)]
        victims = [pod for one in losses for pod in one.pods]
        for counts in itertools.product(*(sorted(need.counts or ()) for _, need in gangs)):
            starters = [
                Comer(
                    gang,
                    tuple(
                        (piece.spec, n) for piece, n in zip(need.pieces, chosen, strict=True) if n
                    ),
                    len(self._state.running_before(gang)),
                )
                for (gang, need), chosen in zip(gangs, counts, strict=True)
            ]
            causes = Causes(self._state, starters, victims)
            if not (
                any(causes.without_cause)
                or any(broken_guarantees(self._state, causes))
                or any(taken_below_deserved(self._state, causes))
            ):
                yield causes

    def _takers(self, loss: Lost, causes: Causes) -> list[str]:
        found = []
        keeps: bool | None = None
        for one in causes.starters:
            taken = any(causes.preempts(one, pod) for pod in loss.pods)
            if not taken and any(causes.reclaims(one, pod) for pod in loss.pods):
                if keeps is None:
                    keeps = self._queue_allows(loss, causes)
                taken = keeps
            if taken:
                found.append(one.gang.full_name)
        return found

    def _queue_allows(self, loss: Lost, causes: Causes) -> bool:
        """Reclaiming this loss too leaves the queue its guarantee, and takes what is above deserved."""
        queue = loss.gang.queue
        pods = {pod.full_name: pod for pod in (*causes.reclaimed.get(queue, ()), *loss.pods)}
        also: Mapping[str, list[Pod]] = {queue: list(pods.values())}
        return not (
            any(broken_guarantees(self._state, causes, also))
            or any(taken_below_deserved(self._state, causes, also))
        )

    def _parts(self, loss: Lost) -> list[tuple[Pod, ...]]:
        """Smaller losses that leave the gang legal, the largest first, nothing last."""
        state, gang = self._state, loss.gang
        running, done = state.running_before(gang), state.succeeded(gang)
        kinds: dict[tuple[object, ...], list[Pod]] = {}
        for pod in loss.pods:
            groups = tuple(group_key(policy, pod) for policy in gang.subgroups)
            kinds.setdefault((pod.node, id(pod.spec), pod.role, groups), []).append(pod)
        found = []
        for counts in itertools.product(*(range(len(kind), -1, -1) for kind in kinds.values())):
            self._count()
            part = tuple(
                pod for kind, n in zip(kinds.values(), counts, strict=True) for pod in kind[:n]
            )
            names = {pod.full_name for pod in part}
            rest = [pod for pod in running if pod.full_name not in names]
            if len(part) < len(loss.pods) and stays_legal(gang, rest, running, done):
                found.append(part)
        return found

    def _count(self) -> None:
        self._questions += 1
        if self._questions + self._together.work > MOST_WORK:
            raise UndecidedError

    def _key(self, name: str) -> tuple[tuple[int, int], str]:
        return self._place(name), name

    def _place(self, name: str) -> tuple[int, int]:
        """Class, then rank; with the scope ``cluster`` rank, then class."""
        if self._state.policy.policy.objective == "throughput":
            return 0, 0
        standing = self._state.standings.get(name)
        if standing is None:
            return 2, 0
        side = int(standing.tier_class != "covered")
        cluster = self._state.policy.policy.priority_scope == "cluster"
        return (standing.rank, side) if cluster else (side, standing.rank)


class Neededness:
    """All losses of a plan that are not needed, and those that are not decided."""

    def __init__(self, state: RankedState) -> None:
        self._judge = NeededLosses(state)

    @cached_property
    def _answers(self) -> list[tuple[Lost, bool | None]]:
        found: list[tuple[Lost, bool | None]] = []
        for loss in self._judge.losses:
            if not self._judge.takers(loss):
                continue  # nobody has a right to it: other rules say so
            try:
                found.append((loss, self._judge.needed(loss)))
            except UndecidedError:
                found.append((loss, None))
        return found

    def needless(self) -> Iterator[tuple[Lost, list[str]]]:
        """Losses of which some could stay, with the gangs that may cause them."""
        for loss, answer in self._answers:
            if answer is False:
                yield loss, self._judge.takers(loss)

    def undecided(self) -> list[str]:
        """Full names of gangs whose loss is not decided."""
        return [loss.gang.full_name for loss, answer in self._answers if answer is None]
