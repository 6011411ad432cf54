"""Exact rows for shared cards where running pods may leave: which card each newcomer uses, and who frees it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.rules import RuleId
from planner.model.evictions import Evictions
from planner.model.rows import Formulation
from planner.problem.cards import CardTable, IntArray

Loads = dict[tuple[int, int], list[tuple[int, int]]]
"""(card, amount) to terms."""


def cards_freed(form: Formulation, evictions: Evictions) -> None:
    """``sum_c y_sc = cards_s x_s``, ``y_sc <= x_s``, ``sum_s need_s y_sc - sum_v held_vc e_v <= free_c`` per node.

    For groups of one node with possible victims; those of several nodes are left to the packing. Amounts are those of
    :class:`~planner.problem.cards.CardTable`; e_v counts the pods of a kind that leave.
    """
    table = form.problem.cards
    if table is None:
        return
    members: dict[int, list[tuple[int, int]]] = {}
    for (shape, g), column in form.variables.spots.own.items():
        if table.count[shape] and form.groups[g].size == 1 and form.groups[g].victims:
            members.setdefault(g, []).append((shape, column))
    names = {(one.kind, one.node): one.names for one in evictions.victims.pods}
    for g, placed in members.items():
        _node(form, evictions, table, g, placed, names)


def _node(
    form: Formulation,
    evictions: Evictions,
    table: CardTable,
    g: int,
    placed: list[tuple[int, int]],
    names: Mapping[tuple[int, int], tuple[str, ...]],
) -> None:
    node = form.groups[g].nodes[0]
    room, loads = table.free[node].copy(), Loads()
    for kind, column, pods in evictions.by_group.get(g, ()):
        _, picks = table.holds.get(names[kind, node][0], (node, ()))
        for card, vector in picks:
            room[card] += np.array(vector, dtype=np.int64) * evictions.counts[kind, g]
            for d, amount in enumerate(vector):
                if amount:
                    loads.setdefault((card, d), []).append((column, -amount * pods))
    room = np.minimum(room, table.empty[node])
    for shape, column in placed:
        _uses(form, table, node, shape, column, room, loads)
    for (card, d), terms in loads.items():
        form.model.at_most(terms, int(table.free[node, card, d]), RuleId.CARD_PACKING)


def _uses(
    form: Formulation,
    table: CardTable,
    node: int,
    shape: int,
    pods: int,
    room: IntArray,
    loads: Loads,
) -> None:
    """Uses of the cards by pods of a shape, with ``room`` once everybody has left."""
    uses = []
    copies = table.copies(shape, room, table.kind[node])
    for card, kind in enumerate(table.kind[node]):
        most = min(int(copies[card]), form.model.upper[pods]) if kind >= 0 else 0
        if most <= 0:
            continue
        use = form.model.variable(0, most)
        uses.append((use, 1))
        form.model.at_most([(use, 1), (pods, -1)], 0, RuleId.CARD_PACKING)
        for d in range(3):
            need = int(table.need[shape, kind, d])
            if need:
                loads.setdefault((card, d), []).append((use, need))
    form.model.equal([*uses, (pods, -int(table.count[shape]))], 0, RuleId.CARD_PACKING)
