"""Planning from the document of an earlier plan: as good as planning anew, and gangs stay where they were told."""

from __future__ import annotations

from random import Random

import pytest

from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.effective import EffectivePolicy, resolve_policy
from models.plan import PlanResult
from models.policy import Policy
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_edits import random_edits
from planner.testing.random_snapshots import random_case
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20, workers=1, deterministic=True)


def _plan(
    snapshot: Snapshot, policy: EffectivePolicy, previous: PlanResult | None = None
) -> PlanResult:
    return make_plan(
        snapshot, policy, LIMITS, guard=False, previous=previous, baseline=False, fixes=False
    )


def _nodes(plan: PlanResult) -> dict[str, set[str]]:
    return {
        gang.name: {pods.node or "" for pods in gang.pods if pods.action == "place"}
        for gang in plan.gangs
        if gang.decision == "start"
    }


def _cluster(*more: object) -> tuple[Snapshot, EffectivePolicy]:
    snapshot = snapshot_of(
        *(gpu_node(f"n-{number}") for number in range(6)),
        gpu_queue("q", deserved=48),
        work("a", 2, 8, created=1),
        work("b", 1, 8, created=2),
        work("c", 1, 8, created=3),
        *more,  # type: ignore[arg-type]
    )
    return snapshot, resolve_policy(snapshot, Policy())


def _on(plan: PlanResult, names: dict[str, str]) -> PlanResult:
    """The document with its nodes called otherwise."""
    gangs = tuple(
        gang.model_copy(
            update={
                "pods": tuple(
                    pods.model_copy(update={"node": names.get(pods.node or "", pods.node)})
                    for pods in gang.pods
                )
            }
        )
        for gang in plan.gangs
    )
    return plan.model_copy(update={"gangs": gangs})


def test_gangs_stay_on_the_nodes_of_the_document() -> None:
    snapshot, policy = _cluster()
    anew = _plan(snapshot, policy)
    told = _on(anew, {f"n-{number}": f"n-{5 - number}" for number in range(6)})
    assert _nodes(told) != _nodes(anew)
    assert _nodes(_plan(snapshot, policy, told)) == _nodes(told)


def test_newcomers_and_lost_nodes_move_nobody_else() -> None:
    snapshot, policy = _cluster()
    told = _on(_plan(snapshot, policy), {f"n-{number}": f"n-{5 - number}" for number in range(6)})
    before = _nodes(told)
    lost = sorted(before["c"])[0]
    edits = [
        edit_from({"fail": {"nodes": lost}}),
        edit_from({"multiply": {"gangs": "b", "factor": 2}}),
    ]
    edited = apply_edits(snapshot, policy, edits)
    after = _nodes(_plan(edited.snapshot, edited.policy, told))
    assert len(after) == 4
    assert after["a"] == before["a"]
    assert after["b"] == before["b"]
    assert lost not in after["c"]


def test_a_better_plan_is_worth_a_move() -> None:
    snapshot, policy = _cluster()
    told = _on(_plan(snapshot, policy), {"n-0": "n-5", "n-1": "n-4"})
    more, policy = _cluster(work("z", 6, 8, created=0, priority=9))
    plan = _plan(more, policy, told)
    cold = _plan(more, policy)
    assert [tier.value for tier in plan.certificate.tiers] == [
        tier.value for tier in cold.certificate.tiers
    ]
    assert plan.certificate.status == "OPTIMAL"


@pytest.mark.parametrize("part", range(4))
def test_plans_from_a_document_are_worth_the_same(part: int) -> None:
    for seed in range(part, 24, 4):
        case = random_case(seed)
        policy = resolve_policy(case.snapshot, case.policy.policy)
        base = _plan(case.snapshot, policy)
        edits = random_edits(Random(f"document/{seed}"), case.snapshot)
        edited = apply_edits(case.snapshot, policy, edits)
        cold = _plan(edited.snapshot, edited.policy)
        again = _plan(edited.snapshot, edited.policy, base)
        assert again.verification is not None
        assert not again.verification.violations
        if cold.certificate.status == again.certificate.status == "OPTIMAL":
            assert [t.value for t in again.certificate.tiers] == [
                t.value for t in cold.certificate.tiers
            ], f"{case.name} {[edit.document() for edit in edits]}"


@pytest.mark.parametrize(
    "given", [(60149,), (60158, "twins"), *((number, "twins") for number in range(60160, 60172))]
)
def test_nothing_moves_where_nothing_has_changed(given: tuple[int, str]) -> None:
    """Equal gangs used to change places, and gangs with subgroups were not taken from a document."""
    case = random_case(*given)
    policy = resolve_policy(case.snapshot, case.policy.policy)
    if policy.policy.evict:
        pytest.skip("evictions are planned anew")
    first = _plan(case.snapshot, policy)
    again = _plan(case.snapshot, policy, first)
    assert [t.value for t in again.certificate.tiers] == [t.value for t in first.certificate.tiers]
    assert [gang.pods for gang in again.gangs] == [gang.pods for gang in first.gangs]
