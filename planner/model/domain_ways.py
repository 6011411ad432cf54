"""I6 where there are too many kinds of gangs and domains to decide who is where: ways to be inside one domain.

A *kind* are gangs with as many pods of one shape that choose from the same domains. A *way* w of a kind says in which
domain a gang is and how many pods its nodes get; a_wg are its pods on node group g. With l_w gangs that go way w:

- ``sum_w l_w = sum_k z_k`` over the classes k of a kind;
- ``x_sg >= sum_w a_wg l_w`` for every shape s and group g;
- ``sum_w gpus_w a_wg l_w <= GPUs_rg`` over the ways into domain r, for the free GPUs of its nodes in g.

The rows hold for every plan. Ways are found by their price: what a pod on a group costs is known from the relaxation,
so the cheapest way into a domain takes its nodes in the order of their price.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from planner.capacity.counted_room import fit_counts
from planner.model.build import BuiltModel
from planner.model.domain_bounds import free_gpus
from planner.model.filled_nodes import Filled, FilledNodes
from planner.model.opened_nodes import Opened, OpenedNodes
from planner.model.sharing import Gangs, Places, sharing
from planner.model.whole_nodes import least_pods
from planner.problem.placement import IntArray
from planner.reduce.cheapest_nodes import FloatArray, OrderedNodes, SteppedNodes
from planner.solve.generated import NewColumn, OwnRow

PER_KIND = 5
"""Domains of which a kind gets its cheapest ways in one round."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Gangs with ``pods`` pods of one shape, each gang inside one of the domains."""

    shape: int
    pods: int
    choices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """Nodes of one domain (its number) with the pods that a gang of the kind has there.

    ``shared``: others may have pods on the same nodes, so that the way counts in no *opened* row (see opened_nodes).
    """

    kind: Kind
    domain: int
    spots: tuple[tuple[int, int], ...]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """Row of a shape's pods on a group."""

    shape: int
    group: int


@dataclass(frozen=True, slots=True)
class Cell:
    """Row of a domain's nodes in a group."""

    domain: int
    group: int


@dataclass(frozen=True, slots=True)
class _Fitting:
    """Nodes that hold pods of a shape, sorted by domain: their domain (place among the choices), group and pods."""

    nodes: IntArray
    place: IntArray
    group: IntArray
    pods: IntArray


