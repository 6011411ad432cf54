"""I6 as rows: which domain holds a gang, a subgroup or a partition, and the pods that this asks of a domain.

Sets: k gang classes, i items, r regions (domains, or cells where parts of one gang choose apart), s shapes, g groups.
Variables: z_kr gangs of a class in a domain, y_kjr whether subgroup j is in a domain, n_kir partitions in a domain,
v_kir pods of an item in a region. Regions are nested or disjoint, so that pods with and without such a rule can be
served together wherever ``sum_{g in r} x_sg >= sum_{r' in r} v_kir'`` holds for every region and shape (Hall).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from models.rules import RuleId
from planner.model.domain_bounds import bound_by_domains
from planner.model.topology_columns import Nodes, Regions
from planner.model.variables import Terms
from planner.problem.placement import PlacementProblem
from planner.reduce.gang_classes import GangClass
from planner.reduce.partition import bound_inside, chooses_exactly, gathers_exactly, node_cells

if TYPE_CHECKING:
    from planner.model.rows import Formulation

TAG = RuleId.HARD_TOPOLOGY


def hard_topology(form: Formulation) -> None:
    """I6: each class with a rule, or with gangs whose domains are counted, gets its columns; then the Hall rows."""
    problem = form.problem
    cells = node_cells(problem)
    if cells is None:
        if not chooses_exactly(problem):
            bound_by_domains(form)
        return
    members: dict[int, set[int]] = {}
    for node, cell in enumerate(cells.tolist()):
        members.setdefault(cell, set()).add(node)
    counted = gathers_exactly(problem)
    regions = form.regions = Regions(fits={one.nodes[0]: one.fits for one in form.groups})
    every = [frozenset(nodes) for nodes in members.values()]
    for k, one in enumerate(form.classes):
        if bound_inside(one.example) or (counted and one.example.gathered):
            _in_parts(form, regions, k, every)
        elif one.example.choices is not None:
            _as_a_whole(form, regions, k)
    _serve(form, regions)


def _nodes_of(problem: PlacementProblem, number: int) -> Nodes:
    return problem.topology.members(number)


def _as_a_whole(form: Formulation, regions: Regions, k: int) -> None:
    """``sum_r z_kr = z_k``; the rows of a class hold in every domain: minima, roles, supply.

    Gangs that may only grow are in one domain: that of their running pods, else (finished pods made up their minimum)
    they choose, ``sum_r z_kr <= size``.
    """
    one, model = form.classes[k], form.model
    demand = one.example
    mine = regions.pods.setdefault(k, {})
    total: Terms = []
    pinned = one.growing and len(demand.choices or ()) == 1
    for number in demand.choices or ():
        nodes = _nodes_of(form.problem, number)
        fits = [regions.fitting(nodes, item.shape) for item in demand.items]
        most = sum(
            min(fit, item.count * one.size) for fit, item in zip(fits, demand.items, strict=True)
        )
        gangs = one.size if one.growing else min(one.size, most // max(demand.need, 1))
        if gangs == 0 or most == 0:
            continue
        region = regions.number(nodes)
        if pinned:
            regions.fixed[k, region] = one.size
            mine[region] = _items_in(form, k, fits, None)
            continue
        column = model.variable(0, gangs)
        regions.starts[k, region] = [(column, 1)]
        total.append((column, 1))
        mine[region] = _items_in(form, k, fits, column)
    if one.growing and total:
        model.at_most(total, one.size, TAG)
    elif not one.growing:
        model.equal([*total, *form.variables.start_of(k, -1)], 0, TAG)
    _all_inside(form, k, mine)


def _items_in(
    form: Formulation, k: int, fits: Sequence[int], start: int | None
) -> dict[int, Terms]:
    """Pods per item of the gangs in one domain, with the rows of a class."""
    one, model = form.classes[k], form.model
    demand = one.example
    rigid = demand.simple and demand.items[0].count == demand.need
    if start is not None and rigid and not one.growing:
        return {0: [(start, demand.need)]}
    found: dict[int, Terms] = {}
    for i, item in enumerate(demand.items):
        most = min(item.count // item.step * one.size, fits[i] // item.step)
        if most > 0:
            found[i] = [(model.variable(0, most), item.step)]
    if start is None:
        return found
    for i, terms in found.items():
        item = demand.items[i]
        model.at_most([*terms, (start, -(item.count // item.step * item.step))], 0, TAG)
    if one.growing:
        return found
    model.at_least([*(t for terms in found.values() for t in terms), (start, -demand.need)], 0, TAG)
    for role, need in demand.role_need:
        terms = [t for i, mine in found.items() if demand.items[i].role == role for t in mine]
        model.at_least([*terms, (start, -need)], 0, TAG)
    return found


def _all_inside(form: Formulation, k: int, mine: dict[int, dict[int, Terms]]) -> None:
    """``sum_r v_kir = u_ki``: no pod is outside all regions of its class."""
    for i in range(len(form.classes[k].example.items)):
        terms = [t for items in mine.values() for t in items.get(i, [])]
        terms += form.variables.pods_of(k, i, -1)
        if terms:
            form.model.equal(terms, 0, TAG)


def _in_parts(form: Formulation, regions: Regions, k: int, cells: Sequence[Nodes]) -> None:
    """One gang whose pods are told apart cell by cell: its parts choose domains, or its domains are counted."""
    one, model = form.classes[k], form.model
    if one.size != 1:
        raise ArithmeticError("gangs whose parts choose domains cannot share a class")
    mine = regions.pods.setdefault(k, {})
    for nodes in cells:
        items: dict[int, Terms] = {}
        for i, item in enumerate(one.example.items):
            most = min(item.count, regions.fitting(nodes, item.shape))
            if most > 0 and _allowed(form.problem, one, i, nodes):
                items[i] = [(model.variable(0, most), 1)]
        if items:
            mine[regions.number(nodes)] = items
    _all_inside(form, k, mine)
    every = range(len(one.example.items))
    if one.example.choices is not None:
        _one_of(form, regions, k, -1, one.example.choices, every)
    for j, group in enumerate(one.example.subgroups):
        if group.choices is not None:
            members = [i for i in every if j in one.example.items[i].subgroup]
            _one_of(form, regions, k, j, group.choices, members)
    for i, item in enumerate(one.example.items):
        if item.choices is not None:
            _whole_partitions(form, regions, k, i)


def _allowed(problem: PlacementProblem, one: GangClass, i: int, cell: Nodes) -> bool:
    """Whether every rule about the item's pods leaves a domain that holds the cell."""
    item, node = one.example.items[i], next(iter(cell))
    rules = [one.example.choices, item.choices]
    rules += [one.example.subgroups[j].choices for j in item.subgroup if j >= 0]
    return all(
        choices is None or any(node in _nodes_of(problem, d) for d in choices) for choices in rules
    )


