"""Running pods as tables: whose they are, where, what they hold, and what protects them from anybody."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.extremes import MOST_OF_A_POD, clipped
from models.workloads import Gang, Pod
from planner.encode.prepared import Prepared
from planner.encode.victims.victim_kinds import budgets_of
from planner.encode.victims.victim_protection import why_protected
from planner.problem.placement import BoolArray, IntArray
from planner.problem.rule_names import names_only

_NO_GANG = Gang("", "", queue="")


@dataclass(frozen=True, slots=True)
class Owner:
    """The gang of some running pods ("" for pods without one); ``whole`` says that no pod of it is protected."""

    name: str
    queue: str
    priority: int
    whole: bool
    chain: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PodKind:
    """What the rules on victims see of a pod: its owner's queue and priority, and what protects it always.

    Attributes
    ----------
    protection
        Words, "" where nothing protects it whoever asks.
    budgets
        PodDisruptionBudgets that count it.
    """

    queue: str
    priority: int
    protection: str
    budgets: tuple[int, ...]
    asks: frozenset[str]
    whole: bool


class RunningPods:
    """Rows of equal pods: one owner, node and kind each.

    Attributes
    ----------
    owner, kind, node, count
        ``[rows]`` indices and numbers of pods.
    amounts
        ``[rows, dimensions]`` what all pods of a row hold.
    names
        Full names per row.
    """

    def __init__(self, prepared: Prepared, gone: Collection[str] = ()) -> None:
        self.owners: list[Owner] = []
        self.kinds: list[PodKind] = []
        self.names: list[list[str]] = []
        self._prepared = prepared
        self._rows: dict[tuple[object, ...], int] = {}
        self._table: list[tuple[int, int, int]] = []
        self._held: list[list[int]] = []
        self._kind_numbers: dict[PodKind, int] = {}
        self._requests: dict[int, list[int]] = {}
        self._quick: dict[tuple[object, ...], int] = {}
        self._numbers: dict[str, int] = {}
        self._below: dict[str, BoolArray] = {}
        self._collect(frozenset(gone))
        table = np.array(self._table, dtype=np.int64).reshape(len(self._table), 3)
        self.owner, self.kind, self.node = table[:, 0], table[:, 1], table[:, 2]
        self.count = np.array([len(one) for one in self.names], dtype=np.int64)
        width = len(prepared.problem.dimensions)
        each = np.array(self._held, dtype=np.int64).reshape(len(self._held), width)
        self.amounts: IntArray = each * self.count[:, None]

    def _collect(self, gone: frozenset[str]) -> None:
        number = {name: index for index, name in enumerate(self._prepared.problem.node_names)}
        cases = self._prepared.cases
        for gang, pods in (
            *((case.gang, case.pods) for case in cases),
            (_NO_GANG, tuple(pod for pod in self._prepared.ruled.pods if not pod.gang)),
        ):
            running = [pod for pod in pods if pod.running and pod.full_name not in gone]
            if running:
                self._add(gang, running, number)

    def _add(self, gang: Gang, running: list[Pod], number: dict[str, int]) -> None:
        words = [self._protection(pod, gang) for pod in running]
        limits = self._prepared.limits
        chain = limits.limiting(gang.queue) if gang.queue in limits.queues else (gang.queue,)
        owner = len(self.owners)
        whole = not any(words)
        name = "" if gang is _NO_GANG else gang.full_name
        self._numbers[name] = owner
        self.owners.append(Owner(name, gang.queue, gang.priority, whole, chain))
        for pod, word in zip(running, words, strict=True):
            node = number.get(pod.node or "")
            if node is None:
                continue
            kind = self._kind_of(pod, gang, word, whole=whole)
            key = (owner, kind, node, id(pod.spec))
            row = self._rows.setdefault(key, len(self._rows))
            if row == len(self.names):
                self.names.append([])
                self._table.append((owner, kind, node))
                self._held.append(self._request(pod))
            self.names[row].append(pod.full_name)

    def _request(self, pod: Pod) -> list[int]:
        key = id(pod.spec)
        if key not in self._requests:
            names = self._prepared.problem.dimensions[:-1]
            self._requests[key] = [
                *clipped((pod.spec.request.amount(name) for name in names), MOST_OF_A_POD),
                1,
            ]
        return self._requests[key]

    def _protection(self, pod: Pod, gang: Gang) -> str:
        if gang is _NO_GANG:
            return "outside any gang"
        if gang.missing_group:
            return "whose PodGroup is missing"
        return why_protected(pod, gang, self._prepared.policy)

    def _kind_of(self, pod: Pod, gang: Gang, word: str, *, whole: bool) -> int:
        policy = self._prepared.policy
        quick = (gang.queue, gang.priority, word, id(pod.spec), whole)
        if not policy.pdb and quick in self._quick:
            return self._quick[quick]
        self._quick[quick] = found = self._kind(pod, gang, word, whole=whole)
        return found

    def _kind(self, pod: Pod, gang: Gang, word: str, *, whole: bool) -> int:
        policy = self._prepared.policy
        budgets = budgets_of(pod, self._prepared.snapshot) if policy.pdb else ()
        asks = frozenset(names_only(pod.spec.request))
        kind = PodKind(gang.queue, gang.priority, word, budgets, asks, whole)
        if kind not in self._kind_numbers:
            self._kind_numbers[kind] = len(self.kinds)
            self.kinds.append(kind)
        return self._kind_numbers[kind]

    @cached_property
    def queues(self) -> list[str]:
        """Queue of every owner."""
        return [one.queue for one in self.owners]

    def on(self, nodes: BoolArray) -> BoolArray:
        """``[rows]`` whether the row is on one of these nodes."""
        found: BoolArray = nodes[self.node]
        return found

    def below(self, queue: str) -> BoolArray:
        """``[rows]`` whether the row counts for this queue's limit."""
        if queue not in self._below:
            counts = np.array([queue in one.chain for one in self.owners], dtype=np.bool_)
            self._below[queue] = counts[self.owner]
        return self._below[queue]

    def owns(self, owner: str) -> bool:
        """Whether the gang has running pods."""
        return bool(owner) and owner in self._numbers

    def without(self, owner: str) -> BoolArray:
        """``[rows]`` all but those of one gang."""
        if owner not in self._numbers:
            return np.ones(len(self.owner), dtype=np.bool_)
        found: BoolArray = self.owner != self._numbers[owner]
        return found
