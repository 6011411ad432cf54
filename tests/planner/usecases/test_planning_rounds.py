"""One planning round: objectives, limits, determinism, priority scope."""

from __future__ import annotations

import json
from typing import Any

import pytest

from models.findings import InputError
from models.plan import PlanResult
from models.policy import Policy
from models.snapshot import Snapshot
from planner.documents.objectives import absent_tiers, tier_names
from planner.documents.withheld import PlanningError
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import policy_of
from planner.testing.random_snapshots import random_case
from planner.usecases.planning import make_plan

EXACT = Limits(time_limit_s=30.0, workers=1, deterministic=True)


def _plan(snapshot: Snapshot, limits: Limits = EXACT, **policy: object) -> PlanResult:
    return make_plan(snapshot, policy_of(snapshot, **policy), limits, guard=False)


def _tiers(plan: PlanResult) -> dict[str, int]:
    return {tier.name: tier.value for tier in plan.certificate.tiers}


def _started(plan: PlanResult) -> set[str]:
    return {entry.name for entry in plan.gangs if entry.decision == "start"}


def _without_seconds(plan: PlanResult) -> Any:
    document = json.loads(plan.model_dump_json(by_alias=True))

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(one) for key, one in value.items() if key != "seconds"}
        return [cut(one) for one in value] if isinstance(value, list) else value

    return cut(document)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", ["tiny", "small"])
def test_deterministic_planning_twice_gives_the_same_document(workers: int, size: str) -> None:
    case = random_case(11, size)
    limits = Limits(time_limit_s=20.0, workers=workers, deterministic=True, seed=3)
    one, other = (make_plan(case.snapshot, case.policy, limits, guard=False) for _ in range(2))
    assert _without_seconds(one) == _without_seconds(other)
    assert one.certificate.reproducible
    assert one.certificate.workers == workers


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_a_tiny_limit_gives_a_verified_plan_beside_which_nothing_fits(seed: int) -> None:
    """P3 is one of the rules that the verifier checks."""
    case = random_case(seed, "small")
    limits = Limits(time_limit_s=0.001, workers=1)
    plan = make_plan(case.snapshot, case.policy, limits, guard=False)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    start = [tier for tier in plan.certificate.tiers if tier.name.count(".") == 2]
    proved = all(tier.bound == tier.value for tier in start)
    assert plan.certificate.properties == ("proved" if proved else "maximal")
    assert not plan.certificate.reproducible


def test_some_plan_without_time_stays_unproved() -> None:
    limits = Limits(time_limit_s=0.0, workers=1)
    cases = [random_case(seed, "small") for seed in range(3)]
    plans = [make_plan(case.snapshot, case.policy, limits, guard=False) for case in cases]
    assert "maximal" in {plan.certificate.properties for plan in plans}
    for plan in plans:
        seen_open = False
        for tier in plan.certificate.tiers:
            assert tier.conditional == seen_open
            seen_open = seen_open or tier.bound != tier.value


def _rivals() -> Snapshot:
    """Three gangs on 8 GPUs: an urgent small one, and two that fill the node together."""
    return snapshot_of(
        gpu_node("n1", 8),
        gpu_queue("q", deserved=8),
        work("urgent", 1, 3, priority=9),
        work("a", 1, 4, priority=1),
        work("b", 1, 4, priority=1),
    )


def test_by_default_higher_priority_wins_strictly() -> None:
    assert _started(_plan(_rivals())) == {"urgent", "a"}


def test_throughput_knows_no_priority() -> None:
    plan = _plan(_rivals(), objective="throughput")
    assert _started(plan) == {"a", "b"}
    assert list(_tiers(plan)) == ["all.1.gpus", "all.1.gangs", "packing"]
    assert _tiers(plan)["all.1.gpus"] == 8


def test_own_tiers_decide_in_their_order() -> None:
    gpus = _plan(_rivals(), objective=("all.1.gpus", "covered.1.gpus"))
    assert _started(gpus) == {"a", "b"}
    ranked = _plan(_rivals(), objective=("covered.1.gpus", "all.1.gpus"))
    assert "urgent" in _started(ranked)
    assert list(_tiers(ranked)) == ["covered.1.gpus", "all.1.gpus"]


def test_own_tiers_may_want_gangs_to_wait() -> None:
    """The last pass started what fits and undid what the list asked for."""
    plan = _plan(_rivals(), objective=("packing",))
    assert _started(plan) == set()
    assert _tiers(plan) == {"packing": 8}
    assert plan.certificate.status == "OPTIMAL"


def test_under_own_tiers_what_costs_none_of_them_starts() -> None:
    """One gang that did not suit the list held back all others that fit."""
    works = (work("cpu", 1, 0), work("gpu", 1, 4))
    plan = _plan(snapshot_of(gpu_node("n1"), gpu_queue("q"), *works), objective=("packing",))
    assert _started(plan) == {"cpu"}
    assert _tiers(plan) == {"packing": 8}


def test_tiers_of_harm_are_nothing_without_evictions() -> None:
    plan = _plan(_rivals(), objective=("pods_evicted", "gangs_given_up", "covered.1.gangs"))
    assert _tiers(plan) == {"pods_evicted": 0, "gangs_given_up": 0, "covered.1.gangs": 1}


def test_a_tier_of_a_rank_that_nobody_has_is_left_out_and_said() -> None:
    plan = _plan(_rivals(), objective=("covered.7.gpus", "covered.1.gpus"))
    assert list(_tiers(plan)) == ["covered.1.gpus"]
    (finding,) = [f for f in plan.snapshot.findings if f.code == "objective_tier_absent"]
    assert finding.object == "policy/objective/covered.7.gpus"
    assert finding.severity == "info"


