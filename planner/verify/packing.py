"""Whether given numbers of different pods fit together on the nodes: exact, within a bound on the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.resources import PODS
from planner.verify.room import Stall

_MOST_WORK = 60_000
_MOST_OPTIONS = 2_000
Counts = tuple[int, ...]
Request = tuple[tuple[str, int], ...]


def packs(
    wanted: Counts,
    requests: Sequence[Request],
    stalls: Sequence[tuple[Stall, frozenset[int]]],
    most_work: int = _MOST_WORK,
) -> bool | None:
    """Whether ``wanted[i]`` pods with ``requests[i]`` fit together; None when the bound on the work is hit.

    Node by node the set of undominated part demands that can be served grows (dynamic programming over counts).
    ``stalls`` lists every stall with the pieces that it admits. A node that serves anything serves at least one
    pod, so of equal nodes no more than there are pods matter.
    """
    if _greedy(wanted, requests, stalls):
        return True
    reached, work = {(0,) * len(wanted)}, 0
    for stall, admitted in stalls:
        options = _options(wanted, requests, stall, admitted)
        if options is None:
            return None
        for _ in range(min(stall.nodes, sum(wanted))):
            following = set(reached)
            for served in reached:
                for option in options:
                    total = tuple(map(min, wanted, map(int.__add__, served, option)))
                    if total == wanted:
                        return True
                    following.add(total)
            work += len(reached) * len(options) + len(following)
            if work > most_work:
                return None
            following = _undominated(following)
            if following == reached:
                break
            reached = following
    return False


def _undominated(counts: set[Counts]) -> set[Counts]:
    kept: list[Counts] = []
    for one in sorted(counts, key=sum, reverse=True):
        if not any(all(map(int.__le__, one, other)) for other in kept):
            kept.append(one)
    return set(kept)


def _options(
    wanted: Counts, requests: Sequence[Request], stall: Stall, admitted: frozenset[int]
) -> list[Counts] | None:
    """Largest part demands that one node of the stall serves; None where there are too many to list."""
    partial: list[tuple[Counts, Mapping[str, int]]] = [((), stall.free)]
    for index, most in enumerate(wanted):
        following: list[tuple[Counts, Mapping[str, int]]] = []
        for counts, free in partial:
            fitting = _fitting(free, requests[index]) if index in admitted else 0
            top = min(fitting, most)
            # Of the last piece only the largest number can be undominated.
            lowest = top if index == len(wanted) - 1 else 0
            following += [
                ((*counts, count), _less(free, requests[index], count))
                for count in range(lowest, top + 1)
            ]
        if len(following) > _MOST_OPTIONS:
            return None
        partial = following
    return [one for one in _undominated({counts for counts, _ in partial}) if any(one)]


def _fitting(free: Mapping[str, int], request: Request) -> int:
    most = free.get(PODS, 0)
    for name, amount in request:
        most = min(most, free.get(name, 0) // amount)
    return max(most, 0)


def _less(free: Mapping[str, int], request: Request, count: int) -> dict[str, int]:
    rest = dict(free)
    rest[PODS] = rest.get(PODS, 0) - count
    for name, amount in request:
        rest[name] = rest.get(name, 0) - amount * count
    return rest


def _greedy(
    wanted: Counts, requests: Sequence[Request], stalls: Sequence[tuple[Stall, frozenset[int]]]
) -> bool:
    """Largest requests first, each on nodes in the given order; a success is a proof, a failure is not."""
    left = list(wanted)
    order = sorted(range(len(wanted)), key=lambda i: sum(n for _, n in requests[i]), reverse=True)
    for stall, admitted in stalls:
        for _ in range(stall.nodes):
            free: Mapping[str, int] = stall.free
            served = 0
            for index in order:
                fitting = _fitting(free, requests[index]) if index in admitted else 0
                count = min(fitting, left[index])
                if count:
                    free = _less(free, requests[index], count)
                    left[index] -= count
                    served += count
            if not any(left):
                return True
            if served == 0:
                break
    return not any(left)
