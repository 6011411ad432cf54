"""What is taken out of a plan whose evictions break a rule: what the rule names, and nothing else."""

from __future__ import annotations

from planner.encode.eligibility import standings
from planner.encode.prepared import Prepared
from planner.encode.victims.victims import possible_victims
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import gang_classes
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.find_plan import PlanFinder
from planner.search.outcome import SearchSettings
from planner.search.stages.evict.victim_rules import VictimRules
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import prepared_of


def _prepared() -> Prepared:
    """Queues a and b with a running gang each; a gang of higher priority waits in a, one of the same in b."""
    snapshot = snapshot_of(
        gpu_node("n1", 2),
        *(gpu_queue("a", deserved=1), gpu_queue("b", deserved=1)),
        work("v", queue="a", nodes=("n1",)),
        work("w", queue="b", nodes=("n1",)),
        work("p", queue="a", priority=100),
        work("q", queue="b"),
    )
    return prepared_of(snapshot, evict=("preempt",))


def _finder(prepared: Prepared) -> PlanFinder:
    victims = possible_victims(prepared)
    startable = startable_demands(prepared.problem, exact_fit, victims)
    classes = gang_classes(prepared.problem, standings(prepared, startable, victims))
    settings = SearchSettings(limits=Limits(time_limit_s=20, workers=1), victims=victims)
    return PlanFinder(prepared, victims, classes, settings)


def _plan(prepared: Prepared, *names: str, evicted: tuple[str, ...]) -> Assignment:
    problem = prepared.problem
    gangs = {problem.gang_names[one.gang]: at for at, one in enumerate(problem.demands)}
    return Assignment({gangs[f"ml/{name}"]: {0: [(0, 1)]} for name in names}, evicted)


def test_only_the_victim_without_a_cause_is_named() -> None:
    prepared = _prepared()
    pods = {pod.gang: pod.full_name for pod in prepared.snapshot.pods if pod.running}
    plan = _plan(prepared, "p", "q", evicted=(pods["ml/v"], pods["ml/w"]))
    rules = VictimRules(prepared, possible_victims(prepared), _finder(prepared).classes)
    assert [one.gangs for one in rules.faults(plan)] == [{"ml/w"}]
    assert not rules.faults(_plan(prepared, "p", evicted=(pods["ml/v"],)))


def test_the_better_of_two_plans_is_the_incumbent_in_any_order() -> None:
    prepared = _prepared()
    pods = {pod.gang: pod.full_name for pod in prepared.snapshot.pods if pod.running}
    nothing, started = Assignment({}), _plan(prepared, "p", evicted=(pods["ml/v"],))
    for order in ([nothing, started], [started, nothing]):
        finder = _finder(prepared)
        for plan in order:
            finder.offer(plan, "test")
        assert finder.incumbent().assignment is started


def test_a_better_plan_that_breaks_a_rule_is_refused_and_its_incumbent_stays() -> None:
    prepared = _prepared()
    pods = {pod.gang: pod.full_name for pod in prepared.snapshot.pods if pod.running}
    legal = _plan(prepared, "p", evicted=(pods["ml/v"],))
    illegal = _plan(prepared, "p", "q", evicted=(pods["ml/v"], pods["ml/w"]))
    finder = _finder(prepared)
    assert finder.offer(legal, "test")
    assert not finder.offer(illegal, "test")
    assert finder.incumbent().assignment is legal
    assert finder.state.refused == 1
