"""Domains and packing once starts, elastic pods and victims are settled, for the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from models.gpu import gpus_in, whole_gpu_names
from models.workloads import Pod
from planner.testing.oracle.domain_tiers import best_domains, gathers, keeps_topology
from planner.testing.oracle.evictions import Choice, Evictions
from planner.testing.oracle.placements import Arrival, placements
from planner.testing.oracle.situation import Delivery, Situation


def tail_values(situation: Situation, deliveries: Sequence[Delivery]) -> dict[str, int]:
    """Fewest domains, then most GPUs on nodes left without GPU pods, over deliveries that are equally good so far."""
    if gathers(situation):
        return best_domains(
            situation, (one for delivery in deliveries for one in _arrivals(situation, delivery))
        )
    return {"packing": _best_packing(situation, deliveries)}


def _arrivals(
    situation: Situation, delivery: Delivery
) -> Iterator[tuple[tuple[Arrival, ...], tuple[Pod, ...]]]:
    for arrivals in placements(situation.room, delivery, frozenset()):
        if keeps_topology(situation, arrivals) and situation.allows(arrivals):
            yield arrivals, ()


def _best_packing(situation: Situation, deliveries: Sequence[Delivery]) -> int:
    for value, nodes in sorted(_empty_node_sets(situation), reverse=True):
        if any(situation.packs(delivery, nodes) for delivery in deliveries):
            return value
    return 0


def _empty_node_sets(situation: Situation) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Sets of nodes that hold no GPU pod before the plan, with their GPUs."""
    gpu_names = whole_gpu_names(situation.policy.policy.gpu_models)
    holding = {
        pod.node
        for pod in situation.snapshot.pods
        if pod.holds_node and gpus_in(pod.spec.request, gpu_names)
    }
    gpus = {
        node.name: gpus_in(node.allocatable, gpu_names)
        for node in situation.snapshot.nodes
        if node.name not in holding
    }
    names = sorted(name for name, amount in gpus.items() if amount)
    for size in range(len(names) + 1):
        for chosen in itertools.combinations(names, size):
            yield sum(gpus[name] for name in chosen), chosen


def tail_with_evictions(
    evictions: Evictions, choices: Sequence[tuple[Choice, Delivery]]
) -> dict[str, int]:
    """The same over equally good choices of gangs and victims with what gangs receive."""
    situation = evictions.situation
    if gathers(situation):
        placed = (
            (arrivals, choice.gone)
            for choice, delivery in choices
            for arrivals in evictions.right_placements(choice, delivery)
        )
        return best_domains(situation, placed)
    return {"packing": max(_packing(evictions, *one) for one in choices)}


def _packing(evictions: Evictions, choice: Choice, delivery: Delivery) -> int:
    for value, nodes in sorted(evictions.empty_node_sets(choice), reverse=True):
        if evictions.can_deliver(choice, delivery, nodes):
            return value
    return 0
