"""What a start tier can leave out, and which part of the model is worth searching first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from random import Random

from planner.model.build import BuiltModel
from planner.problem.linear import LinearModel, TierGoal
from planner.problem.tier_names import ALL_COVERED, is_start, rank_of_elastic, rank_of_starts
from planner.reduce.gang_classes import RankKind

OPEN_GROUPS = 40
"""Node groups of one neighbourhood: a few hundred placement columns, searched to the end in seconds."""
LACKING = 0.5
"""Gangs of a class that a fractional solution starts beyond another one, from which they are worth looking for."""
KEPT = 0.8
"""Part of the starts on which two solutions agree that a neighbourhood keeps."""
AGREEMENT = 1e-6
"""Distance up to which a fractional value agrees with a whole one."""


class RankScope:
    """Start tiers of a model whose classes are in tier order (class, then rank)."""

    def __init__(self, built: BuiltModel) -> None:
        self.built = built
        self._columns: dict[int, frozenset[int]] = {}

    def outside(self, goal: TierGoal) -> frozenset[int]:
        """Columns that cannot help a tier of a rank: gangs of later ranks and later elastic pods only take room.

        With evictions nothing is left out: a later gang may be the one that is entitled to the eviction which an
        earlier one needs as well.
        """
        now = self._position(goal)
        if now is None or self.built.form.evictions is not None:
            return frozenset()
        if now not in self._columns:
            variables = self.built.form.variables
            started = max(now, self._together)
            later = {
                column
                for column, position in zip(variables.starts, self._positions, strict=True)
                if column is not None and position > started
            }
            for columns, position in zip(variables.beyond, self._growing, strict=True):
                later.update(columns if position > now else ())
            self._columns[now] = frozenset(later)
        return self._columns[now]

    def decided(self, gang_class: int, goal: TierGoal, *, whole: bool) -> tuple[bool, bool]:
        """Whether starts, and elastic pods, of a class are decided above a tier; ``whole``: or by it.

        Running gangs have no starts: they count as decided where their elastic pods are.
        """
        now = self._position(goal)
        assert now is not None
        before = now + 1 if whole else self._first(goal, now)
        grows = self._growing[gang_class] < before
        if self.built.form.classes[gang_class].growing:
            return grows, grows
        return self._positions[gang_class] < before, grows

    def _first(self, goal: TierGoal, now: int) -> int:
        """Place of the first rank that a tier counts."""
        return 0 if goal.name == ALL_COVERED else now

    def within(self, values: tuple[int, ...], goal: TierGoal) -> tuple[int, ...] | None:
        """A solution without what is out of a goal's scope; rows only get looser when pods go.

        None where pods are told apart by domain: they would have to be taken away domain by domain.
        """
        outside, now = self.outside(goal), self._position(goal)
        if not outside or now is None:
            return values
        if self.built.form.regions.pods:
            return None
        found = list(values)
        variables = self.built.form.variables
        for column in outside:
            found[column] = 0
        wanted: dict[int, int] = {}
        for k, (one, start) in enumerate(
            zip(self.built.form.classes, variables.starts, strict=True)
        ):
            gone = self._growing[k] > now if start is None else start in outside
            for item, terms in zip(one.example.items, variables.pods[k], strict=True):
                for column, _ in terms if gone else ():
                    found[column] = 0
                pods = sum(factor * found[column] for column, factor in terms)
                wanted[item.shape] = wanted.get(item.shape, 0) + pods
        for (k, _), column in variables.subgroup.items():
            start = variables.starts[k]
            if start is None or start in outside:
                found[column] = 0
        variables.spots.trim(found, wanted)
        return self.built.tight(found)

    def restrict(
        self, values: tuple[int, ...], goal: TierGoal, guide: Sequence[float] | None
    ) -> LinearModel:
        """Gangs fixed on which the best and a fractional solution agree; without the latter those of earlier ranks.

        For elastic pods, and after the start tiers, all gangs are fixed.

        The neighbourhood is that of Danna, Rothberg and Le Pape ("Exploring relaxation induced neighborhoods to
        improve MIP solutions", 2005), over starts only: where pods go stays open.
        """
        model = self.built.model
        lower, upper = list(model.lower), list(model.upper)
        for column in self.outside(goal):
            upper[column] = lower[column]
        now = self._position(goal) if is_start(goal.name) else None
        starts = self.built.form.variables.starts
        for start, position in zip(starts, self._positions, strict=True):
            if start is None or upper[start] == lower[start]:
                continue
            agree = guide is not None and abs(guide[start] - values[start]) < AGREEMENT
            if agree or now is None or (guide is None and position < now):
                lower[start] = upper[start] = values[start]
        return LinearModel(lower, upper, model.rows)

    def neighbourhood(
        self,
        values: tuple[int, ...],
        goal: TierGoal,
        random: Random,
        guide: Sequence[float] | None = None,
    ) -> LinearModel | None:
        """GPU pods open on some node groups and fixed on the others; None where pods are told apart further.

        Half of the groups admit much of what one group admits, the others are random: pods move between groups
        alike, and make room where something else has waited for it (large neighbourhood search, Shaw 1998). The one
        group is random, or with a fractional solution one that admits pods which that starts and the other does not.
        """
        form = self.built.form
        now = self.within(values, goal)
        placed = form.evictions is not None or form.regions.pods
        if placed or self._position(goal) is None or now is None:
            return None
        zones_of = self._gpu_zones
        groups = sorted(zones_of)
        if len(groups) < 2 * OPEN_GROUPS:
            return None
        wanted = self._lacking(now, guide) if guide is not None else []
        alike = random.choice(wanted) if wanted else zones_of[random.choice(groups)]
        shuffled = random.sample(groups, len(groups))
        opened = set(sorted(shuffled, key=lambda g: -len(alike & zones_of[g]))[: OPEN_GROUPS // 2])
        opened.update(shuffled[: OPEN_GROUPS // 2])
        lower, upper = list(form.model.lower), list(form.model.upper)
        for column in self.outside(goal):
            upper[column] = lower[column]
        for column in self._settled(now, opened, guide, random):
            lower[column] = upper[column] = now[column]
        for group in zones_of.keys() - opened:
            columns = [form.variables.spots.zones[z].columns[group] for z in zones_of[group]]
            columns += [c for patterns in form.patterns.get(group, ()) for c in patterns.columns]
            for column in columns:
                lower[column] = upper[column] = now[column]
        return LinearModel(lower, upper, form.model.rows)

    def _settled(
        self,
        values: Sequence[int],
        opened: set[int],
        guide: Sequence[float] | None,
        random: Random,
    ) -> list[int]:
        """Starts that stay: of classes without a pod on open groups, and most of those that a guide agrees with."""
        variables = self.built.form.variables
        gpus = self.built.form.problem.shape_gpus
        inside = {
            shape
            for zone in variables.spots.zones
            if gpus[zone.shapes[0]] > 0 and not opened.isdisjoint(zone.columns)
            for shape in zone.shapes
        }
        found = []
        for one, start in zip(self.built.form.classes, variables.starts, strict=True):
            if start is None:
                continue
            shapes = {item.shape for item in one.example.items if gpus[item.shape] > 0}
            agrees = guide is not None and abs(guide[start] - values[start]) < AGREEMENT
            if not shapes & inside or (agrees and random.random() < KEPT):
                found.append(start)
        return found

    def _lacking(self, values: Sequence[int], guide: Sequence[float]) -> list[frozenset[int]]:
        """Per class of which a fractional solution starts more: the zones of its GPU pods."""
        variables = self.built.form.variables
        numbers = {id(zone): number for number, zone in enumerate(variables.spots.zones)}
        gpus = self.built.form.problem.shape_gpus
        found: list[frozenset[int]] = []
        for one, start in zip(self.built.form.classes, variables.starts, strict=True):
            if start is None or guide[start] - values[start] < LACKING:
                continue
            shapes = {item.shape for item in one.example.items if gpus[item.shape] > 0}
            zones = (zone for shape in shapes for zone in variables.spots.by_shape.get(shape, ()))
            found.append(frozenset(numbers[id(zone)] for zone in zones))
        return [zones for zones in found if zones]

    @cached_property
    def _gpu_zones(self) -> dict[int, frozenset[int]]:
        """Group to the zones through which it receives pods with GPUs."""
        gpus = self.built.form.problem.shape_gpus
        found: dict[int, set[int]] = {}
        for number, zone in enumerate(self.built.form.variables.spots.zones):
            if gpus[zone.shapes[0]] > 0:
                for group in zone.columns:
                    found.setdefault(group, set()).add(number)
        return {group: frozenset(zones) for group, zones in found.items()}

    def _position(self, goal: TierGoal) -> int | None:
        """Place of a tier of starts or elastic pods among the ranks; None for other tiers."""
        if goal.name == ALL_COVERED:
            return self._together
        starts, elastic = rank_of_starts(goal.name), rank_of_elastic(goal.name)
        if starts is not None:
            return self._ranks[0].get(starts)
        return None if elastic is None else self._ranks[1].get(elastic)

    @cached_property
    def _together(self) -> int:
        """Place of the last rank whose starts share a tier with all ranks above it; -1 where none do.

        No rank among them is decided without the others: what queues lack was.
        """
        if all(goal.name != ALL_COVERED for goal in self.built.tiers):
            return -1
        return max(at for kind, at in self._ranks[0].items() if kind[0] == "covered")

    @cached_property
    def _ranks(self) -> tuple[dict[RankKind, int], dict[RankKind, int]]:
        """Classes and ranks of starts, and of elastic pods, to their place in the order of the tiers."""
        starts: dict[RankKind, int] = {}
        elastic: dict[RankKind, int] = {}
        for goal in self.built.tiers:
            place = len(starts) + len(elastic)
            if (kind := rank_of_starts(goal.name)) is not None:
                starts.setdefault(kind, place)
            elif (kind := rank_of_elastic(goal.name)) is not None:
                elastic.setdefault(kind, place)
        return starts, elastic

    @cached_property
    def _positions(self) -> list[int]:
        """Per class the place of its class and rank among the tiers; running gangs come last."""
        starts, elastic = self._ranks
        last = len(starts) + len(elastic)
        return [
            last if one.growing else starts.get((one.tier_class, one.rank), last)
            for one in self.built.form.classes
        ]

    @cached_property
    def _growing(self) -> list[int]:
        """Per class the place of its elastic pods among the tiers."""
        starts, elastic = self._ranks
        last = len(starts) + len(elastic)
        return [elastic.get((one.grows_in, one.rank), last) for one in self.built.form.classes]
