"""The rules as rows, one function each; the list at the bottom is the table of contents.

Sets: k gang classes, i items (role and shape) of a class, s shapes, g node groups, q queues, d dimensions.
Variables: z_k started gangs, u_ki new pods, x_sg placed pods that request what s does, y_kj whether subgroup j
receives pods, w_g nodes of a group that receive their first GPU pod. Units: pods and gangs, or base units of a
dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from models.cards.kinds import CARD_RESOURCES
from models.rules import RuleId
from planner.model.big_pods import big_pod_weights
from planner.model.card_patterns import post_patterns
from planner.model.even_rows import EvenColumns, topology_spread
from planner.model.evictions import Evictions
from planner.model.patterns import (
    PATTERN_GROUPS,
    GroupPatterns,
    post_node_patterns,
)
from planner.model.regions import hard_topology
from planner.model.shared_rooms import domain_resources, shared_rooms
from planner.model.topology_columns import Gathering, Regions
from planner.model.variables import PlacementVariables, Terms
from planner.model.wish_columns import WishColumns
from planner.problem.evenly import evenly
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.problem.rule_names import is_port_room, is_rule
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup

DUAL_FEASIBLE = (1,)
"""Parameters k of the dual feasible functions that become rows; more of them cost more time than they cut."""
REFERENCE_TERMS = 250_000
"""Terms of a group's rows of reference counts: 500 shapes may all be references, of more shapes some. Every row is
valid alone, so that bounds hold; what does not pack is found on the nodes."""
CARD_REFERENCE_TERMS = 100_000
"""The same where cards are counted one by one: their own rows say most of it."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Variables of one queue in shortfall tiers: v (thousandths lacking), f (cost), terms of its started GPUs."""

    queue: int
    lacking: int
    cost: int
    deserved_milli: int
    running: int
    started: tuple[tuple[int, int], ...]


