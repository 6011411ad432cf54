"""Services in the ``schedule`` part: where their pods are over time, and which returns are missed."""

from __future__ import annotations

from models.moments import local_text
from models.resources import Resources
from models.schedule import MissedReturn, ScheduledPool, ServicePlace, ServiceReturn
from planner.problem.rule_names import is_rule
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.occupancy import MissingPods, ServicePod


def service_places(given: TimedInput) -> tuple[ServicePlace, ...]:
    """Pods of services by node and time; equal ones together."""
    groups: dict[tuple[str, int, int, int, bytes], list[ServicePod]] = {}
    for pod in given.occupancy.services.pods:
        key = (pod.service, pod.node, pod.start, pod.end, pod.vector.tobytes())
        groups.setdefault(key, []).append(pod)
    names, nodes = given.occupancy.names, given.prepared.snapshot.nodes
    found = []
    for (service, node, start, end, _), pods in sorted(groups.items(), key=lambda pair: pair[0]):
        amounts = zip(names[:-1], pods[0].vector, strict=False)
        found.append(
            ServicePlace(
                service=service,
                pool=given.occupancy.pools[pods[0].pool],
                node=nodes[node].name,
                start_bucket=start,
                end_bucket=end,
                pods=len(pods),
                gpus=sum(pod.gpus for pod in pods),
                requests=Resources({n: int(a) for n, a in amounts if a and not is_rule(n)}),
                names=tuple(sorted(pod.name for pod in pods if pod.name)),
            )
        )
    return tuple(found)


def missed_returns(given: TimedInput) -> tuple[MissedReturn, ...]:
    """What services lack, what is due first first."""
    found = [_missed(given, one) for one in given.occupancy.services.missing]
    return tuple(sorted(found, key=lambda one: (one.start_bucket, one.service, one.pool)))


def service_returns(
    given: TimedInput, pool: ScheduledPool, start: int, end: int
) -> tuple[ServiceReturn, ...]:
    """What each service of a pool takes back of a loan, from its first bucket to the one that lends nothing more."""
    horizon, lending = given.problem.horizon, given.occupancy.lending
    found = []
    for curve in lending.demand if lending is not None else ():
        if curve.pool != pool.name:
            continue
        rises = [
            bucket
            for bucket in range(start + 1, min(end + 1, horizon.count))
            if curve.held[bucket] > curve.held[bucket - 1]
        ]
        missing = [
            one
            for one in given.occupancy.services.missing
            if one.service in (curve.service, "")
            and given.occupancy.pools[one.pool] == pool.name
            and start < one.end
            and one.start <= end
        ]
        if missing:
            due, back = min(one.start for one in missing), max(one.end for one in missing)
        elif rises:
            due = back = rises[-1]
            allowed = pool.capacity[due] - pool.own[due]
            while back > start and pool.lent[back - 1] <= allowed:
                back -= 1
            if back == start:
                continue  # batch work never held what it takes back
        else:
            continue
        found.append(
            ServiceReturn(
                service=curve.service,
                returned_by=local_text(horizon.edges[back], horizon.timezone),
                leave_by=local_text(horizon.edges[due], horizon.timezone),
                slack_s=horizon.edges[due] - horizon.edges[back],
            )
        )
    return tuple(found)


def _missed(given: TimedInput, one: MissingPods) -> MissedReturn:
    horizon, pool = given.problem.horizon, given.occupancy.pools[one.pool]
    edges = horizon.edges
    gangs = [
        gang.gang.full_name
        for gang in given.occupancy.running
        if not gang.stoppable
        and one.start < gang.gone_bucket
        and any(int(given.occupancy.pool_of_node[node]) == one.pool for node, _ in gang.held)
    ]
    within = one.end < horizon.count
    if gangs:
        many = f"{gangs[0]} and {len(gangs) - 1} more" if len(gangs) > 1 else gangs[0]
        cause = f"{many} may not be stopped"
    else:
        cause = f"no node of {pool} holds a pod of the service"
    return MissedReturn(
        service=one.service,
        pool=pool,
        start_bucket=one.start,
        end_bucket=one.end,
        due_at=local_text(edges[one.start], horizon.timezone),
        back_at=local_text(edges[one.end], horizon.timezone) if within else None,
        gpus=one.gpus,
        gpu_seconds=one.gpus * (edges[one.end] - edges[one.start]),
        gangs=tuple(gangs),
        cause=cause,
    )
