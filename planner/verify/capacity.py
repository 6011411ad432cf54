"""I1: requests stay within what a node can give."""

from __future__ import annotations

from collections.abc import Iterator

from models.cards.kinds import CARD_RESOURCES
from models.plan import RuleViolation
from models.resources import PODS
from models.rules import RuleId
from planner.verify.state import State
from planner.verify.wording import amount_text, violation


def check_capacity(state: State) -> Iterator[RuleViolation]:
    """On every node that receives a pod, per resource the new pods ask for: sum of requests <= allocatable.

    Terminating pods still hold their node; the number of pods counts as the resource ``pods``.
    """
    asked: dict[str, set[str]] = {}
    for arrival in state.reading.arrivals:
        names = asked.setdefault(arrival.node, {PODS})
        names.update(name for name, _ in state.request(arrival.pod.spec))
    for name, resources in sorted(asked.items()):
        node = state.snapshot.node_by_name.get(name)
        if node is None:
            continue  # reported with the predicates
        for resource in sorted(resources):
            if resource in CARD_RESOURCES and resource not in node.allocatable:
                continue  # counted card by card
            used, room = state.held_after[name][resource], node.allocatable.amount(resource)
            if used > room:
                yield violation(
                    RuleId.NODE_CAPACITY,
                    f"node/{name}",
                    f"{resource}: {amount_text(resource, used)} requested, "
                    f"{amount_text(resource, room)} allocatable; "
                    f"place pods with {amount_text(resource, used - room)} elsewhere",
                )
