"""Which numbers of pods make a gang with roles, partitions and subgroups ready: a small exact enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from models.workloads import Gang

Counts = tuple[int, ...]
GroupKey = tuple[int, tuple[str, ...]]
_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Kind:
    """Pods that a gang may receive and that are the same for its readiness.

    Attributes
    ----------
    piece
        Index of their specification among the gang's pieces.
    count, step
        At most so many, in multiples of ``step`` (partitions come whole).
    group
        (policy, key) of the subgroup they belong to, None for none.
    adds
        Per policy, pods per new subgroup that promised pods make up; 0 where it does not select them.
    """

    role: str
    piece: int
    count: int
    step: int = 1
    group: GroupKey | None = None
    adds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Partial:
    """A choice for some blocks: what is still lacking (never below 0) and the pods taken per piece."""

    total: int
    roles: Counts
    groups: Counts
    taken: Counts

    @property
    def done(self) -> bool:
        return self.total == 0 and not any(self.roles) and not any(self.groups)


class MinimalSets:
    """Enumerates sets of pods, as numbers per piece, block by block.

    A block is one subgroup or one kind outside of subgroups. A subgroup gets no pod or is filled to its size.

    Parameters
    ----------
    live, counted
        Pods per subgroup before the plan: running ones, and with the succeeded ones.
    """

    def __init__(
        self,
        gang: Gang,
        kinds: tuple[Kind, ...],
        live: Mapping[GroupKey, int],
        counted: Mapping[GroupKey, int],
    ) -> None:
        self._policies = gang.subgroups
        self._kinds = kinds
        self._live, self._counted = live, counted
        self._pieces = 1 + max((kind.piece for kind in kinds), default=-1)
        self._roles: tuple[str, ...] = ()

    def find(self, total: int, roles: tuple[tuple[str, int], ...]) -> frozenset[Counts] | None:
        """All sets from which nothing can be left out, perhaps with others; None above 20,000 partial choices."""
        self._roles = tuple(role for role, _ in roles)
        lacking = tuple(lacking for _, lacking in roles)
        start = _Partial(total, lacking, self._groups_lacking(), (0,) * self._pieces)
        slack = max(total - sum(lacking), 0)
        frontier: set[_Partial] = {start}
        found: set[_Partial] = set()
        for block in self._blocks():
            following = set(frontier)
            if self._too_many(block, dict(roles), slack, max(total, sum(lacking))):
                return None
            options = list(self._options(block, dict(roles), slack, max(total, sum(lacking))))
            for partial in frontier:
                for option in options:
                    after = self._after(partial, block, option)
                    (found.add if after.done else following.add)(after)
                if len(following) + len(found) > _MOST_STATES:
                    return None
            frontier = following
        found.update(partial for partial in frontier if partial.done)
        return frozenset(partial.taken for partial in found)

    def _groups_lacking(self) -> Counts:
        lacking = []
        for index, policy in enumerate(self._policies):
            complete = sum(
                size >= policy.size for (at, _), size in self._counted.items() if at == index
            )
            lacking.append(max(policy.min_subgroups - complete, 0))
        return tuple(lacking)

    def _blocks(self) -> list[tuple[Kind, ...]]:
        grouped: dict[GroupKey, list[Kind]] = {}
        single = []
        for kind in self._kinds:
            if kind.group is None:
                single.append((kind,))
            else:
                grouped.setdefault(kind.group, []).append(kind)
        return [*(tuple(members) for members in grouped.values()), *single]

    def _options(
        self, block: tuple[Kind, ...], roles: Mapping[str, int], slack: int, total: int
    ) -> Iterator[Counts]:
        """Numbers per kind of a block that a legal, not wasteful set may take; not all zero."""
        least = self._least_of_group(block)
        ranges = self._ranges(block, roles, slack, max(total, least))
        for option in product(*ranges):
            taken = sum(option)
            if taken and taken >= least and _makes_groups(block[0], taken):
                yield option

    def _too_many(
        self, block: tuple[Kind, ...], roles: Mapping[str, int], slack: int, total: int
    ) -> bool:
        least = self._least_of_group(block)
        return prod(map(len, self._ranges(block, roles, slack, max(total, least)))) > _MOST_STATES

    def _ranges(
        self, block: tuple[Kind, ...], roles: Mapping[str, int], slack: int, total: int
    ) -> list[range]:
        return [range(0, self._most(kind, roles, slack, total) + 1, kind.step) for kind in block]

    def _least_of_group(self, block: tuple[Kind, ...]) -> int:
        group = block[0].group
        if group is None:
            return 0
        return max(self._policies[group[0]].size - self._live.get(group, 0), 0)

    def _most(self, kind: Kind, roles: Mapping[str, int], slack: int, total: int) -> int:
        useful = total
        if not self._policies:
            useful = roles.get(kind.role, 0) + slack
        elif kind.group is None:
            # Beyond the total, as many as the subgroups need that it could make up.
            lacking = zip(kind.adds, self._groups_lacking(), strict=False)
            useful = max(total + sum(size * n for size, n in lacking), *kind.adds, 0)
        return min(kind.count // kind.step, -(-useful // kind.step)) * kind.step

    def _after(self, partial: _Partial, block: tuple[Kind, ...], option: Counts) -> _Partial:
        total, roles = partial.total, list(partial.roles)
        groups, taken = list(partial.groups), list(partial.taken)
        for kind, count in zip(block, option, strict=True):
            total = max(total - count, 0)
            taken[kind.piece] += count
            if kind.role in self._roles:
                at = self._roles.index(kind.role)
                roles[at] = max(roles[at] - count, 0)
            for index, size in enumerate(kind.adds):
                groups[index] = max(groups[index] - count // size, 0) if size else groups[index]
        group = block[0].group
        if group is not None and self._counted.get(group, 0) < self._policies[group[0]].size:
            groups[group[0]] = max(groups[group[0]] - 1, 0)
        return _Partial(total, tuple(roles), tuple(groups), tuple(taken))


def _makes_groups(kind: Kind, taken: int) -> bool:
    """Promised pods make up whole new subgroups; without partitions one may be larger than its size."""
    return all(
        size == 0 or taken % size == 0 or (kind.step == 1 and taken >= size) for size in kind.adds
    )
