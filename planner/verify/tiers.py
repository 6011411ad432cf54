"""The value of every tier of the objective, computed from snapshot and plan alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.verify.harm import harm_values
from planner.verify.preferences import preference_points
from planner.verify.readiness import is_ready, role_gaps
from planner.verify.standing import RankedState, Standing
from planner.verify.state import State
from planner.verify.topology import domain_values

_EIGHTH = 125
_THROUGHPUT = "throughput"


def recompute_tiers(
    snapshot: Snapshot, policy: EffectivePolicy, plan: PlanResult
) -> dict[str, int]:
    """Tier name to value: start tiers from the top, then the least harm, domains, packing, preferences.

    Start tiers are ``<class>.<rank>.shortfall|gpus|gangs`` for every class and rank with a startable gang, and
    ``<class>.<rank>.elastic`` for every rank in the class in which elastic pods count; with ``objective: throughput``
    they are ``all.1.gpus|gangs|elastic``; with ``fair`` class covered has one shortfall, ``covered.shortfall``. With a
    list of tier names all families are given, and ``elastic`` as the sum. ``lost_work`` is in GPU-seconds,
    ``eviction_domains`` counts topology domains, or nodes where none are known.
    """
    return tier_values(RankedState(snapshot, policy, plan))


def tier_values(state: RankedState) -> dict[str, int]:
    """See :func:`recompute_tiers`."""
    found = state.standings
    started = [one for one in found.values() if one.startable and is_started(state, one)]
    values: dict[str, int] = {}
    startable = [one for one in found.values() if one.startable]
    objective = state.policy.policy.objective
    elastic = _elastic(state, found)
    if objective != _THROUGHPUT:
        values.update(_ranked(state, startable, started, elastic))
    if objective == _THROUGHPUT or isinstance(objective, tuple):
        if startable:
            values["all.1.gpus"] = sum(one.gpus for one in started)
            values["all.1.gangs"] = len(started)
        values["all.1.elastic"] = sum(elastic.values())
    if isinstance(objective, tuple):
        values["elastic"] = values["all.1.elastic"]
    values.update(harm_values(state))
    values.update(domain_values(state, started))
    values["packing"] = _packing(state)
    values["preferences"] = preference_points(state)
    return values


def is_started(state: State, standing: Standing) -> bool:
    """The gang receives pods and is ready after the plan."""
    gang = standing.gang
    arrivals = state.placed_by_gang.get(gang.full_name, [])
    if not arrivals:
        return False
    named = state.staying(gang) + [one.pod for one in arrivals if one.exists]
    unnamed = [one for one in arrivals if not one.exists]
    succeeded = state.succeeded(gang)
    if not unnamed:
        return is_ready(gang, named, succeeded)
    # Subgroups of promised pods are not known yet; the readiness rules judge them.
    counted = len(named) + len(succeeded) + sum(one.count for one in unnamed)
    gaps = role_gaps(gang, [*named, *succeeded], unnamed)
    return counted >= gang.min_member and not gaps


def _ranked(
    state: RankedState,
    startable: list[Standing],
    started: list[Standing],
    elastic: Mapping[str, int],
) -> dict[str, int]:
    """Tiers of every class and rank, highest first; ``elastic`` are elastic pods by gang."""
    cluster = state.policy.policy.priority_scope == "cluster"
    fair = state.policy.policy.objective == "fair"
    sides = ("covered", "rest")
    last = 0 if state.queues.proportional else 1  # the class in which elastic pods count

    def order(side: int, rank: int) -> tuple[int, int]:
        return (rank, side) if cluster else (side, rank)

    starting = {(sides.index(one.tier_class), one.rank) for one in startable}
    deserved = _deserved_milli_gpus(state)
    held = _running_gpus(state, deserved)

    def lacking() -> int:
        return sum(
            shortfall_cost(shortfall(deserved[queue], gpus, state.measure.scale))
            for queue, gpus in held.items()
        )

    def count(ones: list[Standing]) -> None:
        for one in ones:
            if one.gang.queue in held:
                held[one.gang.queue] += one.gpus

    values: dict[str, int] = {}
    if fair and any(side == 0 for side, _ in starting):
        count([one for one in started if one.tier_class == "covered"])
        values["covered.shortfall"] = lacking()
    growing = {(last, rank) for rank in state.ranks.values()}
    for side, rank in sorted(starting | growing, key=lambda place: order(*place)):
        prefix = f"{sides[side]}.{rank}"
        if (side, rank) in starting:
            here = [one for one in started if (one.tier_class, one.rank) == (sides[side], rank)]
            if not fair or side:
                count(here)
                values[f"{prefix}.shortfall"] = lacking()
            values[f"{prefix}.gpus"] = sum(one.gpus for one in here)
            values[f"{prefix}.gangs"] = len(here)
        if side == last:
            values[f"{prefix}.elastic"] = sum(
                pods for name, pods in elastic.items() if state.ranks.get(name) == rank
            )
    return values


def _running_gpus(state: State, queues: Iterable[str]) -> dict[str, int]:
    """GPUs of the running pods of queues, in the unit of the objective."""
    found = dict.fromkeys(queues, 0)
    for gang in state.snapshot.gangs:
        if gang.queue in found and not gang.not_admitted:
            pods = state.running_before(gang)
            found[gang.queue] += sum(state.measure.of(pod.spec.request) for pod in pods)
    return found


def _deserved_milli_gpus(state: State) -> dict[str, int]:
    """Deserved GPUs in thousandths, rounded down with a grain of 10**-3, of queues that hold gangs and have any."""
    found = {}
    for queue in {gang.queue for gang in state.snapshot.gangs if not gang.not_admitted}:
        exact = sum(state.queues.deserved(queue, name) for name in state.gpu_names)
        milli = (1_000_000 * exact + 1) // 1000
        if milli > 0:
            found[queue] = int(milli)
    return found


def shortfall(deserved_milli: int, gpus: int, scale: int = 1000) -> int:
    """Thousandths of its deserved GPUs that a queue lacks, rounded up, at least 0; a unit is ``scale`` thousandths."""
    return max(0, -(-1000 * (deserved_milli - scale * gpus) // deserved_milli))


def shortfall_cost(thousandths: int) -> int:
    """f(u): convex, piecewise linear with slope 1, 2, 4, …, 128 on the eighths of 0…1000."""
    return sum(
        2**eighth * min(max(thousandths - _EIGHTH * eighth, 0), _EIGHTH) for eighth in range(8)
    )


def _elastic(state: State, found: Mapping[str, Standing]) -> dict[str, int]:
    """By gang, placed pods beyond the least number that makes it ready; all pods of a gang that was ready."""
    beyond = {}
    for name, arrivals in state.placed_by_gang.items():
        placed = sum(arrival.count for arrival in arrivals)
        standing = found.get(name)
        beyond[name] = placed if standing is None else max(placed - standing.pods, 0)
    return beyond


def _packing(state: State) -> int:
    """Allocatable GPUs of nodes that no pod with GPUs holds after the plan, terminating pods included."""
    return sum(
        state.measure.of_node(node)
        for node in state.snapshot.nodes
        if not state.measure.holds(state.held_after[node.name])
    )
