"""Distinct pods (shapes) of a snapshot's plannable gangs, and the nodes that admit them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.cluster import Node
from models.effective import EffectivePolicy
from models.readiness import Supply
from models.resources import PODS
from models.workloads import PodSpec
from planner.encode.demands import GangCase
from planner.encode.predicates import Predicates, Profile, node_signatures
from planner.encode.queue_limits import QueueLimits
from planner.problem.placement import BoolArray, IntArray
from planner.problem.rule_names import is_shared


@dataclass(frozen=True)
class ShapeTable:
    """Requests and admitted nodes per shape.

    Attributes
    ----------
    closed
        ``[profile][signature]`` code and words why the nodes of a signature are closed, "" = open.
    signatures
        Per node its signature.
    specs
        A pod specification of each shape.
    """

    dimensions: tuple[str, ...]
    requests: IntArray
    admits: BoolArray
    profile_of: tuple[int, ...]
    profiles: tuple[Profile, ...]
    closed: tuple[tuple[str, ...], ...]
    signatures: tuple[int, ...]
    specs: tuple[PodSpec, ...]
    _index: dict[tuple[object, ...], int]

    def shape_of(self, key: tuple[object, ...]) -> int:
        """Index of the shape with this key (see :func:`shape_key`)."""
        return self._index[key]


def shape_key(spec: PodSpec, profile: Profile) -> tuple[object, ...]:
    """What makes two pods the same for placement."""
    return (spec.request, profile, spec.card_rules, spec.marks)


def profile_of(supply: Supply, queue: str, limits: QueueLimits, policy: EffectivePolicy) -> Profile:
    """Predicate profile of a gang's pods; the queue's node groups count only where the plugin is on."""
    found = limits.queues.get(queue)
    return Profile(
        node_selector=supply.spec.node_selector,
        node_affinity=supply.spec.node_affinity,
        tolerations=supply.spec.tolerations,
        revocable=supply.revocable,
        node_groups=found.node_groups if policy.nodegroup and found else None,
    )


def shape_table(
    nodes: Sequence[Node],
    cases: Sequence[GangCase],
    limits: QueueLimits,
    policy: EffectivePolicy,
) -> ShapeTable:
    """Shapes of all gangs with pods to place, blocked ones included (their reasons need them)."""
    specs: dict[tuple[object, ...], tuple[PodSpec, Profile]] = {}
    for case in cases:
        for supply in case.supplies:
            profile = profile_of(supply, case.gang.queue, limits, policy)
            specs.setdefault(shape_key(supply.spec, profile), (supply.spec, profile))
    names = sorted(
        {name for spec, _ in specs.values() for name in spec.request if not is_shared(name)}
        - {PODS}
    )
    dimensions = (*names, PODS)
    profiles = list(dict.fromkeys(profile for _, profile in specs.values()))
    number = {profile: index for index, profile in enumerate(profiles)}
    signatures = node_signatures(nodes, profiles)
    closed = _closed(nodes, signatures, profiles, Predicates(policy))
    open_rows = np.array([[not text for text in row] for row in closed], dtype=np.bool_)
    of = tuple(number[profile] for _, profile in specs.values())
    admits = (
        open_rows[np.array(of)][:, np.array(signatures, dtype=np.int64)]
        if of and nodes
        else np.zeros((len(of), len(nodes)), dtype=np.bool_)
    )
    requests = np.array(
        [[*(spec.request.amount(name) for name in names), 1] for spec, _ in specs.values()],
        dtype=np.int64,
    ).reshape(len(of), len(dimensions))
    return ShapeTable(
        dimensions=dimensions,
        requests=requests,
        admits=admits,
        profile_of=of,
        profiles=tuple(profiles),
        closed=closed,
        signatures=tuple(signatures),
        specs=tuple(spec for spec, _ in specs.values()),
        _index={key: index for index, key in enumerate(specs)},
    )


def _closed(
    nodes: Sequence[Node],
    signatures: Sequence[int],
    profiles: Sequence[Profile],
    predicates: Predicates,
) -> tuple[tuple[str, ...], ...]:
    examples: dict[int, Node] = {}
    for node, signature in zip(nodes, signatures, strict=True):
        examples.setdefault(signature, node)
    order = [examples[index] for index in range(len(examples))]
    return tuple(
        tuple(predicates.why_closed(profile, node) for node in order) for profile in profiles
    )
