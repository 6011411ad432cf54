"""From a snapshot and a policy to the placement problem, with everything that explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from models.cards.book import CardBook
from models.cards.milli import GpuMeasure
from models.collector import collector_paused
from models.effective import EffectivePolicy
from models.extremes import MOST_IN_ALL, MOST_OF_A_POD, clipped
from models.gpu import whole_gpu_names
from models.plan import Reason
from models.readiness import Supply
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.encode.admission import Admission, admission_of, refused, with_admission
from planner.encode.cards.card_table import card_table, summed
from planner.encode.colocation import Together
from planner.encode.demands import GangCase, gang_cases
from planner.encode.minimum import ExactLeast, least_requests
from planner.encode.pod_rules.domain_resources import with_domain_resources
from planner.encode.pod_rules.encode import with_rules
from planner.encode.pod_rules.shared import domain_rooms
from planner.encode.pod_rules.tied import TiedGangs
from planner.encode.preferences.book import WishBook, wish_book
from planner.encode.prefilter import Prefilter, beyond_every_domain
from planner.encode.queue_limits import QueueLimits, sum_below, usage_by_queue
from planner.encode.shapes import ShapeTable, profile_of, shape_key, shape_table
from planner.encode.topology import topology_forest
from planner.problem.cards import CardTable
from planner.problem.placement import Demand, IntArray, Item, PlacementProblem
from planner.problem.topology import TopologyForest

NO_LIMIT = -1


@dataclass(frozen=True)
class Prepared:
    """A placement problem with the values it was made from.

    Attributes
    ----------
    ruled
        The snapshot with rules between pods as requests, room and labels of nodes (:mod:`planner.encode.pod_rules`).
    cases
        One per gang of the snapshot, in its order, with the pods of ``ruled``; ``problem.demands`` holds those that
        may receive pods.
    usage
        Requests of running pods per queue, descendants not included.
    admission, gates
        What Pending PodGroups have to pass, and which of its gates the problem's ``admission_room`` is of.
    preferred
        What waiting pods would rather have, None where none of them can prefer anything.
    """

    snapshot: Snapshot
    ruled: Snapshot
    policy: EffectivePolicy
    limits: QueueLimits
    cases: tuple[GangCase, ...]
    shapes: ShapeTable
    problem: PlacementProblem
    usage: Mapping[str, Resources]
    gpu_names: tuple[str, ...]
    measure: GpuMeasure
    book: CardBook
    admission: Admission
    gates: tuple[int, ...]
    preferred: WishBook | None = None

    def usage_below(self, queue: str) -> Resources:
        """Requests of running pods of a queue, with its descendants where the tree counts."""
        return sum_below(self.limits, self.usage, queue)


@collector_paused()
def prepare(snapshot: Snapshot, policy: EffectivePolicy, least: ExactLeast) -> Prepared:
    """Build the problem: room per node, shapes, demands, queue rooms.

    ``least`` finds the least requests of gangs with subgroups or partitions (see :mod:`planner.encode.minimum`).
    """
    limits = QueueLimits(snapshot, policy)
    forest = topology_forest(snapshot, policy.policy.topology_labels)
    preferred = wish_book(snapshot)
    rules = with_rules(snapshot if preferred is None else preferred.marked(), policy)
    ruled, resources = with_domain_resources(rules.snapshot, policy.policy.domain_resources, forest)
    admission = admission_of(snapshot, policy, limits)
    cases = refused(gang_cases(ruled, policy, limits, forest), admission)
    shapes = shape_table(ruled.nodes, cases, limits, policy)
    gpu_names = whole_gpu_names(policy.policy.gpu_models)
    usage = usage_by_queue(snapshot)
    queue_names = tuple(sorted(limits.queues))
    number = {name: index for index, name in enumerate(queue_names)}
    book = CardBook(snapshot, policy.policy.gpu_models)
    measure = GpuMeasure(snapshot, policy.policy.gpu_models, book)
    gpus = np.array([measure.of(spec.request) for spec in shapes.specs], dtype=np.int64)
    nodes = {node.name: index for index, node in enumerate(snapshot.nodes)}
    tied = TiedGangs(forest, rules.tied, nodes)
    maker = _DemandMaker(snapshot, policy, limits, shapes, number, forest, tied)
    shared = domain_rooms(ruled, (*rules.shared, *resources), shapes.specs)
    spreads = rules.spreads(ruled, list(shapes.specs))
    maker.shared = frozenset(shape for one in shared for shape in one.asks).union(
        *(one.shapes | one.matching for one in spreads)
    )
    cases, demands = _demands(cases, maker, gpus, least)
    cards = card_table(snapshot, book, [book.ask(spec) for spec in shapes.specs])
    free, busy = _free(ruled, shapes.dimensions, measure, cards)
    problem = PlacementProblem(
        dimensions=shapes.dimensions,
        node_names=tuple(node.name for node in snapshot.nodes),
        free=free,
        requests=shapes.requests,
        admits=shapes.admits,
        shape_gpus=gpus,
        node_gpus=np.array([measure.of_node(node) for node in snapshot.nodes], dtype=np.int64),
        node_has_gpu_pods=busy,
        gang_names=tuple(gang.full_name for gang in snapshot.gangs),
        gang_order=tuple((gang.created, gang.full_name) for gang in snapshot.gangs),
        demands=demands,
        queue_names=queue_names,
        queue_room=_queue_room(limits, usage, demands, shapes.dimensions, queue_names),
        deserved_milli_gpus=_deserved_gpus(snapshot, limits, gpu_names, number),
        running_gpus=_running_gpus(snapshot, measure, number),
        gpu_unit=measure.unit,
        gpu_scale=measure.scale,
        cards=cards,
        topology=tied.forest(),
        domain_rooms=shared,
        spreads=spreads,
    )
    problem, gates = with_admission(problem, cases, admission, evicting=bool(policy.evict))
    return Prepared(
        snapshot,
        ruled,
        policy,
        limits,
        cases,
        shapes,
        problem,
        usage,
        gpu_names,
        measure,
        book,
        admission,
        gates,
        preferred,
    )


def _running_gpus(
    snapshot: Snapshot, measure: GpuMeasure, number: Mapping[str, int]
) -> dict[int, int]:
    """GPUs of the running pods of each queue, in the measure's unit."""
    found: dict[int, int] = {}
    for gang in snapshot.gangs:
        if gang.not_admitted or gang.queue not in number:
            continue
        gpus = sum(measure.of(pod.spec.request) for pod in snapshot.pods_of(gang) if pod.running)
        queue = number[gang.queue]
        found[queue] = found.get(queue, 0) + gpus
    return found


