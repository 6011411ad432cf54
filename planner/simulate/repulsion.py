"""Required anti-affinity of pods that run: the greedy baseline serves no gang that it selects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.cluster import Node
from models.pod_terms import PodAffinityTerm
from models.snapshot import Snapshot
from planner.verify.matching import selects

_HOSTNAME = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class Repeller:
    """A required anti-affinity term of pods that hold nodes, and the domains where they are.

    Attributes
    ----------
    namespaces
        Where its selector looks; None = everywhere (a namespaceSelector cannot be judged from a snapshot).
    """

    term: PodAffinityTerm
    namespaces: frozenset[str] | None
    domains: frozenset[str]

    def reaches(self, namespace: str) -> bool:
        """Whether the term looks at pods of a namespace."""
        return self.namespaces is None or namespace in self.namespaces

    def occupies(self, node: Node) -> bool:
        """Whether a pod with the term is in the node's domain."""
        domain = _domain(node, self.term.topology_key)
        return domain is not None and domain in self.domains


def _domain(node: Node, key: str) -> str | None:
    return node.labels.get(key, node.name if key == _HOSTNAME else None)


class Repulsion:
    """Distinct terms of all pods that hold a node (terminating ones still do), found by namespace."""

    def __init__(self, snapshot: Snapshot) -> None:
        found: dict[tuple[PodAffinityTerm, frozenset[str] | None], set[str]] = {}
        for pod in snapshot.pods:
            if not pod.spec.pod_anti_affinity or not pod.holds_node:
                continue
            node = snapshot.node_by_name.get(pod.node or "")
            for term in pod.spec.pod_anti_affinity:
                namespaces = frozenset(term.namespaces or (pod.namespace,))
                key = (term, None if term.namespace_selector is not None else namespaces)
                domain = _domain(node, term.topology_key) if node else None
                found.setdefault(key, set()).update(() if domain is None else (domain,))
        self._all = tuple(
            Repeller(term, namespaces, frozenset(domains))
            for (term, namespaces), domains in found.items()
        )
        self._by_namespace: dict[str, tuple[Repeller, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def against(self, namespace: str, labels: Mapping[str, str]) -> list[Repeller]:
        """Terms that select a pod with these labels."""
        reaching = self._by_namespace.get(namespace)
        if reaching is None:
            reaching = tuple(one for one in self._all if one.reaches(namespace))
            self._by_namespace[namespace] = reaching
        return [one for one in reaching if selects(one.term.selector, labels)]
