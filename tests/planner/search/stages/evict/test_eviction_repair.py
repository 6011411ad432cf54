"""Wrong victims stay and newcomers in their way wait: what is left of a plan is legal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.encode.victims.eviction_groups import EvictionGrouping
from planner.encode.victims.victims import possible_victims
from planner.model.build import build
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.search.construct.victim_needed import NeededVictims
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.evict.eviction_repair import Repair
from planner.search.stages.evict.victim_checks import PlanCheck
from planner.search.stages.presolve.startable import startable_demands
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.tiers import TierSearch
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_snapshots import policy_for

Ground = tuple[PlacementProblem, Victims, tuple[GangClass, ...]]


def _ground(snapshot: Snapshot, *evict: str) -> Ground:
    prepared = prepare(snapshot, policy_for(snapshot, "capacity", evict=evict), exact_least)
    victims = possible_victims(prepared)
    assert victims is not None
    startable = startable_demands(prepared.problem, exact_fit, victims)
    classes = gang_classes(prepared.problem, standings(prepared, startable, victims))
    return prepared.problem, victims, classes


def _demand(problem: PlacementProblem, name: str) -> int:
    names = [problem.gang_names[one.gang] for one in problem.demands]
    return names.index(f"ml/{name}")


def _started(problem: PlacementProblem, plan: Assignment) -> set[str]:
    return {problem.gang_names[problem.demands[d].gang].removeprefix("ml/") for d in plan.pods}


def _two_queues() -> Snapshot:
    works = (
        work("v1", queue="a", nodes=("n1",)),
        work("v2", queue="a", nodes=("n1",)),
        work("p", queue="a", priority=100),
        work("q", queue="b"),
    )
    queues = (gpu_queue("a", deserved=2), gpu_queue("b", deserved=2))
    return snapshot_of(gpu_node("n1", 2), *queues, *works)


def test_a_victim_that_is_not_needed_stays_and_its_user_waits() -> None:
    problem, victims, classes = _ground(_two_queues(), "preempt")
    p, q = _demand(problem, "p"), _demand(problem, "q")
    wrong = Assignment({p: {0: [(0, 1)]}, q: {0: [(0, 1)]}}, ("ml/v1-0", "ml/v2-0"))
    check = PlanCheck(problem, victims, classes, NeededVictims(problem, victims, classes))
    assert check.fault(wrong) is not None
    found = Repair(problem, victims, classes, NeededVictims(problem, victims, classes)).legal(wrong)
    assert check.fault(found) is None
    assert _started(problem, found) == {"p"}
    assert len(found.evicted) == 1
    assert wrong.evicted == ("ml/v1-0", "ml/v2-0")  # the plan that was given is as it was


def test_a_victim_without_cause_stays() -> None:
    problem, victims, classes = _ground(_two_queues(), "preempt")
    q = _demand(problem, "q")
    wrong = Assignment({q: {0: [(0, 1)]}}, ("ml/v1-0",))
    found = Repair(problem, victims, classes, NeededVictims(problem, victims, classes)).legal(wrong)
    assert (found.pods, found.evicted) == ({}, ())


def test_a_gang_given_back_takes_all_its_nodes() -> None:
    wide = work("wide", 2, 1, queue="a", nodes=("n1", "n2"))
    works = (wide, work("p", 1, queue="a", priority=9), work("q", 1, queue="a", priority=8))
    nodes = (gpu_node("n1", 1), gpu_node("n2", 1))
    problem, victims, classes = _ground(
        snapshot_of(*nodes, gpu_queue("a", deserved=2), *works), "preempt"
    )
    p, q = _demand(problem, "p"), _demand(problem, "q")
    plan = Assignment({p: {0: [(0, 1)]}, q: {0: [(1, 1)]}}, ("ml/wide-0", "ml/wide-1"))
    repair = Repair(problem, victims, classes, NeededVictims(problem, victims, classes))
    assert repair.legal(plan).evicted == plan.evicted
    assert _started(problem, repair.legal(plan)) == {"p", "q"}
    back = repair.kept(plan, ["ml/wide-0"], frozenset())
    assert (back.pods, back.evicted) == ({}, ())


def _at(one: Work, zone: str) -> Work:
    spec = replace(one.pods[0].spec, node_selector=(("zone", zone),))
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


def test_the_model_itself_evicts_nobody_where_no_evictor_can_be() -> None:
    """The urgent gang fits on its own node only; a stranger could use the other node's victim, but may not."""
    nodes = tuple(replace(gpu_node(f"n{zone}", 1), labels={"zone": zone}) for zone in ("a", "b"))
    works = (
        work("low-a", queue="a", nodes=("na",)),
        work("low-b", queue="a", nodes=("nb",)),
        _at(work("urgent", queue="a", priority=9), "a"),
        _at(work("stranger", queue="b"), "b"),
    )
    queues = (gpu_queue("a", deserved=2), gpu_queue("b", deserved=2))
    values: dict[str, Any] = {}
    closed = replace(gpu_node("n9", 8), unschedulable=True)  # so that no queue is full
    problem, victims, classes = _ground(snapshot_of(*nodes, closed, *queues, *works), "preempt")
    groups = EvictionGrouping(problem, victims).singles()
    built = build(problem, classes, groups, victims=victims)
    limits = SolveLimits(10.0, deterministic=True)
    for one in TierSearch(built.model, built.tiers, CpSatBackend(), limits).run(None).tiers:
        values[one.goal.name] = one.value
    assert values["pods_evicted"] == 1
    assert sum(value for name, value in values.items() if name.endswith(".gangs")) == 1
