"""Edits of hardware: nodes come, go, are drained, fail, open again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from models.cluster import HyperNodeMember, Node
from models.edits.edit import Edit, EditError, Situation, Words
from models.edits.pods_away import pods_off
from models.edits.quantities import Whole, resources_from
from models.edits.select import Selector, select_nodes, shown
from models.edits.suggest import unknown
from models.selectors import UNSCHEDULABLE_TAINT, Taint
from models.spoken import Say, english

HOSTNAME = "kubernetes.io/hostname"
NODE_NAME = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$"


class TaintText(Words):
    """A taint of a new node."""

    key: str = Field(min_length=1)
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    value: str = ""


class AddNodes(Edit):
    """More nodes: like one that is there (the most frequent kind of a selector), or written out.

    New nodes are empty, ready and open. ``hyper_node`` adds them to a topology domain that lists its members by name;
    domains that select by label or pattern take them by themselves.
    """

    kind: ClassVar[str] = "add_nodes"
    count: Whole = Field(default=1, ge=0, le=100_000)
    like: Selector | None = None
    name: str = Field(default="", pattern=NODE_NAME, max_length=200)
    allocatable: Mapping[str, str | int] = Field(default_factory=dict)
    labels: Mapping[str, str] = Field(default_factory=dict)
    taints: tuple[TaintText, ...] = ()
    hyper_node: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> AddNodes:
        if self.like is None and not (self.name and self.allocatable):
            raise ValueError("say 'like' (a node, pool or GPU model), or 'name' and 'allocatable'")
        return self

    def apply(self, situation: Situation) -> Situation:
        """Add them under free names (``NAME-new-1`` …)."""
        sample = self._sample(situation)
        names = self._names(situation, sample)
        labels = dict(sample.labels)
        nodes = []
        for name in names:
            own = {**labels, HOSTNAME: name} if HOSTNAME in labels else labels
            nodes.append(replace(sample, name=name, labels=own, created=""))
        situation = situation.holding(nodes=(*situation.snapshot.nodes, *nodes))
        return self._in_domain(situation, names) if self.hyper_node and names else situation

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Take the same nodes away again."""
        names = self._names(before, self._sample(before))
        if self.hyper_node:
            return None
        return (RemoveNodes(nodes=tuple(names)),) if names else ()

    def text(self, say: Say = english) -> str:
        """``add 4 nodes like a100 with zone=b``."""
        own = {**self.labels, **self.allocatable}
        with_words = [f"{key}={value}" for key, value in sorted(own.items())]
        with_words += [f"taint {one.key}={one.value}:{one.effect}" for one in self.taints]
        text = self._added(say)
        if with_words:
            text += say(" with {what}", what=", ".join(with_words))
        if self.hyper_node:
            text += say(" in {domain}", domain=self.hyper_node)
        return text

    def _added(self, say: Say) -> str:
        if self.like is None:
            if self.count == 1:
                return say("add 1 node {name}", name=repr(self.name))
            return say("add {count} nodes {name}", count=f"{self.count:,}", name=repr(self.name))
        if self.count == 1:
            return say("add 1 node like {name}", name=shown(self.like))
        return say("add {count} nodes like {name}", count=f"{self.count:,}", name=shown(self.like))

    def _sample(self, situation: Situation) -> Node:
        taints = tuple(Taint(one.key, one.effect, one.value) for one in self.taints)
        if self.like is None:
            allocatable = resources_from(self.allocatable, situation)
            if "pods" not in allocatable:
                allocatable = allocatable.plus({"pods": 110})
            return Node(self.name, allocatable, allocatable, dict(self.labels), taints=taints)
        found = select_nodes(situation, self.like)
        kinds = Counter(_kind(node) for node in found)
        kind = max(kinds, key=lambda one: (kinds[one], one))
        first = next(node for node in found if _kind(node) == kind)
        allocatable = first.allocatable
        if self.allocatable:
            changed = resources_from(self.allocatable, situation).as_dict()
            allocatable = type(allocatable)({**allocatable.as_dict(), **changed})
        return replace(
            first,
            allocatable=allocatable,
            capacity=allocatable,
            labels={**first.labels, **self.labels},
            taints=taints or tuple(t for t in first.taints if not _marks_trouble(t)),
            conditions={"Ready": "True"} if first.conditions else {},
            unschedulable=False,
        )

    def _names(self, situation: Situation, sample: Node) -> list[str]:
        taken = situation.snapshot.node_by_name
        stem = f"{self.name or sample.name}-new"
        names: list[str] = []
        number = 0
        while len(names) < self.count:
            number += 1
            if f"{stem}-{number}" not in taken:
                names.append(f"{stem}-{number}")
        return names

    def _in_domain(self, situation: Situation, names: list[str]) -> Situation:
        domains = {one.name: one for one in situation.snapshot.hyper_nodes}
        domain = domains.get(self.hyper_node)
        if domain is None:
            raise unknown("HyperNode", self.hyper_node, domains)
        if any(member.type != "Node" for member in domain.members):
            raise EditError(f"HyperNode {domain.name!r} holds no nodes", "name a leaf domain")
        members = tuple(HyperNodeMember("Node", exact_name=name) for name in names)
        domains[domain.name] = replace(domain, members=(*domain.members, *members))
        return situation.holding(hyper_nodes=domains.values())


def _kind(node: Node) -> tuple[Any, ...]:
    """What nodes of one kind share: whole machines before those with unhealthy devices."""
    sound = node.ready and not node.unschedulable and node.allocatable == node.capacity
    labels = tuple(sorted((k, v) for k, v in node.labels.items() if k != HOSTNAME))
    return (sound, tuple(node.allocatable.items()), len(node.taints), labels and labels[0])


