"""Asking for less of some roles: minima that fit beside the plan, minMember lowered with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from planner.encode.minimum import least_requests
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import Candidate
from planner.explain.fixes.role_minima import Lowered, lowered
from planner.problem.placement import Demand, IntArray


def fewer_of_roles(
    bench: Bench, demand: Demand, queues: Mapping[int, IntArray]
) -> Candidate | None:
    """The smallest change of minima that is found: minMember down to their sum, one role, else several.

    No role loses its last pod, and pods that run already are not given away.
    """
    search = _Search(bench, demand, queues)
    found = search.of_all() or search.of_one() or search.of_several()
    return found.candidate() if found else None


class _Search:
    """Smaller minima of one gang, tried beside the plan."""

    def __init__(self, bench: Bench, demand: Demand, queues: Mapping[int, IntArray]) -> None:
        self._bench, self._demand, self._queues = bench, demand, queues
        case = bench.prepared.cases[demand.gang]
        self._gang = case.gang
        self._have = Counter(
            pod.role for pod in case.pods if pod.running or pod.phase == "Succeeded"
        )
        self._least = {
            role: min(max(self._have[role], 1), minimum)
            for role, minimum in self._gang.role_minimum.items()
        }

    def of_all(self) -> Lowered | None:
        """Only minMember, not below the sum of the minima."""
        gang = self._gang
        total = sum(gang.role_minimum.values())
        return self._most(
            [Lowered(gang, dict(gang.role_minimum), one) for one in range(total, gang.min_member)]
        )

    def of_one(self) -> Lowered | None:
        """The role of which the fewest pods have to be given up."""
        now = dict(self._gang.role_minimum)
        found = [one for role in now if (one := self._most(self._down(now, role)))]
        return min(found, key=lambda one: one.fewer, default=None)

    def of_several(self) -> Lowered | None:
        """One role after the other down to its least, until it fits; then as much as possible given back."""
        now, order = dict(self._gang.role_minimum), []
        for role in sorted(now, key=lambda one: (-now[one], one)):
            order.append(role)
            now[role] = self._least[role]
            if self._fits(lowered(self._gang, now)):
                break
        else:
            return None
        for role in reversed(order):
            start = {**now, role: self._gang.role_minimum[role]}
            best = lowered(self._gang, start)
            if not self._fits(best):
                best = self._most(self._down(start, role)) or lowered(self._gang, now)
            now = dict(best.roles)
        return lowered(self._gang, now)

    def _down(self, now: Mapping[str, int], role: str) -> list[Lowered]:
        steps = range(self._least[role], now[role])
        return [lowered(self._gang, {**now, role: one}) for one in steps]

    def _most(self, ascending: list[Lowered]) -> Lowered | None:
        """The last that fits (what is smaller fits as well)."""
        low, high = 0, len(ascending)
        while low < high:
            middle = (low + high) // 2
            if self._fits(ascending[middle]):
                low = middle + 1
            else:
                high = middle
        return ascending[low - 1] if low else None

    def _fits(self, less: Lowered) -> bool:
        have = self._have
        roles = tuple(
            (role, least - have[role])
            for role, least in sorted(less.roles.items())
            if least > have[role]
        )
        counted = sum(have.values())
        need = max(less.member - counted, 0 if counted else 1, sum(n for _, n in roles))
        demand = replace(self._demand, need=need, role_need=roles)
        minimum = least_requests(demand, self._bench.problem.requests, lambda _, __: None)
        if need < 1 or minimum is None:
            return False
        return self._bench.fits(replace(demand, minimum=minimum), queues=self._queues)
