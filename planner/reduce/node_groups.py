"""Groups of nodes with valid packing rows, from coarse to single nodes (apply; ``nodes`` inverts).

For *any* group of nodes that admit the same shapes these rows hold for the pods ``x_s`` placed in it:

- sums: ``sum_s request_sd x_s <= sum_n free_nd`` for every dimension d;
- reference counts: ``sum_s m_rs x_s <= sum_n fit_n(r)`` for a reference shape r, where a pod of shape s holds m_rs
  copies of r (``m_rs = min_d floor(request_sd / request_rd)``) and fit_n(r) counts the copies of r that fit on node n;
- nested sizes: ``sum_s floor(request_sd / c) x_s <= sum_n floor(free_nd / c)`` for a GPU dimension d and every size c
  that is asked for in it.

The last family is also sufficient when the sizes form a divisor chain and no other dimension binds. (The second one
alone is not: a pod never holds two others where pods are counted.) So a model over groups is a relaxation, its bounds
are valid for the cluster, and it is exact for a group of one node. A group is *uniform* when its nodes have the same
effective room. Groups lie inside one topology cell (see :mod:`planner.reduce.partition`).

Where even such groups are too many, nodes that admit *different* shapes become one (``mixed``): the sums and nested
sizes hold there too, the reference counts do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.resources import BASE_DIMENSIONS
from planner.capacity.cards.card_sizes import CardLimit, CardSizes
from planner.capacity.fit import node_counts
from planner.problem.placement import BoolArray, IntArray, PlacementProblem
from planner.problem.rule_names import is_rule
from planner.reduce.partition import node_cells


@dataclass(frozen=True)
class NodeGroup:
    """Nodes that admit the same shapes; of a mixed group, different ones.

    Attributes
    ----------
    nodes
        Node indices, ascending.
    room
        ``[dimensions]`` sum of effective free amounts.
    fits
        ``[shapes]`` sum over the nodes of the pods of each shape that fit alone; 0 where not admitted.
    largest
        ``[dimensions]`` largest effective free amount of a node.
    gpus
        Allocatable GPUs of each node (the same for all).
    has_gpu_pods
        Whether pods with GPUs hold the nodes already (the same for all).
    most
        ``[dimensions]`` sum of effective free amounts with all possible victims gone; () where there are none.
    victims
        (kind, pods on the group's nodes) of the possible victims.
    equal
        All nodes have the same room and the same numbers of the same victims.
    nested
        (GPU dimension, size, pieces of that size in the nodes' room).
    cards
        What the cards of the nodes hold, row by row (see :mod:`planner.capacity.cards.card_sizes`).
    together
        Sets of shapes with GPUs that did not pack together on such nodes: ways to fill a node with them are counted.
    mixed
        The nodes may admit different shapes.
    """

    nodes: tuple[int, ...]
    room: tuple[int, ...]
    fits: tuple[int, ...]
    largest: tuple[int, ...]
    gpus: int
    has_gpu_pods: bool
    uniform: bool
    most: tuple[int, ...] = ()
    victims: tuple[tuple[int, int], ...] = ()
    equal: bool = False
    nested: tuple[tuple[int, int, int], ...] = ()
    cards: tuple[CardLimit, ...] = ()
    together: tuple[tuple[int, ...], ...] = ()
    mixed: bool = False

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.nodes)


def demanded_shapes(problem: PlacementProblem) -> dict[int, int]:
    """Shape to the most pods that any plan may place of it."""
    found: dict[int, int] = {}
    for demand in problem.demands:
        for item in demand.items:
            found[item.shape] = found.get(item.shape, 0) + item.count
    return found


def effective_room(
    problem: PlacementProblem, demanded: dict[int, int]
) -> tuple[IntArray, IntArray]:
    """Room per node as far as any plan can use it, and ``[shapes, nodes]`` single-shape fits.

    Exact: an amount is capped by the most that pods which fit there can request in all, and rounded down to a
    multiple of the greatest common divisor of those requests. Nodes that differ only in room that no plan can use
    become equal.
    """
    fits = np.zeros((len(problem.requests), len(problem.node_names)), dtype=np.int64)
    for shape in demanded:
        fits[shape] = node_counts(problem, shape)
    room = problem.free.copy()
    columns: dict[bytes, list[int]] = {}
    admitted = fits > 0
    # A pod is counted by one kind of GPUs, in units of that resource, whatever the objective counts.
    kinds = [d for d in range(room.shape[1]) if _is_gpu(problem, d)]
    for node, column in enumerate(np.ascontiguousarray(admitted.T)):
        columns.setdefault(column.tobytes(), []).append(node)
    for nodes in columns.values():
        shapes = np.flatnonzero(admitted[:, nodes[0]])
        room[nodes] = _usable(problem, room[nodes], shapes, demanded, kinds)
    return room, fits


def _usable(
    problem: PlacementProblem,
    free: IntArray,
    shapes: IntArray,
    demanded: dict[int, int],
    kinds: list[int],
) -> IntArray:
    """Cap and round the room of nodes on which exactly these shapes fit."""
    if shapes.size == 0:
        return np.zeros_like(free)
    result = free.copy()
    requests = problem.requests[shapes]
    counts = np.array([demanded[int(shape)] for shape in shapes], dtype=np.int64)
    kind_of = requests[:, kinds].argmax(axis=1) if kinds else np.zeros(len(requests), np.int64)
    gpus = requests[:, kinds].max(axis=1, initial=0)
    for d in range(free.shape[1]):
        asked = requests[:, d] > 0
        if not asked.any():
            result[:, d] = 0
            continue
        with_gpu = asked & (gpus > 0)
        cap = np.full(len(free), int((requests[~(gpus > 0), d] * counts[~(gpus > 0)]).sum()))
        for number, kind in enumerate(kinds):
            mine = with_gpu & (kind_of == number)
            if mine.any():
                ratio = int((-(-requests[mine, d] // gpus[mine])).max())
                cap = cap + free[:, kind] * ratio
        amounts = np.minimum(result[:, d], cap)
        divisor = int(np.gcd.reduce(requests[asked, d]))
        result[:, d] = amounts // divisor * divisor
    return result


def _is_gpu(problem: PlacementProblem, dimension: int) -> bool:
    """A dimension of which GPU shapes ask and which the GPU count sums up; every pod is 1 in ``pods``."""
    name = problem.dimensions[dimension]
    if dimension == problem.pods_dimension or is_rule(name) or name in BASE_DIMENSIONS:
        return False
    column = problem.requests[:, dimension]
    return bool(np.any(column > 0) and np.all(column <= problem.shape_gpus))


class Grouping:
    """Makes groups of a problem's nodes; effective rooms and single-shape fits are computed once."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem = problem
        self.room, self.fits = effective_room(problem, demanded_shapes(problem))
        self._gpu_columns = [d for d in range(len(problem.dimensions)) if _is_gpu(problem, d)]
        self._admitted = np.ascontiguousarray((self.fits > 0).T)
        cells = node_cells(problem)
        self._cells = [0] * len(problem.node_names) if cells is None else cells.tolist()
        asked = problem.requests[sorted(demanded_shapes(problem))]
        cards = problem.cards
        self._cards = None if cards is None else CardSizes(cards, demanded_shapes(problem))
        self._sizes = [
            (d, int(size)) for d in self._gpu_columns for size in np.unique(asked[:, d]) if size
        ]

    def uniform(self) -> tuple[NodeGroup, ...]:
        """Groups of nodes with the same admitted shapes, effective room, GPUs and state.

        Nodes on which nothing fits are left out.
        """
        keys: dict[tuple[object, ...], list[int]] = {}
        for node in np.flatnonzero(self._admitted.any(axis=1)):
            keys.setdefault(self._key(int(node)), []).append(int(node))
        return tuple(self.group(nodes) for nodes in keys.values())

    def singles(self) -> tuple[NodeGroup, ...]:
        """One group per useful node: the unreduced model."""
        return tuple(self.group([int(n)]) for n in np.flatnonzero(self._admitted.any(axis=1)))

    def coarse(self, fine: Sequence[NodeGroup], most: int) -> tuple[NodeGroup, ...]:
        """Merge groups until there are at most ``most``, where possible; the rows stay valid.

        Groups that admit the same shapes and agree in GPUs, state and free GPUs merge; if that is not enough, their
        free GPUs may differ too.
        """
        merged: dict[tuple[object, ...], list[int]] = {}
        for keep_free_gpus in (True, False):
            merged = {}
            for group in fine:
                merged.setdefault(self._coarse_key(group, keep_free_gpus), []).extend(group.nodes)
            if len(merged) <= most:
                break
        return tuple(self.group(nodes) for nodes in merged.values())

    def widest(self, fine: Sequence[NodeGroup]) -> tuple[NodeGroup, ...]:
        """One mixed group for all nodes of a cell with the same GPUs and state; as they were where cards are shared."""
        if self._cards is not None:
            return tuple(fine)
        merged: dict[tuple[object, ...], list[int]] = {}
        for group in fine:
            key = (self._cells[group.nodes[0]], group.gpus, group.has_gpu_pods)
            merged.setdefault(key, []).extend(group.nodes)
        return tuple(
            replace(self.group(nodes), mixed=True, uniform=False) for nodes in merged.values()
        )

    def merged_without_gpus(self, fine: Sequence[NodeGroup]) -> tuple[NodeGroup, ...]:
        """Groups on which no pod with GPUs fits, merged as in :meth:`coarse`; the others as they are.

        They are many and seldom scarce: nodes whose GPUs are in use differ in the CPU and memory that is left.
        """
        gpu_shapes = np.flatnonzero(self.problem.shape_gpus > 0)
        useful = [bool(self._admitted[list(g.nodes)][:, gpu_shapes].any()) for g in fine]
        without = [g for g, has in zip(fine, useful, strict=True) if not has]
        kept = [g for g, has in zip(fine, useful, strict=True) if has]
        return (*kept, *self.coarse(without, 0))

    def split(self, group: NodeGroup) -> tuple[NodeGroup, ...]:
        """The next finer groups: uniform ones of a mixed group, single nodes of a uniform one."""
        if group.uniform:
            return tuple(self.group([node]) for node in group.nodes)
        keys: dict[tuple[object, ...], list[int]] = {}
        for node in group.nodes:
            keys.setdefault(self._key(node), []).append(node)
        return tuple(self.group(nodes) for nodes in keys.values())

    def group(self, nodes: Sequence[int]) -> NodeGroup:
        """A group of these nodes, with the sums that its rows need."""
        members = np.array(sorted(nodes), dtype=np.int64)
        rooms = self.room[members]
        admitted = self._admitted[members]
        return NodeGroup(
            nodes=tuple(int(node) for node in members),
            room=tuple(int(amount) for amount in rooms.sum(axis=0)),
            fits=tuple(self.fits[:, members].sum(axis=1).tolist()),
            largest=tuple(int(amount) for amount in rooms.max(axis=0)),
            gpus=int(self.problem.node_gpus[members[0]]),
            has_gpu_pods=bool(self.problem.node_has_gpu_pods[members[0]]),
            uniform=bool(np.all(rooms == rooms[0]) and np.all(admitted == admitted[0]))
            and (self._cards is None or len({self._cards.look(int(n)) for n in members}) == 1),
            nested=tuple((d, size, int((rooms[:, d] // size).sum())) for d, size in self._sizes),
            cards=() if self._cards is None else self._cards.limits(members),
        )

    def _key(self, node: int) -> tuple[object, ...]:
        return (
            self._cells[node],
            self._admitted[node].tobytes(),
            self.room[node].tobytes(),
            int(self.problem.node_gpus[node]),
            bool(self.problem.node_has_gpu_pods[node]),
            b"" if self._cards is None else self._cards.look(node),
        )

    def _coarse_key(self, group: NodeGroup, keep_free_gpus: bool) -> tuple[object, ...]:
        admits: BoolArray = self.problem.admits[:, group.nodes[0]]
        free_gpus = tuple(group.largest[d] for d in self._gpu_columns) if keep_free_gpus else ()
        cell = self._cells[group.nodes[0]]
        return (cell, admits.tobytes(), free_gpus, group.gpus, group.has_gpu_pods)
