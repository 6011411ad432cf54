"""Elastic pods count with the rank of their gang: worked by hand, and what the worked cases beside the checkout say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from models.effective import EffectivePolicy, resolve_policy
from models.plan import PlanResult
from models.policy import Policy
from models.readers import read_snapshot
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan


def _plan(snapshot: Snapshot, policy: EffectivePolicy) -> PlanResult:
    plan = make_plan(snapshot, policy, Limits(time_limit_s=20), guard=False)
    assert plan.certificate.status == "OPTIMAL"
    return plan


def _placed(plan: PlanResult) -> dict[str, int]:
    """New pods of each gang that receives any."""
    found = {
        one.name: sum(pods.count for pods in one.pods if pods.action == "place")
        for one in plan.gangs
    }
    return {name: count for name, count in found.items() if count}


def _tiers(plan: PlanResult) -> dict[str, int]:
    return {one.name: one.value for one in plan.certificate.tiers}


def _one_queue(free: int, *works: Work, **keys: object) -> PlanResult:
    """A gang of high priority runs one of its three pods; ``free`` GPUs are left."""
    running = work("grows", 3, 1, minimum=1, priority=9, nodes=("n1",))
    snapshot = snapshot_of(gpu_node("n1", free + 1), gpu_queue("q"), running, *works)
    return _plan(snapshot, policy_for(snapshot, "capacity", **keys))


def test_a_gang_of_its_own_rank_goes_first_and_one_of_a_lower_rank_last() -> None:
    """Three GPUs: two for the gang of high priority, one for the running gang, none for the low gang."""
    same = work("same", 2, 1, priority=9)
    plan = _one_queue(3, same, work("low", 1, 1, priority=1))
    assert _placed(plan) == {"same": 2, "grows": 1}
    assert _tiers(plan)["rest.1.elastic"] == 1


def test_a_running_gang_counts_for_the_ranks_of_its_queue_where_it_can_grow() -> None:
    low = work("low", 1, 1, priority=1)
    plan = _one_queue(1, low)
    ranks = {one.name: one.rank for one in plan.gangs}
    assert ranks == {"grows": 1, "low": 2}
    assert _placed(plan) == {"grows": 1}
    wide = work("wide", 2, 8, minimum=1, priority=9, nodes=("n2",))
    full = snapshot_of(gpu_node("n1", 1), gpu_node("n2", 8), gpu_queue("q"), wide, low)
    plan = _plan(full, policy_for(full, "capacity"))
    assert {one.name: one.rank for one in plan.gangs} == {"wide": None, "low": 1}
    assert _placed(plan) == {"low": 1}


def test_throughput_knows_one_rank_and_has_elastic_pods_after_all_gangs() -> None:
    plan = _one_queue(2, work("low", 1, 1, priority=1), objective="throughput")
    assert _placed(plan) == {"low": 1, "grows": 1}
    assert list(_tiers(plan)) == ["all.1.gpus", "all.1.gangs", "all.1.elastic", "packing"]


def test_covered_gangs_go_before_anybody_grows_but_not_under_proportion() -> None:
    """One GPU is left: queue p deserves it for a gang of its second rank."""
    parts = (
        gpu_node("n1", 4),
        gpu_node("n2", 2),
        work("grows", 2, 1, minimum=1, priority=9, nodes=("n1",)),
        work("first", 3, 1, priority=9, queue="p"),
        work("second", 1, 1, priority=1, queue="p"),
    )
    queues = (gpu_queue("q"), gpu_queue("p", deserved=4))
    snapshot = snapshot_of(*parts, *queues)
    assert _placed(_plan(snapshot, policy_for(snapshot, "capacity"))) == {
        "first": 3,
        "second": 1,
        "grows": 1,
    }
    tight = snapshot_of(gpu_node("n1", 4), *parts[2:], gpu_node("n2", 1), *queues)
    assert _placed(_plan(tight, policy_for(tight, "capacity"))) == {"first": 3, "second": 1}
    plain = (gpu_queue("q"), gpu_queue("p"))
    shared = snapshot_of(gpu_node("n1", 4), *parts[2:], gpu_node("n2", 1), *plain)
    plan = _plan(shared, policy_for(shared, "proportion"))
    assert "covered.1.elastic" in _tiers(plan)
    assert _placed(plan).get("grows") == 1


def test_fair_serves_what_queues_deserve_over_all_ranks_first() -> None:
    """Seven GPUs are free. With the urgent gangs a has 6 of 8 and b 1 of 5: 375 + 11,075 points of shortfall.

    With the later ones of both and the small urgent one a has 2 of 8 and b 5 of 5: 7,875 points. The default decides
    the urgent rank first (a would have none of 8 without its urgent gang).
    """
    snapshot = snapshot_of(
        gpu_node("n1", 7),
        gpu_node("n2", 4),
        gpu_queue("c"),
        work("busy", 4, 1, queue="c", nodes=("n2",) * 4),
        gpu_queue("a", deserved=8),
        gpu_queue("b", deserved=5),
        work("urgent", 1, 6, priority=9, queue="a"),
        work("later-a", 1, 2, priority=1, queue="a"),
        work("high-b", 1, 1, priority=9, queue="b"),
        work("later-b", 1, 4, priority=1, queue="b"),
    )
    default = _plan(snapshot, policy_for(snapshot, "capacity"))
    assert _placed(default) == {"urgent": 1, "high-b": 1}
    fair = _plan(snapshot, policy_for(snapshot, "capacity", objective="fair"))
    assert _placed(fair) == {"later-a": 1, "later-b": 1, "high-b": 1}
    names = list(_tiers(fair))
    assert names[0] == "covered.shortfall"
    assert not any(one.startswith("covered.") and one.endswith("shortfall") for one in names[1:])
    assert _tiers(fair)["covered.shortfall"] == 7_875
    assert _tiers(default)["covered.2.shortfall"] == 375 + 11_075


@pytest.mark.parametrize("name", ["e1", "e2", "e3", "e4"])
def test_the_worked_examples(name: str, shared: Path) -> None:
    folder = shared / "cases" / "examples"
    if not (folder / f"{name}.answer.yaml").is_file():
        pytest.skip("the worked examples beside the checkout are absent")
    case: dict[str, Any] = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    answer = yaml.safe_load((folder / f"{name}.answer.yaml").read_text(encoding="utf-8"))
    snapshot = read_snapshot([folder / case["snapshot"]])
    plan = _plan(snapshot, resolve_policy(snapshot, Policy.model_validate(case["policy"])))
    tiers = _tiers(plan)
    for told, value in answer["tiers"].items():
        if told.endswith("elastic"):
            tier = told.replace(", rank ", ".").replace(": ", ".")
            assert tiers.get(tier, 0) == value, told
    started = {one.full_name for one in plan.gangs if one.decision == "start"}
    grown = {one.full_name for one in plan.gangs if one.decision == "grow"}
    best = answer["optimal plans (all, up to placements)"]
    assert (started, grown) in [(set(one["starts"]), set(one["grows"])) for one in best]
