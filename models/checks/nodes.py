"""Nodes that offer less than they seem to, and HyperNodes that form no tree."""

from __future__ import annotations

from collections.abc import Iterator

from models.cards.kinds import CARD_RESOURCES
from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.subject import Subject
from models.checks.wording import against_text, counted, names_text
from models.cluster import Node
from models.gpu import gpu_model, gpus_in
from models.gpu_slots import Slots, slots_of
from models.readiness import REVOCABLE_ZONE_KEY

INSTANCE_TYPE_LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


def node_not_ready(subject: Subject) -> Iterator[Hit]:
    """Condition Ready is not True: the node takes no new pods."""
    for node in subject.snapshot.nodes:
        if not node.ready:
            gpus = gpus_in(node.allocatable, subject.gpu_names)
            yield Hit(
                f"node/{node.name}",
                f"node {node.name} is not Ready (condition {node.conditions.get('Ready', 'Unknown')}): "
                f"{_offer(subject, node)}",
                amount=gpus,
            )


def node_cordoned(subject: Subject) -> Iterator[Hit]:
    """``spec.unschedulable`` is set: only pods that tolerate it are placed there."""
    for node in subject.snapshot.nodes:
        if node.unschedulable and node.ready:
            gpus = gpus_in(node.allocatable, subject.gpu_names)
            yield Hit(
                f"node/{node.name}",
                f"node {node.name} is cordoned: {_offer(subject, node)}",
                amount=gpus,
            )


def _offer(subject: Subject, node: Node) -> str:
    gpus = gpus_in(node.allocatable, subject.gpu_names)
    held = len(subject.snapshot.pods_by_node.get(node.name, ()))
    what = f"its {counted(gpus, 'GPU')} take" if gpus else "it takes"
    return f"{what} no new pods; {counted(held, 'pod')} on it"


def node_overfull(subject: Subject) -> Iterator[Hit]:
    """Requests of the pods on a node exceed its allocatable in some dimension."""
    for node in subject.snapshot.nodes:
        used = subject.used_by_node.get(node.name, {})
        over = [
            against_text(name, amount, node.allocatable.amount(name))
            for name, amount in sorted(used.items())
            if amount > node.allocatable.amount(name)
            and (name in node.allocatable or name not in CARD_RESOURCES)
        ]
        if over:
            yield Hit(
                f"node/{node.name}",
                f"the pods on node {node.name} request more than it can allocate: {', '.join(over)}; "
                "its free amount counts as 0 there",
            )


def unhealthy_gpus(subject: Subject) -> Iterator[Hit]:
    """Allocatable GPUs are fewer than the machine has."""
    for node in subject.snapshot.nodes:
        for name in subject.gpu_names:
            has, offers = node.capacity.amount(name), node.allocatable.amount(name)
            if offers < has:
                yield Hit(
                    f"node/{node.name}",
                    f"node {node.name} can allocate {offers:,} of its {has:,} {name}: {has - offers:,} unhealthy",
                    amount=has - offers,
                )


def no_gpu_model_label(subject: Subject) -> Iterator[Hit]:
    """A node has GPUs and no known label tells their model; one hit per kind of machine."""
    rule = subject.policy.policy.gpu_models
    groups: dict[tuple[str, str, int], list[str]] = {}
    for node in subject.snapshot.nodes:
        for name in subject.gpu_names:
            gpus = max(node.capacity.amount(name), node.allocatable.amount(name))
            if gpus and not gpu_model(node, rule):
                groups.setdefault((name, _instance_type(node), gpus), []).append(node.name)
    for (name, machine, gpus), nodes in sorted(groups.items()):
        known = f", instance type {machine}" if machine else ", no instance type either"
        more = f" and {counted(len(nodes) - 1, 'other node')}" if len(nodes) > 1 else ""
        verb, each = ("say", " each") if more else ("says", "")
        yield Hit(
            f"node/{nodes[0]}",
            f"node {nodes[0]}{more} ({gpus:,} {name}{each}{known}) {verb} no GPU model: "
            "classed by allocatable and instance type",
            amount=len(nodes),
        )


def _instance_type(node: Node) -> str:
    return next((node.labels[key] for key in INSTANCE_TYPE_LABELS if node.labels.get(key)), "")


def no_nodes(subject: Subject) -> Iterator[Hit]:
    """Pods, gangs or queues without any node."""
    snapshot = subject.snapshot
    if not snapshot.nodes and (snapshot.pods or snapshot.gangs or snapshot.queues):
        yield Hit(
            "export",
            f"the export holds {counted(len(snapshot.pods), 'pod')} and "
            f"{counted(len(snapshot.gangs), 'gang')}, but no node: nothing can be placed",
        )


def revocable_zone_without_window(subject: Subject) -> Iterator[Hit]:
    """Nodes belong to a revocable zone for which no window is configured."""
    zones = subject.policy.policy.revocable_zones
    if zones is None:
        return
    by_zone: dict[str, list[str]] = {}
    for node in subject.snapshot.nodes:
        zone = node.labels.get(REVOCABLE_ZONE_KEY)
        if zone is not None and zone not in zones:
            by_zone.setdefault(zone, []).append(node.name)
    for zone, nodes in sorted(by_zone.items()):
        yield Hit(
            f"zone/{zone}",
            f"{counted(len(nodes), 'node')} in revocable zone {zone}, which has no window: always closed",
            amount=len(nodes),
        )


