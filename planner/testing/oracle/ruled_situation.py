"""A situation whose pods have rules about each other, and domains that share resources: placement by placement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from models.cluster import Node
from models.effective import EffectivePolicy
from models.policy_domains import CLUSTER, domain_requests
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.testing.oracle.best_vector import best_deliveries
from planner.testing.oracle.domain_tiers import keeps_topology
from planner.testing.oracle.gang_options import GangView, PodKind, view_gang
from planner.testing.oracle.placements import Arrival, placements
from planner.testing.oracle.pod_rules import Placed, apart, even, in_some_order, ports_free
from planner.testing.oracle.situation import Delivery, Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.oracle.tail_tiers import tail_values


def best_with_rules(
    snapshot: Snapshot, policy: EffectivePolicy, unsupported: Iterable[str] = ()
) -> dict[str, int]:
    """As :func:`best_vector`, with all rules between pods and shared resources; gangs ``unsupported`` never start."""
    situation = RuledSituation(snapshot, policy, frozenset(unsupported))
    values, deliveries = best_deliveries(situation, StartTiers(situation))
    return {**values, **tail_values(situation, deliveries)}


class RuledSituation(Situation):
    """Without evictions; pods of one gang with the same request have the same rules."""

    def __init__(
        self, snapshot: Snapshot, policy: EffectivePolicy, unsupported: frozenset[str]
    ) -> None:
        super().__init__(snapshot, policy)
        self._unsupported = unsupported
        self._there: list[Placed] = [
            (pod, snapshot.node_by_name[pod.node])
            for pod in snapshot.pods
            if pod.node is not None and pod.holds_node
        ]

    @cached_property
    def views(self) -> dict[str, GangView]:
        """Gangs that are planned; what is not supported receives nothing."""
        return {
            gang.full_name: view_gang(self.snapshot, self.policy, gang, with_rules=True)
            for gang in self.snapshot.gangs
            if not gang.asks_nothing and gang.full_name not in self._unsupported
        }

    def packs(self, delivery: Delivery, keep_without_gpu_pods: Iterable[str] = ()) -> bool:
        """Some placement keeps every rule."""
        closed = frozenset(keep_without_gpu_pods)
        return self.within_limits(delivery) and any(
            keeps_topology(self, arrivals) and self.allows(arrivals)
            for arrivals in placements(self.room, delivery, closed)
        )

    def allows(self, arrivals: Sequence[Arrival]) -> bool:
        """Rules between pods, and what domains share."""
        placed = [
            (self._sample(one.gang, one.kind), self.snapshot.node_by_name[one.node])
            for one in arrivals
            for _ in range(one.count)
        ]
        return (
            self._shares(placed)
            and apart(self._there, placed)
            and ports_free(self._there, placed)
            and even(self.snapshot, self._there, placed)
            and in_some_order(self._there, placed)
        )

    def _sample(self, name: str, kind: PodKind) -> Pod:
        """Some pod of a kind."""
        view = self.views[name]
        for pod in self.snapshot.pods_of(view.gang):
            if view.kind_of.get(pod.full_name) == kind:
                return pod
        template = view.gang.template(kind.role)
        assert template is not None
        labels, annotations = template.labels, template.annotations
        return Pod(
            view.gang.namespace,
            "",
            template.spec,
            gang=name,
            role=kind.role,
            labels=labels,
            annotations=annotations,
        )

    def _shares(self, placed: Sequence[Placed]) -> bool:
        resources = self.policy.policy.domain_resources
        for name, one in resources.items():
            used: Counter[object] = Counter()
            touched: set[object] = set()
            for number, (pod, node) in enumerate((*placed, *self._there)):
                gang = self.snapshot.gang_by_name.get(pod.gang)
                asked = domain_requests(resources, pod.namespace, pod.labels, pod.annotations, gang)
                where = self._domain(node, one.per) if asked.get(name) else None
                if not asked.get(name):
                    continue
                if where is not None:
                    used[where] += asked[name]
                if number < len(placed):
                    if where is None:
                        return False
                    touched.add(where)
            if any(used[d] > one.capacity_of(d if isinstance(d, str) else "") for d in touched):
                return False
        return True

    def _domain(self, node: Node, per: str) -> object:
        """The domain of a node: a label's value, or the place of the HyperNode of a tier; None outside all."""
        if per == CLUSTER:
            return CLUSTER
        tier = int(per) if per.isdigit() else self.forest.names.get(per)
        if tier is None:
            return node.labels.get(per) or None
        return next(
            (
                place
                for place, (at, nodes) in enumerate(self.forest.sets)
                if at == tier and node.name in nodes
            ),
            None,
        )
