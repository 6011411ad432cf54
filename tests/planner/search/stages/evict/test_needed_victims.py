"""Plans under the rule *a victim is needed*: worked examples, and a cluster too large to try all sets."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from models.effective import resolve_policy
from models.plan import PlanResult
from models.policy import Policy
from models.readers import read_snapshot
from planner.encode.eligibility import standings
from planner.encode.victims.victims import possible_victims
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import gang_classes
from planner.search.construct import victim_needed
from planner.search.construct.victim_needed import NeededVictims
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.stages.evict.eviction_repair import Repair
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import prepared_of
from planner.usecases.planning import make_plan


def _names(plan: PlanResult, action: str) -> list[str]:
    return sorted(
        name
        for entry in plan.gangs
        for pods in entry.pods
        if pods.action == action
        for name in pods.names
    )


@pytest.mark.parametrize("name", ["v1", "v2", "o1", "o2", "o3"])
def test_the_plan_is_one_of_the_best(name: str, shared: Path) -> None:
    folder = shared / "cases" / "examples"
    if not (folder / f"{name}.answer.yaml").is_file():
        pytest.skip("the worked examples beside the checkout are absent")
    case = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    answer = yaml.safe_load((folder / f"{name}.answer.yaml").read_text(encoding="utf-8"))
    snapshot = read_snapshot([folder / case["snapshot"]])
    policy = resolve_policy(snapshot, Policy.model_validate(case["policy"]))
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    plan = make_plan(snapshot, policy, limits, guard=False)
    starts = sorted(f"ml/{entry.name}" for entry in plan.gangs if entry.decision == "start")
    best = [
        (sorted(one["starts"]), len(one["victims"]))
        for one in answer["optimal plans (all, up to placements)"]
    ]
    assert (starts, len(_names(plan, "evict"))) in best
    assert plan.certificate.status == "OPTIMAL"
    assert plan.verification is not None
    assert not plan.verification.undecided


def test_where_sets_are_not_tried_a_needless_victim_stays_and_newcomers_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One node free: p of two pods holds both victims' nodes, q of low priority the free one."""
    monkeypatch.setattr(victim_needed, "MOST_CELLS", 0)
    snapshot = snapshot_of(
        *(gpu_node(f"n{number}", 1) for number in (1, 2, 3)),
        gpu_queue("a"),
        work("v1", queue="a", nodes=("n1",)),
        work("v2", queue="a", nodes=("n2",)),
        work("p", 2, queue="a", priority=9),
        work("q", queue="a"),
    )
    prepared = prepared_of(snapshot, evict=("preempt",))
    problem, victims = prepared.problem, possible_victims(prepared)
    assert victims is not None
    startable = startable_demands(problem, exact_fit, victims)
    classes = gang_classes(problem, standings(prepared, startable, victims))
    gangs = {problem.gang_names[one.gang]: at for at, one in enumerate(problem.demands)}
    p, q = gangs["ml/p"], gangs["ml/q"]
    swap = Assignment({p: {0: [(0, 1), (1, 1)]}, q: {0: [(2, 1)]}}, ("ml/v1-0", "ml/v2-0"))
    needed = NeededVictims(problem, victims, classes)
    assert needed.needless(swap) is not None
    found = Repair(problem, victims, classes, needed).legal(swap)
    assert (set(found.pods), len(found.evicted)) == ({p}, 1)
    assert needed.needless(found) is None
