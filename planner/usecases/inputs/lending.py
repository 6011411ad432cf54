"""Loan limits of a snapshot: its online services, what is known of their demand, and what may be lent of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.demand import ANY_SERVICE, DemandSamples, before, dated
from models.findings import Finding, InputError
from models.gpu import gpus_in, whole_gpu_names
from models.horizon import Horizon
from models.lending import LendingLimits
from models.moments import zone_of
from models.policy import OnlineService, Policy
from models.pools import pool_of
from models.snapshot import Snapshot
from planner.demand.curve import ServiceCurve, ServiceInput, service_curve
from planner.demand.lending import lending_limits
from planner.demand.newsvendor import service_level_of
from planner.demand.rules import LendingRules
from planner.encode.victims.victim_protection import serves

Pools = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Lending:
    """Loan limits and what they rest on.

    Attributes
    ----------
    limits
        None where there is no online service with GPUs.
    curves
        Demand of every service over the horizon, with forecast and judgement.
    """

    limits: LendingLimits | None
    curves: tuple[ServiceCurve, ...]
    rules: LendingRules
    findings: tuple[Finding, ...]


class LendingSource:
    """Makes loan limits for a bucket grid when it is known, and keeps what they rest on.

    Attributes
    ----------
    made
        What the last call made; None before.
    """

    def __init__(
        self, snapshot: Snapshot, policy: Policy, samples: Sequence[DemandSamples] = ()
    ) -> None:
        self._snapshot, self._policy, self._samples = snapshot, policy, tuple(samples)
        self.made: Lending | None = None

    def __call__(self, horizon: Horizon) -> LendingLimits | None:
        """Limits over the horizon; None where no service has GPUs. Errors as :func:`lending_of`."""
        self.made = lending_of(self._snapshot, self._policy, horizon, self._samples)
        return self.made.limits


def lending_of(
    snapshot: Snapshot,
    policy: Policy,
    horizon: Horizon,
    samples: Sequence[DemandSamples] = (),
) -> Lending:
    """Loan limits over a horizon whose start is now; its time zone is the one of daily windows and seasons.

    Raises
    ------
    InputError
        Demand that belongs to no service.
    UsageError
        The policy asks for a library that is not installed.
    """
    rules = lending_rules(policy)
    demand = _by_service(samples, policy.services, horizon)
    services = _services(policy.services, demand)
    held = running_gpus(snapshot, policy, services)
    pools = {one.name: _pools(one, held[one.name], snapshot, policy) for one in services}
    usable = [one for one in services if pools[one.name]]
    curves = tuple(
        service_curve(_input(one, held[one.name], demand.get(one.name)), horizon, rules)
        for one in usable
    )
    capacity = pool_gpus(snapshot, policy)
    limits = lending_limits(curves, pools, horizon, rules, capacity=capacity) if curves else None
    findings = [_without_pool(one) for one in services if not pools[one.name]]
    findings += [_note(curve, note) for curve in curves for note in curve.notes]
    findings += [_lacking(name, note) for name, one in demand.items() for note in one.notes]
    findings += [_too_high(curve) for curve in curves if max(curve.held, default=0) > curve.owned]
    findings += _beyond_pools(curves, capacity, pools)
    return Lending(limits, curves, rules, tuple(findings))


def lending_rules(policy: Policy) -> LendingRules:
    """Rules of the policy; the slowest return of any service counts."""
    own = policy.lending
    level = own.service_level
    if own.shortage_cost is not None and own.idle_cost is not None:
        level = service_level_of(own.shortage_cost, own.idle_cost)
    return LendingRules(
        service_level=level,
        surge_level=max(level, own.surge_level),
        deadline_s=own.deadline_seconds,
        overhead_s=max((one.overhead_seconds for one in policy.services), default=1),
        method=own.forecast,
    )


def running_gpus(
    snapshot: Snapshot, policy: Policy, services: Sequence[OnlineService]
) -> dict[str, dict[str, int]]:
    """Service to pool to whole GPUs that its pods hold; a pod belongs to the first service that names it."""
    names = whole_gpu_names(policy.gpu_models)
    found: dict[str, dict[str, int]] = {one.name: {} for one in services}
    for node in snapshot.nodes:
        pool = pool_of(node, policy.gpu_models, names)
        for pod in snapshot.pods_by_node.get(node.name, ()):
            gpus = gpus_in(pod.spec.request, names)
            gang = snapshot.gang_by_name.get(pod.gang)
            owner = next((one for one in services if gpus and serves(one, pod, gang)), None)
            if owner is not None:
                pools = found[owner.name]
                pools[pool] = pools.get(pool, 0) + gpus
    return found


def pool_gpus(snapshot: Snapshot, policy: Policy) -> dict[str, int]:
    """Pool to whole GPUs that its nodes offer, ready or not."""
    names = whole_gpu_names(policy.gpu_models)
    found: dict[str, int] = {}
    for node in snapshot.nodes:
        gpus = gpus_in(node.allocatable, names)
        if gpus:
            pool = pool_of(node, policy.gpu_models, names)
            found[pool] = found.get(pool, 0) + gpus
    return found


def _by_service(
    samples: Sequence[DemandSamples], services: Sequence[OnlineService], horizon: Horizon
) -> dict[str, DemandSamples]:
    zone = zone_of(horizon.timezone) or zone_of("UTC")
    by_column = {one.demand_column or one.name: one.name for one in services}
    found: dict[str, DemandSamples] = {}
    for one in samples:
        name = by_column.get(one.service, one.service)
        if one.service == ANY_SERVICE:
            name = _only_service(one, services)
        known = before(dated(one, horizon.start, zone), horizon.start) if zone else one
        if known.seconds or not one.measured:  # measured only later: nobody knew of it yet
            found[name] = known
    return found


def _only_service(samples: DemandSamples, services: Sequence[OnlineService]) -> str:
    if len(services) > 1:
        names = ", ".join(one.name for one in services)
        what = f"names no service, and the policy has several ({names})"
        finding = Finding(
            "demand_service", "error", samples.source, what, "add a column service to the file"
        )
        raise InputError(f"{samples.source}: {what}", (finding,))
    return services[0].name if services else "online"


def _services(
    known: Sequence[OnlineService], demand: Mapping[str, DemandSamples]
) -> list[OnlineService]:
    """Services of the policy, then those that only a demand file names."""
    names = {one.name for one in known}
    return [*known, *(OnlineService(name=name) for name in sorted(demand) if name not in names)]


def _pools(
    service: OnlineService, held: Mapping[str, int], snapshot: Snapshot, policy: Policy
) -> dict[str, int]:
    """Pools of a service: those of the policy, else where its pods are, else the only pool with GPUs."""
    if service.pools:
        return {pool: held.get(pool, 0) for pool in service.pools}
    if held:
        return dict(held)
    pools = pool_gpus(snapshot, policy)
    return dict.fromkeys(pools, 0) if len(pools) == 1 else {}


def _input(
    service: OnlineService, held: Mapping[str, int], samples: DemandSamples | None
) -> ServiceInput:
    return ServiceInput(
        service.name,
        running_gpus=sum(held.values()),
        guarantee_gpus=service.guarantee_gpus,
        reserved_gpus=service.reserved_gpus,
        samples=samples,
        profile=service.demand,
    )


def _without_pool(service: OnlineService) -> Finding:
    return Finding(
        "service_without_pool",
        "warning",
        f"service/{service.name}",
        "it has no pods with GPUs and names no pool, so its demand is not planned for",
        "name its pools, its selector or its queue in the policy (services)",
    )


def _note(curve: ServiceCurve, note: str) -> Finding:
    return Finding("demand_forecast", "info", f"service/{curve.service}", note)


def _lacking(service: str, note: str) -> Finding:
    remedy = "look at the query's graph over its whole range in Prometheus"
    return Finding("demand_incomplete", "warning", f"service/{service}", note, remedy)


def _too_high(curve: ServiceCurve) -> Finding:
    most = max(curve.held)
    return Finding(
        "demand_above_owned",
        "warning",
        f"service/{curve.service}",
        f"its demand reaches {most} GPUs and {curve.owned} are reserved for it",
        "raise reserved_gpus, or expect it to be short by the difference",
    )


def _beyond_pools(
    curves: Sequence[ServiceCurve], capacity: Mapping[str, int], pools: Pools
) -> list[Finding]:
    """Pools that are too small for what is reserved in them, as one finding per service that lies in one."""
    found = []
    for curve in curves:
        offered = sum(capacity.get(pool, 0) for pool in pools[curve.service])
        if curve.owned > offered:
            what = (
                f"{curve.owned} GPUs are reserved for it, and its pools "
                f"({', '.join(sorted(pools[curve.service]))}) have {offered}"
            )
            remedy = "check pools and reserved_gpus of the service, and the unit of the demand"
            found.append(
                Finding("reserved_above_pool", "warning", f"service/{curve.service}", what, remedy)
            )
    return found