def _demands(
    cases: tuple[GangCase, ...],
    maker: _DemandMaker,
    gpus: IntArray,
    exact: ExactLeast,
) -> tuple[tuple[GangCase, ...], tuple[Demand, ...]]:
    demands: list[Demand] = []
    checked: list[GangCase] = []
    # The GPUs of a minimal set are counted like one more dimension.
    requests = np.column_stack([gpus, maker.shapes.requests])
    for index, case in enumerate(cases):
        if case.plannable:
            case = maker.prefiltered(case)
        if case.plannable:
            demand = maker.demand(index, case)
            found = least_requests(demand, requests, exact)
            least = None if found is None else found[1:]
            if found is None or least is None:
                case = replace(case, blocked=(_incomplete_subgroups(case.gang),))
            else:
                lacking = 0 if case.ready else found[0]
                demands.append(replace(demand, minimum=least, gpus=lacking))
        checked.append(case)
    return tuple(checked), tuple(demands)


def _incomplete_subgroups(gang: Gang) -> Reason:
    sizes = ", ".join(f"{one.min_subgroups} subgroups of {one.size} pods" for one in gang.subgroups)
    return Reason(
        code="not_enough_pods",
        message=f"its pods do not make up {sizes} and {max(gang.min_member, 1)} pods in all",
        data={"minMember": gang.min_member},
    )


class _DemandMaker:
    """Demands of gangs, from the tables of the whole snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        policy: EffectivePolicy,
        limits: QueueLimits,
        shapes: ShapeTable,
        queue_number: Mapping[str, int],
        forest: TopologyForest,
        tied: TiedGangs,
    ) -> None:
        self.shapes = shapes
        self.shared: frozenset[int] = frozenset()
        self._policy, self._limits, self._queue_number = policy, limits, queue_number
        self._forest, self._tied = forest, tied
        self._node_number = {node.name: index for index, node in enumerate(snapshot.nodes)}
        self._wishes = bool(policy.policy.topology_labels) and not snapshot.hyper_nodes
        self._prefilter = Prefilter(snapshot, forest) if policy.prefilters_pending else None

    def prefiltered(self, case: GangCase) -> GangCase:
        """The case, blocked where Volcano's pre-filter leaves no topology domain to it."""
        if self._prefilter is None or case.gang.topology is None:
            return case
        plain = Together(case, self._forest, self._node_number, self._wishes).choices
        if not plain:
            return case
        return beyond_every_domain(case, self._forest, self._together(case).choices)

    def _together(self, case: GangCase) -> Together:
        return Together(case, self._forest, self._node_number, self._wishes, self._prefilter)

    def demand(self, index: int, case: GangCase) -> Demand:
        """The demand of a case that can be planned; its least requests are found later."""
        together = self._together(case)
        number, chain = self._queue_number, self._limits.limiting(case.gang.queue)
        made = [(self._item(supply, case, together), supply) for supply in case.supplies]
        made.sort(key=lambda pair: (pair[0].role, pair[0].shape, pair[0].names))
        items = [item for item, _ in made]
        subgroups = together.subgroups()
        return Demand(
            gang=index,
            items=tuple(items),
            ready=case.ready,
            need=case.need,
            role_need=tuple(case.role_need.items()),
            subgroups=subgroups,
            min_subgroups=tuple(policy.min_subgroups for policy in case.gang.subgroups)
            if subgroups or any(item.names for item in items)
            else (),
            queue=number[case.gang.queue],
            queue_chain=tuple(number[name] for name in chain if name in number),
            choices=self._tied.choices(case.gang.full_name, together.choices),
            gathered=together.gathered([supply for _, supply in made]),
            shares_domains=any(item.shape in self.shared for item in items),
        )

    def _item(self, supply: Supply, case: GangCase, together: Together) -> Item:
        profile = profile_of(supply, case.gang.queue, self._limits, self._policy)
        return Item(
            role=supply.role,
            shape=self.shapes.shape_of(shape_key(supply.spec, profile)),
            count=supply.count,
            names=supply.names,
            step=supply.step,
            subgroup=together.indices(supply.subgroups),
            choices=together.partition_choices(supply),
            wish=supply.spec.wish,
        )


