"""Which of all other gangs start beside those in domains, in whole numbers: start after start is decided.

The relaxation that ways have been followed in goes on: what has been placed stays, and rows say how many
pods of every size its nodes still hold. Of the highest rank with gangs that are started in part the
largest are started or left out, those nearest to a whole number first, and the relaxation is solved anew, so that
other gangs of the rank take what they leave (diving). Gangs of one node are not worth a step: they are rounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from planner.model.build import BuiltModel
from planner.model.domain_bounds import free_gpus
from planner.model.domain_ways import DomainWays, Way
from planner.reduce.cheapest_nodes import FloatArray
from planner.search.construct.place_in_domains import Settler
from planner.solve.generated import GeneratedBounds

WHOLE = 1e-6
"""Distance from a whole number up to which a value counts as whole."""
TOGETHER = 2
"""One in so many of the starts of one size that are not whole is decided at once."""


def other_starts(
    settler: Settler,
    built: BuiltModel,
    source: DomainWays,
    relaxation: GeneratedBounds,
    *,
    seconds: float,
    stopped: Callable[[], bool],
) -> tuple[float, ...] | None:
    """A relaxed solution in which all starts of large gangs are whole; None where there is no time for any.

    Goals have to be soft, see :meth:`LpBounds.soften`. Rows and sides that are changed are as before only after
    :meth:`GeneratedBounds.let_go`.
    """
    until = time.perf_counter() + seconds
    _follow(settler, built, source, relaxation)
    _as_placed(settler, built, relaxation)
    starts = _Starts(built)
    found: tuple[float, ...] | None = None
    fewer: list[tuple[int, int]] = []
    while not stopped() and (left := until - time.perf_counter()) > 0:
        values = relaxation.step(seconds=left)
        if values is None:
            if not fewer:
                break
            decided, fewer = fewer, []  # as many do not fit
        else:
            found = tuple(values.tolist())
            decided = starts.next(values)
            if not decided:
                break
            fewer = [(column, int(values[column])) for column, _ in decided]
        for column, count in decided:
            relaxation.keep_start(column, count, count)
    return found


def _follow(
    settler: Settler, built: BuiltModel, source: DomainWays, relaxation: GeneratedBounds
) -> None:
    """Only the ways that gangs have been placed on are gone."""
    topology = built.form.problem.topology
    gone: dict[Way, int] = {}
    inside: dict[tuple[int, ...], dict[int, int]] = {}
    for kind, members in source.kinds.items():
        if kind.choices not in inside:
            inside[kind.choices] = {
                node: number for number in kind.choices for node in topology.arrays(number).tolist()
            }
        for k in members:
            for index in built.form.classes[k].demands:
                pods: dict[int, int] = {}
                for item, spots in settler.found.pods.get(index, {}).items():
                    if built.form.problem.demands[index].items[item].shape == kind.shape:
                        for node, count in spots:
                            pods[node] = pods.get(node, 0) + count
                if pods:
                    domain = inside[kind.choices][next(iter(pods))]
                    way = Way(kind, domain, tuple(sorted(pods.items())), shared=True)
                    gone[way] = gone.get(way, 0) + 1
    relaxation.extend([source.column(way) for way in gone])
    for name in relaxation.names():
        if isinstance(name, Way):
            relaxation.keep(name, gone.get(name, 0), gone.get(name, 0))


class _Starts:
    """Starts of gangs larger than a node, the highest rank first."""

    def __init__(self, built: BuiltModel) -> None:
        form = built.form
        largest = int(form.problem.shape_gpus.max(initial=0))
        some = [
            (column, one.example.gpus, (one.tier_class, one.rank))
            for one, column in zip(form.classes, form.variables.starts, strict=True)
            if column is not None and not one.growing and one.example.gpus > largest
        ]
        ranks = list(dict.fromkeys(rank for _, _, rank in some))
        self._columns = np.array([column for column, _, _ in some], dtype=np.int64)
        self._gpus = np.array([gpus for _, gpus, _ in some], dtype=np.int64)
        self._rank = np.array([ranks.index(rank) for _, _, rank in some], dtype=np.int64)

    def next(self, values: FloatArray) -> list[tuple[int, int]]:
        """Columns to decide now, with their number of gangs: of the largest in the highest rank those nearest to it."""
        mine = values[self._columns]
        near = np.rint(mine)
        distance = np.abs(mine - near)
        some = np.flatnonzero(distance > WHOLE)
        if not some.size:
            return []
        some = some[self._rank[some] == self._rank[some].min()]
        some = some[self._gpus[some] == self._gpus[some].max()]
        order = some[np.lexsort((self._columns[some], distance[some]))]
        chosen = order[: max(len(order) // TOGETHER, 1)]
        return [(int(self._columns[at]), int(near[at])) for at in chosen]


def _as_placed(settler: Settler, built: BuiltModel, relaxation: GeneratedBounds) -> None:
    """Gangs that have been placed are started, the others of their classes not; their pods are where they are."""
    form, problem = built.form, settler.problem
    for one, column in zip(form.classes, form.variables.starts, strict=True):
        if column is not None and not one.growing and settler.bound(one.demands[0]):
            count = sum(index in settler.found.pods for index in one.demands)
            relaxation.keep_start(column, count, count)
    pods: dict[int, int] = {}
    groups: dict[int, dict[int, int]] = {}
    free = free_gpus(problem).copy()
    every = sorted({int(size) for size in problem.shape_gpus if size})
    for pod in settler.found.placed(problem):
        gpus = int(problem.shape_gpus[pod.shape])
        group = built.group_of.get(pod.node)
        if not gpus or group is None:
            continue
        there = form.variables.spots.at[pod.shape, group].columns[group]
        pods[there] = pods.get(there, 0) + pod.count
        free[pod.node] -= gpus * pod.count
        sizes = groups.setdefault(group, {})
        sizes[gpus] = sizes.get(gpus, 0) + pod.count
    for there, count in pods.items():
        relaxation.keep_start(there, count)
    for group, placed in groups.items():
        nodes = np.array(form.groups[group].nodes, dtype=np.int64)
        for size in every:
            terms = [
                (column, int(problem.shape_gpus[shape]) // size)
                for shape, column in form.by_group[group]
                if problem.shape_gpus[shape] >= size
            ]
            if terms:
                taken = sum(gpus // size * count for gpus, count in placed.items())
                relaxation.at_most(terms, int((free[nodes] // size).sum()) + taken)
