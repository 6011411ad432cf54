"""Required pod affinity: domains that hold the pods it asks for, or one domain for a gang that asks for its own.

Semantics: Kubernetes ``interpodaffinity``: a pod counts where it matches all terms of the owner; each term's
domain then needs such a pod. Where no pod at all counts, one that matches its own terms may be the first anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from models.workloads import Pod
from planner.encode.pod_rules.domains_by_key import KeyDomains
from planner.encode.pod_rules.faces import Face, Faces
from planner.encode.pod_rules.reach import Reach, reach_of
from planner.encode.pod_rules.stance import Stance
from planner.problem.rule_names import domain_name

Unit = tuple[tuple[str, Reach], ...]
"""All terms of an owner: topology key and reach."""


class Near:
    """Sets stances for affinity.

    Attributes
    ----------
    tied
        Gang to the sets of nodes of which one must hold all its pods.

    Parameters
    ----------
    stays
        Whether a pod that holds a node stays there, whatever the plan does.
    """

    def __init__(
        self,
        faces: Faces,
        domains: KeyDomains,
        stances: dict[int, Stance],
        pods: Iterable[Pod],
        stays: Callable[[Pod], bool],
    ) -> None:
        self.tied: dict[str, tuple[tuple[str, frozenset[str]], ...]] = {}
        self._faces, self._domains, self._stances = faces, domains, stances
        owners = [index for index in faces.waiting() if faces.all[index].spec.pod_affinity]
        self._steady: dict[int, set[str]] = {}
        if not owners:
            return
        for pod in pods:
            if pod.holds_node and stays(pod):
                self._steady.setdefault(faces.of_pod(pod), set()).add(pod.node or "")
        for index in owners:
            self._set(index)

    def _unit(self, face: Face) -> Unit:
        return tuple(
            (term.topology_key, reach_of(term, face.namespace, face.labels))
            for term in face.spec.pod_affinity
        )

    def _matching(self, unit: Unit) -> set[int]:
        """Faces that match all terms."""
        found = [set(self._faces.selected(reach, doubtful=False)) for _, reach in unit]
        return set.intersection(*found)

    def _set(self, index: int) -> None:
        face, stance = self._faces.all[index], self._stances.setdefault(index, Stance())
        unit = self._unit(face)
        matching = self._matching(unit)
        holding = {one for one in matching if not self._faces.all[one].waiting}
        words = " and ".join(f"{reach.words()} in its {key}" for key, reach in unit)
        if holding:
            self._open_near(index, unit, holding, words)
        elif index in matching:
            self._first_of_its_kind(index, unit, matching)
        elif any(self._faces.all[one].gang == face.gang for one in matching):
            stance.why.add("podAffinity to other pods of the same gang")
        else:
            stance.close(f"podAffinity: no pod with {words}", frozenset(self._domains.nodes))

    def _open_near(self, index: int, unit: Unit, holding: set[int], words: str) -> None:
        """Pods that stay open their domains; those that may be evicted open none."""
        nodes = {node for one in holding for node in self._steady.get(one, ())}
        opened = set(self._domains.nodes)
        for key, _ in unit:
            opened &= self._domains.around(key, nodes)
        gone = "" if nodes else " that cannot be evicted"
        closed = frozenset(self._domains.nodes) - opened
        self._stances[index].close(f"podAffinity: no pod with {words}{gone}", closed)

    def _first_of_its_kind(self, index: int, unit: Unit, matching: set[int]) -> None:
        """The gang in one domain, where all its pods ask for each other and nobody else takes part."""
        face = self._faces.all[index]
        own = {one for one in self._faces.waiting() if self._faces.all[one].gang == face.gang}
        same = all(self._unit(self._faces.all[one]) == unit for one in own)
        if not same or not own <= matching or matching - own:
            others = any(self._faces.all[one].gang != face.gang for one in matching)
            whom = "and other waiting gangs" if others else "in a part of its pods"
            self._stances[index].why.add(f"podAffinity to the gang itself {whom}")
            return
        for one in (
            own
        ):  # the greedy baseline, which knows no such domains, serves no gang that asks for this
            self._stances.setdefault(one, Stance()).asks[domain_name("tied")] = 1
        self.tied[face.gang] = tuple(self._joint_domains([key for key, _ in unit]))

    def _joint_domains(self, keys: list[str]) -> Iterable[tuple[str, frozenset[str]]]:
        """Nodes with the same values of all keys, with the words for them."""
        found: dict[tuple[str, ...], set[str]] = {}
        for node in self._domains.nodes:
            values = [self._domains.of(key).get(node) for key in keys]
            if all(value is not None for value in values):
                found.setdefault(tuple(map(str, values)), set()).add(node)
        for path, nodes in sorted(found.items()):
            pairs = dict.fromkeys(f"{key}={value}" for key, value in zip(keys, path, strict=True))
            yield ", ".join(pairs), frozenset(nodes)
