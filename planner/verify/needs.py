"""What a gang still lacks to be ready, and the sets of pods that would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from models.workloads import Gang, Pod, PodSpec, RoleTemplate
from planner.verify.arrivals import promised, promised_pod
from planner.verify.minimal_sets import Counts, GroupKey, Kind, MinimalSets
from planner.verify.predicates import ZONE_KEY
from planner.verify.readiness import role_gaps
from planner.verify.state import State
from planner.verify.subgroups import group_key, selects_promised


@dataclass(frozen=True, slots=True)
class Piece:
    """Pods that are the same for every node; ``marked`` ones may enter revocable zones."""

    spec: PodSpec
    marked: bool


@dataclass(frozen=True, slots=True)
class Need:
    """The pods that a gang lacks.

    Attributes
    ----------
    total, roles
        Pods lacking in all (a minMember of 0 counts as 1) and per role where role minima bind.
    counts
        Every set of pods, as numbers per piece, that makes the gang ready and from which nothing can be left out
        (further sets may be listed); None where there are too many to list or subgroups overlap.
    """

    pieces: tuple[Piece, ...]
    kinds: tuple[Kind, ...]
    total: int
    roles: tuple[tuple[str, int], ...]
    counts: frozenset[Counts] | None

    @property
    def possible(self) -> bool:
        """Enough pods exist or are promised."""
        return self.counts is None or bool(self.counts)

    def least(self, measure: Callable[[PodSpec], int]) -> int | None:
        """Least amount over all sets that make the gang ready; None where the sets are not known or do not exist."""
        if not self.counts:
            return None
        each = [measure(piece.spec) for piece in self.pieces]
        return min(sum(map(int.__mul__, one, each)) for one in self.counts)


def need_of(state: State, gang: Gang) -> Need:
    """Need of a gang that is not ready."""
    running, succeeded = state.running_before(gang), state.succeeded(gang)
    counted = len(running) + len(succeeded)
    roles = tuple(sorted(role_gaps(gang, [*running, *succeeded]).items()))
    return _need(state, gang, max(gang.min_member - counted, 0 if counted else 1), roles)


def further_of(state: State, gang: Gang) -> Need:
    """The smallest legal numbers of further pods of a gang that is ready."""
    return _need(state, gang, 1, ())


def _need(state: State, gang: Gang, total: int, roles: tuple[tuple[str, int], ...]) -> Need:
    running, succeeded = state.running_before(gang), state.succeeded(gang)
    pieces, kinds, exact = _candidates(state, gang)
    counts = _plain_counts(gang, kinds, total, roles)
    if counts is None and exact:
        live = _sizes(gang, running)
        done = _sizes(gang, [*running, *succeeded])
        counts = MinimalSets(gang, kinds, live, done).find(total, roles)
    return Need(pieces, kinds, total, roles, counts)


def _plain_counts(
    gang: Gang, kinds: tuple[Kind, ...], total: int, roles: tuple[tuple[str, int], ...]
) -> frozenset[Counts] | None:
    """The usual gang: one kind of pods and nothing but a number of them."""
    if gang.subgroups or len(kinds) != 1 or kinds[0].step != 1:
        return None
    wanted = max(total, sum(lacking for _, lacking in roles))
    right_role = all(role == kinds[0].role for role, _ in roles)
    enough = right_role and kinds[0].count >= wanted
    return frozenset({(wanted,)} if enough else ())


def _sizes(gang: Gang, pods: list[Pod]) -> dict[tuple[int, tuple[str, ...]], int]:
    found: dict[tuple[int, tuple[str, ...]], int] = {}
    for index, policy in enumerate(gang.subgroups):
        for pod in pods:
            key = group_key(policy, pod)
            if key is not None:
                found[index, key] = found.get((index, key), 0) + 1
    return found


class _Pieces:
    """Numbers the specifications of a gang's pods."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, bool], int] = {}
        self.found: list[Piece] = []

    def number(self, spec: PodSpec, annotations: Mapping[str, str]) -> int:
        marked = annotations.get(ZONE_KEY) == "*"
        number = self._numbers.setdefault((id(spec), marked), len(self.found))
        if number == len(self.found):
            self.found.append(Piece(spec, marked))
        return number


def _candidates(state: State, gang: Gang) -> tuple[tuple[Piece, ...], tuple[Kind, ...], bool]:
    """Pieces and kinds of the pods that may be placed; False where subgroups overlap or are not yet known."""
    pieces, exact = _Pieces(), True
    numbers: dict[tuple[str, int, GroupKey | None], int] = {}
    for pod in candidates(state, gang):
        groups = [
            (index, key)
            for index, policy in enumerate(gang.subgroups)
            if (key := group_key(policy, pod)) is not None
        ]
        exact = exact and len(groups) < 2
        piece = pieces.number(pod.spec, pod.annotations)
        at = (pod.role, piece, groups[0] if groups else None)
        numbers[at] = numbers.get(at, 0) + 1
    kinds = [
        Kind(role, piece, count, group=group) for (role, piece, group), count in numbers.items()
    ]
    for template in gang.templates:
        left = promised(gang, state.snapshot.pods_of(gang), template)
        if left == 0 or template.spec.scheduling_gates:
            continue
        sizes = _promised_sizes(gang, template)
        known = zip(gang.subgroups, sizes, strict=True)
        exact = exact and all(size == 0 or policy.match_label_keys for policy, size in known)
        piece = pieces.number(template.spec, template.annotations)
        step = max(template.partition_size, 1)
        kinds.append(Kind(template.role, piece, left, step=step, adds=sizes))
    return tuple(pieces.found), tuple(kinds), exact


def _promised_sizes(gang: Gang, template: RoleTemplate) -> tuple[int, ...]:
    """Per policy the size of the subgroups that the template's pods will make up, 0 where it does not select them."""
    pod = promised_pod(gang, template)
    return tuple(
        max(policy.size, 1) if selects_promised(policy, pod) else 0 for policy in gang.subgroups
    )


def candidates(state: State, gang: Gang) -> list[Pod]:
    """Existing pods that may be placed: waiting for a node, without gates, of a planned scheduler."""
    schedulers = state.policy.policy.scheduler_names
    return [
        pod
        for pod in state.snapshot.pods_of(gang)
        if pod.pending and not pod.spec.scheduling_gates and pod.spec.scheduler_name in schedulers
    ]
