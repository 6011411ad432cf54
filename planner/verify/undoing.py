"""No undoing: a gang that is given up does not come back at once at the expense of newcomers only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Gang, Pod
from planner.verify.causes import Causes, Comer, comers, may_reclaim, never_preempts
from planner.verify.fitting import Fitting
from planner.verify.matching import selects
from planner.verify.needs import Need, need_of
from planner.verify.next_round import after_plan
from planner.verify.protection import why_protected
from planner.verify.readiness import stays_legal
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.remembered import Remembered
from planner.verify.standing import RankedState
from planner.verify.state import Usage
from planner.verify.subgroups import group_key
from planner.verify.wording import violation

_MOST_SETS = 4_000
Loss = tuple[Pod, ...]


def check_undoing(state: RankedState) -> Iterator[RuleViolation]:
    """For every gang given up: no legal eviction of newcomers alone would let it start in the next round."""
    for gang, pods in returning(state):
        gangs = sorted({pod.gang for pod in pods})
        told = "is given up, but could start again at once by evicting the newcomers "
        told += f"{', '.join(gangs)} ({len(pods)} pods); keep it, or leave them waiting"
        yield violation(RuleId.NO_UNDOING, f"gang/{gang.full_name}", told)


def returning(state: RankedState) -> Iterator[tuple[Gang, Loss]]:
    """Gangs that are given up and could come back at once, with the newcomers' pods that they would evict."""
    if not state.policy.evict:
        return
    given_up = [
        gang
        for name in dict.fromkeys(pod.gang for pod in state.reading.evicted.values())
        for gang in (state.snapshot.gang_by_name[name],)
        if not state.staying(gang)
    ]
    if not given_up:
        return
    later, placed = after_plan(state)
    started = {one.gang.full_name for one in comers(state)} | {
        name
        for name in state.placed_by_gang
        if not state.running_before(state.snapshot.gang_by_name[name])
    }
    newcomers = [
        pod
        for pod in later.snapshot.pods
        if pod.full_name in placed or (pod.gang in started and pod.running)
    ]
    needs = {gang.full_name: need_of(later, gang) for gang in given_up}
    specs = {id(one.spec): one.spec for need in needs.values() for one in need.pieces}
    beside = Fitting(later, later.held_before, later.queue_before, list(specs.values()))
    known: dict[tuple[object, ...], Loss] = {}
    for gang in given_up:
        need = needs[gang.full_name]
        key = _alike(gang, need)
        if key not in known:
            known[key] = Return(beside, gang, need, newcomers).victims()
        pods = known[key]
        if pods:
            yield gang, pods


def _alike(gang: Gang, need: Need) -> tuple[object, ...]:
    """Gangs with the same key can come back in the same ways."""
    pieces = tuple((one.spec, one.marked) for one in need.pieces)
    return (gang.queue, gang.priority, gang.min_member, pieces, need.counts)


