"""One more of everything that could be bought or granted: nodes of each kind, quota of each queue."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from models.cluster import Node
from models.edits.catalogue import edit_from
from models.edits.edit import Edit, EditError, Situation
from models.edits.quantities import resource_name
from models.gpu import gpus_in, whole_gpu_names
from models.plan import PlanResult
from models.pools import pool_of
from models.resources import Resources
from planner.usecases.whatif.base import Base


@dataclass(frozen=True)
class Addition:
    """One candidate.

    Attributes
    ----------
    name
        Unique within a run; what a reader sees.
    gpus_each
        GPUs of one unit (of a node; 1 for quota).
    node
        The node that new ones are like; None for quota.
    queue
        The queue whose quota grows; "" for nodes.
    step
        GPUs of its smallest waiting gang: the least quota that can start anything. 0 where that is no question.
    """

    kind: Literal["node", "quota"]
    name: str
    edit: Edit
    gpus_each: int
    node: Node | None = None
    queue: str = ""
    field: str = ""
    step: int = 0

    def larger(self) -> Addition | None:
        """The same with as much as its smallest waiting gang needs; None where that is no more."""
        if self.step <= 1 or self.field == "weight":
            return None
        words = {"set_queue": {"queue": self.queue, self.field: {"gpu": f"+{self.step}"}}}
        name = f"{self.step} GPUs of {self.field}, queue {self.queue}"
        edit = edit_from(words)
        return Addition("quota", name, edit, self.step, None, self.queue, self.field)


def additions(base: Base) -> tuple[Addition, ...]:
    """Node kinds by pool and machine, then queues in which gangs wait under the base's plan."""
    return (*_nodes(base), *_quotas(base))


def _nodes(base: Base) -> list[Addition]:
    rule = base.policy.policy.gpu_models
    names = whole_gpu_names(rule)
    kinds: dict[tuple[str, Resources], list[Node]] = {}
    for node in base.snapshot.nodes:
        machine = node.capacity or node.allocatable
        kinds.setdefault((pool_of(node, rule, names), _devices(machine)), []).append(node)
    pools = Counter(pool for pool, _ in kinds)
    found = []
    for (pool, _), nodes in sorted(kinds.items(), key=lambda one: (one[0][0], repr(one[0][1]))):
        node = max(nodes, key=_soundness)
        gpus = gpus_in(node.allocatable, names)
        cpus = node.allocatable.amount("cpu") // 1000
        told = f" ({gpus} GPUs, {cpus} CPUs)" if pools[pool] > 1 else ""
        edit = edit_from({"add_nodes": {"like": node.name, "count": 1}})
        found.append(Addition("node", f"node of {pool}{told}", edit, gpus, node))
    return found


def _devices(machine: Resources) -> Resources:
    """What tells machines apart: whole CPUs, GiB and devices; reserved amounts differ a little between nodes."""
    amounts = {name: amount for name, amount in machine.items() if "/" in name}
    amounts["cpu"] = machine.amount("cpu") // 4000
    amounts["memory"] = machine.amount("memory") >> 34
    return Resources(amounts)


def _soundness(node: Node) -> tuple[Any, ...]:
    """Ready, open, whole and untainted nodes first; of equal ones the first by name."""
    whole = not node.capacity or node.allocatable.items() >= _whole(node).items()
    return (
        node.ready and not node.unschedulable,
        whole,
        -len(node.taints),
        tuple(-ord(c) for c in node.name),
    )


def _whole(node: Node) -> dict[str, int]:
    return {name: amount for name, amount in node.capacity.items() if "/" in name}


def _quotas(base: Base) -> list[Addition]:
    waiting = _smallest_waiting(base.plan)
    situation = Situation(base.snapshot, base.policy)
    try:
        gpu = resource_name("gpu", situation)
    except EditError:
        return []  # several GPU resources: there is no single quota to speak of
    found = []
    for name, step in sorted(waiting.items()):
        queue = base.snapshot.queue_by_name.get(name)
        if queue is None:
            continue
        if base.policy.queue_model == "proportion":
            edit = edit_from({"set_queue": {"queue": name, "weight": "+1"}})
            told = f"unit of weight, queue {name}"
            found.append(Addition("quota", told, edit, 0, None, name, "weight", step))
            continue
        field = next((f for f in ("capability", "deserved") if gpu in getattr(queue, f)), None)
        if field is None:
            continue
        edit = edit_from({"set_queue": {"queue": name, field: {gpu: "+1"}}})
        told = f"GPU of {field}, queue {name}"
        found.append(Addition("quota", told, edit, 1, None, name, field, step))
    return found


def _smallest_waiting(plan: PlanResult) -> dict[str, int]:
    """Queue to the GPUs of its smallest waiting gang that needs any."""
    found: dict[str, int] = {}
    for gang in plan.gangs:
        if gang.decision == "wait" and gang.gpus:
            found[gang.queue] = min(gang.gpus, found.get(gang.queue, gang.gpus))
    return found
