"""Pods by what rules between pods can see of them: a face each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from models.pod_labels import created_labels
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.encode.pod_rules.reach import Reach


@dataclass(slots=True)
class Face:
    """Pods that no rule can tell apart.

    Attributes
    ----------
    waiting
        They may be placed; otherwise they hold ``nodes`` (node to pods).
    pods
        Number of waiting pods, those that are promised included.
    """

    namespace: str
    labels: Mapping[str, str]
    spec: PodSpec
    gang: str
    waiting: bool
    pods: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    group: int = 0


class Faces:
    """All faces of a snapshot, and which of them a reach selects."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.all: list[Face] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._groups: dict[tuple[str, frozenset[tuple[str, str]]], int] = {}
        self._members: list[list[int]] = []
        self._marks: list[tuple[str, Mapping[str, str]]] = []
        self._by_pair: dict[tuple[str, str], list[int]] = {}
        self._selected: dict[tuple[Reach, bool], list[int]] = {}
        for pod in snapshot.pods:
            if pod.holds_node:
                self.all[self.of_pod(pod)].nodes[pod.node or ""] += 1
            elif pod.pending:
                self.all[self.of_pod(pod)].pods += 1
        for gang in snapshot.gangs:
            existing = Counter(pod.role for pod in snapshot.pods_of(gang)) if gang.templates else {}
            for number, template in enumerate(gang.templates):
                promised = max(template.replicas - existing.get(template.role, 0), 0)
                self.all[self.of_template(gang, number)].pods += promised

    def of_pod(self, pod: Pod) -> int:
        """Number of a pod's face."""
        return self._number(pod.namespace, pod.labels, pod.spec, pod.gang, waiting=pod.pending)

    def of_template(self, gang: Gang, number: int) -> int:
        """Number of the face of a gang's promised pods."""
        template = gang.templates[number]
        labels = created_labels(gang, template)
        return self._number(gang.namespace, labels, template.spec, gang.full_name, waiting=True)

    def _number(
        self, namespace: str, labels: Mapping[str, str], spec: PodSpec, gang: str, *, waiting: bool
    ) -> int:
        marks = (namespace, frozenset(labels.items()))
        group = self._groups.get(marks)
        if group is None:
            group = self._groups[marks] = len(self._members)
            self._members.append([])
            self._marks.append((namespace, labels))
            for pair in labels.items():
                self._by_pair.setdefault(pair, []).append(group)
        key = (group, spec, gang, waiting)
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self._members[group].append(len(self.all))
            self.all.append(Face(namespace, labels, spec, gang, waiting, group=group))
        return self._numbers[key]

    def selected(self, reach: Reach, *, doubtful: bool) -> list[int]:
        """Faces that a reach selects, ascending."""
        key = (reach, doubtful)
        if key not in self._selected:
            self._selected[key] = sorted(self._find(reach, doubtful))
        return self._selected[key]

    def _find(self, reach: Reach, doubtful: bool) -> Iterator[int]:
        if reach.selector is None:
            return
        pairs = reach.selector.match_labels
        groups = self._by_pair.get(pairs[0], []) if pairs else range(len(self._members))
        for group in groups:
            namespace, labels = self._marks[group]
            if reach.selects(namespace, labels, doubtful=doubtful):
                yield from self._members[group]

    def never_together(self, every: Collection[int], largest: Mapping[str, int]) -> bool:
        """No node holds two of these pods anyway: some resource is too small for the two least requests.

        ``largest`` is the most that a node has of every resource.
        """
        requests = [self.all[index].spec.request for index in every]
        return any(
            2 * min(request.amount(name) for request in requests) > largest.get(name, 0)
            for name in set.intersection(*(set(request) for request in requests))
        )

    def waiting(self) -> Iterator[int]:
        """Faces of pods that may be placed."""
        return (index for index, face in enumerate(self.all) if face.waiting and face.pods)
