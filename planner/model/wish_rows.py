"""The last tier: points that new pods lose because they do not get what they would rather have.

Sets: s shapes (each of one wish), g zones (inside one domain of every key, see spots), d domains.
x_sd are the pods of s in d, h_d the matching pods that stay there, S the shapes that a term selects. Points are those
of :mod:`planner.problem.wishes`:

- nodes: ``sum_sg loss_sg x_sg``;
- near: ``L_d >= sum x_sd - N q_d`` and ``(1 + a) q_d <= sum_S x_sd``, a = 1 where the term selects its owners, else 0;
- apart: ``L_d >= sum x_sd - N q_d`` and ``sum_S x_sd <= a + M (1 - q_d)``;
- spread: ``m <= h_d + sum_S x_sd`` and ``L_d >= h_d + sum_S x_sd - m - skew``, or, where that may exceed the new pods
  with the constraint, ``L_d >= sum x_sd`` (u_d chooses the smaller).
"""

from __future__ import annotations

from collections.abc import Collection

from planner.model.rows import Formulation
from planner.model.variables import Terms
from planner.model.wish_columns import Beyond, Company, SpreadColumns, WishColumns
from planner.problem.linear import Expression, TierGoal
from planner.problem.wishes import (
    SPREAD_POINTS,
    TIER,
    UNIT,
    IntArray,
    PodWish,
    SpreadWish,
    Wishes,
)

TAG = TIER


class _Builder:
    def __init__(self, form: Formulation, wishes: Wishes) -> None:
        self.form, self.model, self.wishes = form, form.model, wishes
        self.points: dict[int, int] = {}
        self.columns = WishColumns()
        self.by_wish: dict[int, list[tuple[int, int]]] = {}
        for zone in form.variables.spots.zones:
            node = form.groups[next(iter(zone.columns))].nodes[0]
            for shape in zone.shapes:
                wish = form.problem.wish_of[shape]
                if wish:
                    mine = self.by_wish.setdefault(wish, [])
                    mine += [(node, column) for column in zone.pods_of(shape)]

    def lose(self, terms: Terms, points: int) -> None:
        for column, factor in terms:
            self.points[column] = self.points.get(column, 0) + factor * points

    def of(self, wanted: Collection[int], place: IntArray) -> dict[int, Terms]:
        """Domain to the columns of pods of some wishes."""
        found: dict[int, Terms] = {}
        for wish in sorted(wanted):
            for node, column in self.by_wish.get(wish, ()):
                found.setdefault(int(place[node]), []).append((column, 1))
        return found

    def most(self, terms: Terms) -> int:
        return sum(self.model.upper[column] for column, _ in terms)


def wish_tier(form: Formulation) -> TierGoal:
    """The tier, with its columns and rows; zones of spots lie inside one cell, so each tells where its pods are."""
    wishes = form.problem.wishes
    if wishes is None:
        raise ValueError("a problem without wishes has no such tier")
    made = _Builder(form, wishes)
    for wish, losses in wishes.losses.items():
        for node, column in made.by_wish.get(wish, ()):
            made.lose([(column, 1)], int(losses[node]))
    for one in wishes.pods:
        _pods(made, one)
    for spread in wishes.spreads:
        _spread(made, spread)
    form.wishes = made.columns
    kept = {column: points for column, points in made.points.items() if points}
    return TierGoal(TIER, "min", UNIT, Expression(tuple(kept), tuple(kept.values())), 0)


def _pods(made: _Builder, one: PodWish) -> None:
    selected = made.of(one.selected, one.place)
    for domain, owners in made.of((one.owner,), one.place).items():
        if domain < 0:
            made.lose(owners if one.near else [], one.points)
        elif one.held[domain] > 0:
            made.lose([] if one.near else owners, one.points)
        else:
            _company(made, one, owners, selected.get(domain, []))


def _company(made: _Builder, one: PodWish, owners: Terms, selected: Terms) -> None:
    """A domain where nobody is yet whom the term selects."""
    model, some, most = made.model, made.most(owners), made.most(selected)
    need = 1 + one.itself
    if most < need:
        made.lose(owners if one.near else [], one.points)
        return
    met, lost = model.variable(0, 1), model.variable(0, some)
    model.at_least([(lost, 1), (met, some), *((c, -1) for c, _ in owners)], 0, TAG)
    if one.near:
        model.at_most([(met, need), *((c, -1) for c, _ in selected)], 0, TAG)
    else:
        model.at_most([*selected, (met, most - one.itself)], most, TAG)
    made.lose([(lost, 1)], one.points)
    made.columns.company.append(Company(one.near, one.itself, owners, selected, met, lost))


def _spread(made: _Builder, one: SpreadWish) -> None:
    model, held = made.model, one.held.tolist()
    came, matching = made.of(one.owners, one.place), made.of(one.counted, one.place)
    made.lose(came.pop(-1, []), SPREAD_POINTS)
    if not came:
        return
    every = [matching.get(d, []) for d in range(len(held))]
    low = min(held)
    high = min(held[d] + made.most(every[d]) for d in range(len(held)))
    fewest = model.variable(low, high) if high > low else None
    lowest: Terms = [] if fewest is None else [(fewest, 1)]
    base = low if fewest is None else 0
    for d in range(len(held)) if fewest is not None else ():
        model.at_most([*lowest, *((c, -1) for c, _ in every[d])], held[d], TAG)
    parts = []
    for d, owners in sorted(came.items()):
        some, over = made.most(owners), held[d] + made.most(every[d]) - low - one.skew
        if over <= 0:
            continue
        lost = model.variable(0, some)
        alone = set(every[d]) <= set(owners) and held[d] <= low + one.skew
        both = None if alone else model.variable(0, 1)
        slack: Terms = [] if both is None else [(both, over)]
        rows = [(lost, 1), *slack, *lowest, *((c, -1) for c, _ in every[d])]
        model.at_least(rows, held[d] - one.skew - base, TAG)
        if both is not None:
            rows = [(lost, 1), (both, -some), *((c, -1) for c, _ in owners)]
            model.at_least(rows, -some, TAG)
        made.lose([(lost, 1)], SPREAD_POINTS)
        parts.append(Beyond(held[d], one.skew, owners, every[d], lost, both))
    made.columns.spreads.append(SpreadColumns(tuple(held), tuple(every), fewest, tuple(parts)))


def set_wish_values(form: Formulation, values: list[int]) -> None:
    """What the pods of a solution say about the columns of this tier."""
    if form.wishes is None:
        return

    def total(terms: Terms) -> int:
        return sum(factor * values[column] for column, factor in terms)

    for one in form.wishes.company:
        others = total(one.selected) - one.itself
        values[one.met] = int(others > 0) if one.near else int(others <= 0)
        values[one.lost] = 0 if values[one.met] else total(one.owners)
    for spread in form.wishes.spreads:
        counts = zip(spread.held, spread.matching, strict=True)
        least = min(held + total(terms) for held, terms in counts)
        if spread.fewest is not None:
            values[spread.fewest] = least
        for part in spread.beyond:
            came = total(part.came)
            over = max(part.held + total(part.matching) - least - part.skew, 0)
            values[part.lost] = min(came, over)
            if part.all_of_them is not None:
                values[part.all_of_them] = int(came < over)
