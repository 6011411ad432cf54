"""What queues have above their entitlement while pods are reclaimed from them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from models.workloads import Pod
from planner.verify.causes import above
from planner.verify.state import State, Usage


class Lending:
    """Takes pods in order, as long as their queue keeps its guarantee and is above deserved before each one.

    With ``ancestor_reclaim_level`` the ancestors must be above theirs too, whoever asks: stricter than the rule.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._used: dict[str, Usage] = {}

    def take(self, queue: str, pods: Sequence[Pod]) -> bool:
        """Take all these pods of one queue, or none."""
        for place, pod in enumerate(pods):
            if not self._may_go(queue, pod):
                self.restore(pods[:place])
                return False
            self._count(queue, pod, -1)
        return True

    def restore(self, pods: Iterable[Pod]) -> None:
        """Pods are not taken after all; those that were not reclaimed must not be given."""
        for pod in pods:
            self._count(self._state.snapshot.gang_by_name[pod.gang].queue, pod, 1)

    def _levels(self, queue: str) -> tuple[str, ...]:
        book = self._state.queues
        depth = self._state.policy.policy.ancestor_reclaim_level if book.tree else 0
        return (queue, *book.levels(queue)[1:][:depth])

    def _usage(self, level: str) -> Usage:
        if level not in self._used:
            self._used[level] = dict(self._state.queue_usage(self._state.queue_before, level))
        return self._used[level]

    def _count(self, queue: str, pod: Pod, sign: int) -> None:
        for level in self._levels(queue):
            self._state.add(self._usage(level), pod.spec, sign)

    def _may_go(self, queue: str, pod: Pod) -> bool:
        request = self._state.request(pod.spec)
        guarantee = self._state.queues.listed[queue].guarantee
        used = self._usage(queue)
        if any(used.get(name, 0) - n < guarantee.amount(name) for name, n in request):
            return False
        return all(self._is_above(level, request) for level in self._levels(queue))

    def _is_above(self, level: str, request: tuple[tuple[str, int], ...]) -> bool:
        book, used = self._state.queues, self._usage(level)
        if not any(book.deserved(level, name) > 0 for name, _ in request):
            return True
        return any(
            above(used.get(name, 0), book.deserved(level, name))
            for name, _ in request
            if book.proportional or book.entitled(level, name)
        )
