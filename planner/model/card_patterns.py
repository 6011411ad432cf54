"""Exact rows for shared cards: how many cards carry each maximal pattern of pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from models.rules import RuleId
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.reduce.node_groups import NodeGroup

MOST_PATTERNS = 150
"""Patterns of a group's cards up to which they become variables; beyond, the rows of sizes are a relaxation."""
MOST_STEPS = 20_000
"""Beginnings of patterns that are looked at for one card; beyond, they count as too many."""
Need = tuple[int, ...]


def post_patterns(
    model: LinearModel, problem: PlacementProblem, group: NodeGroup, columns: Mapping[int, int]
) -> None:
    """``sum_p a_up l_cp >= sum of cards of pods with need u``, ``sum_p l_cp <= cards that look like c``.

    Pods with the same number of cards and need of each count together. Nothing is added where the sizes divide each
    other (the rows of sizes are exact then), with possible victims, or where patterns are many.
    """
    table = problem.cards
    if table is None or group.victims:
        return
    users = [shape for shape in columns if table.count[shape]]
    looks: Counter[tuple[int, Need]] = Counter(
        (int(kind), tuple(int(n) for n in free))
        for node in group.nodes
        for kind, free in zip(table.kind[node], table.free[node], strict=True)
        if kind >= 0
    )
    classes: dict[tuple[int, tuple[Need, ...]], list[int]] = {}
    kinds = sorted({kind for kind, _ in looks})
    for shape in users:
        key = tuple(tuple(int(n) for n in table.need[shape, kind]) for kind in kinds)
        classes.setdefault((int(table.count[shape]), key), []).append(shape)
    needs = [need for _, need in classes]
    if _divide(needs):
        return
    # The cards of one pod are different: a card carries a class no more often than it has pods.
    caps = [sum(model.upper[columns[shape]] for shape in shapes) for shapes in classes.values()]
    found = _patterns(looks, kinds, needs, caps)
    if found is None:
        return
    served: list[list[tuple[int, int]]] = [[] for _ in classes]
    for look, patterns in found.items():
        numbers = [model.variable(0, looks[look]) for _ in patterns]
        model.at_most([(column, 1) for column in numbers], looks[look], RuleId.CARD_PACKING)
        for column, pattern in zip(numbers, patterns, strict=True):
            for index, count in enumerate(pattern):
                if count:
                    served[index].append((column, -count))
    for shapes, terms in zip(classes.values(), served, strict=True):
        asked = [(columns[shape], int(table.count[shape])) for shape in shapes]
        model.at_most([*asked, *terms], 0, RuleId.CARD_PACKING)


def _divide(needs: Sequence[tuple[Need, ...]]) -> bool:
    """One kind of cards, one amount asked for, each size a multiple of the next smaller one."""
    if any(len(one) != 1 for one in needs):
        return False
    if len({tuple(d for d, n in enumerate(one[0]) if n) for one in needs}) > 1:
        return False
    if any(sum(n > 0 for n in one[0]) > 1 for one in needs):
        return False
    sizes = sorted(max(one[0]) for one in needs)
    return all(large % small == 0 for small, large in pairwise(sizes))


def _patterns(
    looks: Mapping[tuple[int, Need], int],
    kinds: Sequence[int],
    needs: Sequence[tuple[Need, ...]],
    caps: Sequence[int],
) -> dict[tuple[int, Need], list[tuple[int, ...]]] | None:
    """Maximal patterns of each card, pods per class; None where there are too many."""
    found: dict[tuple[int, Need], list[tuple[int, ...]]] = {}
    total = 0
    for kind, free in looks:
        own = [one[kinds.index(kind)] for one in needs]
        patterns = _maximal(free, own, caps, MOST_PATTERNS - total)
        if patterns is None:
            return None
        total += len(patterns)
        found[kind, free] = patterns
    return found


def _maximal(
    free: Need, needs: Sequence[Need], caps: Sequence[int], most: int
) -> list[tuple[int, ...]] | None:
    """Patterns to which nothing can be added, at most ``caps`` pods of each class in one; None where too many.

    Every class that fits is in a pattern, and a card holds few classes: more classes than patterns are too many.
    """
    if len(needs) > MOST_PATTERNS:
        return None
    found: list[tuple[int, ...]] = []
    steps = 0
    order = sorted(range(len(needs)), key=lambda i: sum(needs[i]), reverse=True)

    def fits(rest: Need, need: Need) -> bool:
        return need[0] >= 0 and all(n <= r for n, r in zip(need, rest, strict=True))

    def extend(position: int, rest: Need, counts: tuple[int, ...]) -> bool:
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS:
            return False
        if position == len(order):
            able = zip(order, counts, strict=True)
            if not any(count < caps[i] and fits(rest, needs[i]) for i, count in able):
                found.append(counts)
            return len(found) <= most
        need = needs[order[position]]
        options = [(0, rest)]
        while options[-1][0] < caps[order[position]] and fits(options[-1][1], need):
            count, left = options[-1]
            options.append((count + 1, tuple(r - n for r, n in zip(left, need, strict=True))))
        return all(
            extend(position + 1, left, (*counts, count)) for count, left in reversed(options)
        )

    if not extend(0, free, ()):
        return None
    back = [order.index(i) for i in range(len(needs))]
    return [tuple(counts[i] for i in back) for counts in found]
