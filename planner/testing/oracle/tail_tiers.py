"""Elastic pods and packing once the set of started gangs is settled, for the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from models.gpu import gpus_in, whole_gpu_names
from models.workloads import Pod
from planner.testing.oracle.domain_tiers import best_domains, gathers, keeps_topology
from planner.testing.oracle.evictions import Choice, Evictions
from planner.testing.oracle.gang_options import Option
from planner.testing.oracle.placements import Arrival, placements
from planner.testing.oracle.situation import Delivery, Situation

NOTHING = Option(())
_Choices = dict[str, list[tuple[int, Option]]]


def tail_values(situation: Situation, tied: Sequence[frozenset[str]]) -> dict[str, int]:
    """Most elastic pods over all tied sets, then most GPUs on nodes left without GPU pods.

    Elastic are the pods of a started gang beyond the least number that makes it ready, and all new pods of a gang
    that was ready before.
    """
    choices = [_choices(situation, started) for started in tied]
    most = max(sum(max(extra for extra, _ in one) for one in gangs.values()) for gangs in choices)
    for elastic in range(most, -1, -1):
        deliveries = [
            delivery
            for gangs in choices
            for delivery in _with_elastic(gangs, elastic)
            if situation.packs(delivery)
        ]
        if deliveries:
            if gathers(situation):
                choices_of = (
                    one for delivery in deliveries for one in _arrivals(situation, delivery)
                )
                return {"elastic": elastic, **best_domains(situation, choices_of)}
            return {"elastic": elastic, "packing": _best_packing(situation, deliveries)}
    message = "a set of gangs that can start has no delivery"
    raise AssertionError(message)


def _arrivals(
    situation: Situation, delivery: Delivery
) -> Iterator[tuple[tuple[Arrival, ...], tuple[Pod, ...]]]:
    for arrivals in placements(situation.room, delivery, frozenset()):
        if keeps_topology(situation, arrivals) and situation.allows(arrivals):
            yield arrivals, ()


def _choices(situation: Situation, started: frozenset[str]) -> _Choices:
    """Per gang what it may receive, with the number of pods beyond its minimum."""
    found: _Choices = {"": [(0, NOTHING)]}
    for name, view in situation.views.items():
        if name in started:
            found[name] = [(option.pods - view.least_pods, option) for option in view.options]
        elif view.ready:
            found[name] = [(0, NOTHING), *((option.pods, option) for option in view.options)]
    return found


def _with_elastic(gangs: _Choices, elastic: int) -> Iterator[Delivery]:
    """Every choice of one option per gang with so many elastic pods in all."""
    names = list(gangs)
    most = [
        sum(max(extra for extra, _ in gangs[one]) for one in names[n:]) for n in range(len(names))
    ]

    def extend(place: int, left: int, chosen: dict[str, Option]) -> Iterator[Delivery]:
        if place == len(names):
            if left == 0:
                yield dict(chosen)
            return
        if left > most[place]:
            return
        name = names[place]
        for extra, option in gangs[name]:
            if extra <= left:
                more = {**chosen, name: option} if option.counts else chosen
                yield from extend(place + 1, left - extra, more)

    yield from extend(0, elastic, {})


def _best_packing(situation: Situation, deliveries: list[Delivery]) -> int:
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


def tail_with_evictions(evictions: Evictions, choices: Sequence[Choice]) -> dict[str, int]:
    """The same over all tied choices of gangs and victims; a gang that loses pods receives none."""
    situation = evictions.situation
    offers: list[tuple[Choice, _Choices]] = []
    for choice in choices:
        found = _choices(situation, choice.started)
        for loss in choice.losses:
            found.pop(loss.gang.full_name, None)
        offers.append((choice, found))
    most = max(sum(max(extra for extra, _ in one) for one in gangs.values()) for _, gangs in offers)
    for elastic in range(most, -1, -1):
        deliveries = [
            (choice, delivery)
            for choice, gangs in offers
            for delivery in _with_elastic(gangs, elastic)
            if evictions.can_deliver(choice, delivery)
        ]
        if deliveries:
            if gathers(situation):
                placed = (
                    (arrivals, choice.gone)
                    for choice, delivery in deliveries
                    for arrivals in evictions.right_placements(choice, delivery)
                )
                return {"elastic": elastic, **best_domains(situation, placed)}
            packing = max(_packing(evictions, *one) for one in deliveries)
            return {"elastic": elastic, "packing": packing}
    message = "a choice that is possible has no delivery"
    raise AssertionError(message)


def _packing(evictions: Evictions, choice: Choice, delivery: Delivery) -> int:
    for value, nodes in sorted(evictions.empty_node_sets(choice), reverse=True):
        if evictions.can_deliver(choice, delivery, nodes):
            return value
    return 0
