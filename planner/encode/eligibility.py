"""Startable, rank and covered: where each gang stands in the default objective."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import numpy as np

from models.extremes import clipped
from models.workloads import Gang
from planner.encode.prepared import Prepared
from planner.problem.placement import Demand, IntArray, Standing
from planner.problem.victims import Victims

SLA_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_WITHOUT_LIMIT = float("inf")


def standings(
    prepared: Prepared, startable: Iterable[int], victims: Victims | None = None
) -> tuple[Standing, ...]:
    """Class and rank per startable demand (indices into ``problem.demands``), in the demands' order.

    Running gangs that can grow are ranked with those that wait. Running pods that a gang may preempt in its queue do
    not count against its entitlement.
    """
    chosen = sorted(startable)
    waiting = [index for index in chosen if not prepared.problem.demands[index].ready]
    ranks = _ranks(prepared, chosen)
    covered = _covered(prepared, waiting, _ranks(prepared, chosen, by_queue=True), victims)
    grows_in = "covered" if prepared.limits.proportional else "rest"
    classes = {index: "covered" if index in covered else "rest" for index in waiting}
    return tuple(
        Standing(index, classes.get(index, ""), ranks[index], grows_in) for index in chosen
    )


def one_class(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """The objective ``throughput``: one class, one rank."""
    return tuple(Standing(one.demand, one.tier_class and "all", 1, "all") for one in standings)


def _ranks(
    prepared: Prepared, chosen: list[int], *, by_queue: bool | None = None
) -> dict[int, int]:
    """Position of each gang's priority among those of its queue (or of all), from the top; equal is one rank."""
    scope_queue = prepared.policy.policy.priority_scope == "queue" if by_queue is None else by_queue
    groups: dict[int, dict[tuple[float, ...], list[int]]] = {}
    for index in chosen:
        demand = prepared.problem.demands[index]
        key = _rank_key(prepared.cases[demand.gang].gang, sla=prepared.policy.sla)
        groups.setdefault(demand.queue if scope_queue else 0, {}).setdefault(key, []).append(index)
    return {
        index: position
        for keys in groups.values()
        for position, key in enumerate(sorted(keys), start=1)
        for index in keys[key]
    }


def _rank_key(gang: Gang, *, sla: bool) -> tuple[float, ...]:
    if not sla:
        return (-gang.priority,)
    return (-gang.priority, _latest_start(gang))


def _latest_start(gang: Gang) -> float:
    """Creation plus SLA waiting time in seconds of the epoch; gangs without one come after all others."""
    text = next((gang.annotations[key] for key in SLA_KEYS if key in gang.annotations), "")
    waiting = go_duration_s(text)
    if waiting is None or not gang.created:
        return _WITHOUT_LIMIT
    moment = datetime.fromisoformat(gang.created.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() + waiting


def go_duration_s(text: str) -> float | None:
    """Seconds of a Go duration such as ``1h30m``; None where it is not one."""
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _covered(
    prepared: Prepared, chosen: list[int], ranks: Mapping[int, int], victims: Victims | None
) -> frozenset[int]:
    """The walk of the default objective, queue by queue."""
    if prepared.limits.proportional:
        return frozenset(chosen)
    by_queue: dict[int, list[int]] = {}
    for index in chosen:
        by_queue.setdefault(prepared.problem.demands[index].queue, []).append(index)
    found: set[int] = set()
    for queue, members in by_queue.items():
        found.update(_walk(prepared, queue, members, ranks, victims))
    return frozenset(found)


def _walk(
    prepared: Prepared,
    queue: int,
    members: list[int],
    ranks: Mapping[int, int],
    victims: Victims | None,
) -> Iterable[int]:
    problem = prepared.problem
    name = problem.queue_names[queue]
    used = prepared.usage.get(name)
    names = problem.dimensions[:-1]
    total = np.array(clipped(used.amount(one) if used else 0 for one in names), dtype=np.int64)
    counted = np.array([prepared.limits.has_deserved(name, one) for one in names], dtype=np.bool_)
    deserved = np.array(
        clipped(int(prepared.limits.deserved(name, one)) for one in names), dtype=np.int64
    )
    members = sorted(members, key=lambda one: (ranks[one], *_order(problem.demands[one], prepared)))
    failed_rank: int | None = None
    leaving = _Preemptable(victims, name, len(names))
    for index in members:
        if failed_rank is not None and ranks[index] > failed_rank:
            return
        need = np.array(problem.demands[index].minimum[:-1], dtype=np.int64)
        asked = counted & (need > 0)
        staying = total - leaving.by(index)
        if asked.any() and bool(np.all((staying + need)[asked] <= deserved[asked])):
            total += need
            yield index
        elif failed_rank is None:
            failed_rank = ranks[index]


class _Preemptable:
    """Sums of a queue's running pods that a gang of it may preempt."""

    def __init__(self, victims: Victims | None, queue: str, dimensions: int) -> None:
        self._victims = victims
        self._none = np.zeros(dimensions, dtype=np.int64)
        self._pods: list[tuple[int, IntArray]] = []
        if victims is not None and victims.preempt:
            for one in victims.pods:
                kind = victims.kinds[one.kind]
                if kind.queue == queue:
                    vector = np.array(kind.vector[:-1], dtype=np.int64) * len(one.names)
                    self._pods.append((kind.priority, vector))

    def by(self, demand: int) -> IntArray:
        """What the demand's gang may preempt."""
        if self._victims is None or not self._victims.starters[demand].causes:
            return self._none
        priority = self._victims.starters[demand].priority
        return sum((vector for own, vector in self._pods if own < priority), self._none)


def _order(demand: Demand, prepared: Prepared) -> tuple[str, str]:
    return prepared.problem.gang_order[demand.gang]