@dataclass
class Formulation:
    """What a row function sees."""

    model: LinearModel
    problem: PlacementProblem
    classes: tuple[GangClass, ...]
    groups: tuple[NodeGroup, ...]
    variables: PlacementVariables
    evictions: Evictions | None = None
    by_group: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    shortfalls: list[Shortfall] = field(default_factory=list)
    asked: list[dict[int, int]] = field(default_factory=list)
    regions: Regions = field(default_factory=Regions)
    gathering: Gathering = field(default_factory=Gathering)
    patterns: dict[int, list[GroupPatterns]] = field(default_factory=dict)
    even: list[EvenColumns] = field(default_factory=list)
    wishes: WishColumns | None = None
    _copies: dict[int, dict[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.asked = [
            {d: int(amount) for d, amount in enumerate(request) if amount}
            for request in self.problem.requests
        ]
        self.by_group = self.variables.spots.by_group()

    def copies(self, members: Sequence[tuple[int, int]], reference: int) -> Terms:
        """(column, m_rs) of (shape, column): pods of the reference shape that a pod of shape s contains, if any.

        Counted dimension by dimension, once per pair.
        """
        known = self._copies.setdefault(reference, {})
        for shape, _ in members:
            if shape not in known:
                have, need = self.asked[shape], self.asked[reference]
                known[shape] = min(have.get(d, 0) // amount for d, amount in need.items())
        return [(column, m) for shape, column in members if (m := known[shape])]

    def freed(self, group: int, dimension: int) -> Terms:
        """Terms of minus what evictions free on a group's nodes."""
        return self.evictions.freed(group, dimension, -1) if self.evictions else []

    def returned(self, queue: int, dimension: int) -> Terms:
        """Terms of minus what evictions give back to a queue."""
        return self.evictions.returned(queue, dimension, -1) if self.evictions else []

    def within(self, terms: Terms, freed: Terms, room: int, excess: int, tag: RuleId) -> None:
        """``use - freed <= room``; an excess of now has to be freed as well, but only where there is any use."""
        if excess and terms:
            used = self.model.variable(0, 1)
            most = sum(c * self.model.upper[column] for column, c in terms)
            self.model.at_most([*terms, (used, -most)], 0, tag)
            freed = [*freed, (used, excess)]
        self.model.at_most([*terms, *freed], room, tag)


def node_capacity(form: Formulation) -> None:
    """I1: sums, reference counts and nested sizes (see prepare.node_groups), the last two where sums do not imply them.

    ``sum_s request_sd x_sg <= room_gd``, ``sum_s m_rs x_sg <= fit_g(r)``,
    ``sum_s floor(request_sd / c) x_sg <= pieces_g(c)``; for uniform groups also :func:`_dual_feasible` and
    :func:`_patterns`.
    """
    requests = form.asked
    pieces_of: dict[tuple[int, int], dict[int, int]] = {}
    for g, members in form.by_group.items():
        group = form.groups[g]
        for d, name in enumerate(form.problem.dimensions):
            if not is_rule(name) and not (name in CARD_RESOURCES and _card_by_card(form, g)):
                _sums(form, g, members, d, RuleId.NODE_CAPACITY)
        for r in () if group.mixed else _references(form, members):
            if not _implied(requests[r], group.most or group.room, group.fits[r]):
                form.model.at_most(form.copies(members, r), group.fits[r], RuleId.NODE_CAPACITY)
        for d, size, pieces in group.nested:
            if pieces < (group.most or group.room)[d] // size:
                if (d, size) not in pieces_of:
                    pieces_of[d, size] = _pieces(requests, d, size)
                held = pieces_of[d, size]
                terms = [(c, held[s]) for s, c in members if s in held]
                form.model.at_most(terms, pieces, RuleId.NODE_CAPACITY)
        if group.uniform and len(members) > 1:
            _dual_feasible(form, g, members)
            _patterns(form, g, members)
            _big_pods(form, g, members)


def _pieces(requests: Sequence[Mapping[int, int]], d: int, size: int) -> dict[int, int]:
    """Shape to the whole pieces of a size that a pod of it holds in one dimension, where there are any."""
    return {s: n for s, asked in enumerate(requests) if (n := asked.get(d, 0) // size)}


def _card_by_card(form: Formulation, g: int) -> bool:
    """Rows of single cards say what evictions free (see card_losses); sums do not know who holds which."""
    group = form.groups[g]
    return form.problem.cards is not None and bool(group.victims) and group.size == 1


def _sums(
    form: Formulation, g: int, members: Sequence[tuple[int, int]], d: int, rule: RuleId
) -> None:
    """``sum_s request_sd x_sg <= room_gd`` in one dimension, with what evictions free."""
    group, requests = form.groups[g], form.asked
    terms = [(column, requests[s][d]) for s, column in members if d in requests[s]]
    excess = form.evictions.victims.excess.get(group.nodes[0]) if form.evictions else None
    over = 0 if excess is None else int(excess[d])
    form.within(terms, form.freed(g, d), group.room[d], over, rule)
    if group.most:
        form.model.at_most(terms, group.most[d], rule)


def pod_anti_affinity(form: Formulation) -> None:
    """I2: per group and rule dimension ``sum_s request_sd x_sg <= room_gd`` (see prepare.pod_rules.apart).

    Pods that a rule keeps apart ask for all that a node has of its dimension.
    """
    _room_rows(form, RuleId.POD_ANTI_AFFINITY)
    shared_rooms(form, RuleId.POD_ANTI_AFFINITY)


def host_ports(form: Formulation) -> None:
    """I2: per group and port ``sum_s request_sd x_sg <= room_gd``, a node having one (see prepare.pod_rules.ports)."""
    _room_rows(form, RuleId.HOST_PORTS)


def _room_rows(form: Formulation, rule: RuleId) -> None:
    dimensions = form.problem.dimensions
    rooms = [d for d, name in enumerate(dimensions) if is_rule(name) and _rule_of(name) == rule]
    for g, members in form.by_group.items() if rooms else ():
        for d in rooms:
            _sums(form, g, members, d, rule)


def pod_affinity(form: Formulation) -> None:
    """I2: a gang whose pods ask for each other has domains to choose from, whose rows are those of a hard topology.

    Around pods that run, other domains are closed to it: no column leads there (see prepare.pod_rules.near).
    """
    known = len(form.problem.topology.domains)
    for one in form.classes:
        if any(number >= known for number in one.example.choices or ()):
            raise ArithmeticError("a gang class may be in a domain that the problem does not have")


def _rule_of(dimension: str) -> RuleId:
    if is_port_room(dimension):
        return RuleId.HOST_PORTS
    return RuleId.POD_ANTI_AFFINITY if is_rule(dimension) else RuleId.NODE_CAPACITY


def _big_pods(form: Formulation, g: int, members: Sequence[tuple[int, int]]) -> None:
    """``sum_s weight_s x_sg <= GPUs_g`` with the GPUs that stay idle beside large pods (see big_pods)."""
    group = form.groups[g]
    if form.evictions is not None and group.victims:
        return
    room = [amount // group.size for amount in group.room]
    requests = {kind: form.asked[kind] for kind, _ in members}
    gpus, dimensions = {d for d, _, _ in group.nested}, range(form.problem.pods_dimension)
    for (gpu, dimension), weights in big_pod_weights(room, requests, gpus, dimensions).items():
        terms = [(column, weights[kind]) for kind, column in members if weights[kind]]
        rule = _rule_of(form.problem.dimensions[dimension])
        form.model.at_most(terms, room[gpu] * group.size, rule)


def _patterns(form: Formulation, g: int, members: Sequence[tuple[int, int]]) -> None:
    """Ways to fill a node with GPU pods, in models of many groups without evictions (see patterns).

    Where there are too many of them, those of shapes that did not pack together before.
    """
    group = form.groups[g]
    if form.evictions is not None:
        return
    room = [amount // group.size for amount in group.room]
    with_gpus = [(kind, column) for kind, column in members if form.problem.shape_gpus[kind] > 0]
    dimensions = {d for d, _, _ in group.nested}

    def post(some: Sequence[tuple[int, int]]) -> bool:
        found = post_node_patterns(
            form.model, some, form.asked, room, dimensions, group.size, RuleId.NODE_CAPACITY
        )
        if found is not None:
            form.patterns.setdefault(g, []).append(found)
        return found is not None

    if len(form.groups) >= PATTERN_GROUPS and post(with_gpus):
        return
    spots = form.variables.spots
    for shapes in group.together:
        kinds = {spots.at[shape, g].shapes[0] for shape in shapes if (shape, g) in spots.at}
        post([one for one in with_gpus if one[0] in kinds])


def _dual_feasible(form: Formulation, g: int, members: Sequence[tuple[int, int]]) -> None:
    """What pods larger than a part of a node forbid: ``sum_s k (k+1) u_k(request_sd / c_d) x_sg <= k (k+1) n_g``.

    u_k is the dual feasible function of Fekete and Schepers ("New classes of fast lower bounds for bin packing
    problems", 2001): ``u_k(x) = x`` where ``(k+1) x`` is whole, else ``floor((k+1) x) / k``. For k = 1 it says that a
    node holds at most one pod of more than half of it, and none of half of it beside.
    """
    group, requests = form.groups[g], form.asked
    for d in range(form.problem.pods_dimension):
        room = group.room[d] // group.size
        for k in DUAL_FEASIBLE:
            terms = []
            for s, column in members:
                whole, rest = divmod((k + 1) * requests[s].get(d, 0), max(room, 1))
                if whole:
                    terms.append((column, (k + 1) * whole if rest else k * whole))
            if len(terms) > 1:
                form.model.at_most(terms, k * (k + 1) * group.size, RuleId.NODE_CAPACITY)


def _references(form: Formulation, members: Sequence[tuple[int, int]]) -> Sequence[int]:
    """Shapes whose counts get a row: all, or some from the smallest to the largest (see :data:`REFERENCE_TERMS`)."""
    shapes = [shape for shape, _ in members]
    terms = REFERENCE_TERMS if form.problem.cards is None else CARD_REFERENCE_TERMS
    most = max(terms // max(len(shapes), 1), 2)
    if len(shapes) > most:
        shapes.sort(key=lambda one: (form.problem.shape_gpus[one], tuple(form.asked[one].items())))
    return evenly(shapes, most)


def _implied(request: Mapping[int, int], room: tuple[int, ...], fit: int) -> bool:
    return min(room[d] // amount for d, amount in request.items()) <= fit


def node_predicates(form: Formulation) -> None:
    """I2: ``x_sg = 0`` where the group's nodes do not admit the shape: such variables do not exist.

    Checked here, because a missing variable is easily forgotten.
    """
    for shape, g in form.variables.spots.at:
        group = form.groups[g]
        nodes = list(group.nodes) if group.mixed else group.nodes[:1]
        if not any(form.problem.admits[shape, node] for node in nodes):
            raise ArithmeticError(f"shape {shape} has a variable on nodes that do not admit it")


def pod_placeable(form: Formulation) -> None:
    """I2, I3: ``sum_z y_sz = sum_ki u_ki`` over the items of shape s: only pods of demands are placed.

    y_sz are the shape's pods in zone z, ``sum_s y_sz = sum_g x_zg`` (see spots).
    """
    balance: dict[int, Terms] = {}
    for zone in form.variables.spots.zones:
        for shape in zone.shapes:
            balance.setdefault(shape, []).extend((column, 1) for column in zone.pods_of(shape))
        if zone.routed:
            terms = [(column, 1) for column in zone.columns.values()]
            terms += [(column, -1) for column in zone.routed.values()]
            form.model.equal(terms, 0, RuleId.POD_PLACEABLE)
    for k, one in enumerate(form.classes):
        for i, item in enumerate(one.example.items):
            balance.setdefault(item.shape, []).extend(form.variables.pods_of(k, i, -1))
    for terms in balance.values():
        form.model.equal(terms, 0, RuleId.POD_PLACEABLE)


def pod_supply(form: Formulation) -> None:
    """I3: ``u_ki <= count_ki z_k``; running gangs: ``u_ki <= count_ki * gangs``, which the bounds say already."""
    for k, one in enumerate(form.classes):
        if one.growing:
            continue
        for i, item in enumerate(one.example.items):
            most = item.count // item.step * item.step
            terms = [*form.variables.pods_of(k, i), *form.variables.start_of(k, -most)]
            form.model.at_most(terms, 0, RuleId.POD_SUPPLY)


def gang_ready(form: Formulation) -> None:
    """I3: ``sum_i u_ki >= need_k z_k``."""
    for k, one in enumerate(form.classes):
        if one.growing:
            continue
        terms: Terms = list(form.variables.start_of(k, -one.example.need))
        for i in range(len(one.example.items)):
            terms += form.variables.pods_of(k, i)
        form.model.at_least(terms, 0, RuleId.GANG_READY)


def role_minimum(form: Formulation) -> None:
    """I3: ``sum_{i in role} u_ki >= role_need z_k`` where role minima bind."""
    for k, one in enumerate(form.classes):
        for role, need in () if one.growing else one.example.role_need:
            terms: Terms = list(form.variables.start_of(k, -need))
            for i, item in enumerate(one.example.items):
                if item.role == role:
                    terms += form.variables.pods_of(k, i)
            form.model.at_least(terms, 0, RuleId.ROLE_MINIMUM)


def subgroup_complete(form: Formulation) -> None:
    """I3: ``lacking_j y_j <= sum_{i in j} u_i``, ``u_i <= count_i y_j``, ``sum_j complete_j >= minSubGroups z``."""
    for k, one in enumerate(form.classes):
        demand = one.example
        for j, group in enumerate(demand.subgroups):
            column = form.variables.subgroup.get((k, j))
            if column is None:
                continue
            members = [i for i, item in enumerate(demand.items) if j in item.subgroup]
            pods: Terms = [term for i in members for term in form.variables.pods_of(k, i)]
            lacking = max(group.size - group.running, 1)
            form.model.at_least([*pods, (column, -lacking)], 0, RuleId.SUBGROUP_COMPLETE)
            for i in members:
                terms = [*form.variables.pods_of(k, i), (column, -demand.items[i].count)]
                form.model.at_most(terms, 0, RuleId.SUBGROUP_COMPLETE)
        for policy, minimum in enumerate(() if one.growing else demand.min_subgroups):
            _enough_subgroups(form, k, policy, minimum)


def _enough_subgroups(form: Formulation, k: int, policy: int, minimum: int) -> None:
    complete = 0
    terms: Terms = []
    for j, group in enumerate(form.classes[k].example.subgroups):
        if group.policy != policy:
            continue
        if group.counted >= group.size:
            complete += 1
        elif (k, j) in form.variables.subgroup:
            terms.append((form.variables.subgroup[k, j], 1))
    terms += form.variables.start_of(k, -max(minimum - complete, 0))
    form.model.at_least(terms, 0, RuleId.SUBGROUP_COMPLETE)


def queue_limit(form: Formulation) -> None:
    """I4: ``sum request_sd u_ki <= limit_qd - used_qd`` over the classes below q, where d is limited."""
    below: dict[int, list[int]] = {}
    for k, one in enumerate(form.classes):
        for queue in one.example.queue_chain:
            below.setdefault(queue, []).append(k)
    requests = form.problem.requests
    for queue, members in below.items():
        room = form.problem.queue_room[queue]
        excess = form.evictions.victims.queue_excess.get(queue) if form.evictions else None
        for d in np.flatnonzero(room >= 0):
            terms: Terms = []
            for k in members:
                for i, item in enumerate(form.classes[k].example.items):
                    amount = int(requests[item.shape, d])
                    terms += form.variables.pods_of(k, i, amount) if amount else []
            over = 0 if excess is None else int(excess[d])
            form.within(terms, form.returned(queue, int(d)), int(room[d]), over, RuleId.QUEUE_LIMIT)


def admission(form: Formulation) -> None:
    """I9: ``sum minResources z_k <= limit - used - inqueue`` over the gangs that have to pass, per limit."""
    asked: dict[int, Terms] = {}
    for k, one in enumerate(form.classes):
        for gate, amount in () if one.growing else one.example.admission:
            asked.setdefault(gate, []).extend(form.variables.start_of(k, amount))
    for gate, terms in sorted(asked.items()):
        form.model.at_most(terms, form.problem.admission_room[gate], RuleId.ADMISSION)


def queue_open(form: Formulation) -> None:
    """I5: gangs of closed queues are no demands; a class of one would be a fault of the preparation."""
    names = form.problem.queue_names
    for one in form.classes:
        if one.example.queue >= len(names):
            raise ArithmeticError("a gang class belongs to no queue")


def unsupported_waits(form: Formulation) -> None:
    """Gangs with a required rule that is not modelled are no demands: every item has a shape of the problem."""
    for one in form.classes:
        for item in one.example.items:
            if item.shape >= len(form.problem.requests):
                raise ArithmeticError("an item has no shape")


def used_nodes(form: Formulation) -> None:
    """Definition of w_g: GPU pods on nodes without any need such nodes: rows of I1 with w_g nodes instead of all.

    ``sum_s request_sd x_sg <= largest_gd w_g`` in every dimension and, for uniform groups,
    ``sum_s m_rs x_sg <= fit_g(r) / n_g * w_g`` over GPU shapes.
    """
    requests, gpus = form.asked, form.problem.shape_gpus
    for g, column in form.variables.used.items():
        group = form.groups[g]
        members = [(s, c) for s, c in form.by_group.get(g, ()) if gpus[s] > 0]
        for d, name in enumerate(form.problem.dimensions):
            terms = [(c, requests[s][d]) for s, c in members if d in requests[s]]
            if terms and not is_rule(name):
                form.model.at_most([*terms, (column, -group.largest[d])], 0, "used_nodes")
        for r in _references(form, members) if group.uniform else ():
            each = group.fits[r] // group.size
            form.model.at_most([*form.copies(members, r), (column, -each)], 0, "used_nodes")


def card_packing(form: Formulation) -> None:
    """I1, card by card: ``sum_s w_s x_sg <= room`` for the weights of :mod:`planner.capacity.cards.card_sizes`.

    Where few patterns of a card exist, their numbers become variables and the rows are exact for each group's cards.
    """
    for g, members in form.by_group.items():
        columns = dict(members)
        for limit in form.groups[g].cards:
            terms = [(columns[s], w) for s, w in limit.weights if s in columns]
            if form.evictions is None or not form.groups[g].victims:
                form.model.at_most(terms, limit.room, RuleId.CARD_PACKING)
        post_patterns(form.model, form.problem, form.groups[g], columns)


CONSTRAINTS: Mapping[RuleId, Callable[[Formulation], None]] = {
    RuleId.NODE_CAPACITY: node_capacity,
    RuleId.CARD_PACKING: card_packing,
    RuleId.NODE_PREDICATES: node_predicates,
    RuleId.POD_ANTI_AFFINITY: pod_anti_affinity,
    RuleId.HOST_PORTS: host_ports,
    RuleId.POD_AFFINITY: pod_affinity,
    RuleId.TOPOLOGY_SPREAD: topology_spread,
    RuleId.DOMAIN_RESOURCES: domain_resources,
    RuleId.POD_PLACEABLE: pod_placeable,
    RuleId.POD_SUPPLY: pod_supply,
    RuleId.GANG_READY: gang_ready,
    RuleId.ROLE_MINIMUM: role_minimum,
    RuleId.SUBGROUP_COMPLETE: subgroup_complete,
    RuleId.QUEUE_LIMIT: queue_limit,
    RuleId.QUEUE_OPEN: queue_open,
    RuleId.ADMISSION: admission,
    RuleId.HARD_TOPOLOGY: hard_topology,
    RuleId.UNSUPPORTED_WAITS: unsupported_waits,
}
