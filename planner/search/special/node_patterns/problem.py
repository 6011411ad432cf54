"""The placement problem in terms of patterns: node types, kinds of pods, and which pods may use which types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.encode.cards.card_table import summed
from planner.problem.placement import BoolArray, IntArray, PlacementProblem
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup
from planner.search.special.node_patterns.coarse import MOST_CELLS, few_steps, grouped

Pattern = Mapping[int, int]
"""Kind of pods to their number on one node."""
MOST_TYPES = 400
"""Node types beyond which patterns are not tried: their prices would cost more than they give."""
MOST_STEPS = 1000
"""Steps of a card's capacity (in units of the common divisor of what is asked for) up to which it can be priced."""


@dataclass(frozen=True)
class PatternProblem:
    """Nodes that are alike as types, pods that ask for the same as kinds.

    A *kind* is what a pod takes of a node; a *flow* is a shape (its admitted nodes too) on the types of one *site*.
    Types of one site admit the same shapes.

    Attributes
    ----------
    nodes
        Per type its nodes.
    room
        ``[types, resources]`` free sums of one node.
    cards
        Per type the free steps of its cards that can hold shares, untouched ones apart (``untouched``).
    untouched
        Per type the number of cards that nobody uses.
    whole
        Steps of an untouched card.
    asks
        ``[kinds, resources]`` request of one pod.
    steps, count
        ``[kinds]`` steps of a card that a pod takes, and how many whole cards (0 = a share of one).
    value
        ``[kinds]`` GPUs of one pod, the most of those that are counted as one kind.
    shapes, supply, kind, worth
        Per flow source: shape of the problem, pods that wait, their kind, GPUs of one of them.
    site
        ``[types]`` site of each type.
    open
        ``[sites, sources]`` whether the site admits the shape.
    gpus
        ``[types]`` GPUs of one node, 0 where GPU pods run already: what a first GPU pod takes from the empty nodes.
    rounded
        Pods of many kinds are counted as few, see :mod:`planner.search.special.node_patterns.coarse`.
    """

    nodes: tuple[tuple[int, ...], ...]
    room: IntArray
    cards: tuple[tuple[int, ...], ...]
    untouched: IntArray
    whole: int
    asks: IntArray
    steps: IntArray
    count: IntArray
    value: IntArray
    shapes: tuple[int, ...]
    supply: IntArray
    kind: IntArray
    worth: IntArray
    site: IntArray
    open: BoolArray
    gpus: IntArray
    rounded: bool = False

    @cached_property
    def number(self) -> IntArray:
        """``[types]`` nodes of each type."""
        return np.array([len(one) for one in self.nodes], dtype=np.int64)

    @property
    def all_gpus(self) -> int:
        """GPUs of all pods."""
        return int((self.worth * self.supply).sum())

    @cached_property
    def on_cards(self) -> IntArray:
        """``[kinds]`` steps of cards that a pod takes in all."""
        return np.where(self.count > 0, self.count * self.whole, self.steps)

    @cached_property
    def held(self) -> IntArray:
        """``[types]`` steps that the cards of one node hold."""
        in_use = np.array([sum(cards) for cards in self.cards], dtype=np.int64)
        return self.untouched * self.whole + in_use

    @cached_property
    def most(self) -> float:
        """A bound on the GPUs of any plan: all pods, or all cards full of what counts most per step."""
        per_step = float((self.value / self.on_cards).max())
        return min(float(self.all_gpus), per_step * float(self.held @ self.number))

    @cached_property
    def wanted(self) -> IntArray:
        """``[sites, kinds]`` pods of each kind that may go to a site."""
        found = np.zeros((len(self.open), len(self.value)), dtype=np.int64)
        for site, row in enumerate(self.open):
            np.add.at(found[site], self.kind[row], self.supply[row])
        return found

    @cached_property
    def able(self) -> BoolArray:
        """``[types, kinds]`` whether one pod fits on a node by its sums."""
        return np.asarray((self.asks[None, :, :] <= self.room[:, None, :]).all(axis=2))

    def fits(self, node_type: int, pattern: Pattern) -> bool:
        """Whether the sums of a pattern stay within a node's (its cards are the pricing's business)."""
        used = sum(
            (self.asks[kind] * n for kind, n in pattern.items()), np.zeros_like(self.room[0])
        )
        return bool(np.all(used <= self.room[node_type]))


def pattern_problem(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    groups: Sequence[NodeGroup],
    *,
    up: bool = True,
) -> PatternProblem | None:
    """The problem of these classes on these uniform groups; None where patterns do not apply.

    They apply where pods share cards by one amount and every gang is a number of equal pods. Where there are too many
    kinds of pods, they ask for a little more (``up``), so that what is planned fits, or for less, so that bounds hold.
    """
    table = problem.cards
    if table is None or len(groups) > MOST_TYPES or not all(one.uniform for one in groups):
        return None
    supply: dict[int, int] = {}
    for one in classes:
        demand = one.example
        if not demand.simple or demand.items[0].count != demand.need or one.growing:
            return None
        shape = demand.items[0].shape
        if problem.shape_gpus[shape]:
            supply[shape] = supply.get(shape, 0) + one.size * demand.need
    if not supply or len(table.capacity) != 1 or table.capacity[0, 1:].any():
        return None
    shapes = tuple(sorted(supply))
    if not all(table.count[shape] for shape in shapes):
        return None
    return _build(problem, shapes, supply, groups, up)


