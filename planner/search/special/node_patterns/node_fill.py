"""One node filled pod by pod: balanced over its resources, or a given pattern made to fit and filled up."""

from __future__ import annotations

import numpy as np

from planner.problem.placement import IntArray
from planner.search.special.node_patterns.pricing import FloatArray
from planner.search.special.node_patterns.problem import Pattern, PatternProblem


class NodeFill:
    """A node of a type with what is still free on it; pods go to the fullest card that takes them."""

    def __init__(self, problem: PatternProblem, node_type: int) -> None:
        self._problem = problem
        self.room = problem.room[node_type].astype(np.int64).copy()
        cards = [*problem.cards[node_type], *([problem.whole] * int(problem.untouched[node_type]))]
        self.cards = np.array(cards, dtype=np.int64)
        self.pattern: dict[int, int] = {}

    def fitting(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """``[kinds]`` whether one more pod fits."""
        problem = self._problem
        untouched = int((self.cards == problem.whole).sum())
        most = int(self.cards.max(initial=0))
        on_cards = np.where(problem.count > 0, problem.count <= untouched, problem.steps <= most)
        return np.asarray((problem.asks <= self.room).all(axis=1) & on_cards)

    def put(self, kind: int) -> bool:
        """Place one pod; False if it does not fit."""
        problem = self._problem
        if (problem.asks[kind] > self.room).any():
            return False
        count, steps = int(problem.count[kind]), int(problem.steps[kind])
        if count:
            chosen = np.flatnonzero(self.cards == problem.whole)[:count]
            if len(chosen) < count:
                return False
            self.cards[chosen] = 0
        else:
            able = np.where(self.cards >= steps, self.cards, problem.whole + 1)
            card = int(able.argmin()) if len(able) else -1
            if card < 0 or able[card] > problem.whole:
                return False
            self.cards[card] -= steps
        self.room -= problem.asks[kind]
        self.pattern[kind] = self.pattern.get(kind, 0) + 1
        return True


def made_to_fit(
    problem: PatternProblem, node_type: int, pattern: Pattern, worth: FloatArray
) -> dict[int, int]:
    """A pattern within the supply and the node's sums, pods of least worth left out, filled up by worth."""
    wanted = problem.wanted[problem.site[node_type]]
    kept = {kind: min(n, int(wanted[kind])) for kind, n in pattern.items()}
    node = NodeFill(problem, node_type)
    by_worth = sorted(kept, key=lambda kind: -_density(problem, node_type, kind, worth))
    pods = [kind for kind in by_worth for _ in range(kept[kind])]
    chosen = _within_sums(problem, node_type, pods)
    large_first = sorted(chosen, key=lambda k: (-problem.count[k], -problem.steps[k]))
    if not all(node.put(kind) for kind in large_first):
        # The cards were found by the pricing; the fullest-first order does not find them, so nothing is filled up.
        return {kind: chosen.count(kind) for kind in set(chosen)}
    for kind in np.argsort(-worth):
        if worth[kind] <= 0:
            break
        while node.pattern.get(int(kind), 0) < wanted[kind] and node.put(int(kind)):
            pass
    return node.pattern


def _within_sums(problem: PatternProblem, node_type: int, pods: list[int]) -> list[int]:
    room = problem.room[node_type].copy()
    chosen = []
    for kind in pods:
        if (problem.asks[kind] <= room).all():
            room -= problem.asks[kind]
            chosen.append(kind)
    return chosen


def _density(problem: PatternProblem, node_type: int, kind: int, worth: FloatArray) -> float:
    share = problem.asks[kind] / np.maximum(problem.room[node_type], 1)
    return float(worth[kind] / max(float(share.max()), 1e-9))


def balanced(
    problem: PatternProblem, node_type: int, targets: IntArray, power: float
) -> list[dict[int, int]]:
    """Fill all nodes of a type with target pods, one node after the other; ``targets`` keeps what is left over.

    Each step takes the pod that leaves the shortest vector of free shares, resources weighed by how scarce they are
    (Panigrahy, Talwar, Uyeda and Wieder, "Heuristics for vector bin packing", 2011).
    """
    cards = max(len(problem.cards[node_type]) + int(problem.untouched[node_type]), 1)
    size = np.array([*problem.room[node_type], cards * problem.whole], dtype=np.float64)
    on_cards = np.where(problem.count > 0, problem.count * problem.whole, problem.steps)
    shares = np.column_stack([problem.asks, on_cards]) / np.maximum(size, 1.0)
    found: list[dict[int, int]] = []
    for left_nodes in range(int(problem.number[node_type]), 0, -1):
        weight = ((shares * targets[:, None]).sum(axis=0) / left_nodes) ** power + 1e-3
        node = NodeFill(problem, node_type)
        free = np.array([*node.room, node.cards.sum()], dtype=np.float64) / np.maximum(size, 1.0)
        while True:
            able = np.flatnonzero(node.fitting() & (targets > 0))
            if not len(able):
                break
            after = free - shares[able]
            kind = int(able[np.argmin((weight * after * after).sum(axis=1))])
            if not node.put(kind):
                break
            targets[kind] -= 1
            free = free - shares[kind]
        if node.pattern:
            found.append(node.pattern)
    return found
