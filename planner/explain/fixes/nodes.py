"""Nodes that would help: more of a kind, closed ones opened, taints tolerated, selectors dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from models.checks.wording import counted
from models.cluster import Node
from models.edits.new_gangs import SetGang, TolerationText
from models.edits.nodes import HOSTNAME, AddNodes, Repair, Uncordon
from models.edits.pods import DropAffinity, Tolerate
from models.edits.queues import SetQueue
from models.queues import NodeGroupRules
from models.selectors import Taint, Toleration, first_untolerated
from planner.capacity.counted_room import fit_counts
from planner.encode.predicates import NODE_GROUP_LABEL, Predicates
from planner.explain.fixes.bench import Bench, counting_decides, within
from planner.explain.fixes.candidate import Candidate
from planner.explain.fixes.profiles import (
    TROUBLE,
    Change,
    opening,
    same,
    serving,
    tolerating,
    unselecting,
    without_affinity,
)
from planner.problem.placement import BoolArray, Demand, IntArray

NAMES_TOLD = 3
MOST_NODES = 100_000
"""Nodes that the edit adds at most; more is no fix."""
Queues = Mapping[int, IntArray]
GrownQueues = Callable[[int, int], Queues]
"""Room in queues with so many nodes more like one: limits grow with the cluster."""


class NodeFixes:
    """Tries them for gangs that lack room on nodes; equal questions are answered once."""

    def __init__(self, bench: Bench, change: Change | None = None) -> None:
        self._bench, self._change = bench, change or same
        self._predicates = Predicates(bench.prepared.policy)
        self._open: dict[str, BoolArray] = {}
        self._per_node: dict[tuple[int, int], int] = {}
        self._columns: dict[int, BoolArray] = {}
        self._new: dict[tuple[tuple[int, ...], int], IntArray] = {}
        self._ordered: dict[tuple[tuple[int, ...], int], tuple[IntArray, dict[int, IntArray]]] = {}

    def add(self, demand: Demand, queues: GrownQueues) -> Candidate | None:
        """The fewest nodes like one that is there; of several kinds that with the fewest GPUs."""
        gpus = self._bench.problem.node_gpus
        tried = [(self._least(demand, like), int(gpus[like]), like) for like in self._kinds]
        best: tuple[int, int, int] | None = None
        for least, each, like in sorted(one for one in tried if one[0]):
            if best is not None and (least, least * each) >= best[:2]:
                continue
            count = self._enough(demand, like, least, queues)
            if count and (best is None or (count, count * each, like) < best):
                best = (count, count * each, like)
        if best is None:
            return None
        count, total, like = best
        node = self._bench.prepared.snapshot.nodes[like]
        words = counted(total, "GPU") if total else "no GPU"
        edits = (AddNodes(count=count, like=node.name),)
        return Candidate(
            "add_nodes",
            f"add {counted(count, 'node')} like {node.name} ({words})",
            lambda _: edits,
            count,
            (node.name,),
            {"nodes": count, "gpus": total},
        )

    @cached_property
    def _kinds(self) -> list[int]:
        """One sound node of every kind (signature of the predicates, allocatable)."""
        bench = self._bench
        found: dict[tuple[object, ...], int] = {}
        signatures = bench.prepared.shapes.signatures
        for index, node in enumerate(bench.prepared.snapshot.nodes):
            if node.ready and not node.unschedulable and not _in_trouble(node.taints):
                found.setdefault((signatures[index], node.allocatable), index)
        return list(found.values())

    def _least(self, demand: Demand, like: int) -> int:
        """A number of copies of a node below which the gang cannot fit, 0 where none helps."""
        shapes = {item.shape for item in demand.items}
        per_node = {shape: self._on_empty(shape, like) for shape in shapes}
        if not any(per_node.values()):
            return 0
        missing = self._bench.missing(demand)
        if any(per_node[shape] == 0 for shape in missing):
            return 0
        least = max((-(-count // per_node[shape]) for shape, count in missing.items()), default=1)
        return least if least <= MOST_NODES else 0

    def _on_empty(self, shape: int, like: int) -> int:
        if (shape, like) not in self._per_node:
            amounts = self._bench.prepared.ruled.nodes[like].allocatable
            names = self._bench.problem.dimensions
            empty = np.array([[amounts.amount(name) for name in names]], dtype=np.int64)
            request, open_to = self._bench.problem.requests[shape], self._column(like)[shape]
            count = int(fit_counts(empty, request, np.array([open_to]))[0])
            self._per_node[shape, like] = count
        return self._per_node[shape, like]

    def _enough(self, demand: Demand, like: int, low: int, queues: GrownQueues) -> int:
        """Fewest copies of a node beside which the gang fits, 0 for none."""
        most = min(max(low, int(demand.minimum[-1]) or 1), MOST_NODES)
        if self._fits(demand, like, low, low, queues):
            return low
        if low == most or not self._fits(demand, like, low, most, queues):
            return 0
        high, least = most, low
        low += 1
        while low < high:
            middle = (low + high) // 2
            if self._fits(demand, like, least, middle, queues):
                high = middle
            else:
                low = middle + 1
        return high

    def _fits(self, demand: Demand, like: int, least: int, count: int, queues: GrownQueues) -> bool:
        """Whether it fits with so many copies, of which counting asks for ``least``."""
        bench, rooms = self._bench, queues(like, count)
        if not within(demand, rooms):
            return False
        if counting_decides(demand):
            return count >= least
        return bench.fits_with_nodes(demand, like, count, rooms, self._column(like))

    def _column(self, like: int) -> BoolArray:
        """``[shapes]`` whether a copy of a node admits each shape; it has a name of its own."""
        if like not in self._columns:
            prepared = self._bench.prepared
            node = prepared.ruled.nodes[like]
            name = f"{node.name}-new-1"
            own = {HOSTNAME: name} if HOSTNAME in node.labels else {}
            copy = replace(node, name=name, labels={**node.labels, **own})
            table = prepared.shapes
            opened = [
                not self._predicates.why_closed(self._change(one), copy) for one in table.profiles
            ]
            self._columns[like] = np.array([opened[of] for of in table.profile_of], dtype=np.bool_)
        return self._columns[like]

    def opened(self, demand: Demand, queues: Queues) -> list[Candidate]:
        """Cordoned or broken nodes in service again: as few as do."""
        found = []
        for kind, opens in (("uncordon_nodes", "cordoned"), ("repair_nodes", "not Ready")):
            chosen = self._fewest(demand, self._in_service(opens), queues)
            if chosen:
                names = tuple(self._bench.problem.node_names[one] for one in chosen)
                edit = Uncordon(nodes=names) if kind == "uncordon_nodes" else Repair(nodes=names)
                verb = "uncordon" if kind == "uncordon_nodes" else "repair"
                found.append(
                    Candidate(
                        kind,
                        f"{verb} {counted(len(names), 'node')}: {_named(names)}",
                        lambda _, edit=edit: (edit,),  # type: ignore[misc]
                        len(names),
                        names,
                        {"nodes": len(names)},
                    )
                )
        return found

    def _in_service(self, opens: str) -> BoolArray:
        """``admits`` with the nodes opened that are closed for this trouble alone."""
        if opens not in self._open:
            self._open[opens] = self._admits_of(
                same, unschedulable=opens == "cordoned", broken=opens != "cordoned"
            )
        return self._open[opens]

    def _fewest(self, demand: Demand, admits: BoolArray, queues: Queues) -> list[int]:
        """Closed nodes that are enough, those with most room first."""
        bench = self._bench
        shapes = tuple(sorted({item.shape for item in demand.items}))
        new = self._opened_nodes(shapes, admits)
        if not new.size or not bench.fits(demand, admits=admits, queues=queues):
            return []
        order, reach = self._by_room(shapes, admits)
        low, high = 1, len(order)
        for shape, count in bench.missing(demand).items():
            low = max(low, int(np.searchsorted(reach[shape], count)) + 1)
        chosen: list[int] = new[order].tolist()
        if counting_decides(demand) or self._with(demand, admits, chosen[:low], queues):
            return chosen[:low]
        low += 1
        while low < high:
            middle = (low + high) // 2
            if self._with(demand, admits, chosen[:middle], queues):
                high = middle
            else:
                low = middle + 1
        return chosen[:high]

    def _opened_nodes(self, shapes: tuple[int, ...], admits: BoolArray) -> IntArray:
        """Nodes that are open to one of the shapes only here."""
        key = (shapes, id(admits))
        if key not in self._new:
            rows = list(shapes)
            closed = ~self._bench.problem.admits[rows]
            self._new[key] = np.flatnonzero(np.any(admits[rows] & closed, axis=0))
        return self._new[key]

    def _by_room(
        self, shapes: tuple[int, ...], admits: BoolArray
    ) -> tuple[IntArray, dict[int, IntArray]]:
        """Order of the opened nodes, most room first, and per shape the pods that the first of them take."""
        key = (shapes, id(admits))
        if key not in self._ordered:
            nodes, gpus = self._opened_nodes(shapes, admits), self._bench.problem.shape_gpus
            gains = {shape: self._gains(shape, admits, nodes) for shape in shapes}
            useful = sum(gains[shape] * max(int(gpus[shape]), 1) for shape in shapes)
            order = np.argsort(-np.asarray(useful), kind="stable")
            self._ordered[key] = order, {s: np.cumsum(gains[s][order]) for s in shapes}
        return self._ordered[key]

    def _gains(self, shape: int, admits: BoolArray, nodes: IntArray) -> IntArray:
        request, free = self._bench.problem.requests[shape], self._bench.free[nodes]
        return fit_counts(free, request, admits[shape, nodes])

    def _with(self, demand: Demand, admits: BoolArray, nodes: list[int], queues: Queues) -> bool:
        """Whether it fits with these nodes opened."""
        partly = self._partly
        cells = np.ix_(sorted({item.shape for item in demand.items}), nodes)
        before = partly[cells]
        partly[cells] = admits[cells]
        try:
            return self._bench.fits(demand, admits=partly, queues=queues, fresh=True)
        finally:
            partly[cells] = before

    @cached_property
    def _partly(self) -> BoolArray:
        """The open nodes, to be changed for one question and back."""
        return self._bench.problem.admits.copy()

    def asked(self, demand: Demand, queues: Queues) -> list[Candidate]:
        """Taints that its pods could tolerate, and labels that they could stop asking for."""
        table = self._bench.prepared.shapes
        profiles = {table.profiles[table.profile_of[item.shape]] for item in demand.items}
        found = []
        taints = {
            taint
            for profile in profiles
            for node in self._examples
            if (taint := first_untolerated(node.taints, profile.tolerations)) is not None
            and not taint.key.startswith("node.kubernetes.io/")
        }
        for taint in sorted(taints, key=lambda one: (one.key, one.value, one.effect)):
            tolerates = Toleration(taint.key, "Equal", taint.value, taint.effect)
            admits = self._for(demand, f"tolerates {taint}", tolerating(tolerates))
            if self._bench.fits(demand, admits=admits, queues=queues):
                text = TolerationText(
                    key=taint.key, operator="Equal", value=taint.value, effect=taint.effect
                )
                value = f"={taint.value}" if taint.value else ""
                found.append(
                    Candidate(
                        "tolerate_taint",
                        f"let its pods tolerate {taint.key}{value}:{taint.effect}",
                        lambda gang, text=text: (Tolerate(gangs=gang, tolerations=(text,)),),  # type: ignore[misc]
                    )
                )
        for _, admits, one in self._dropped(demand):
            if self._bench.fits(demand, admits=admits, queues=queues):
                found.append(one)
        return [*found, *self._groups(demand, queues)]

    def dropped_and_more(self, demand: Demand, queues: GrownQueues) -> list[Candidate]:
        """The same labels no longer asked for, and the fewest nodes like one that is there."""
        found = []
        for change, admits, one in self._dropped(demand):
            more = NodeFixes(self._bench.opened(admits), change).add(demand, queues)
            found += [] if more is None else [more.with_step(one)]
        return found

    def _dropped(self, demand: Demand) -> Iterator[tuple[Change, BoolArray, Candidate]]:
        """Each label (and the affinity) that its pods could stop asking for, and the nodes that are open then."""
        table = self._bench.prepared.shapes
        profiles = {table.profiles[table.profile_of[item.shape]] for item in demand.items}
        for key, value in sorted({pair for profile in profiles for pair in profile.node_selector}):
            change = unselecting(key)
            yield (
                change,
                self._for(demand, f"without {key}", change),
                Candidate(
                    "drop_selector",
                    f"drop its node selector {key}={value}",
                    lambda gang, key=key: (SetGang(gangs=gang, node_selector={key: None}),),  # type: ignore[misc]
                ),
            )
        if any(profile.node_affinity for profile in profiles):
            yield (
                without_affinity,
                self._for(demand, "without affinity", without_affinity),
                Candidate(
                    "drop_affinity",
                    "drop its required node affinity",
                    lambda gang: (DropAffinity(gangs=gang),),
                ),
            )

    def _groups(self, demand: Demand, queues: Queues) -> list[Candidate]:
        """Node groups that its queue could use as well."""
        prepared, problem = self._bench.prepared, self._bench.problem
        name = problem.queue_names[demand.queue]
        queue = prepared.snapshot.queue_by_name.get(name)
        if not self._predicates.node_groups or queue is None:
            return []
        rules = queue.node_groups or NodeGroupRules()
        found = []
        for group in sorted({node.labels.get(NODE_GROUP_LABEL, "") for node in self._examples}):
            if not group or rules.allows(group):
                continue
            admits = self._for(demand, f"group {group}", opening(group))
            if self._bench.fits(demand, admits=admits, queues=queues):
                edit = SetQueue(queue=name, node_groups=(*rules.required, group))
                found.append(
                    Candidate(
                        "open_node_group",
                        f"let queue {name} use node group {group}",
                        lambda _, edit=edit: (edit,),  # type: ignore[misc]
                        objects=(name, group),
                    )
                )
        return found

    def _for(self, demand: Demand, key: str, change: Change) -> BoolArray:
        if key not in self._open:
            self._open[key] = self._admits_of(change)
        return self._open[key]

    def _admits_of(
        self, change: Change, *, unschedulable: bool = False, broken: bool = False
    ) -> BoolArray:
        """``[shapes, nodes]`` open nodes with changed profiles, or with nodes back in service."""
        table = self._bench.prepared.shapes
        nodes = [
            serving(node, unschedulable=unschedulable, broken=broken) for node in self._examples
        ]
        rows = [
            [not self._predicates.why_closed(change(profile), node) for node in nodes]
            for profile in table.profiles
        ]
        if not rows or not nodes:
            return self._bench.problem.admits
        of, signatures = np.array(table.profile_of), np.array(table.signatures, dtype=np.int64)
        found: BoolArray = np.array(rows, dtype=np.bool_)[of][:, signatures]
        return found

    @cached_property
    def _examples(self) -> list[Node]:
        examples: dict[int, Node] = {}
        prepared = self._bench.prepared
        for node, signature in zip(prepared.ruled.nodes, prepared.shapes.signatures, strict=True):
            examples.setdefault(signature, node)
        return [examples[index] for index in range(len(examples))]


def _in_trouble(taints: tuple[Taint, ...]) -> bool:
    return any(one.key.startswith(TROUBLE) for one in taints)


def _named(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
    return f"{', '.join(names[:NAMES_TOLD])}{more}"
