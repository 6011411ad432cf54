"""Where the pods get room: open nodes, enough at every second, within the queue's limit, and needing every leaver."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction

from models.cluster import Node
from models.drill import NeedEntry
from models.drill_rules import DrillRule
from models.gpu import gpu_model
from models.plan import RuleViolation
from models.pools import pool_of
from models.resources import PODS
from models.workloads import Pod
from planner.verify.drill_leaving import gangs_leaving, smaller_losses
from planner.verify.drill_needs import spec_of
from planner.verify.drill_state import DrillState, fault
from planner.verify.predicates import ZONE_KEY, Doorkeeper
from planner.verify.wording import amount_text


def check_nodes(drill: DrillState) -> Iterator[RuleViolation]:
    """Predicates of the pattern pod, GPU model, labels, the queue's state."""
    keeper = Doorkeeper(drill.policy)
    for place in drill.result.places:
        need = drill.need(place.need)
        node = drill.node(place.node)
        if need is None or node is None:
            told = "names no need or no node of the snapshot; remove it"
            yield fault(DrillRule.NODE, f"node/{place.node}", told)
            continue
        reason = node_closed(drill, keeper, need, node)
        if reason:
            told = f"{reason}, but {place.pods} pods of {need.service} get room there"
            yield fault(DrillRule.NODE, f"node/{place.node}", f"{told}; choose another node")


def node_closed(drill: DrillState, keeper: Doorkeeper, need: NeedEntry, node: Node) -> str:
    """Why a node may take no pod of a need, "" where it may."""
    if need.gpu_model and gpu_model(node, drill.policy.policy.gpu_models) != need.gpu_model:
        return f"is not of GPU model {need.gpu_model}"
    rule = drill.policy.policy.gpu_models
    if need.pools and pool_of(node, rule, drill.base.gpu_names) not in need.pools:
        return f"is not in pool {' or '.join(need.pools)}"
    for key, value in need.labels.items():
        if node.labels.get(key) != value:
            return f"lacks the label {key}={value}"
    queue = drill.base.queues.listed.get(need.queue)
    if queue is not None and queue.state != "Open":
        return f"queue {queue.name} is {queue.state}"
    pattern = drill.snapshot.pod_by_name.get(need.pattern)
    marked = pattern is not None and pattern.annotations.get(ZONE_KEY) == "*"
    keeper.grouped = drill.policy.nodegroup and bool(need.queue)
    return keeper.why_closed(spec_of(drill, need), node, marked=marked, queue=queue)


def check_room(drill: DrillState) -> Iterator[RuleViolation]:
    """Per node and second: pods with room plus pods that still hold it <= allocatable, in what the former request."""
    for node, second, resource, used, most in shortages(drill, frozenset()):
        told = f"{resource}: {amount_text(resource, used)} requested at second {second}, "
        told += f"{amount_text(resource, most)} allocatable; fewer pods have room"
        yield fault(DrillRule.ROOM, f"node/{node}", told)


def shortages(
    drill: DrillState, staying: Collection[str], nodes: Collection[str] | None = None
) -> Iterator[tuple[str, int, str, int, int]]:
    """Node, second, resource, requested and allocatable, where it is too much; ``staying`` leavers stay after all."""
    by_node = drill.places_by_node
    for name in sorted(by_node if nodes is None else by_node.keys() & set(nodes)):
        node, places = drill.node(name), by_node[name]
        if node is None:
            continue
        for second in sorted({place.second for place in places}):
            used: dict[str, int] = {}
            for place in places:
                need = drill.need(place.need)
                if need is not None and place.second <= second:
                    for resource, amount in (*need.request.items(), (PODS, 1)):
                        used[resource] = used.get(resource, 0) + amount * place.pods
            for pod in drill.snapshot.pods_by_node.get(name, ()):
                if pod.full_name in staying or drill.holds(pod, second):
                    for resource in used:
                        used[resource] += _held(pod, resource)
            for resource, amount in sorted(used.items()):
                most = node.allocatable.amount(resource)
                if amount > most:
                    yield name, second, resource, amount, most


def _held(pod: Pod, resource: str) -> int:
    return 1 if resource == PODS else pod.spec.request.amount(resource)


def check_queue_limits(drill: DrillState) -> Iterator[RuleViolation]:
    """Per queue of a need and ancestor, in what its pods request: use after leaving plus new pods <= limit."""
    for level, resource, amount, limit in over_limits(drill, frozenset()):
        told = f"{resource}: {amount_text(resource, amount)} used, limit "
        told += f"{amount_text(resource, limit)}; make room for fewer pods"
        yield fault(DrillRule.QUEUE_LIMIT, f"queue/{level}", told)


def over_limits(drill: DrillState, staying: Collection[str]) -> Iterator[tuple[str, str, int, int]]:
    """Queue, resource, use and limit, where it is too much."""
    book = drill.state.queues
    for level, totals in sorted(drill.asked_by_queue.items()):
        used = dict(drill.used_by_queue[level])
        for name in staying:
            pod = drill.gone[name]
            if drill.snapshot.gang_by_name[pod.gang].queue in book.family(level):
                drill.state.add(used, pod.spec)
        for resource, amount in sorted(totals.items()):
            limit = book.limit(level, resource)
            total = used.get(resource, 0) + amount
            if limit is not None and Fraction(total) > limit:
                yield level, resource, total, limit


def check_needed(drill: DrillState) -> Iterator[RuleViolation]:
    """With a gang's leavers back (all, or one where that is legal) something no longer fits, or comes too late."""
    for name, pods in gangs_leaving(drill).items():
        gang = drill.snapshot.gang_by_name.get(name)
        if gang is None:
            continue
        for back in smaller_losses(drill, gang, pods):
            names = {pod.full_name for pod in back}
            nodes = {pod.node for pod in back if pod.node}
            needed = any(shortages(drill, names, nodes)) or any(over_limits(drill, names))
            if not needed:
                told = f"loses {len(pods)} pods, but everything has its room with {len(back)} of them back"
                yield fault(DrillRule.NEEDED, f"gang/{name}", f"{told}; keep them")
                break


def check_holders(drill: DrillState) -> Iterator[RuleViolation]:
    """GPUs of the open nodes = those back in time + those held; nodes with more GPUs requested than they have aside."""
    if not drill.result.holders:
        return
    keeper, names = Doorkeeper(drill.policy), drill.base.gpu_names
    total = 0
    for node in drill.snapshot.nodes:
        gpus = sum(node.allocatable.amount(name) for name in names)
        if not gpus or all(node_closed(drill, keeper, one, node) for one in drill.result.needs):
            continue
        pods = drill.snapshot.pods_by_node.get(node.name, ())
        if sum(drill.base.gpus(pod.spec) for pod in pods) > gpus:
            return
        total += gpus
    held = sum(one.gpus for one in drill.result.holders if one.code != "closed_node")
    found = held + sum(need.gpus_in_time for need in drill.result.needs)
    if found != total:
        told = (
            f"{found} GPUs are back in time or held, the open nodes have {total}; account for all"
        )
        yield fault(DrillRule.FIGURES, "holders", told)
