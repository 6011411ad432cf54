"""What a plan says about the columns of topology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.model.rows import Formulation
from planner.problem.placement import Demand
from planner.reduce.domain_count import places_used, unit_places

Spots = Mapping[int, Sequence[tuple[int, int]]]


def set_topology_values(
    form: Formulation, values: list[int], assigned: Mapping[int, Spots]
) -> None:
    """Set domains, pods per region and places of the gangs that receive pods (demand to its items' nodes)."""
    _set_regions(form, values, assigned)
    levels = form.problem.topology.levels
    for k, one in enumerate(form.classes):
        if one.growing or not one.example.gathered:
            continue
        for index in one.demands:
            if index not in assigned:
                continue
            demand = form.problem.demands[index]
            for number, column in form.gathering.totals.items():
                values[column] += places_used(demand, levels[number], assigned[index])
            if form.gathering.places:
                _set_places(form, values, k, demand, assigned[index])


def _set_places(form: Formulation, values: list[int], k: int, demand: Demand, items: Spots) -> None:
    for t, unit in enumerate(demand.gathered):
        for number, level in enumerate(form.problem.topology.levels):
            for place, times in unit_places(demand, unit, level, items).items():
                values[form.gathering.places[k, t, number, place]] = times


def _set_regions(form: Formulation, values: list[int], assigned: Mapping[int, Spots]) -> None:
    regions = form.regions
    for k, mine in regions.pods.items():
        of_node = {node: region for region in mine for node in regions.nodes[region]}
        for index in form.classes[k].demands:
            if index not in assigned:
                continue
            _set_pods(form, values, k, of_node, assigned[index])
            _set_choices(form, values, k, assigned[index])


def _set_pods(
    form: Formulation, values: list[int], k: int, of_node: Mapping[int, int], items: Spots
) -> None:
    regions = form.regions
    starts: set[int] = set()
    for item, spots in items.items():
        for node, count in spots:
            region = of_node[node]
            starts.add(region)
            terms = regions.pods[k][region][item]
            if terms != _rigid(form, k, region):
                values[terms[0][0]] += count
    for region in starts:
        for column, _ in regions.starts.get((k, region), []):
            values[column] += 1


def _rigid(form: Formulation, k: int, region: int) -> object:
    """Terms of pods that follow from the number of gangs."""
    need = form.classes[k].example.need
    return [(column, need) for column, _ in form.regions.starts.get((k, region), [])]


def _set_choices(form: Formulation, values: list[int], k: int, items: Spots) -> None:
    """The domain of the gang, of every subgroup and of every partition."""
    regions, topology = form.regions, form.problem.topology
    demand = form.classes[k].example
    for (owner, part, number), column in regions.within.items():
        if owner == k:
            members = topology.members(number)
            mine = [
                node
                for item, spots in items.items()
                if part < 0 or part in demand.items[item].subgroup
                for node, count in spots
                if count
            ]
            values[column] = int(any(node in members for node in mine))
    for (owner, item, number), column in regions.partitions.items():
        if owner == k:
            members = topology.members(number)
            here = sum(count for node, count in items.get(item, ()) if node in members)
            values[column] = here // demand.items[item].step
