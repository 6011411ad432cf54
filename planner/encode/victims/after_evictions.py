"""The placement problem once some running pods are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from planner.encode.cards.card_table import summed
from planner.problem.cards import CardTable
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import Victims


def without(
    problem: PlacementProblem, victims: Victims, names: Collection[str] | None
) -> PlacementProblem:
    """Room on nodes and in queues with these pods gone (None: all possible victims)."""
    free, busy = problem.free.copy(), problem.node_has_gpu_pods.copy()
    rooms = {queue: room.copy() for queue, room in problem.queue_room.items()}
    gpu_pods: Counter[int] = Counter(victims.gpu_pods)
    freed: dict[int, IntArray] = {}
    returned: dict[int, IntArray] = {}
    gone = None if names is None else frozenset(names)
    for one in victims.pods:
        count = len(one.names) if gone is None else sum(name in gone for name in one.names)
        if not count:
            continue
        kind = victims.kinds[one.kind]
        amount = np.array(kind.vector, dtype=np.int64) * count
        freed[one.node] = freed.get(one.node, 0) + amount
        for queue in victims.queue_chains[kind.queue]:
            returned[queue] = returned.get(queue, 0) + amount
        if kind.gpus:
            gpu_pods[one.node] -= count
            busy[one.node] = gpu_pods[one.node] > 0
    for node, amount in freed.items():
        free[node] = np.maximum(free[node] - victims.excess.get(node, 0) + amount, 0)
    for queue, amount in returned.items():
        if queue in rooms:
            room, limited = rooms[queue], rooms[queue] >= 0
            more = np.maximum(room - victims.queue_excess.get(queue, 0) + amount, 0)
            rooms[queue] = np.where(limited, more, room)
    left = [name for one in victims.pods for name in one.names if gone is None or name in gone]
    cards = None if problem.cards is None else cards_without(problem.cards, left)
    if cards is not None and problem.cards is not None:
        free = within_sums(problem, problem.cards, cards, free)
    return replace(problem, free=free, node_has_gpu_pods=busy, queue_room=rooms, cards=cards)


def within_sums(
    problem: PlacementProblem, before: CardTable, after: CardTable, free: IntArray
) -> IntArray:
    """Free sums of card resources as the cards have them, where they are what the cards had; else no larger."""
    found, old = free.copy(), summed(before)
    for name, totals in summed(after).items():
        if name in problem.dimensions:
            d = problem.dimensions.index(name)
            same = problem.free[:, d] == old[name]
            found[:, d] = np.where(same, totals, np.minimum(found[:, d], totals))
    return found


def cards_without(table: CardTable, names: Iterable[str]) -> CardTable:
    """Cards once these running pods are gone."""
    free = table.free.copy()
    for name in names:
        if name in table.holds:
            node, picks = table.holds[name]
            for card, vector in picks:
                free[node, card] += np.array(vector, dtype=np.int64)
    return replace(table, free=np.minimum(free, table.empty))