@dataclass
class DomainWays:
    """The ways of a model's kinds, as columns of its relaxation."""

    built: BuiltModel
    kinds: dict[Kind, list[int]] = field(default_factory=dict)
    counts: Callable[[int], IntArray] | None = None
    _fitting: dict[tuple[int, tuple[int, ...]], _Fitting] = field(default_factory=dict)
    _columns: dict[int, IntArray] = field(default_factory=dict)
    _alike: dict[tuple[int, tuple[int, ...]], list[Kind]] = field(default_factory=dict)
    _free: IntArray | None = None

    def __post_init__(self) -> None:
        form = self.built.form
        self._opened = OpenedNodes(self.built)
        self._group_of = np.full(len(form.problem.node_names), -1, dtype=np.int64)
        gpus = form.problem.shape_gpus
        for k, one in enumerate(form.classes):
            choices = one.example.choices
            if choices is None or one.growing:
                continue
            pods_of = least_pods(one.example)
            with_gpus = {s: n for s, n in pods_of.items() if gpus[s]}
            if len(with_gpus) == 1 and sum(pods_of.values()) > 1:
                ((shape, pods),) = with_gpus.items()
                self.kinds.setdefault(Kind(shape, pods, choices), []).append(k)
        for kind in self.kinds:
            self._alike.setdefault((kind.shape, kind.choices), []).append(kind)
        self._filled = FilledNodes(self.built, {int(gpus[kind.shape]) for kind in self.kinds})
        for number, group in enumerate(form.groups):
            self._group_of[list(group.nodes)] = number
        own = form.variables.spots.own
        for shape in {kind.shape for kind in self.kinds}:
            self._columns[shape] = np.array(
                [own.get((shape, g), -1) for g in range(len(form.groups))], dtype=np.int64
            )

    def beside(self, counts: Callable[[int], IntArray] | None) -> None:
        """Ways from now on take what fits beside others: ``counts`` tells the pods of a shape that nodes still hold."""
        self.counts = counts
        self._fitting.clear()

    def keys(self) -> Sequence[Hashable]:
        """Every kind has its row from the first way on: without ways none of its gangs starts."""
        return list(self.kinds)

    def row(self, key: Hashable) -> OwnRow:
        """The row of a kind, or of a shape on a group."""
        starts = self.built.form.variables.starts
        if isinstance(key, Kind):
            columns = tuple(c for k in self.kinds[key] if (c := starts[k]) is not None)
            return OwnRow(columns, (-1,) * len(columns), 0.0, 0.0)
        if isinstance(key, Cell):
            return OwnRow((), (), -math.inf, float(self._gpus_in(key)))
        if isinstance(key, Opened):
            return self._opened.row(key)
        if isinstance(key, Filled):
            return self._filled.row(key)
        if not isinstance(key, Link):
            raise TypeError(f"no row is called {key!r}")
        return OwnRow((int(self._columns[key.shape][key.group]),), (1,), 0.0, math.inf)

    def _gpus_in(self, cell: Cell) -> int:
        if self._free is None:
            self._free = free_gpus(self.built.form.problem)
        nodes = self.built.form.problem.topology.arrays(cell.domain)
        return int(self._free[nodes][self._group_of[nodes] == cell.group].sum())

    def column(self, way: Way) -> NewColumn:
        """The column of a way."""
        pods: dict[int, int] = {}
        for node, count in way.spots:
            group = int(self._group_of[node])
            pods[group] = pods.get(group, 0) + count
        shape = way.kind.shape
        gpus = int(self.built.form.problem.shape_gpus[shape])
        entries: list[tuple[Hashable, int]] = [(way.kind, 1)]
        for group, count in sorted(pods.items()):
            entries += [(Link(shape, group), -count), (Cell(way.domain, group), count * gpus)]
        entries += self._opened.entries(gpus, way.kind.choices, way.spots, shared=way.shared)
        on_groups = [(int(self._group_of[node]), count) for node, count in way.spots]
        entries += self._filled.entries(gpus, on_groups)
        return NewColumn(way, tuple(entries))

    def again(self, way: Way, counts: IntArray) -> Way | None:
        """The same pods on the same groups of the domain, on nodes that hold ``[nodes]`` so many; None without room."""
        nodes = self.built.form.problem.topology.arrays(way.domain)
        wanted: dict[int, int] = {}
        for node, count in way.spots:
            group = int(self._group_of[node])
            wanted[group] = wanted.get(group, 0) + count
        spots: list[tuple[int, int]] = []
        for group, pods in wanted.items():
            mine = nodes[(self._group_of[nodes] == group) & (counts[nodes] > 0)]
            for node in mine[np.argsort(counts[mine], kind="stable")].tolist():
                if pods:
                    spots.append((node, min(pods, int(counts[node]))))
                    pods -= spots[-1][1]
            if pods:
                return None
        return replace(way, spots=tuple(sorted(spots)))

    def better(
        self, losses: FloatArray, prices: Mapping[Hashable, float]
    ) -> Sequence[tuple[NewColumn, float]]:
        """Per kind the ways that gain most: what a gang more gains, less what its pods cost where they are."""
        found: list[tuple[NewColumn, float]] = []
        dear, links = self._dear(prices), self._links(prices)
        filled = {key: price for key, price in prices.items() if isinstance(key, Filled) and price}
        opened = {key: price for key, price in prices.items() if isinstance(key, Opened) and price}
        ordered: dict[tuple[int, tuple[int, ...]], OrderedNodes | SteppedNodes] = {}
        for number, kind in enumerate(self.kinds):
            worth = prices.get(kind, math.inf)
            if worth <= 0:
                continue  # nobody costs less than nothing
            key = kind.shape, kind.choices
            if key not in ordered:
                costs = self._costs(kind.shape, losses, links)
                ordered[key] = self._ordered(kind, costs, dear[kind.choices], opened, filled)
            for way, cost in self._cheapest(kind, ordered[key], number):
                if worth - cost <= 0:
                    break
                found.append((self.column(way), worth - cost))
        return found

    def loosened(self, losses: FloatArray, prices: Mapping[Hashable, float]) -> bool:
        """Whether gangs that share nodes could gain something somewhere: ways into such domains are shared then."""
        if self.counts is not None:
            return False  # beside pods on nodes nothing is proved
        opened: dict[Opened, float] = {}
        some: set[tuple[int, tuple[int, ...]]] = set()
        for key, price in prices.items():
            if isinstance(key, Opened) and price:
                opened[key] = price
                some.add((key.size, key.choices))
        found = False
        for size, choices in sorted(some):

            def steps(
                nodes: IntArray,
                most: int,
                each: int = size // 2,
                choices: tuple[int, ...] = choices,
            ) -> FloatArray:
                return self._opened.costs(each, choices, nodes, most, opened)

            gangs = self._sharing(choices, size // 2, losses, prices)
            for place in sharing(gangs, len(choices), len(self._group_of), steps):
                if not self._opened.shared(size // 2, choices, choices[place]):
                    self._opened.leave(size, choices, choices[place])
                    found = True
        return found

    def _sharing(
        self,
        choices: tuple[int, ...],
        each: int,
        losses: FloatArray,
        prices: Mapping[Hashable, float],
    ) -> list[Gangs]:
        """Gangs with pods of so many GPUs that are worth something, and what these cost on every node."""
        dear, links = self._dear(prices)[choices], self._links(prices)
        found = []
        for kind, members in self.kinds.items():
            worth = prices.get(kind, 0.0)
            gpus = int(self.built.form.problem.shape_gpus[kind.shape])
            if worth <= 0 or kind.choices != choices or gpus != each:
                continue
            fits = self._fits(kind.shape, choices)
            costs = self._costs(kind.shape, losses, links)[fits.group] + dear[fits.nodes] * each
            able = np.isfinite(costs)
            places = Places(fits.nodes[able], fits.place[able], fits.pods[able], costs[able])
            alike = sum(self.built.form.classes[k].size for k in members)
            found.append(Gangs(kind.pods, alike, worth, places))
        return found

    def node_costs(
        self, losses: FloatArray, prices: Mapping[Hashable, float]
    ) -> dict[int, FloatArray]:
        """Shape to ``[nodes]`` what one pod costs there: room on groups and in domains that others could use."""
        dear, links = np.max(list(self._dear(prices).values()), axis=0), self._links(prices)
        gpus = self.built.form.problem.shape_gpus
        return {
            shape: np.append(self._costs(shape, losses, links), np.inf)[self._group_of]
            + dear * gpus[shape]
            for shape in self._columns
        }

    def _links(self, prices: Mapping[Hashable, float]) -> dict[int, list[tuple[int, float]]]:
        """Shape to groups with a row of the shape, and what one more pod of it costs there."""
        found: dict[int, list[tuple[int, float]]] = {}
        for key, price in prices.items():
            if isinstance(key, Link):
                found.setdefault(key.shape, []).append((key.group, max(price, 0.0)))
        return found

    def _costs(
        self, shape: int, losses: FloatArray, links: Mapping[int, Sequence[tuple[int, float]]]
    ) -> FloatArray:
        """``[groups]`` what one pod of a shape costs there: by its row, or as what forces its column to 1."""
        columns = self._columns[shape]
        found = np.where(columns >= 0, losses[columns], np.inf)
        for group, price in links.get(shape, ()):
            found[group] = price
        return found

    def _dear(self, prices: Mapping[Hashable, float]) -> dict[tuple[int, ...], FloatArray]:
        """Choices to ``[nodes]`` what a GPU costs there because others want to be in the same domain."""
        topology = self.built.form.problem.topology
        found = {kind.choices: np.zeros(len(self._group_of)) for kind in self.kinds}
        inside = {choices: frozenset(choices) for choices in found}
        for key, price in prices.items():
            if isinstance(key, Cell) and price < 0:  # whoever takes room there gains less
                nodes = topology.arrays(key.domain)
                mine = nodes[self._group_of[nodes] == key.group]
                for choices, each in found.items():
                    if key.domain in inside[choices]:
                        each[mine] -= price
        return found

    def _ordered(
        self,
        kind: Kind,
        costs: FloatArray,
        dear: FloatArray,
        opened: Mapping[Opened, float],
        filled: Mapping[Filled, float],
    ) -> OrderedNodes | SteppedNodes:
        """The nodes that pods of the kind take first, where they cost so much on groups and nodes."""
        fits = self._fits(kind.shape, kind.choices)
        gpus = int(self.built.form.problem.shape_gpus[kind.shape])
        each = costs[fits.group] + dear[fits.nodes] * gpus
        most = max(one.pods for one in self._alike[kind.shape, kind.choices])
        on_node = min(int(fits.pods.max(initial=0)), most)
        steps = self._opened.costs(gpus, kind.choices, fits.nodes, on_node, opened)
        steps = steps + self._filled.costs(gpus, fits.group, on_node, filled)
        if steps.any():
            pods = np.arange(on_node + 1)
            able = (pods <= fits.pods[:, None]) & (np.isfinite(each)[:, None] | (pods == 0))
            linear = np.where(np.isfinite(each), each, 0.0)[:, None] * pods
            stepped = np.where(able, linear + steps, np.inf)
            return SteppedNodes(fits.nodes, fits.place, stepped, len(kind.choices), most)
        return OrderedNodes(fits.nodes, fits.place, fits.pods, each, len(kind.choices))

    def _cheapest(
        self, kind: Kind, ordered: OrderedNodes | SteppedNodes, number: int
    ) -> list[tuple[Way, float]]:
        """The cheapest way into each domain, the cheapest first; ties go to the domain that it fills best."""
        found, domains = ordered.take(kind.pods), len(kind.choices)
        able = np.flatnonzero(np.isfinite(found.costs))
        turned = (able + PER_KIND * number) % domains
        keys = (turned, found.rooms[able], np.round(found.costs[able], 7))
        gpus = int(self.built.form.problem.shape_gpus[kind.shape])
        ways = []
        for at in able[np.lexsort(keys)][:PER_KIND].tolist():
            domain, spots = kind.choices[at], tuple(sorted(found.spots(at)))
            shared = self._opened.shared(gpus, kind.choices, domain)
            ways.append((Way(kind, domain, spots, shared), float(found.costs[at])))
        return ways

    def _fits(self, shape: int, choices: tuple[int, ...]) -> _Fitting:
        key = shape, choices
        if key not in self._fitting:
            problem = self.built.form.problem
            if self.counts is None:
                counts = fit_counts(problem.free, problem.requests[shape], problem.admits[shape])
            else:
                counts = self.counts(shape)
            place = np.full(len(counts), -1, dtype=np.int64)
            for position, number in enumerate(choices):
                place[problem.topology.arrays(number)] = position
            nodes = np.flatnonzero((counts > 0) & (place >= 0) & (self._group_of >= 0))
            found = _Fitting(nodes, place[nodes], self._group_of[nodes], counts[nodes])
            self._fitting[key] = found
        return self._fitting[key]
