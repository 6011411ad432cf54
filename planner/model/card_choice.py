"""Exact rows for few nodes: which card each pod uses."""

from __future__ import annotations

from collections.abc import Mapping

from models.rules import RuleId
from planner.problem.cards import CardTable
from planner.problem.linear import LinearModel


def post_cards(
    model: LinearModel, table: CardTable, columns: Mapping[tuple[int, int], int]
) -> None:
    """``sum_c y_snc = cards_s x_sn``, ``y_snc <= x_sn``, ``sum_s need_s y_snc <= free_nc`` per amount.

    The second row makes the cards of a pod different: with at most x uses of a card by x pods, and x times their
    number of cards in all, the uses can be dealt out (Gale and Ryser).
    """
    loads: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for (shape, node), pods in columns.items():
        count = int(table.count[shape])
        if not count:
            continue
        uses = []
        for card, kind in enumerate(table.kind[node]):
            if kind < 0:
                continue
            copies = int(table.copies(shape, table.free[node], table.kind[node])[card])
            most = min(copies, model.upper[pods])
            if most <= 0:
                continue
            use = model.variable(0, most)
            uses.append((use, 1))
            model.at_most([(use, 1), (pods, -1)], 0, RuleId.CARD_PACKING)
            for d in range(3):
                need = int(table.need[shape, kind, d])
                if need:
                    loads.setdefault((node, card, d), []).append((use, need))
        model.equal([*uses, (pods, -count)], 0, RuleId.CARD_PACKING)
    for (node, card, d), terms in loads.items():
        model.at_most(terms, int(table.free[node, card, d]), RuleId.CARD_PACKING)