def gpu_slots(subject: Subject) -> Iterator[Hit]:
    """GPUs of nodes are slots of shared cards; one hit per strategy and number of slots, with who may get several."""
    nodes: dict[tuple[str, str, int], list[tuple[Node, Slots]]] = {}
    for node in subject.snapshot.nodes:
        slots = slots_of(node)
        if slots is not None:
            key = (slots.resource, slots.strategy, slots.per_card)
            nodes.setdefault(key, []).append((node, slots))
    for (resource, strategy, per_card), members in sorted(nodes.items()):
        count = sum(slots.count for _, slots in members)
        cards = sum(slots.cards for _, slots in members)
        names = [node.name for node, _ in members]
        how = f"{strategy}, " if strategy else ""
        several = sorted(
            {
                demand.owner.partition("/")[2]
                for demand in subject.demands
                if demand.spec.request.amount(resource) > 1
            }
        )
        asks = "asks" if len(several) == 1 else "ask"
        yield Hit(
            f"nodes/{names_text(names)}",
            f"{counted(count, resource, resource)} of {names_text(names)} "
            f"{'is a slot' if count == 1 else 'are slots'} of {counted(cards, 'card')} "
            f"({how}{per_card} per card): each slot counts as a GPU, as in Kubernetes"
            + (
                f"; two slots of one pod may be one card, and {names_text(several)} {asks} for several per pod"
                if several
                else ""
            ),
            amount=count,
        )


CHECKS = (
    Check(
        "no_nodes",
        "warning",
        "The input holds workloads or queues, but no node; nothing can be placed.",
        "add the nodes to the export (kubectl get nodes)",
        find=no_nodes,
    ),
    Check(
        "node_not_ready",
        "warning",
        "Condition Ready of a node is not True; it takes no new pods, its pods stay counted.",
        "kubectl describe node tells why; the plan leaves it alone until it is Ready",
        noun="nodes",
        phrase="are not Ready; they hold {total} GPUs",
        see_all="kubectl get nodes",
        find=node_not_ready,
    ),
    Check(
        "node_cordoned",
        "info",
        "A Ready node is cordoned (`spec.unschedulable`); only pods that tolerate it are placed there.",
        "kubectl uncordon it if it should take work",
        noun="nodes",
        phrase="are cordoned; they hold {total} GPUs",
        see_all="kubectl get nodes",
        find=node_cordoned,
    ),
    Check(
        "node_overfull",
        "warning",
        "The pods on a node request more than its allocatable, for example since a GPU became unhealthy. "
        "Its free amount is 0 in that dimension; running pods stay.",
        "drain or repair the node; nothing new is placed in that dimension until pods leave",
        noun="nodes",
        phrase="carry pods that request more than the node can allocate",
        see_all="kubectl describe nodes",
        find=node_overfull,
    ),
    Check(
        "unhealthy_gpus",
        "warning",
        "A node can allocate fewer GPUs than it has (allocatable below capacity).",
        "look at the device plugin's log and the GPU's health on the node; only allocatable GPUs are planned",
        noun="nodes",
        phrase="lack {total} of their GPUs",
        see_all="kubectl get nodes -o yaml, allocatable beside capacity",
        find=unhealthy_gpus,
    ),
    Check(
        "no_gpu_model_label",
        "info",
        "GPU nodes carry no label that tells the GPU model; they are classed by allocatable and instance type. "
        "One finding per kind of machine.",
        "run GPU feature discovery, label the nodes gangplan.io/gpu-model=…, or name the label key in the policy "
        "(gpu_models.label_keys)",
        noun="kinds of machines",
        phrase="say no GPU model ({total} nodes)",
        see_all="kubectl get nodes --show-labels",
        listed=LISTED_GROUPS,
        find=no_gpu_model_label,
    ),
    Check(
        "gpu_slots",
        "warning",
        "GPUs of some nodes are slots of shared cards (time-slicing, MPS): figures count slots, not cards, and two "
        "slots of one pod may be the same card.",
        "keep pods with several GPUs on whole cards: required node affinity nvidia.com/gpu.sharing-strategy NotIn "
        "[time-slicing, mps]",
        noun="kinds of shared nodes",
        phrase="offer {total} slots instead of cards",
        see_all="kubectl get nodes -L nvidia.com/gpu.replicas,nvidia.com/gpu.sharing-strategy",
        listed=LISTED_GROUPS,
        find=gpu_slots,
    ),
    Check(
        "revocable_zone_without_window",
        "warning",
        "Nodes are labelled with a revocable zone that has no window; they never take pods.",
        "add the zone's window to revocable_zones of the policy or to the tdm plugin's arguments",
        noun="zones",
        phrase="have no window ({total} nodes)",
        see_all="kubectl get nodes -L volcano.sh/revocable-zone",
        listed=LISTED_GROUPS,
        find=revocable_zone_without_window,
    ),
)
