"""Required pod anti-affinity as room on nodes.

A term with topology key k keeps its owners O away from the pods S that it selects, in every domain of k. The pairs
with a pod that is in both are one knapsack per domain: such pods take all of it, those of O or S alone one unit each.
Where each domain is one node, it is a resource of the node, else a room that the domain's nodes share. The pairs that
are left, of O alone with S alone, close the domain where one of them holds a node already; waiting ones are kept apart
by a count per domain (``between``: key, reach, faces of both), as for a spread from zero with a skew of 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from models.resources import PODS
from models.rules import RuleId
from planner.encode.pod_rules.domains_by_key import HOSTNAME, KeyDomains
from planner.encode.pod_rules.faces import Faces
from planner.encode.pod_rules.reach import Reach, reach_of
from planner.encode.pod_rules.shared import Shared
from planner.encode.pod_rules.stance import Stance
from planner.problem.rule_names import domain_name, rule_name


@dataclass(slots=True)
class _Rule:
    """One term with the faces that own it."""

    key: str
    reach: Reach
    owners: set[int] = field(default_factory=set)


class Apart:
    """Sets stances for anti-affinity; ``rooms`` and ``shared`` hold what nodes and domains have for the rules.

    Parameters
    ----------
    largest
        Most that a node has of every resource, ``pods`` included.
    """

    def __init__(
        self,
        faces: Faces,
        domains: KeyDomains,
        stances: dict[int, Stance],
        largest: Mapping[str, int],
    ) -> None:
        self.rooms: dict[str, dict[str, int]] = {}
        self.shared: list[Shared] = []
        self.between: list[tuple[str, Reach, set[int], set[int]]] = []
        self._faces, self._domains, self._stances = faces, domains, stances
        self._largest, self._most = largest, largest.get(PODS, 0)
        for rule in self._rules():
            self._set(rule)

    def _rules(self) -> Iterable[_Rule]:
        found: dict[tuple[str, Reach], _Rule] = {}
        for index, face in enumerate(self._faces.all):
            for term in face.spec.pod_anti_affinity:
                reach = reach_of(term, face.namespace, face.labels)
                rule = found.setdefault((term.topology_key, reach), _Rule(term.topology_key, reach))
                rule.owners.add(index)
        return found.values()

    def _stance(self, index: int) -> Stance:
        return self._stances.setdefault(index, Stance())

    def _set(self, rule: _Rule) -> None:
        owners = rule.owners
        selected = set(self._faces.selected(rule.reach, doubtful=True))
        both = owners & selected
        waiting = {index for index in owners | selected if self._faces.all[index].waiting}
        if not waiting or not selected:
            return
        single = self._domains.single(rule.key)
        if single and self._faces.never_together(owners | selected, self._largest):
            return
        if both and self._pairs(both, owners | selected):
            make = self._knapsack if single else self._shared_knapsack
            make(rule, both, owners | selected)
        self._shut(rule, owners - both, selected - both)
        if self._meet(owners - both, selected - both):
            first, second = (owners - both) & waiting, (selected - both) & waiting
            self.between.append((rule.key, rule.reach, first, second))

    def _pairs(self, both: set[int], every: set[int]) -> bool:
        """More than one pod takes part, so that the rule can bind at all."""
        return sum(self._count(index) for index in every) > 1 and bool(both)

    def _count(self, index: int) -> int:
        face = self._faces.all[index]
        return face.pods + face.nodes.total()

    def _meet(self, owners: set[int], selected: set[int]) -> bool:
        """Two waiting pods may be owner and selected."""
        first = [index for index in owners if self._faces.all[index].waiting]
        second = [index for index in selected if self._faces.all[index].waiting]
        one_pod = first == second and sum(self._count(index) for index in first) < 2
        return bool(first and second) and not one_pod

    def _knapsack(self, rule: _Rule, both: set[int], every: set[int]) -> None:
        weight = self._most + 1 if every - both else 1
        noun = f"{'node' if rule.key == HOSTNAME else f'{rule.key} domain'} without {rule.reach.words()}"
        name = rule_name(weight, noun)
        while name in self.rooms:
            name += "'"
        free = weight * (self._most + 1)  # outside all domains nothing keeps pods apart
        inside = self._domains.of(rule.key)
        self.rooms[name] = {
            node: weight if node in inside else free for node in self._domains.nodes
        }
        for index in every:
            self._stance(index).asks[name] = weight if index in both else 1

    def _shared_knapsack(self, rule: _Rule, both: set[int], every: set[int]) -> None:
        """The same in domains of several nodes; pods that hold nodes there count too."""
        members = self._domains.members(rule.key)
        largest = max((len(nodes) for nodes in members.values()), default=0)
        weight = self._most * largest + 1 if every - both else 1
        title = f"{rule.key} without {rule.reach.words()}"
        name = domain_name(f"{len(self.shared)}/{title}")
        self.shared.append(
            Shared(
                name=name,
                title=title,
                unit="",
                rule=RuleId.POD_ANTI_AFFINITY,
                domain_of=self._domains.of(rule.key),
                whole=dict.fromkeys(members, weight),
            )
        )
        for index in every:
            self._stance(index).asks[name] = weight if index in both else 1

    def _shut(self, rule: _Rule, owners: set[int], selected: set[int]) -> None:
        """Close the domains of pods that hold nodes to those that must not be with them."""
        words = rule.reach.words()
        held = f"podAntiAffinity: pods with {words} in the same {rule.key}"
        self._close(rule, owners, selected, held)
        repelled = f"podAntiAffinity of running pods against {words} in the same {rule.key}"
        self._close(rule, selected, owners, repelled)

    def _close(self, rule: _Rule, comers: set[int], holders: set[int], words: str) -> None:
        nodes = [node for index in holders for node in self._faces.all[index].nodes]
        if not nodes:
            return
        around = frozenset(self._domains.around(rule.key, nodes))
        for index in comers:
            if self._faces.all[index].waiting:
                self._stance(index).close(words, around)
