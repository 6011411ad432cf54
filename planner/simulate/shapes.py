"""Distinct pods (shapes) that wait, what they request, and which nodes admit them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.cards.book import CardBook
from models.cluster import Node
from models.effective import EffectivePolicy
from models.readiness import Supply
from models.resources import PODS
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.encode.cards.card_table import card_table
from planner.verify.predicates import GROUP_LABEL, ZONE_KEY, Doorkeeper

ShapeKey = tuple[object, ...]
MOST_AMOUNT = 2**62
"""Larger requests fit nowhere; what is free is kept below, so that 64 bits hold every amount."""


class Shapes:
    """Numbers every distinct (request, node rules) and answers for it.

    Attributes
    ----------
    requests
        Per shape the requested (dimension, amount) pairs in base units; one pod counts 1 in ``pods``.
    cards
        Cards of the nodes where pods share them, else None.
    """

    def __init__(
        self, snapshot: Snapshot, policy: EffectivePolicy, demands: Iterable[tuple[Supply, str]]
    ) -> None:
        self._policy = policy
        self._number: dict[ShapeKey, int] = {}
        self._examples: list[tuple[Supply, str]] = []
        for supply, queue in demands:
            key = self._key(supply, queue)
            if key not in self._number:
                self._number[key] = len(self._examples)
                self._examples.append((supply, queue))
        specs = [supply.spec for supply, _ in self._examples]
        names = sorted({name for spec in specs for name in spec.request} - {PODS})
        self.dimensions: tuple[str, ...] = (*names, PODS)
        self.requests = [self._amounts(spec) for spec in specs]
        self._admits = self._judge(snapshot)
        book = CardBook(snapshot, policy.policy.gpu_models)
        self.cards = card_table(snapshot, book, [book.ask(spec) for spec in specs])

    def number(self, supply: Supply, queue: str) -> int:
        """Number of the shape of these pods."""
        return self._number[self._key(supply, queue)]

    def admits(self, shape: int) -> NDArray[np.bool_]:
        """Per node whether its predicates (I2) are open to the shape."""
        return self._admits[shape]

    def _key(self, supply: Supply, queue: str) -> ShapeKey:
        spec = supply.spec
        group = queue if self._policy.nodegroup else ""
        rules = (spec.node_selector, spec.node_affinity, spec.tolerations)
        return (spec.request, rules, supply.revocable, group, spec.card_rules)

    def _amounts(self, spec: PodSpec) -> tuple[tuple[int, int], ...]:
        found = [
            (dimension, min(amount, MOST_AMOUNT))
            for dimension, name in enumerate(self.dimensions)
            if name != PODS and (amount := spec.request.amount(name)) > 0
        ]
        return (*found, (len(self.dimensions) - 1, 1))

    def _judge(self, snapshot: Snapshot) -> list[NDArray[np.bool_]]:
        """Judge each kind of node once per set of node rules."""
        keeper = Doorkeeper(self._policy)
        kinds, kind_of = _node_kinds(snapshot.nodes, [supply.spec for supply, _ in self._examples])
        known: dict[ShapeKey, NDArray[np.bool_]] = {}
        found = []
        for supply, queue in self._examples:
            rules = self._key(supply, queue)[1:4]
            if rules not in known:
                owner = snapshot.queue_by_name.get(queue)
                marked = supply.revocable
                opened = [
                    not keeper.why_closed(supply.spec, node, marked=marked, queue=owner)
                    for node in kinds
                ]
                known[rules] = np.array(opened, dtype=np.bool_)[kind_of]
            found.append(known[rules])
        return found


def _node_kinds(
    nodes: Sequence[Node], specs: Sequence[PodSpec]
) -> tuple[list[Node], NDArray[np.intp]]:
    """One example per set of nodes that look the same to every rule of these pods, and each node's set."""
    keys, by_name = _seen_labels(specs)
    number: dict[tuple[object, ...], int] = {}
    examples: list[Node] = []
    kind_of = np.zeros(len(nodes), dtype=np.intp)
    for index, node in enumerate(nodes):
        labels = tuple(node.labels.get(key) for key in keys)
        name = node.name if by_name else ""
        kind = (node.unschedulable, node.ready, node.taints, labels, name)
        if kind not in number:
            number[kind] = len(examples)
            examples.append(node)
        kind_of[index] = number[kind]
    return examples, kind_of


def _seen_labels(specs: Sequence[PodSpec]) -> tuple[list[str], bool]:
    """Label keys that some rule looks at, and whether some rule looks at node names."""
    selectors = {pair for spec in specs for pair in spec.node_selector}
    terms = {term for spec in specs for term in spec.node_affinity or ()}
    keys = {GROUP_LABEL, ZONE_KEY} | {key for key, _ in selectors}
    keys |= {expression.key for term in terms for expression in term.match_expressions}
    return sorted(keys), any(term.match_fields for term in terms)