def _marks_trouble(taint: Taint) -> bool:
    return taint.key.startswith("node.kubernetes.io/")


class _OnNodes(Edit):
    """An edit of the nodes of a selector; ``phrase`` tells it."""

    phrase: ClassVar[str] = ""
    nodes: Selector

    def _changed(self, situation: Situation, **fields: Any) -> Situation:
        names = {node.name for node in select_nodes(situation, self.nodes)}
        return situation.holding(
            nodes=[
                replace(node, **fields) if node.name in names else node
                for node in situation.snapshot.nodes
            ]
        )

    def text(self, say: Say = english) -> str:
        """``drain pool/b``."""
        return say(self.phrase, nodes=shown(self.nodes))


class RemoveNodes(_OnNodes):
    """The nodes are gone; pods of gangs that ran there wait again, node-bound pods (DaemonSets) go with them."""

    kind: ClassVar[str] = "remove_nodes"
    phrase: ClassVar[str] = "remove nodes {nodes}"

    def apply(self, situation: Situation) -> Situation:
        """Take the nodes away."""
        names = frozenset(node.name for node in select_nodes(situation, self.nodes))
        situation = pods_off(situation, names, node_pods_stay=False, what="removed")
        kept = [node for node in situation.snapshot.nodes if node.name not in names]
        return situation.holding(nodes=kept)


class Drain(_OnNodes):
    """As ``kubectl drain``: closed to new pods, pods leave and wait again; DaemonSet pods stay.

    ``pods: keep`` only closes the nodes (``kubectl cordon``): what runs there may end.
    """

    kind: ClassVar[str] = "drain"
    phrase: ClassVar[str] = "drain {nodes}"
    pods: str = Field(default="leave", pattern="^(leave|keep)$")

    def apply(self, situation: Situation) -> Situation:
        """Close the nodes and let pods leave."""
        if self.pods == "leave":
            names = frozenset(node.name for node in select_nodes(situation, self.nodes))
            situation = pods_off(situation, names, node_pods_stay=True, what="drained")
        return self._changed(situation, unschedulable=True)

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Open them again, where no pod had to leave."""
        found = select_nodes(before, self.nodes)
        holds = any(before.snapshot.pods_by_node.get(node.name) for node in found)
        if (self.pods == "leave" and holds) or any(node.unschedulable for node in found):
            return None
        return (Uncordon(nodes=self.nodes),)


class Fail(_OnNodes):
    """The nodes stop working (Ready is False): pods of gangs that ran there are lost and wait again."""

    kind: ClassVar[str] = "fail"
    phrase: ClassVar[str] = "fail {nodes}"

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Repair them, where they were sound and empty."""
        found = select_nodes(before, self.nodes)
        holds = any(before.snapshot.pods_by_node.get(node.name) for node in found)
        back = (Repair(nodes=self.nodes),)
        sound = all(
            node.conditions.get("Ready") == "True" and _repaired(node) == node for node in found
        )
        return back if sound and not holds else None

    def apply(self, situation: Situation) -> Situation:
        """Mark the nodes not ready and take their pods away."""
        found = select_nodes(situation, self.nodes)
        names = frozenset(node.name for node in found)
        situation = pods_off(situation, names, node_pods_stay=False, what="failed")
        return situation.holding(
            nodes=[
                replace(node, conditions={**node.conditions, "Ready": "False"})
                if node.name in names
                else node
                for node in situation.snapshot.nodes
            ]
        )


class Uncordon(_OnNodes):
    """Closed nodes take pods again (``kubectl uncordon``)."""

    kind: ClassVar[str] = "uncordon"
    phrase: ClassVar[str] = "uncordon {nodes}"

    def apply(self, situation: Situation) -> Situation:
        """Open the nodes."""
        names = {node.name for node in select_nodes(situation, self.nodes)}
        return situation.holding(
            nodes=[
                replace(
                    node,
                    unschedulable=False,
                    taints=tuple(one for one in node.taints if one.key != UNSCHEDULABLE_TAINT.key),
                )
                if node.name in names
                else node
                for node in situation.snapshot.nodes
            ]
        )

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Close them again, where all of them were closed and bore no taint for it."""
        found = select_nodes(before, self.nodes)
        plain = all(
            node.unschedulable and all(one.key != UNSCHEDULABLE_TAINT.key for one in node.taints)
            for node in found
        )
        return (Drain(nodes=self.nodes, pods="keep"),) if plain else None


class Repair(_OnNodes):
    """Broken nodes work again: Ready is True, all devices are allocatable, trouble taints are gone."""

    kind: ClassVar[str] = "repair"
    phrase: ClassVar[str] = "repair {nodes}"

    def apply(self, situation: Situation) -> Situation:
        """Repair the nodes."""
        names = {node.name for node in select_nodes(situation, self.nodes)}
        return situation.holding(
            nodes=[
                _repaired(node) if node.name in names else node for node in situation.snapshot.nodes
            ]
        )


def _repaired(node: Node) -> Node:
    """Allocatable devices as in capacity; cpu and memory keep what the system reserves."""
    amounts = node.allocatable.as_dict()
    for name, amount in node.capacity.items():
        if "/" in name:
            amounts[name] = max(amounts.get(name, 0), amount)
    return replace(
        node,
        allocatable=type(node.allocatable)(amounts),
        conditions={**node.conditions, "Ready": "True"},
        taints=tuple(one for one in node.taints if not _marks_trouble(one)),
    )


EDITS: tuple[type[Edit], ...] = (AddNodes, RemoveNodes, Drain, Fail, Uncordon, Repair)
