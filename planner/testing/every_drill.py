"""The best drill by trying every set of leavers that the rules allow; for one need and tiny clusters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product

from models.drill import DrillResult, Leaver, NeedEntry
from models.resources import PODS
from models.workloads import Pod
from planner.verify.drill_leaving import (
    check_drill_budgets,
    check_gangs,
    check_protection,
    check_shares,
)
from planner.verify.drill_room import node_closed
from planner.verify.drill_state import DrillState
from planner.verify.harm import harm_values
from planner.verify.predicates import Doorkeeper

MOST_SETS = 3_000
RULES = (check_protection, check_gangs, check_drill_budgets, check_shares)
Vector = tuple[int, ...]


class TooMany(Exception):
    """There are too many sets of leavers to try."""


class EveryDrill:
    """All legal drills of a document's snapshot, policy and needs; its own answer is not looked at.

    Everything but :meth:`most_for_all` is about the first need and meant for documents with only one.
    """

    def __init__(self, state: DrillState) -> None:
        self._given = state
        self._need = state.result.needs[0]
        self._nodes = self._open_nodes(self._need)

    def best(self) -> Vector:
        """Best values of the tiers in the order of the certificate (maximised ones negated)."""
        return min(self._vector(self._state(pods)) for pods in self._legal())

    def most_by(self, second: int) -> int:
        """Most GPUs back by a second."""
        return max(
            self._fitting(self._state(pods), second) * self._need.gpus_per_pod
            for pods in self._legal()
        )

    def most_for_all(self, second: int) -> int:
        """Most GPUs back by a second for all needs together; limits of queues aside."""
        needs = self._given.result.needs
        nodes = [self._open_nodes(need) for need in needs]
        best = 0
        for pods in self._legal():
            state = self._state(pods)
            reached = {(0,) * len(needs): None}
            for name in sorted({one for names in nodes for one in names}):
                open_to = [name in names for names in nodes]
                packed = list(self._packings(state, name, second, open_to))
                reached = {
                    tuple(
                        min(a + b, need.pods) for a, b, need in zip(had, more, needs, strict=True)
                    ): None
                    for had in reached
                    for more in packed
                }
            gpus = [need.gpus_per_pod for need in needs]
            best = max(best, *(sum(a * b for a, b in zip(r, gpus, strict=True)) for r in reached))
        return best

    def _packings(
        self, state: DrillState, name: str, second: int, open_to: list[bool]
    ) -> Iterator[tuple[int, ...]]:
        """Numbers of pods of each need that fit on a node together."""
        needs, node = state.result.needs, state.snapshot.node_by_name[name]
        most = [need.pods if one else 0 for need, one in zip(needs, open_to, strict=True)]
        staying = [p for p in state.snapshot.pods_by_node.get(name, ()) if state.holds(p, second)]
        for counts in product(*(range(number + 1) for number in most)):
            asked: dict[str, int] = {}
            for need, count in zip(needs, counts, strict=True):
                for resource, amount in (*need.request.items(), (PODS, 1)):
                    asked[resource] = asked.get(resource, 0) + amount * count
            if not any(counts) or all(
                amount + sum(_held(pod, resource) for pod in staying)
                <= node.allocatable.amount(resource)
                for resource, amount in asked.items()
                if amount
            ):
                yield counts

    def _open_nodes(self, need: NeedEntry) -> list[str]:
        drill = self._given
        keeper = Doorkeeper(drill.policy)
        return [
            node.name
            for node in drill.snapshot.nodes
            if sum(node.allocatable.amount(name) for name in drill.base.gpu_names)
            and not node_closed(drill, keeper, need, node)
        ]

    def _legal(self) -> Iterator[tuple[Pod, ...]]:
        by_gang: dict[str, list[Pod]] = {}
        for pod in self._given.snapshot.pods:
            if pod.running and not list(check_protection(self._state((pod,)))):
                by_gang.setdefault(pod.gang, []).append(pod)
        options = [
            [pods for pods in _subsets(own) if not list(check_gangs(self._state(pods)))]
            for own in by_gang.values()
        ]
        total = 1
        for one in options:
            total *= len(one)
        if total > MOST_SETS:
            raise TooMany
        for choice in product(*options):
            pods = tuple(chain.from_iterable(choice))
            state = self._state(pods)
            if not any(any(True for _ in rule(state)) for rule in RULES):
                yield pods

    def _state(self, pods: tuple[Pod, ...]) -> DrillState:
        given = self._given
        overhead = given.result.question.overhead_seconds
        leaving = tuple(
            Leaver(
                order=place,
                pod=pod.full_name,
                gang=pod.gang,
                node=pod.node or "",
                second=overhead + given.grace(pod),
                in_time=True,
            )
            for place, pod in enumerate(pods, 1)
        )
        result = given.result.model_copy(update={"leaving": leaving, "places": ()})
        state = DrillState.__new__(DrillState)
        state.__dict__.update(
            {k: v for k, v in given.__dict__.items() if k not in ("state", "gone", "second")}
        )
        state.result = result
        state.gone = {pod.full_name: pod for pod in pods}
        state.second = {one.pod: one.second for one in leaving}
        return state

    def _fitting(self, state: DrillState, second: int) -> int:
        room = sum(self._on_node(state, name, second) for name in self._nodes)
        return min(room, self._need.pods, self._allowed(state))

    def _on_node(self, state: DrillState, name: str, second: int) -> int:
        node = state.snapshot.node_by_name[name]
        fits = []
        for resource, amount in (*self._need.request.items(), (PODS, 1)):
            held = sum(
                _held(pod, resource)
                for pod in state.snapshot.pods_by_node.get(name, ())
                if state.holds(pod, second)
            )
            fits.append((node.allocatable.amount(resource) - held) // amount)
        return max(min(fits), 0)

    def _allowed(self, state: DrillState) -> int:
        """Pods within the limits of the queue and its ancestors; none of the leavers count there any more."""
        need, book = self._need, state.state.queues
        most = need.pods
        for level in book.levels(need.queue) if need.queue else ():
            before = state.state.queue_usage(state.state.queue_before, level)
            used = state.state.queue_usage(state.state.queue_after, level)
            for resource, amount in need.request.items():
                limit = book.limit(level, resource)
                if limit is not None:
                    start = used if before.get(resource, 0) <= limit else before
                    most = min(most, max(limit - start.get(resource, 0), 0) // amount)
        return most

    def _vector(self, state: DrillState) -> Vector:
        need, deadline = self._need, state.result.question.deadline_seconds
        seconds = sorted({0, deadline, *state.second.values(), *self._endings(state)})
        fitting = {second: self._fitting(state, second) for second in seconds}
        back = fitting[seconds[-1]]
        last = min(second for second in seconds if fitting[second] == back)
        waited, done = 0, 0
        for second in seconds:
            waited += (fitting[second] - done) * second * need.gpus_per_pod
            done = fitting[second]
        return (
            -fitting[deadline] * need.gpus_per_pod,
            -back * need.gpus_per_pod,
            last if last > deadline else 0,
            *harm_values(state.state).values(),
            waited,
        )

    def _endings(self, state: DrillState) -> set[int]:
        return {
            second
            for pod in state.snapshot.pods
            if pod.terminating
            for second in range(70)
            if state.holds(pod, second - 1) and not state.holds(pod, second)
        }


def _held(pod: Pod, resource: str) -> int:
    return 1 if resource == PODS else pod.spec.request.amount(resource)


def _subsets(pods: list[Pod]) -> Iterator[tuple[Pod, ...]]:
    if len(pods) > 8:
        raise TooMany
    return chain.from_iterable(combinations(pods, size) for size in range(len(pods) + 1))


def only_need(result: DrillResult) -> NeedEntry | None:
    """The need, None where there are several."""
    return result.needs[0] if len(result.needs) == 1 else None