def _one_of(
    form: Formulation,
    regions: Regions,
    k: int,
    part: int,
    choices: tuple[int, ...],
    items: Iterable[int],
) -> None:
    """``sum_r y_kjr <= 1`` and ``sum over cells in r of v <= M y_kjr`` for a gang or a subgroup."""
    model, mine = form.model, regions.pods[k]
    columns: Terms = []
    wanted = list(items)
    for number in choices:
        nodes = _nodes_of(form.problem, number)
        terms = [
            t
            for region, cells in mine.items()
            if regions.nodes[region] <= nodes
            for i in wanted
            for t in cells.get(i, [])
        ]
        if not terms:
            continue
        column = model.variable(0, 1)
        regions.within[k, part, number] = column
        most = min(
            sum(model.upper[c] for c, _ in terms),
            sum(form.classes[k].example.items[i].count for i in wanted),
        )
        model.at_most([*terms, (column, -most)], 0, TAG)
        columns.append((column, 1))
    model.at_most(columns, 1, TAG)


def _whole_partitions(form: Formulation, regions: Regions, k: int, i: int) -> None:
    """``sum over cells in r of v_ki = step n_kir``: a partition is in one domain."""
    model, mine = form.model, regions.pods[k]
    item = form.classes[k].example.items[i]
    for number in item.choices or ():
        nodes = _nodes_of(form.problem, number)
        terms = [
            t
            for region, cells in mine.items()
            if regions.nodes[region] <= nodes
            for t in cells.get(i, [])
        ]
        if terms:
            column = model.variable(0, item.count // item.step)
            regions.partitions[k, i, number] = column
            model.equal([*terms, (column, -item.step)], 0, TAG)


def _serve(form: Formulation, regions: Regions) -> None:
    """``sum_{g in r} x_sg >= sum of v over regions inside r`` for every region r and shape s asked for in it."""
    asked: dict[int, dict[int, Terms]] = {}
    for k, mine in regions.pods.items():
        for region, items in mine.items():
            by_shape = asked.setdefault(region, {})
            for i, terms in items.items():
                shape = form.classes[k].example.items[i].shape
                by_shape.setdefault(shape, []).extend((c, -f) for c, f in terms)
    holding: dict[int, list[int]] = {}
    for region, nodes in enumerate(regions.nodes):
        for node in nodes:
            holding.setdefault(node, []).append(region)
    inside: dict[int, list[int]] = {region: [] for region in asked}
    for region in asked:
        nodes = regions.nodes[region]
        for outer in holding[next(iter(nodes))]:
            if outer in inside and len(regions.nodes[outer]) >= len(nodes):
                inside[outer].append(region)
    placed: dict[tuple[int, int], Terms] = {}
    for (shape, g), column in form.variables.spots.own.items():
        for region in holding.get(form.groups[g].nodes[0], ()):
            placed.setdefault((region, shape), []).append((column, 1))
    for outer, members in inside.items():
        wanted: dict[int, Terms] = {}
        for region in members:
            for shape, terms in asked[region].items():
                wanted.setdefault(shape, []).extend(terms)
        for shape, terms in wanted.items():
            form.model.at_least([*placed.get((outer, shape), []), *terms], 0, TAG)