def _build(
    problem: PlacementProblem,
    shapes: tuple[int, ...],
    supply: Mapping[int, int],
    groups: Sequence[NodeGroup],
    up: bool,
) -> PatternProblem:
    table = problem.cards
    assert table is not None
    full = int(table.capacity[0, 0])
    nodes = [group.nodes[0] for group in groups]
    free = [sorted(int(n) for n in table.free[node, table.kind[node] >= 0, 0]) for node in nodes]
    asked = _beside_cards(problem, np.flatnonzero(problem.requests[list(shapes)].max(axis=0)))
    pods = np.array([supply[shape] for shape in shapes], dtype=np.int64)
    kinds = _kinds(problem, shapes, asked, pods, full, up)
    worth = np.asarray(problem.shape_gpus)[list(shapes)].astype(np.int64)
    values = np.zeros(len(kinds.rows), dtype=np.int64)
    np.maximum.at(values, kinds.of, worth)
    room = problem.free[nodes][:, asked]
    admitted = np.ascontiguousarray(problem.admits[list(shapes)][:, nodes].T)
    sites: dict[bytes, int] = {}
    site = [sites.setdefault(row.tobytes(), len(sites)) for row in admitted]
    return PatternProblem(
        nodes=tuple(group.nodes for group in groups),
        room=room,
        cards=tuple(tuple(kinds.free(n) for n in one if 0 < n < full) for one in free),
        untouched=np.array([sum(n == full for n in one) for one in free], dtype=np.int64),
        whole=kinds.whole,
        asks=kinds.rows[:, :-2],
        steps=kinds.rows[:, -2],
        count=kinds.rows[:, -1],
        value=values,
        shapes=shapes,
        supply=pods,
        kind=kinds.of,
        worth=worth,
        site=np.array(site, dtype=np.int64),
        open=np.array([admitted[site.index(one)] for one in range(len(sites))], dtype=np.bool_),
        gpus=np.where(problem.node_has_gpu_pods, 0, problem.node_gpus)[nodes],
        rounded=kinds.rounded,
    )


@dataclass(frozen=True)
class _Kinds:
    """Rows of what a kind asks for, steps of a card and whole cards; ``of`` is the kind of each shape."""

    rows: IntArray
    of: IntArray
    whole: int
    full: int
    rounded: bool
    up: bool

    def free(self, amount: int) -> int:
        """Free steps of a card that holds something: as few as are there for plans, as many for bounds."""
        steps = amount * self.whole
        return steps // self.full if self.up else -(-steps // self.full)


def _kinds(
    problem: PlacementProblem,
    shapes: tuple[int, ...],
    asked: IntArray,
    pods: IntArray,
    full: int,
    up: bool,
) -> _Kinds:
    """The kinds as they are, or few of them, rounded."""
    table = problem.cards
    assert table is not None
    needs, count = table.need[list(shapes), 0, 0], table.count[list(shapes)]
    count = np.where(needs == full, count, 0)
    asks = problem.requests[list(shapes)][:, asked]
    rows, of = np.unique(np.column_stack([asks, needs, count]), axis=0, return_inverse=True)
    rows, of = rows.astype(np.int64), of.reshape(-1).astype(np.int64)
    whole = full // int(np.gcd.reduce(np.concatenate([needs, [full]])))
    if whole * len(rows) <= MOST_CELLS and whole <= MOST_STEPS:
        rows[:, -2] = rows[:, -2] * whole // full
        return _Kinds(rows, of, whole, full, False, up)
    rows[:, -2], whole = few_steps(rows[:, -2], full, up=up)
    number = np.bincount(of, weights=pods, minlength=len(rows)).astype(np.int64)
    group = grouped(rows[:, :-1], rows[:, -1], number, up=up)
    few = np.array(
        [
            (rows[group == g].max if up else rows[group == g].min)(axis=0)
            for g in range(group.max() + 1)
        ]
    )
    return _Kinds(few.astype(np.int64), group[of], whole, full, True, up)


def _beside_cards(problem: PlacementProblem, asked: IntArray) -> IntArray:
    """The resources among these whose sums do not already follow from the cards."""
    table = problem.cards
    assert table is not None
    offered = summed(table)
    untouched = ((table.kind >= 0) & (table.free == table.empty).all(axis=2)).sum(axis=1)
    found = []
    for d in asked:
        name = problem.dimensions[d]
        on_cards = offered.get(name, untouched if name in table.whole else None)
        if on_cards is None or (problem.free[:, d] < on_cards).any():
            found.append(int(d))
    return np.array(found, dtype=np.int64)
