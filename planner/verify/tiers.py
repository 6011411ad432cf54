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
    """Tier name to value: start tiers from the top, then the least harm, elastic pods, domains, packing, preferences.

    Start tiers are ``<class>.<rank>.shortfall|gpus|gangs`` for every class and rank with a startable gang;
    with ``objective: throughput`` they are ``all.1.gpus`` and ``all.1.gangs``. With a list of tier names both
    families are given. ``lost_work`` is in GPU-seconds, ``eviction_domains`` counts topology
    domains, or nodes where none are known.
    """
    return tier_values(RankedState(snapshot, policy, plan))


def tier_values(state: RankedState) -> dict[str, int]:
    """See :func:`recompute_tiers`."""
    found = state.standings
    started = [one for one in found.values() if one.startable and is_started(state, one)]
    values: dict[str, int] = {}
    startable = [one for one in found.values() if one.startable]
    objective = state.policy.policy.objective
    if startable and objective != _THROUGHPUT:
        values.update(_ranked(state, startable, started))
    if startable and objective != "default":
        values["all.1.gpus"] = sum(one.gpus for one in started)
        values["all.1.gangs"] = len(started)
    values.update(harm_values(state))
    values["elastic"] = _elastic(state, found)
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


def _ranked(state: State, startable: list[Standing], started: list[Standing]) -> dict[str, int]:
    cluster = state.policy.policy.priority_scope == "cluster"
    sides = {"covered": 0, "rest": 1}

    def order(one: Standing) -> tuple[int, int]:
        side = sides[one.tier_class]
        return (one.rank, side) if cluster else (side, one.rank)

    deserved = _deserved_milli_gpus(state)
    held = _running_gpus(state, deserved)
    values: dict[str, int] = {}
    for place in sorted({order(one) for one in startable}):
        here = [one for one in started if order(one) == place]
        for one in here:
            if one.gang.queue in held:
                held[one.gang.queue] += one.gpus
        side, rank = (place[1], place[0]) if cluster else place
        prefix = f"{'rest' if side else 'covered'}.{rank}"
        values[f"{prefix}.shortfall"] = sum(
            shortfall_cost(shortfall(deserved[queue], gpus, state.measure.scale))
            for queue, gpus in held.items()
        )
        values[f"{prefix}.gpus"] = sum(one.gpus for one in here)
        values[f"{prefix}.gangs"] = len(here)
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


def _elastic(state: State, found: Mapping[str, Standing]) -> int:
    """Placed pods beyond the least number that makes their gang ready; all pods of a gang that was ready."""
    total = 0
    for name, arrivals in state.placed_by_gang.items():
        placed = sum(arrival.count for arrival in arrivals)
        standing = found.get(name)
        total += placed if standing is None else max(placed - standing.pods, 0)
    return total


def _packing(state: State) -> int:
    """Allocatable GPUs of nodes that no pod with GPUs holds after the plan, terminating pods included."""
    return sum(
        state.measure.of_node(node)
        for node in state.snapshot.nodes
        if not state.measure.holds(state.held_after[node.name])
    )
