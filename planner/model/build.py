"""Build the placement model: variables, one block of rows per rule, tiers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from models.collector import collector_paused
from models.rules import RuleId
from planner.model.even_rows import set_even_values
from planner.model.eviction_rows import (
    EvictionCut,
    PlanCut,
    eviction_values,
    post_evictions,
)
from planner.model.evictions import create_evictions
from planner.model.rows import CONSTRAINTS, Formulation, used_nodes
from planner.model.tiers import (
    named_tiers,
    shortfall_cost,
    shortfall_of,
    start_tiers,
    tail_tiers,
)
from planner.model.topology_values import set_topology_values
from planner.model.variables import create_variables
from planner.model.wish_rows import set_wish_values, wish_tier
from planner.problem.linear import LinearModel, TierGoal
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import RegionShare
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup
from planner.reduce.partition import bound_inside, gathers_exactly


@dataclass(frozen=True)
class BuiltModel:
    """A model with the tiers to solve it for, and the words to read a solution."""

    form: Formulation
    tiers: tuple[TierGoal, ...]

    @property
    def model(self) -> LinearModel:
        """The linear model."""
        return self.form.model

    @cached_property
    def group_of(self) -> Mapping[int, int]:
        """Node to the place of its group."""
        return {node: g for g, group in enumerate(self.form.groups) for node in group.nodes}

    @cached_property
    def _columns_for(self) -> dict[tuple[int, frozenset[tuple[int, int]]], tuple[int, ...]]:
        """What was found of (group, pods of each kind on one of its nodes): patterns that hold them."""
        return {}

    @property
    def loose(self) -> bool:
        """Gangs of some class must be inside one domain, and the model does not say in which."""
        regions = self.form.regions.pods
        return any(
            k not in regions
            for k, one in enumerate(self.form.classes)
            if one.example.choices is not None or bound_inside(one.example)
        )

    def started(self, values: Sequence[int]) -> list[int]:
        """Started gangs per class."""
        return [0 if c is None else values[c] for c in self.form.variables.starts]

    def pods(self, values: Sequence[int]) -> list[list[int]]:
        """New pods per class and item."""
        return [
            [sum(coefficient * values[column] for column, coefficient in terms) for terms in items]
            for items in self.form.variables.pods
        ]

    def placed(self, values: Sequence[int]) -> dict[int, dict[int, int]]:
        """Group to shape to pods."""
        return self.form.variables.spots.placed(values)

    def shares(self, values: Sequence[int]) -> dict[int, list[RegionShare]]:
        """Class to its pods domain by domain, for classes whose domains the model decides."""
        regions = self.form.regions
        return {k: regions.shares(k, values) for k in regions.pods}

    def evicted(self, values: Sequence[int]) -> dict[int, dict[int, int]]:
        """Group to kind of victim to evicted pods."""
        found: dict[int, dict[int, int]] = {}
        for (kind, group), (column, pods) in (
            self.form.evictions.pods.items() if self.form.evictions else ()
        ):
            if values[column]:
                found.setdefault(group, {})[kind] = values[column] * pods
        return found

    def gpu_nodes(self, values: Sequence[int]) -> dict[int, int]:
        """Uniform group to how many of its nodes receive their first GPU pod."""
        groups = self.form.groups
        return {g: values[c] for g, c in self.form.variables.used.items() if groups[g].uniform}

    def values_of(
        self,
        started: Sequence[int],
        pods: Sequence[Sequence[int]],
        placed: Mapping[tuple[int, int], int],
        used: Mapping[int, int],
        subgroups: Collection[tuple[int, int]] = (),
        evicted: Collection[str] = (),
        receiving: Collection[int] = (),
        assigned: Mapping[int, Mapping[int, Sequence[tuple[int, int]]]] | None = None,
        filled: Mapping[int, Mapping[int, int]] | None = None,
    ) -> tuple[int, ...]:
        """The solution that a plan stands for: a hint, and the way to compute its tiers.

        ``pods`` is per class and item, ``placed`` per (shape, group), ``used`` the nodes per group that receive
        their first GPU pod, ``subgroups`` the (class, subgroup) pairs that receive pods, ``evicted`` the names of
        running pods that go, ``receiving`` the nodes that receive pods with GPUs, ``assigned`` the (node, pods) pairs
        per demand and item, which tell the domains, ``filled`` node to shape to new pods. Variables that only justify
        evictions stay 0.
        """
        variables = self.form.variables
        starts = frozenset(variables.starts)
        values = [0] * self.model.size
        for column, count in zip(variables.starts, started, strict=True):
            if column is not None:
                values[column] = count
        for items, counts in zip(variables.pods, pods, strict=True):
            for terms, count in zip(items, counts, strict=True):
                set_already = sum(factor * values[column] for column, factor in terms)
                for column, factor in terms:
                    if column not in starts:
                        values[column] = (count - set_already) // factor
        variables.spots.put(values, placed)
        self._fill_patterns(values, filled or {})
        for group, count in used.items():
            if group in variables.used:
                values[variables.used[group]] = count
        for pair in subgroups:
            values[variables.subgroup[pair]] = 1
        set_topology_values(self.form, values, assigned or {})
        set_even_values(self.form, values)
        set_wish_values(self.form, values)
        if self.form.evictions is not None and evicted:
            values = eviction_values(self.form, values, frozenset(evicted), receiving)
        return self.tight(values)

    def decided(self) -> frozenset[int]:
        """Columns that a plan determines; the others only justify it."""
        variables, evictions = self.form.variables, self.form.evictions
        found = {column for column in variables.starts if column is not None}
        found.update(column for items in variables.pods for terms in items for column, _ in terms)
        found.update(variables.spots.columns())
        found.update(variables.subgroup.values())
        if evictions is not None:
            found.update(column for column, _ in evictions.pods.values())
            found.update(evictions.given_up.values())
        return frozenset(found)

    def _fill_patterns(self, values: list[int], filled: Mapping[int, Mapping[int, int]]) -> None:
        """Count every node that receives GPU pods with a pattern that holds them."""
        for g in self.form.patterns:
            spots = self.form.variables.spots
            for node in self.form.groups[g].nodes:
                pods: dict[int, int] = {}
                for shape, count in filled.get(node, {}).items():
                    kind = spots.at[shape, g].shapes[0]
                    pods[kind] = pods.get(kind, 0) + count
                for column in self._holding(g, pods) if pods else ():
                    values[column] += 1

    def _holding(self, group: int, pods: Mapping[int, int]) -> tuple[int, ...]:
        """Columns of patterns that hold the pods of one node; many nodes of a group hold the same."""
        key = group, frozenset(pods.items())
        if key not in self._columns_for:
            found = (patterns.holding(pods) for patterns in self.form.patterns[group])
            self._columns_for[key] = tuple(column for column in found if column is not None)
        return self._columns_for[key]

    def tight(self, values: Sequence[int]) -> tuple[int, ...]:
        """The same starts with the shortfalls that they really leave.

        A solver leaves the shortfall variables of tiers below its goal anywhere above their least value.
        """
        tightened = list(values)
        for one in self.form.shortfalls:
            gpus = one.running + sum(c * values[column] for column, c in one.started)
            tightened[one.lacking] = shortfall_of(
                one.deserved_milli, gpus, self.form.problem.gpu_scale
            )
            tightened[one.cost] = shortfall_cost(tightened[one.lacking])
        return tuple(tightened)


@collector_paused()
def build(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    groups: Sequence[NodeGroup],
    *,
    cluster_scope: bool = False,
    fair: bool = False,
    names: Sequence[str] | None = None,
    without: Collection[RuleId] = (),
    victims: Victims | None = None,
    cuts: Sequence[EvictionCut | PlanCut] = (),
) -> BuiltModel:
    """The whole model with its tiers.

    ``fair`` gives class covered one tier of shortfall; ``names`` picks tiers by name, in that order (a policy's own
    objective); ``without`` leaves out the rows of a rule (for tests that the verifier notices). With ``victims``
    running pods may be evicted; ``cuts`` forbid combinations that a check found against the rules. A problem with
    wishes has one more tier, the last.
    """
    model = LinearModel()
    variables = create_variables(
        model, problem, classes, groups, apart=_told_apart(problem, classes, victims)
    )
    evictions = create_evictions(model, victims, groups, classes) if victims else None
    form = Formulation(model, problem, tuple(classes), tuple(groups), variables, evictions)
    for rule, post in CONSTRAINTS.items():
        if rule not in without:
            post(form)
    used_nodes(form)
    if evictions is not None:
        post_evictions(form, evictions, cuts)
    if without:
        model.rows = [row for row in model.rows if row.tag not in without]
    if names is not None:
        tiers = named_tiers(form, names, cluster_scope=cluster_scope)
    else:
        tiers = [*start_tiers(form, cluster_scope=cluster_scope, fair=fair), *tail_tiers(form)]
    if problem.wishes is not None:
        tiers.append(wish_tier(form))
    return BuiltModel(form, tuple(tiers))


def _told_apart(
    problem: PlacementProblem, classes: Sequence[GangClass], victims: Victims | None
) -> frozenset[int]:
    """Shapes whose pods other rows tell apart from those that request the same: domains, and what makes room."""
    counted = gathers_exactly(problem)
    return frozenset(
        item.shape
        for one in classes
        if victims is not None
        or one.example.choices is not None
        or bound_inside(one.example)
        or (counted and one.example.gathered)
        for item in one.example.items
    )
