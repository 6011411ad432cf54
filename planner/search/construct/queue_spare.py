"""How much may still be reclaimed from each queue: what the greedy choice of victims keeps to (I7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from planner.problem.victims import Share, Victims


class QueueSpare:
    """Use of the queues that could fall below what they deserve or are guaranteed.

    A loss is taken only where its queue is above what it deserves before the last of its pods leaves. Taken losses
    then stay legal in the order in which they were taken, whatever is given back in between.
    """

    def __init__(self, victims: Victims, reclaimed: Collection[int]) -> None:
        self._victims = victims
        self._kinds = frozenset(reclaimed)
        self._used: dict[str, dict[str, int]] = {}
        total: dict[str, dict[str, int]] = {}
        for one in victims.pods:
            if one.kind in self._kinds:
                kind = victims.kinds[one.kind]
                for name, amount in kind.request.items():
                    gone = total.setdefault(kind.queue, {})
                    gone[name] = gone.get(name, 0) + amount * len(one.names)
        for queue, gone in total.items():
            if not _ample(victims, queue, gone, self._kinds):
                self._used[queue] = dict(victims.shares[queue].used)

    @property
    def binds(self) -> bool:
        """Whether any queue needs to be looked at."""
        return bool(self._used)

    def allows(self, pods: Mapping[int, int]) -> bool:
        """Whether so many pods per kind may leave now."""
        if not self._used:
            return True
        queues: dict[str, dict[int, int]] = {}
        for kind, count in pods.items():
            queue = self._victims.kinds[kind].queue
            if kind in self._kinds and queue in self._used:
                queues.setdefault(queue, {})[kind] = count
        return all(self._spares(queue, counts) for queue, counts in queues.items())

    def take(self, pods: Mapping[int, int], sign: int) -> None:
        """Pods per kind leave (1), or stay after all (-1)."""
        for kind, count in pods.items() if self._used else ():
            one = self._victims.kinds[kind]
            used = self._used.get(one.queue)
            if used is not None and kind in self._kinds:
                for name, amount in one.request.items():
                    used[name] = used.get(name, 0) - sign * amount * count

    def _spares(self, queue: str, counts: Mapping[int, int]) -> bool:
        share, used = self._victims.shares[queue], self._used[queue]
        gone: dict[str, int] = {}
        for kind, count in counts.items():
            for name, amount in self._victims.kinds[kind].request.items():
                gone[name] = gone.get(name, 0) + amount * count
        floors = share.guarantee.items()
        if any(name in gone and used.get(name, 0) - gone[name] < floor for name, floor in floors):
            return False
        for kind in counts:
            request = self._victims.kinds[kind].request
            if not any(share.deserved.get(name, 0) > 0 for name in request):
                continue
            if not any(
                used.get(name, 0) - gone[name] + amount > share.deserved.get(name, 0)
                for name, amount in request.items()
                if name in share.counted
            ):
                return False
        return True


def _ample(victims: Victims, queue: str, gone: Mapping[str, int], kinds: Collection[int]) -> bool:
    """Even with all its possible victims gone the queue exceeds its share in what each of them requests."""
    share: Share = victims.shares[queue]
    rest = {name: share.used.get(name, 0) - amount for name, amount in gone.items()}
    if any(name in rest and rest[name] < floor for name, floor in share.guarantee.items()):
        return False
    return all(
        not any(share.deserved.get(name, 0) > 0 for name in one.request)
        or any(
            rest.get(name, share.used.get(name, 0)) >= share.deserved.get(name, 0)
            for name in one.request
            if name in share.counted
        )
        for number, one in enumerate(victims.kinds)
        if number in kinds and one.queue == queue
    )
