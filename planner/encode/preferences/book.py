"""Which waiting pods preferred rules can tell apart, and what each kind of them would rather have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from models.selectors import Taint
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.encode.pod_rules.domains_by_key import KeyDomains
from planner.encode.pod_rules.faces import Face, Faces
from planner.encode.pod_rules.reach import reach_of, spread_reach
from planner.encode.preferences.spread_nodes import counting_nodes
from planner.encode.preferences.tables import (
    SOFT_TAINT,
    Owned,
    PodTerm,
    Rows,
    SpreadTerm,
    Term,
    wishes_of,
)
from planner.problem.wishes import Wishes


def wish_book(snapshot: Snapshot) -> WishBook | None:
    """The book of a snapshot; None where no waiting pod can prefer anything."""
    waiting = {id(pod.spec): pod.spec for pod in snapshot.pods if pod.pending}
    waiting |= {id(one.spec): one.spec for gang in snapshot.gangs for one in gang.templates}
    tainted = any(taint.effect == SOFT_TAINT for node in snapshot.nodes for taint in node.taints)
    if not tainted and all(spec.preferences is None for spec in waiting.values()):
        return None
    return WishBook(snapshot)


@dataclass
class _Terms:
    """Terms and constraints by number, with the faces that own them."""

    pods: dict[PodTerm, set[int]] = field(default_factory=dict)
    spreads: dict[SpreadTerm, set[int]] = field(default_factory=dict)

    def all(self) -> list[tuple[PodTerm | SpreadTerm, set[int]]]:
        """Both, numbered alike."""
        return [*self.pods.items(), *self.spreads.items()]


class WishBook:
    """Wishes by number; pods of one number are the same for every preferred rule."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._faces = Faces(snapshot)
        self._domains = KeyDomains(snapshot.nodes)
        self._terms = _Terms()
        taints = {one for node in snapshot.nodes for one in node.taints if one.effect == SOFT_TAINT}
        self._taints = tuple(sorted(taints, key=lambda one: (one.key, one.value)))
        waiting = list(self._faces.waiting())
        for index in waiting:
            self._collect(index, self._faces.all[index])
        self._wish_of: dict[int, int] = {}
        self._examples: dict[tuple[object, ...], int] = {}
        self._rows: dict[int, Rows] = {}
        self._number(waiting)

    def _collect(self, index: int, face: Face) -> None:
        wanted = face.spec.preferences
        if wanted is None:
            return
        for near, terms in ((True, wanted.near), (False, wanted.apart)):
            for one in terms:
                reach = reach_of(one.term, face.namespace, face.labels)
                term = PodTerm(near, one.weight, one.term.topology_key, reach)
                while index in self._terms.pods.get(term, ()):
                    term = replace(term, copy=term.copy + 1)
                self._terms.pods.setdefault(term, set()).add(index)
        for constraint in wanted.spread:
            reach = spread_reach(constraint, face.namespace, face.labels)
            nodes = counting_nodes(self._snapshot.nodes, self._domains, face.spec, constraint)
            own = tuple((key, face.labels.get(key)) for key in constraint.same_labels)
            spread = SpreadTerm(
                constraint.topology_key,
                constraint.max_skew,
                reach,
                nodes,
                (constraint.selector, own),
            )
            self._terms.spreads.setdefault(spread, set()).add(index)

    def _number(self, waiting: list[int]) -> None:
        """Give every waiting face the number of what it wants and who asks after it."""
        owned: dict[int, list[object]] = {}
        asked: dict[int, list[object]] = {}
        for number, (term, owners) in enumerate(self._terms.all()):
            for index in owners:
                owned.setdefault(index, []).append(number)
            for index in self._faces.selected(term.reach, doubtful=False):
                asked.setdefault(index, []).append(number)
        for index in waiting:
            spec = self._faces.all[index].spec
            nodes = spec.preferences.nodes if spec.preferences is not None else ()
            rows = Rows(nodes, tuple(self._unbearable(spec)))
            key = (rows, tuple(owned.get(index, ())), tuple(asked.get(index, ())))
            if key == (Rows(), (), ()):
                continue
            wish = self._examples.setdefault(key, len(self._examples) + 1)
            self._wish_of[index] = wish
            self._rows[wish] = rows

    def _unbearable(self, spec: PodSpec) -> Iterator[Taint]:
        for taint in self._taints:
            if not any(one.tolerates(taint) for one in spec.tolerations):
                yield taint

    @property
    def empty(self) -> bool:
        """No waiting pod prefers anything."""
        return not (
            self._terms.pods
            or self._terms.spreads
            or any(rows.nodes or rows.taints for rows in self._rows.values())
        )

    def marked(self) -> Snapshot:
        """The snapshot whose waiting pods and templates carry the number of their wish."""
        old = self._snapshot
        made: dict[tuple[int, int], PodSpec] = {}

        def mark(spec: PodSpec, face: int) -> PodSpec:
            wish = self._wish_of.get(face, 0)
            if not wish:
                return spec
            return made.setdefault((id(spec), wish), replace(spec, wish=wish))

        def pod(one: Pod) -> Pod:
            if not one.pending:
                return one
            spec = mark(one.spec, self._faces.of_pod(one))
            return one if spec is one.spec else replace(one, spec=spec)

        def gang(one: Gang) -> Gang:
            templates = tuple(
                replace(t, spec=mark(t.spec, self._faces.of_template(one, number)))
                for number, t in enumerate(one.templates)
            )
            return replace(one, templates=templates) if templates else one

        return replace(old, pods=tuple(map(pod, old.pods)), gangs=tuple(map(gang, old.gangs)))

    def wishes(self, gone: Collection[str] = ()) -> Wishes:
        """All wishes beside the pods that hold a node, without those of these names."""
        holding, running = self._there(frozenset(gone))
        terms = self._terms
        return wishes_of(
            self._snapshot.nodes,
            self._domains,
            self._rows,
            [self._owned(term, owners, holding) for term, owners in terms.pods.items()],
            [self._owned(term, owners, running) for term, owners in terms.spreads.items()],
        )

    def _owned(
        self, term: Term, owners: Collection[int], there: Mapping[int, Counter[str]]
    ) -> Owned[Term]:
        selected = self._faces.selected(term.reach, doubtful=False)
        held: Counter[str] = Counter()
        for face in selected:
            held.update(there.get(face, {}))
        return Owned(term, self._wishes(owners), self._wishes(selected), held)

    def _wishes(self, faces: Collection[int]) -> frozenset[int]:
        return frozenset(self._wish_of[one] for one in faces if one in self._wish_of)

    def _there(
        self, gone: frozenset[str]
    ) -> tuple[dict[int, Counter[str]], dict[int, Counter[str]]]:
        """Face to its pods by node: all that hold one, and those of them that are not on their way out."""
        holding: dict[int, Counter[str]] = {}
        running: dict[int, Counter[str]] = {}
        for pod in self._snapshot.pods if self._terms.pods or self._terms.spreads else ():
            if pod.holds_node and pod.full_name not in gone:
                face = self._faces.of_pod(pod)
                holding.setdefault(face, Counter())[pod.node or ""] += 1
                if pod.running:
                    running.setdefault(face, Counter())[pod.node or ""] += 1
        return holding, running