def test_a_list_of_which_nothing_counts_still_gives_a_plan() -> None:
    plan = _plan(snapshot_of(gpu_node("n1"), gpu_queue("q")), objective=("rest.1.gangs",))
    assert list(_tiers(plan)) == ["packing"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("coverd.1.gpus",), "did you mean 'covered.1.gpus'"),
        (("covered.2.gpu",), "did you mean 'covered.2.gpus'"),
        (("covered.0.gpus",), "did you mean 'covered.1.gpus'"),
        (("pakcing",), "did you mean 'packing'"),
        (("covered.1.gpus", "Elastic"), "did you mean 'elastic'"),
        (("",), "did you mean"),
        (("elastic", "packing", "elastic"), "names tier 'elastic' twice"),
        ((), "lists no tier"),
    ],
)
def test_an_unknown_tier_is_an_input_error_that_names_the_nearest(
    names: tuple[str, ...], told: str
) -> None:
    """Unknown names were left out in silence, and a list of nothing else made a plan that was withheld."""
    with pytest.raises(InputError, match=told) as caught:
        _plan(_rivals(), objective=names)
    assert caught.value.exit_code == 3
    assert caught.value.findings[0].code == "policy_unknown_tier"


@pytest.mark.parametrize(
    "name",
    ["covered.1.shortfall", "rest.12.gangs", "all.1.gpus", "lost_work", "domains.rack", "elastic"],
)
def test_names_of_the_contract_are_known(name: str) -> None:
    assert tier_names(Policy(objective=(name,))) == (name,)


def test_named_objectives_are_no_lists() -> None:
    assert tier_names(Policy()) is None
    assert tier_names(Policy(objective="throughput")) is None
    assert absent_tiers(None, []) == ()


def test_priority_scope_cluster_compares_all_queues() -> None:
    """One node of 8: a high gang of 5 in one queue, a low one of 8 in another."""
    snapshot = snapshot_of(
        gpu_node("n1", 8),
        gpu_queue("p", deserved=4),
        gpu_queue("q", deserved=4),
        work("high", 1, 3, queue="p", priority=9),
        work("other", 1, 1, queue="p", priority=1),
        work("low", 1, 6, queue="q", priority=5),
    )
    own = _plan(snapshot)
    assert set(_tiers(own)) >= {"covered.1.gpus", "covered.2.gpus", "rest.1.gpus"}
    assert _started(own) == {"high", "other"}
    scoped = _plan(snapshot, priority_scope="cluster")
    names = [name.rpartition(".")[0] for name in _tiers(scoped) if name.endswith(".gpus")]
    assert names == ["covered.1", "rest.2", "covered.3"]
    assert _started(scoped) == {"high", "other"}


def test_priority_scope_cluster_lets_a_higher_rank_go_before_a_covered_one() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 8),
        gpu_queue("p", deserved=2),
        gpu_queue("q", deserved=4),
        work("high", 1, 6, queue="p", priority=9),
        work("low", 1, 4, queue="q", priority=1),
    )
    assert _started(_plan(snapshot)) == {"low"}
    assert _started(_plan(snapshot, priority_scope="cluster")) == {"high"}


def test_a_plan_that_fails_verification_is_withheld_with_its_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from models.plan import RuleViolation, Verification
    from planner.usecases import plan_result

    broken = Verification(violations=(RuleViolation(rule="x", object="y", message="z"),), rules=1)
    monkeypatch.setattr(plan_result, "verify", lambda *arguments: broken)
    with pytest.raises(PlanningError, match=r"1 violation.*x y: z") as caught:
        _plan(_rivals())
    assert caught.value.exit_code == 6
    assert caught.value.result.verification == broken
    assert caught.value.result.gangs


def test_where_the_check_refuses_the_best_plan_the_next_best_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was withheld with exit code 6, although a plan that keeps every rule was there."""
    from models.plan import RuleViolation, Verification
    from planner.usecases import plan_result

    check, asked = plan_result.verify, []

    def refuses_one(*given: Any) -> Verification:
        asked.append(given)
        rule = RuleViolation(rule="queue_limit", object="queue/q", message="2 GPUs too many")
        return Verification(violations=(rule,), rules=1) if len(asked) == 1 else check(*given)

    monkeypatch.setattr(plan_result, "verify", refuses_one)
    refused: list[PlanResult] = []
    snapshot = _rivals()
    plan = make_plan(snapshot, policy_of(snapshot), EXACT, guard=False, on_refused=refused.append)
    assert len(refused) == 1
    assert plan.violations == ()
    found = [one for one in plan.snapshot.findings if one.code == "plan_refused"]
    assert [one.severity for one in found] == ["error"]
    assert "2 GPUs too many" in found[0].message


@pytest.mark.parametrize("parts", [(), (gpu_node("n1"),), (gpu_queue("q"),)])
def test_an_empty_cluster_has_an_empty_plan(parts: tuple[Any, ...]) -> None:
    plan = _plan(snapshot_of(*parts))
    assert plan.certificate.status == "OPTIMAL"
    assert (plan.summary.gangs_started, plan.summary.gangs_waiting) == (0, 0)


def test_a_cluster_without_nodes_lets_everything_wait() -> None:
    plan = _plan(snapshot_of(gpu_queue("q"), work("x", 1, 1)))
    assert [entry.decision for entry in plan.gangs] == ["wait"]
    assert plan.gangs[0].reasons
