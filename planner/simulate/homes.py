"""Topology domains that may hold a gang in a greedy run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.simulate.candidates import Candidate
from planner.verify.domains import Nodes, domains_of
from planner.verify.prefilter import passes_prefilter
from planner.verify.state import State

Home = NDArray[np.bool_] | None
"""Which nodes belong to the domain; None = all."""


class Homes:
    """The domains of which one must hold a gang, by its hard topology.

    A gang whose subgroups have a hard topology is kept together as a whole: stricter than the rule, but simple.
    """

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self._domains = domains_of(snapshot, policy)
        self._state = State(snapshot, policy, PlanResult())
        self._number = {node.name: place for place, node in enumerate(snapshot.nodes)}
        self._masks: dict[Nodes, NDArray[np.bool_]] = {}

    def of(self, candidate: Candidate) -> Sequence[Home]:
        """Domains that hold the gang's running pods too; (None,) where it may be anywhere."""
        gang = candidate.gang
        rules = [gang.topology, *(policy.topology for policy in gang.subgroups)]
        tiers = [tier for rule in rules if (tier := self._domains.tier_of(rule)) is not None]
        if not tiers:
            return (None,)
        if self._domains.circular:
            return ()
        held = {pod.node or "" for pod in candidate.running}
        found = self._domains.choices(min(tiers), held)
        if self._domains.tier_of(gang.topology) is not None:
            found = [nodes for nodes in found if passes_prefilter(self._state, gang, nodes)]
        return [self._mask(nodes) for nodes in found]

    def _mask(self, nodes: Nodes) -> NDArray[np.bool_]:
        if nodes not in self._masks:
            found = np.zeros(len(self._number), dtype=np.bool_)
            found[[self._number[name] for name in nodes]] = True
            self._masks[nodes] = found
        return self._masks[nodes]
