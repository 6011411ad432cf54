"""Node classes of a snapshot with their free GPUs, whole and in fragments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.cluster import Node
from models.gpu import gpu_model, gpus_in
from models.gpu_slots import slots_of
from models.policy import GpuModelRule
from models.selectors import Taint
from models.snapshot import Snapshot
from planner.report.inspect_document import NodeClassEntry


@dataclass(frozen=True, slots=True)
class NodeStanding:
    """GPUs of one node by state."""

    node: Node
    model: str
    gpus: int
    used: int
    open: bool

    @property
    def free(self) -> int:
        """GPUs that no pod holds."""
        return max(0, self.gpus - self.used)

    @property
    def whole(self) -> int:
        """Free GPUs where the node is open and none of its GPUs is used."""
        return self.free if self.open and not self.used else 0

    @property
    def fragment(self) -> int:
        """Free GPUs of an open node beside used ones."""
        return self.free if self.open and self.used else 0

    @property
    def unavailable(self) -> int:
        """Free GPUs of a node that takes no pods."""
        return 0 if self.open else self.free


def node_standings(
    snapshot: Snapshot, rule: GpuModelRule, gpu_names: tuple[str, ...]
) -> list[NodeStanding]:
    """Every node with its GPUs, used ones counted over all pods that hold the node, terminating ones too."""
    found = []
    for node in snapshot.nodes:
        pods = snapshot.pods_by_node.get(node.name, ())
        used = sum(gpus_in(pod.spec.request, gpu_names) for pod in pods)
        is_open = node.ready and not node.unschedulable
        gpus = gpus_in(node.allocatable, gpu_names)
        found.append(NodeStanding(node, gpu_model(node, rule), gpus, used, is_open))
    return found


def node_classes(standings: Sequence[NodeStanding]) -> tuple[NodeClassEntry, ...]:
    """Classes by GPU model, allocatable and taints, most GPUs first, then most nodes."""
    groups: dict[tuple[object, ...], list[NodeStanding]] = {}
    for one in standings:
        taints = tuple(sorted(_taint_text(taint) for taint in one.node.taints))
        per_card = slots.per_card if (slots := slots_of(one.node)) else 1
        groups.setdefault((one.model, one.node.allocatable, taints, per_card), []).append(one)
    entries = [_class_entry(members) for members in groups.values()]
    return tuple(
        sorted(entries, key=lambda one: (-one.gpus_each * one.nodes, -one.nodes, one.example))
    )


def _class_entry(members: list[NodeStanding]) -> NodeClassEntry:
    first = members[0]
    sums: Counter[str] = Counter()
    for one in members:
        sums["used"] += min(one.used, one.gpus)
        sums["whole"] += one.whole
        sums["fragment"] += one.fragment
        sums["unavailable"] += one.unavailable
        sums["closed"] += not one.open
    return NodeClassEntry(
        gpu_model=first.model,
        slots_per_card=slots.per_card if (slots := slots_of(first.node)) else 1,
        nodes=len(members),
        nodes_closed=sums["closed"],
        allocatable=first.node.allocatable,
        gpus_each=first.gpus,
        gpus_used=sums["used"],
        gpus_free_whole=sums["whole"],
        gpus_free_fragment=sums["fragment"],
        gpus_unavailable=sums["unavailable"],
        taints=tuple(sorted(_taint_text(taint) for taint in first.node.taints)),
        example=min(one.node.name for one in members),
    )


def _taint_text(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"
