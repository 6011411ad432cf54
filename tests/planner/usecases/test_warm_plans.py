"""Planning from an earlier plan gives what planning from nothing gives, and bounds that hold."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from models.cluster import HyperNode, HyperNodeMember
from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.edits.edit import Situation
from models.effective import EffectivePolicy, resolve_policy
from models.plan import PlanResult
from models.policy import Policy, parse_policy
from models.snapshot import Snapshot
from models.workloads import NetworkTopology
from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.reoptimise.warm_start import Warm, WarmStart
from planner.search.stages.reoptimise.warm_start_pool import WarmFamily
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_edits import random_edits
from planner.testing.random_snapshots import random_case
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20, workers=1, deterministic=True)


def _plan(snapshot: Snapshot, policy: EffectivePolicy, warm: Warm | None = None) -> PlanResult:
    return make_plan(snapshot, policy, LIMITS, guard=False, warm=warm, baseline=False)


def _tiers(plan: PlanResult) -> dict[str, int]:
    return {tier.name: tier.value for tier in plan.certificate.tiers}


@pytest.mark.parametrize("evict", [(), ("preempt", "reclaim")])
@pytest.mark.parametrize("part", range(4))
def test_warm_and_cold_plans_are_worth_the_same(part: int, evict: tuple[str, ...]) -> None:
    for seed in range(part, 32, 4):
        case = random_case(seed)
        policy = resolve_policy(
            case.snapshot, case.policy.policy.model_copy(update={"evict": evict})
        )
        base = _plan(case.snapshot, policy)
        warm = WarmStart.of(case.snapshot, policy, base)
        edits = random_edits(Random(f"warm/{seed}"), case.snapshot)
        edited = apply_edits(case.snapshot, policy, edits)
        cold = _plan(edited.snapshot, edited.policy)
        again = _plan(edited.snapshot, edited.policy, warm)
        told = f"{case.name} {evict} {[edit.document() for edit in edits]}"
        if cold.certificate.status == again.certificate.status == "OPTIMAL":
            assert _tiers(again) == _tiers(cold), told
        for one, other in zip(again.certificate.tiers, cold.certificate.tiers, strict=True):
            if one.bound is not None:
                reached = (
                    one.bound >= other.value if one.sense == "max" else one.bound <= other.value
                )
                assert reached, told
            if one.value != other.value:
                break


def _base() -> tuple[Snapshot, EffectivePolicy, WarmStart]:
    snapshot = snapshot_of(
        *(gpu_node(f"n-{number}") for number in range(4)),
        gpu_queue("q", deserved=24),
        gpu_queue("p", deserved=8, capability=16),
        work("a", 2, 8, created=1),
        work("b", 2, 4, created=2),
        work("c", 1, 8, queue="p"),
        work("d", 4, 8, created=3),
    )
    policy = resolve_policy(snapshot, Policy())
    return snapshot, policy, WarmStart.of(snapshot, policy, _plan(snapshot, policy))


def _begun(situation: Situation, warm: WarmStart) -> set[str]:
    prepared = prepare(situation.snapshot, situation.policy, exact_least)
    again = WarmStart.of(
        situation.snapshot, situation.policy, _plan(situation.snapshot, situation.policy)
    )
    begun = warm.beginning(prepared, again.standings)
    return {prepared.problem.gang_names[prepared.problem.demands[d].gang] for d in begun.pods}


def test_gangs_stay_where_they_were_and_those_on_lost_nodes_are_dropped() -> None:
    snapshot, policy, warm = _base()
    same = apply_edits(snapshot, policy, [])
    assert _begun(same, warm) == {"ml/a", "ml/b", "ml/c"}
    node = next(one.node for one in warm.placements if one.gang == "ml/c")
    lost = apply_edits(snapshot, policy, [edit_from({"remove_nodes": {"nodes": node}})])
    assert _begun(lost, warm) == {"ml/a", "ml/b"}
    small = edit_from({"set_queue": {"queue": "q", "capability": {"gpu": 16}}})
    assert _begun(apply_edits(snapshot, policy, [small]), warm) == {"ml/a", "ml/c"}


@pytest.mark.parametrize(
    ("entry", "holds"),
    [
        ({"drain": {"nodes": "n-0"}}, True),
        ({"remove_nodes": {"nodes": "n-0"}}, True),
        ({"set_queue": {"queue": "p", "capability": {"gpu": 8}}}, True),
        ({"set_queue": {"queue": "p", "weight": 7}}, True),
        ({"remove_gangs": {"gangs": "d"}}, True),
        ({"add_nodes": {"like": "n-0"}}, False),
        ({"set_queue": {"queue": "p", "capability": {"gpu": 24}}}, False),
        ({"set_queue": {"queue": "p", "capability": None}}, False),
        ({"set_queue": {"queue": "q", "deserved": {"gpu": 8}}}, False),
        ({"multiply": {"gangs": "b", "factor": 2}}, False),
        ({"reprioritise": {"gangs": "a", "priority": 9}}, False),
        ({"set_gang": {"gangs": "d", "min_member": 3}}, False),
        ({"set_policy": {"evict": ["preempt"]}}, False),
    ],
)
def test_bounds_are_carried_over_only_where_nothing_new_is_possible(
    entry: dict[str, object], holds: bool
) -> None:
    snapshot, policy, warm = _base()
    edited = apply_edits(snapshot, policy, [edit_from(entry)])
    prepared = prepare(edited.snapshot, edited.policy, exact_least)
    own = WarmStart.of(edited.snapshot, edited.policy, _plan(edited.snapshot, edited.policy))
    assert bool(warm.bounds(prepared, own.standings)) is holds


def test_without_effort_large_models_are_not_searched_in_integers() -> None:
    snapshot, policy, warm = _base()
    edited = apply_edits(snapshot, policy, [edit_from({"add_nodes": {"like": "n-0", "count": 4}})])
    plan = _plan(edited.snapshot, edited.policy, replace(warm, effort_s=0.0))
    assert plan.summary.gangs_started == 4
    assert plan.verification is not None
    assert not plan.verification.violations
    assert plan.baseline is None


def test_edits_without_effect_leave_the_same_problem() -> None:
    snapshot, policy, warm = _base()
    for entry, same in (
        ({"set_queue": {"queue": "p", "weight": 7}}, True),
        ({"set_queue": {"queue": "p", "capability": {"gpu": 8}}}, False),
        ({"add_nodes": {"like": "n-0"}}, False),
        ({"remove_gangs": {"gangs": "d"}}, False),
    ):
        edited = apply_edits(snapshot, policy, [edit_from(entry)])
        plan = _plan(edited.snapshot, edited.policy)
        other = WarmStart.of(edited.snapshot, edited.policy, plan)
        assert warm.same_problem(other) is same, entry


def test_bounds_found_beside_gangs_that_are_gone_do_not_hold() -> None:
    """Without the gang of class covered its tiers are gone, and the room it took is free for the rest."""
    snapshot = snapshot_of(
        gpu_node("n-0"),
        gpu_queue("q", deserved=8),
        gpu_queue("p", deserved=0),
        work("a", 1, 3),
        work("b", 1, 5, queue="p", created=1),
        work("c", 1, 4, queue="p", created=2),
        work("d", 1, 4, queue="p", created=3),
        work("too-large", 1, 16, queue="q", created=4),
    )
    policy = resolve_policy(snapshot, Policy(objective=("covered.1.gpus", "rest.1.gpus")))
    base = _plan(snapshot, policy)
    assert _tiers(base)["rest.1.gpus"] == 5
    edited = apply_edits(snapshot, policy, [edit_from({"remove_gangs": {"gangs": "a"}})])
    again = _plan(edited.snapshot, edited.policy, WarmStart.of(snapshot, policy, base))
    cold = _plan(edited.snapshot, edited.policy)
    tier = next(one for one in again.certificate.tiers if one.name == "rest.1.gpus")
    assert (tier.value, tier.bound) == (8, 8)
    assert _tiers(again) == _tiers(cold)


def test_bounds_do_not_hold_where_a_lost_node_frees_what_its_domain_shares() -> None:
    foreign = replace(work("f", 1, 1, nodes=("n-1",)).pods[0], gang=None)
    foreign = replace(foreign, spec=replace(foreign.spec, scheduler_name="other"))
    plain = snapshot_of(
        gpu_node("n-0"), gpu_node("n-1", 1), gpu_queue("q", deserved=8), work("a"), work("b")
    )
    snapshot = replace(plain, pods=(*plain.pods, foreign))
    disk = {"per": "cluster", "capacity": 8, "requests": [{"amount": 3}]}
    rules = parse_policy({"domain_resources": {"disk": disk}}, source="policy.yaml")
    policy = resolve_policy(snapshot, rules)
    base = _plan(snapshot, policy)
    warm = WarmStart.of(snapshot, policy, base)
    assert base.summary.gangs_started == 1
    edited = apply_edits(snapshot, policy, [edit_from({"remove_nodes": {"nodes": "n-1"}})])
    again = _plan(edited.snapshot, edited.policy, warm)
    prepared = prepare(edited.snapshot, edited.policy, exact_least)
    own = WarmStart.of(edited.snapshot, edited.policy, again)
    assert warm.bounds(prepared, own.standings) == {}
    assert again.summary.gangs_started == 2
    assert _tiers(again) == _tiers(_plan(edited.snapshot, edited.policy))


@pytest.mark.parametrize("part", range(4))
def test_a_family_of_plans_begins_and_bounds_like_a_plan_made_anew(part: int) -> None:
    """Three situations of a random cluster, one after the other, each from all plans before it."""
    for seed in range(part, 32, 4):
        case = random_case(seed)
        policy = case.policy
        random = Random(f"family/{seed}")
        members = [WarmStart.of(case.snapshot, policy, _plan(case.snapshot, policy))]
        for _ in range(3):
            edited = apply_edits(case.snapshot, policy, random_edits(random, case.snapshot))
            family = WarmFamily(tuple(members))
            again = _plan(edited.snapshot, edited.policy, family)
            cold = _plan(edited.snapshot, edited.policy)
            if cold.certificate.status == again.certificate.status == "OPTIMAL":
                assert _tiers(again) == _tiers(cold), case.name
            members.append(WarmStart.of(edited.snapshot, edited.policy, again))


def _with_leaves(size: int) -> tuple[Snapshot, EffectivePolicy, WarmStart]:
    """Four nodes in leaves of some size, and a gang that must stay inside one."""
    made = snapshot_of(
        *(gpu_node(f"n-{number}") for number in range(4)), gpu_queue("q"), work("a", 3, 8)
    )
    leaves = tuple(
        HyperNode(
            f"leaf-{start}",
            1,
            members=tuple(
                HyperNodeMember("Node", exact_name=f"n-{number}")
                for number in range(start, start + size)
            ),
        )
        for start in range(0, 4, size)
    )
    topology = NetworkTopology("hard", 1)
    gangs = tuple(replace(gang, topology=topology) for gang in made.gangs)
    snapshot = replace(made, hyper_nodes=leaves, gangs=gangs)
    policy = resolve_policy(snapshot, Policy())
    return snapshot, policy, WarmStart.of(snapshot, policy, _plan(snapshot, policy))


def test_bounds_do_not_outlive_a_topology_rule() -> None:
    snapshot, policy, warm = _with_leaves(2)
    assert _plan(snapshot, policy).summary.gangs_started == 0
    free = apply_edits(
        snapshot, policy, [edit_from({"set_gang": {"gangs": "a", "topology": None}})]
    )
    plan = _plan(free.snapshot, free.policy, warm)
    assert plan.summary.gangs_started == 1


def test_placements_are_not_taken_into_a_new_topology_rule() -> None:
    snapshot, policy, _ = _with_leaves(2)
    loose = replace(snapshot, gangs=tuple(replace(gang, topology=None) for gang in snapshot.gangs))
    warm = WarmStart.of(loose, policy, _plan(loose, policy))
    assert warm.placements
    plan = _plan(snapshot, policy, warm)
    assert plan.summary.gangs_started == 0
    assert plan.verification is not None
    assert not plan.verification.violations
