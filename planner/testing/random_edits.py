"""Random edits that suit a snapshot, and those of them that have a way back."""

from __future__ import annotations

from random import Random
from typing import Any

from models.edits.catalogue import edit_from
from models.edits.edit import Edit
from models.snapshot import Snapshot


def random_edit(rng: Random, snapshot: Snapshot) -> Edit:
    """An edit whose names exist in the snapshot."""
    return edit_from(rng.choice(_choices(rng, snapshot)))


def random_edits(rng: Random, snapshot: Snapshot, most: int = 4) -> tuple[Edit, ...]:
    """Several edits of different objects: no later one names what an earlier one took away."""
    found: list[Edit] = []
    kinds: set[str] = set()
    for _ in range(rng.randint(1, most)):
        edit = random_edit(rng, snapshot)
        if edit.kind not in kinds and not kinds & _TAKING.get(edit.kind, set()):
            kinds.add(edit.kind)
            found.append(edit)
    return tuple(found)


_TAKES = {"remove_nodes", "remove_gangs", "remove_pods", "scale_demand"}
_NAMING = (
    *("remove_nodes", "remove_gangs", "scale_demand", "drain", "fail", "uncordon", "repair"),
    *("add_nodes", "multiply", "reprioritise", "set_gang", "remove_pods", "tolerate", "ungate"),
    *("drop_affinity", "mark_preemptable", "pin_gang", "forbid_gang"),
)
_TAKING = dict.fromkeys(_NAMING, _TAKES)


def _choices(rng: Random, snapshot: Snapshot) -> list[dict[str, Any]]:
    node = rng.choice(snapshot.nodes).name
    gpus = rng.randint(0, 16)
    found: list[dict[str, Any]] = [
        {"add_nodes": {"like": node, "count": rng.randint(0, 3)}},
        {"remove_nodes": {"nodes": node}},
        {"drain": {"nodes": node, "pods": rng.choice(("leave", "keep"))}},
        {"fail": {"nodes": node}},
        {"uncordon": {"nodes": node}},
        {"repair": {"nodes": node}},
        {"create_queue": {"queue": "brand-new", "weight": rng.randint(1, 5)}},
        {"set_policy": {"evict": rng.choice(([], ["preempt"], ["preempt", "reclaim"]))}},
    ]
    if snapshot.queues:
        queue = rng.choice(snapshot.queues).name
        found += [
            {"set_queue": {"queue": queue, "weight": rng.randint(1, 9)}},
            {"set_queue": {"queue": queue, "deserved": {"nvidia.com/gpu": gpus, "cpu": "8"}}},
            {
                "set_queue": {
                    "queue": queue,
                    "capability": {"nvidia.com/gpu": rng.choice((None, 8))},
                }
            },
            {"scale_demand": {"queue": queue, "factor": rng.choice(("0.5", "1", "150%", "2"))}},
            {
                "add_gangs": {
                    "name": "brand-new",
                    "queue": queue,
                    "members": rng.randint(1, 3),
                    "resources": {"nvidia.com/gpu": 1, "cpu": "1"},
                }
            },
        ]
    if snapshot.gangs:
        gang = rng.choice(snapshot.gangs)
        found += [
            {"remove_gangs": {"gangs": gang.full_name}},
            {"multiply": {"gangs": gang.full_name, "factor": rng.randint(1, 3)}},
            {"reprioritise": {"gangs": f"queue/{gang.queue}", "priority": rng.randint(0, 2000)}},
            {"set_gang": {"gangs": gang.full_name, "min_member": gang.min_member + 1}},
            {"set_gang": {"gangs": gang.full_name, "queue": gang.queue, "topology": None}},
            {
                "set_gang": {
                    "gangs": gang.full_name,
                    "role_minimum": {role: rng.choice((0, 1, "+1")) for role in gang.role_minimum},
                }
            },
            {"tolerate": {"gangs": gang.full_name, "tolerations": [{"key": "dedicated"}]}},
            {"ungate": {"gangs": gang.full_name}},
            {"drop_affinity": {"gangs": gang.full_name}},
            {"mark_preemptable": {"gangs": gang.full_name}},
            {"pin_gang": {"gangs": gang.full_name, "nodes": node}},
            {"forbid_gang": {"gangs": gang.full_name, "nodes": node}},
        ]
    for one in snapshot.disruption_budgets:
        name = f"{one.namespace}/{one.name}"
        found.append({"set_budget": {"budget": name, "allowed": rng.randint(0, 3)}})
    if snapshot.pods:
        found.append({"remove_pods": {"pods": rng.choice(snapshot.pods).full_name}})
    return found
