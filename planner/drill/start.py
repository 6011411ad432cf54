"""A first drill without search: everybody who may leaves, the room is taken early, then whoever can stays after all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.drill.model.build import DrillModel
from planner.problem.linear import INFINITE
from planner.solve.exact_values import integer_values

Owner = int | tuple[int, int]
"""A gang, or a kind of single pods on a node group."""


def first_drill(built: DrillModel) -> tuple[int, ...]:
    """The better known start of a search: the thinned drill of everybody, or nobody where that breaks a row.

    Rows about shares and budgets depend on whom a drill picks, so everybody may be too many; then the search begins
    with nothing.
    """
    values = _everybody(built)
    built.settle(values)
    exact = integer_values(built.model, (), values)
    return Thinning(built).thinned(exact) if exact is not None else built.nothing()


def _everybody(built: DrillModel) -> list[int]:
    """All that can be given up whole goes; every need takes the earliest room until it has all its pods."""
    values = [0] * built.model.size
    evictions = built.variables.evictions
    for column in evictions.given_up.values():
        values[column] = built.model.upper[column]
    for (kind, _), (column, _) in evictions.pods.items():
        gang = evictions.victims.kinds[kind].gang
        if gang < 0 or values[evictions.given_up[gang]]:
            values[column] = built.model.upper[column]
    leaving = built.leaving(values)
    by_node: dict[int, list[tuple[int, int]]] = {}
    for (kind, node), count in leaving.items():
        by_node.setdefault(node, []).append((kind, count))
    _take_room(built, values, by_node)
    return values


def _take_room(
    built: DrillModel, values: list[int], leaving: Mapping[int, Sequence[tuple[int, int]]]
) -> None:
    """Earliest seconds first; among equals nodes on which fewer pods leave."""
    problem = built.problem
    left = [need.pods for need in problem.needs]
    taken: dict[int, list[tuple[int, int, int]]] = {}
    order = sorted(
        built.variables.placed,
        key=lambda key: (key[2], sum(count for _, count in leaving.get(key[1], ())), key[1]),
    )
    for need, node, second in order:
        if not left[need]:
            continue
        places = taken.setdefault(node, [])
        free = problem.free_at(node, second, leaving.get(node, ()))
        for other, _, pods in places:
            request = problem.needs[other].request
            free = [a - b * pods for a, b in zip(free, request, strict=True)]
        fitting = min(problem.fits(need, free), left[need])
        column = built.variables.placed[need, node, second]
        fitting = min(fitting, built.model.upper[column])
        if fitting:
            values[column] = fitting
            places.append((need, second, fitting))
            left[need] -= fitting


class Thinning:
    """Lets gangs, and surplus pods, stay that need not leave; every row that a change touches is checked exactly."""

    def __init__(self, built: DrillModel) -> None:
        self._built = built
        self._touching: dict[int, list[tuple[int, int]]] = {}
        for number, row in enumerate(built.model.rows):
            for column, coefficient in zip(row.columns, row.coefficients, strict=True):
                self._touching.setdefault(column, []).append((number, coefficient))
        reclaimed = built.variables.reclaimed
        self._sums: dict[int, list[tuple[int, int]]] = {}
        for kind, terms in built.variables.evictions.by_kind.items():
            for column, pods in terms:
                if kind in reclaimed:
                    self._sums.setdefault(column, []).append((reclaimed[kind], pods))
        self._activity: list[int] = []

    def thinned(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The same room with fewer leavers; those with most lost work are asked first."""
        changed = list(values)
        evictions = self._built.variables.evictions
        self._activity = [
            sum(c * values[v] for v, c in zip(row.columns, row.coefficients, strict=True))
            for row in self._built.model.rows
        ]
        for owner, columns in self._owners(changed).items():
            whole = evictions.given_up[owner] if isinstance(owner, int) else None
            given_up = whole is not None and changed[whole] > 0
            everything = [*columns, *((whole,) if whole is not None and given_up else ())]
            if self._try(changed, dict.fromkeys(everything, 0)) or given_up:
                continue
            for column in columns:
                while changed[column] and self._try(changed, {column: changed[column] - 1}):
                    pass
        self._built.settle(changed)
        return tuple(changed)

    def _owners(self, values: Sequence[int]) -> dict[Owner, dict[int, None]]:
        evictions = self._built.variables.evictions
        found: dict[Owner, dict[int, None]] = {}
        lost: dict[Owner, int] = {}
        for (kind, group), (column, pods) in evictions.pods.items():
            one = evictions.victims.kinds[kind]
            if values[column]:
                owner: Owner = one.gang if one.gang >= 0 else (kind, group)
                found.setdefault(owner, {})[column] = None
                lost[owner] = lost.get(owner, 0) + one.lost * pods * values[column]
        order = sorted(found, key=lambda owner: (-lost[owner], str(owner)))
        return {owner: found[owner] for owner in order}

    def _try(self, values: list[int], changes: Mapping[int, int]) -> bool:
        """Change some values, with the sums over them, if every row that they touch still holds."""
        deltas: dict[int, int] = {}
        for column, value in changes.items():
            delta = value - values[column]
            deltas[column] = deltas.get(column, 0) + delta
            for total, pods in self._sums.get(column, ()):
                deltas[total] = deltas.get(total, 0) + pods * delta
        moved: dict[int, int] = {}
        for column, delta in deltas.items():
            for row, coefficient in self._touching.get(column, ()) if delta else ():
                moved[row] = moved.get(row, 0) + coefficient * delta
        if not all(self._holds(row, delta) for row, delta in moved.items()):
            return False
        for column, delta in deltas.items():
            values[column] += delta
        for row, delta in moved.items():
            self._activity[row] += delta
        return True

    def _holds(self, number: int, delta: int) -> bool:
        row, total = self._built.model.rows[number], self._activity[number] + delta
        return total <= row.high and (row.low == -INFINITE or total >= row.low)
