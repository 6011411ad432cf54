"""Rows of rooms that the nodes of a domain share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.rules import RuleId

if TYPE_CHECKING:
    from planner.model.rows import Formulation
    from planner.model.variables import Terms


def domain_resources(form: Formulation) -> None:
    """Per shared resource and domain: ``sum_s ask_s x_sg`` over the domain's groups <= what it has left."""
    shared_rooms(form, RuleId.DOMAIN_RESOURCES)


def shared_rooms(form: Formulation, rule: RuleId) -> None:
    """Rows of all rooms that stand for a rule; node groups lie inside one domain each (see prepare.cells)."""
    for room in form.problem.domain_rooms:
        if room.rule != rule:
            continue
        used: dict[int, Terms] = {}
        for g, members in form.by_group.items():
            domain = int(room.place[form.groups[g].nodes[0]])
            asked = [(column, room.asks[s]) for s, column in members if s in room.asks]
            if domain >= 0 and asked:
                used.setdefault(domain, []).extend(asked)
        for domain, terms in sorted(used.items()):
            form.model.at_most(terms, int(room.left[domain]), rule)
