"""Rules between pods and shared resources: plans of tiny random clusters against every way to place their gangs."""

from __future__ import annotations

import random

import pytest

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.problem.limits import Limits
from planner.testing.oracle.pod_rules import Best, best_start
from planner.testing.problems import policy_of
from planner.testing.random_pod_rules import (
    Draw,
    affinity,
    anti_affinity,
    host_anti_affinity,
    host_ports,
    random_pod_rules,
    shared_resources,
    spread,
)
from planner.usecases.planning import make_plan


def _plan(snapshot: Snapshot, policy: EffectivePolicy) -> PlanResult:
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(snapshot, policy, limits, guard=False, baseline=False)


def _check(snapshot: Snapshot, **keys: object) -> int:
    """Compare a plan with enumeration; how many gangs it started."""
    policy = policy_of(snapshot, **keys)
    plan = _plan(snapshot, policy)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    unsupported = {
        gang.full_name for gang in plan.gangs if "unsupported" in {one.code for one in gang.reasons}
    }
    started = [gang for gang in plan.gangs if gang.decision == "start"]
    names = [
        gang.full_name
        for gang in snapshot.gangs
        if gang.full_name not in unsupported
        # A gang that only others could help has to fit alone first.
        and best_start(snapshot, [gang.full_name], policy.policy.domain_resources).gangs
    ]
    assert plan.certificate is not None
    assert plan.certificate.status == "OPTIMAL"
    best = best_start(snapshot, names, policy.policy.domain_resources)
    assert best == Best(sum(gang.gpus for gang in started), len(started))
    return len(started)


def _run(draw: Draw, seeds: range) -> int:
    return sum(_check(random_pod_rules(seed, draw)) for seed in seeds)


@pytest.mark.parametrize("part", range(3))
def test_anti_affinity_on_hosts_is_exact(part: int) -> None:
    assert _run(host_anti_affinity, range(8 * part, 8 * part + 8)) > 5


@pytest.mark.parametrize("part", range(3))
def test_anti_affinity_is_exact_where_it_is_planned(part: int) -> None:
    assert _run(anti_affinity, range(100 + 8 * part, 108 + 8 * part)) > 3


@pytest.mark.parametrize("part", range(3))
def test_host_ports_are_exact(part: int) -> None:
    assert _run(host_ports, range(500 + 8 * part, 508 + 8 * part)) > 5


@pytest.mark.parametrize("part", range(3))
def test_affinity_is_exact_where_it_is_planned(part: int) -> None:
    assert _run(affinity, range(200 + 8 * part, 208 + 8 * part)) > 2


@pytest.mark.parametrize("part", range(3))
def test_shared_resources_of_domains_are_exact(part: int) -> None:
    started = 0
    for seed in range(300 + 8 * part, 308 + 8 * part):
        snapshot = random_pod_rules(
            seed, host_anti_affinity if seed % 3 == 0 else lambda rnd: PodSpec()
        )
        if not any(node.labels.get("zone") for node in snapshot.nodes):
            continue
        started += _check(snapshot, domain_resources=shared_resources(random.Random(seed)))
    assert started > 3


@pytest.mark.parametrize("part", range(3))
def test_spread_is_exact_where_it_is_planned(part: int) -> None:
    assert _run(spread, range(400 + 8 * part, 408 + 8 * part)) > 3