class Return:
    """Whether one gang can come back in the next round by evicting newcomers.

    Parameters
    ----------
    beside
        What fits beside the plan, in the state after it.
    newcomers
        Pods that the plan placed, and all pods of the gangs that it started.
    """

    def __init__(self, beside: Fitting, gang: Gang, need: Need, newcomers: Sequence[Pod]) -> None:
        self._beside, self._state = beside, beside.state
        self._gang, self._need = gang, need
        self._specs = list({id(one.spec): one.spec for one in need.pieces}.values())
        self._newcomers: dict[str, list[Pod]] = {}
        for pod in newcomers:
            if pod.gang != gang.full_name and self._may_take(pod):
                self._newcomers.setdefault(pod.gang, []).append(pod)

    def victims(self) -> Loss:
        """Newcomers whose eviction would be legal and enough; () where there are none or it needs no eviction.

        Every legal set is tried, up to a bound on their number; beyond it the answer is ().
        """
        if never_preempts(self._state, self._gang) or not self._newcomers:
            return ()
        if self._fits((), self._need) is not False:
            return ()
        everyone = tuple(pod for pods in self._newcomers.values() for pod in pods)
        if self._fits(everyone, self._need) is False:
            return ()
        return next((gone for gone in self._sets() if self._works(gone)), ())

    def _sets(self) -> Iterator[Loss]:
        """Losses of one newcomer, then of two, and so on."""
        most = max(_MOST_SETS // (1 + len(self._state.snapshot.nodes) // 100), 20)
        each = [Remembered(self._losses(name, pods)) for name, pods in self._newcomers.items()]
        together = (
            tuple(pod for loss in chosen for pod in loss)
            for size in range(1, len(each) + 1)
            for gangs in itertools.combinations(each, size)
            for chosen in itertools.product(*gangs)
        )
        yield from itertools.islice(together, most)

    def _may_take(self, pod: Pod) -> bool:
        """Whether the gang could ever preempt or reclaim the pod, entitlement aside."""
        if why_protected(self._state, pod):
            return False
        causes = Causes(self._state, [], ())
        comer = Comer(self._gang, tuple((spec, 1) for spec in self._specs))
        return causes.preempts(comer, pod) or may_reclaim(
            self._state, self._gang.queue, comer.dimensions, pod
        )

    def _losses(self, name: str, pods: Sequence[Pod]) -> Iterator[Loss]:
        """What a newcomer may lose: all of it, or any of these pods as long as the rest is a legal gang."""
        gang = self._state.snapshot.gang_by_name[name]
        running, done = self._state.running_before(gang), self._state.succeeded(gang)

        def may_lose(gone: Loss) -> bool:
            names = {pod.full_name for pod in gone}
            rest = [pod for pod in running if pod.full_name not in names]
            return stays_legal(gang, rest, running, done)

        if len(pods) == len(running):
            yield tuple(pods)
        kinds = list(self._kinds(gang, pods).values())
        if not gang.subgroups and not any(may_lose((kind[0],)) for kind in kinds):
            return
        counts = itertools.product(*(range(len(kind) + 1) for kind in kinds))
        for count in itertools.islice(counts, 1, _MOST_SETS):
            gone = tuple(pod for kind, n in zip(kinds, count, strict=True) for pod in kind[:n])
            if len(gone) < len(running) and may_lose(gone):
                yield gone

    def _kinds(self, gang: Gang, pods: Sequence[Pod]) -> dict[tuple[object, ...], list[Pod]]:
        """Pods that nothing tells apart."""
        kinds: dict[tuple[object, ...], list[Pod]] = {}
        for pod in pods:
            groups = tuple(group_key(policy, pod) for policy in gang.subgroups)
            kinds.setdefault((pod.node, id(pod.spec), pod.role, groups), []).append(pod)
        return kinds

    def _works(self, gone: Loss) -> bool:
        """These evictions are legal for some set of pods that makes the gang ready, and enough for it."""
        if self._breaks_budget(gone):
            return False
        if self._need.counts is None:
            return False
        return any(
            self._legal(gone, counts)
            and self._fits(gone, replace(self._need, counts=frozenset({counts}))) is True
            for counts in self._need.counts
        )

    def _legal(self, gone: Loss, counts: tuple[int, ...]) -> bool:
        pods = tuple(
            (piece.spec, count)
            for piece, count in zip(self._need.pieces, counts, strict=True)
            if count
        )
        running = len(self._state.running_before(self._gang))
        causes = Causes(self._state, [Comer(self._gang, pods, running)], gone)
        return not (
            any(causes.without_cause)
            or any(broken_guarantees(self._state, causes))
            or any(taken_below_deserved(self._state, causes))
        )

    def _breaks_budget(self, gone: Loss) -> bool:
        if not self._state.policy.pdb:
            return False
        return any(
            sum(
                pod.namespace == one.namespace and selects(one.selector, pod.labels) for pod in gone
            )
            > max(one.disruptions_allowed, 0)
            for one in self._state.snapshot.disruption_budgets
        )

    def _fits(self, gone: Loss, need: Need) -> bool | None:
        state = self._state
        held: dict[str, Usage] = {}
        for name in {pod.node or "" for pod in gone}:
            held[name] = dict(state.held_before.get(name, {}))  # its node may not exist
        charged: dict[str, Usage] = {
            name: dict(usage) for name, usage in state.queue_before.items()
        }
        for pod in gone:
            node: Usage = held[pod.node or ""]
            state.hold(node, pod, -1)
            owner = state.snapshot.gang_by_name[pod.gang]
            state.add(charged[owner.queue], pod.spec, -1)
        return self._beside.changed(held, charged).fits(self._gang, need)
