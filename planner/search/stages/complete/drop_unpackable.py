"""Gangs whose pods find no cards beside the others on their node, taken out of an assignment.

Pods that came one by one have their cards, but the plan deals the cards of a node anew; where hundreds of sizes fill
the cards to a thousandth, a packing may exist that is not found again.
"""

from __future__ import annotations

from planner.capacity.cards.card_room import pack_node
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment


def without_unpacked(problem: PlacementProblem, assignment: Assignment) -> None:
    """Take gangs of the fewest GPUs away until cards are found for all pods of every node."""
    if problem.cards is None:
        return
    held: dict[int, dict[int, dict[int, int]]] = {}
    for demand, items in assignment.pods.items():
        for item, spots in items.items():
            shape = problem.demands[demand].items[item].shape
            for node, pods in spots:
                own = held.setdefault(node, {}).setdefault(demand, {})
                own[shape] = own.get(shape, 0) + pods
    for node, gangs in held.items():
        while True:
            present = [demand for demand in gangs if demand in assignment.pods]
            wanted: dict[int, int] = {}
            for demand in present:
                for shape, pods in gangs[demand].items():
                    wanted[shape] = wanted.get(shape, 0) + pods
            if not wanted or pack_node(problem.cards, node, wanted) is not None:
                break
            with_cards = [d for d in present if any(problem.cards.count[s] for s in gangs[d])]
            least = min(with_cards, key=lambda one: (problem.demands[one].gpus, one))
            del assignment.pods[least]
