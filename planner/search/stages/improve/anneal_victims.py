"""Better nodes for newcomers: pods change node one by one, now and then for the worse (simulated annealing)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random

from planner.search.construct.victim_selection import Chosen, RoomMaker

WARM, COLD = 1.5, 0.02
"""Temperatures at the beginning and at the end, in costs of a typical loss."""
NEAR = 0.7
"""Part of the moves that try a node which loses pods already."""
LOOKS = 256
"""Moves between two looks at the clock."""

State = tuple[dict[int, list[int]], dict[int, Chosen], int]
"""Shapes and losses per node, and the cost."""


def improve(
    maker: RoomMaker,
    candidates: Mapping[int, Sequence[int]],
    rng: Random,
    moves: int,
    stopped: Callable[[], bool],
) -> None:
    """Move newcomers between their ``candidates`` (shape to nodes); the maker is left at the best state seen.

    See S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by Simulated Annealing", Science 220 (1983).
    """
    spots = [(node, shape) for node, shapes in maker.hosts.shapes.items() for shape in shapes]
    if not spots or not maker.hosts.cost:
        return
    usable = {shape: frozenset(nodes) for shape, nodes in candidates.items()}
    best = _state(maker)
    unit = max(maker.losses.unit, 1.0)
    for number in range(moves):
        if number % LOOKS == 0 and stopped():
            break
        temperature = unit * WARM * (COLD / WARM) ** (number / moves)
        index = rng.randrange(len(spots))
        node, shape = spots[index]
        target = _target(maker, rng, spots, candidates[shape])
        if target == node or target not in usable[shape]:
            continue
        before = maker.hosts.cost
        if not _move(maker, node, target, shape, rng, temperature):
            continue
        spots[index] = (target, shape)
        if maker.hosts.cost < min(best[2], before):
            best = _state(maker)
    _return_to(maker, best)


def _target(
    maker: RoomMaker,
    rng: Random,
    spots: Sequence[tuple[int, int]],
    nodes: Sequence[int],
) -> int:
    """A node near others that lose pods, or any."""
    if rng.random() < NEAR:
        chosen = maker.hosts.chosen.get(spots[rng.randrange(len(spots))][0], ())
        if chosen:
            places = maker.losses.nodes_of.get(chosen[rng.randrange(len(chosen))][0].gang)
            if places:
                return places[rng.randrange(len(places))]
    return nodes[rng.randrange(len(nodes))]


def _move(
    maker: RoomMaker, node: int, target: int, shape: int, rng: Random, temperature: float
) -> bool:
    """Move one pod; undone where it is not allowed, or too much worse for the temperature."""
    hosts = maker.hosts
    shapes, chosen, cost = hosts.shapes[node], hosts.chosen[node], hosts.cost
    rest = list(shapes)
    rest.remove(shape)
    if not maker.host(node, rest):
        return False
    there = hosts.shapes.get(target, []), hosts.chosen.get(target, ())
    if maker.give(target, shape):
        worse = hosts.cost - cost
        if worse <= 0 or rng.random() < math.exp(-worse / temperature):
            return True
        maker.restore(target, *there)
    maker.restore(node, shapes, chosen)
    return False


def _state(maker: RoomMaker) -> State:
    return dict(maker.hosts.shapes), dict(maker.hosts.chosen), maker.hosts.cost


def _return_to(maker: RoomMaker, state: State) -> None:
    shapes, chosen, _ = state
    for node in list(maker.hosts.shapes):
        maker.restore(node, [], ())
    for node, hosted in shapes.items():
        maker.restore(node, hosted, chosen[node])
