"""I1, card by card: shares sit on one card with room, cards of a pod differ, whole GPUs are unused cards."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.state import State
from planner.verify.wording import units, violation


def check_cards(state: State) -> Iterator[RuleViolation]:
    """On every node that receives a pod with cards there are cards for all its pods.

    Cards that running pods tell and that the document names are kept; the others are chosen here. Running pods that
    overfill their node already bind only what they leave.
    """
    if not state.book:
        return
    receiving = {
        one.node for one in state.reading.arrivals if state.book.ask(one.pod.spec) is not None
    }
    for name in sorted(receiving):
        node = state.snapshot.node_by_name.get(name)
        if node is None or state.tray(name, state.held_after[name]) is not None:
            continue
        came = sum(
            one.count
            for one in state.reading.arrivals
            if one.node == name and state.book.ask(one.pod.spec) is not None
        )
        yield violation(
            RuleId.CARD_PACKING,
            f"node/{name}",
            f"its {units(len(state.book.cards(node)), 'GPU card')} cannot take the {units(came, 'pod')} "
            "placed there beside the pods that stay; place some elsewhere or on other cards",
        )