def _free(
    snapshot: Snapshot,
    dimensions: tuple[str, ...],
    measure: GpuMeasure,
    cards: CardTable | None,
) -> tuple[IntArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Room per node beside all pods that hold it, at least 0; and which nodes hold pods with GPUs."""
    column = {name: index for index, name in enumerate(dimensions)}
    free = np.array(
        [[node.allocatable.amount(name) for name in dimensions] for node in snapshot.nodes],
        dtype=np.int64,
    ).reshape(len(snapshot.nodes), len(dimensions))
    number = {node.name: row for row, node in enumerate(snapshot.nodes)}
    kinds: dict[Resources, int] = {}  # pods by the thousand make a few dozen requests
    rows, kind_of = [], []
    for name, pods in snapshot.pods_by_node.items():
        row = number.get(name)
        if row is not None:
            rows += [row] * len(pods)
            kind_of += [kinds.setdefault(pod.spec.request, len(kinds)) for pod in pods]
    requests = np.zeros((len(kinds), len(dimensions)), dtype=np.int64)
    for request, kind in kinds.items():
        requests[kind] = clipped((request.amount(name) for name in dimensions), MOST_OF_A_POD)
    requests[:, column[PODS]] += 1
    counts_gpus = np.array([measure.holds(request) for request in kinds], dtype=np.bool_)
    np.subtract.at(free, rows, requests[kind_of])
    busy = np.zeros(len(snapshot.nodes), dtype=np.bool_)
    busy[np.array(rows, dtype=np.int64)[counts_gpus[kind_of]]] = True
    free = np.maximum(free, 0)
    return _within_cards(snapshot, free, column, cards), busy


def _within_cards(
    snapshot: Snapshot, free: IntArray, column: Mapping[str, int], cards: CardTable | None
) -> IntArray:
    """Amounts of card resources as the cards have them; a node's own sum binds too where it lists one."""
    for name, totals in ({} if cards is None else summed(cards)).items():
        if name in column:
            listed = np.array([name in node.allocatable for node in snapshot.nodes])
            own = free[:, column[name]]
            free[:, column[name]] = np.where(listed, np.minimum(own, totals), totals)
    return free


def _queue_room(
    limits: QueueLimits,
    usage: Mapping[str, Resources],
    demands: tuple[Demand, ...],
    dimensions: tuple[str, ...],
    queue_names: tuple[str, ...],
) -> dict[int, IntArray]:
    """Per binding queue what new pods may still request; a queue above its limit has no room left."""
    found: dict[int, IntArray] = {}
    for index in sorted({queue for demand in demands for queue in demand.queue_chain}):
        name = queue_names[index]
        used = sum_below(limits, usage, name)
        room = []
        for dimension in dimensions[:-1]:
            limit = limits.limit(name, dimension)
            left = None if limit is None else max(limit - used.amount(dimension), 0)
            room.append(NO_LIMIT if left is None or left >= MOST_IN_ALL else left)
        found[index] = np.array([*room, NO_LIMIT], dtype=np.int64)
    return found


def _deserved_gpus(
    snapshot: Snapshot,
    limits: QueueLimits,
    gpu_names: tuple[str, ...],
    number: Mapping[str, int],
) -> dict[int, int]:
    """Deserved GPUs, in thousandths, of the queues that hold gangs and have any."""
    found: dict[int, int] = {}
    for name in sorted({gang.queue for gang in snapshot.gangs if not gang.not_admitted}):
        if name not in number:
            continue
        deserved = sum((limits.deserved(name, one) for one in gpu_names), Fraction(0))
        milli = int(1000 * deserved + Fraction(1, 1000))
        if milli > 0:
            found[number[name]] = milli
    return found
