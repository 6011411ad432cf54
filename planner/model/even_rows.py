"""Rows of topology spread constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.rules import RuleId
from planner.problem.spreads import Spread

if TYPE_CHECKING:
    from planner.model.rows import Formulation
    from planner.model.variables import Terms


@dataclass(frozen=True)
class EvenColumns:
    """Columns of one constraint: pods that count by domain, the fewest of a domain, and where owners come (u_d)."""

    spread: Spread
    pods: dict[int, Terms]
    fewest: int | None
    opened: dict[int, int]
    owners: dict[int, Terms]


def topology_spread(form: Formulation) -> None:
    """Per constraint, with m the fewest matching pods of a domain, c_d those that d holds, x_d new ones that count.

    ``m <= c_d + sum x_d`` for every domain, ``c_d + sum x_d <= m + skew``. Where c_d is above that already, and where
    owners are not all that counts, the second row holds once owners come (y_d > 0): ``sum y_d <= N u_d``,
    ``c_d + sum x_d <= m + skew + M (1 - u_d)``. Node groups lie inside one domain each (see prepare.cells).
    """
    for one in form.problem.spreads:
        post = _post if one.counted is None else _post_partly
        post(form, one)


def _post(form: Formulation, one: Spread) -> None:
    pods: dict[int, Terms] = {}
    for g, members in form.by_group.items():
        domain = int(one.place[form.groups[g].nodes[0]])
        columns: Terms = [(column, 1) for s, column in members if s in one.shapes]
        if domain >= 0 and columns:
            pods.setdefault(domain, []).extend(columns)
    if not pods:
        return
    model, held = form.model, one.held.tolist()
    most = {d: sum(model.upper[c] for c, _ in terms) for d, terms in pods.items()}
    low = 0 if one.from_zero else min(held)
    high = min(held[d] + most.get(d, 0) for d in range(len(held)))
    fewest = None if one.from_zero or high == low else model.variable(low, high)
    lowest: Terms = [] if fewest is None else [(fewest, -1)]
    base = low if fewest is None else 0
    for d in range(len(held)):
        if fewest is not None:
            model.at_least([*pods.get(d, []), *lowest], -held[d], RuleId.TOPOLOGY_SPREAD)
    opened: dict[int, int] = {}
    for d, terms in sorted(pods.items()):
        room = base + one.skew - held[d]
        if held[d] <= low + one.skew:
            model.at_most([*terms, *lowest], room, RuleId.TOPOLOGY_SPREAD)
            continue
        if fewest is None:
            model.at_most(terms, 0, RuleId.TOPOLOGY_SPREAD)
            continue
        opened[d] = model.variable(0, 1)
        excess = held[d] - low - one.skew
        model.at_most([*terms, (opened[d], -most[d])], 0, RuleId.TOPOLOGY_SPREAD)
        beyond = most[d] + excess
        model.at_most([*terms, *lowest, (opened[d], beyond)], room + beyond, RuleId.TOPOLOGY_SPREAD)
    form.even.append(EvenColumns(one, pods, fewest, opened, pods))


def _by_domain(form: Formulation, one: Spread, shapes: frozenset[int]) -> dict[int, Terms]:
    found: dict[int, Terms] = {}
    for g, members in form.by_group.items():
        domain = int(one.place[form.groups[g].nodes[0]])
        columns: Terms = [(column, 1) for s, column in members if s in shapes]
        if domain >= 0 and columns:
            found.setdefault(domain, []).extend(columns)
    return found


def _post_partly(form: Formulation, one: Spread) -> None:
    """Owners that do not count, or others that do."""
    pods, owners = _by_domain(form, one, one.matching), _by_domain(form, one, one.shapes)
    model, held = form.model, one.held.tolist()
    owned = [0] * len(held) if one.owned is None else one.owned.tolist()
    most = [sum(model.upper[c] for c, _ in pods.get(d, [])) for d in range(len(held))]
    low = 0 if one.from_zero or not held else min(held)
    high = min((held[d] + most[d] for d in range(len(held))), default=0)
    fewest = None if one.from_zero or high <= low else model.variable(low, high)
    lowest: Terms = [] if fewest is None else [(fewest, -1)]
    base = low if fewest is None else 0
    opened: dict[int, int] = {}
    for d in range(len(held)):
        terms, room = pods.get(d, []), base + one.skew - held[d]
        if fewest is not None:
            model.at_least([*terms, *lowest], -held[d], RuleId.TOPOLOGY_SPREAD)
        beyond = held[d] + most[d] - low - one.skew
        if beyond <= 0:
            continue
        if owned[d]:
            model.at_most([*terms, *lowest], room, RuleId.TOPOLOGY_SPREAD)
        elif d in owners:
            opened[d] = model.variable(0, 1)
            some = sum(model.upper[c] for c, _ in owners[d])
            model.at_most([*owners[d], (opened[d], -some)], 0, RuleId.TOPOLOGY_SPREAD)
            rows = [*terms, *lowest, (opened[d], beyond)]
            model.at_most(rows, room + beyond, RuleId.TOPOLOGY_SPREAD)
    form.even.append(EvenColumns(one, pods, fewest, opened, owners))


def set_even_values(form: Formulation, values: list[int]) -> None:
    """The fewest of a domain, and which overfull domains receive pods, of a solution."""
    for one in form.even:
        came = {d: sum(c * values[column] for column, c in terms) for d, terms in one.pods.items()}
        if one.fewest is not None:
            held = one.spread.held.tolist()
            values[one.fewest] = min(held[d] + came.get(d, 0) for d in range(len(held)))
        for d, column in one.opened.items():
            values[column] = int(any(values[c] for c, _ in one.owners.get(d, [])))
