"""The greedy choice of victims: what it evicts on a node is counted once."""

from __future__ import annotations

from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.encode.victims.after_evictions import without
from planner.encode.victims.victims import possible_victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import gang_classes
from planner.search.construct.fill import room_after
from planner.search.construct.victim_needed import NeededVictims
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.evict.greedy_victims import GreedyVictims
from planner.search.stages.evict.victim_checks import PlanCheck
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_snapshots import policy_for


def test_surplus_of_a_gang_that_is_given_up_frees_nothing_more() -> None:
    """A pod that was surplus on a node was counted again with its whole gang: two newcomers then shared its room."""
    held = work("held", 2, 4, minimum=1, queue="lent", nodes=("n1", "n3"))
    fixed = work("fixed", 1, 4, queue="own", nodes=("n1",))
    dear = work("dear", 3, 2, queue="lent", nodes=("n2", "n2", "n3"))
    comer = work("comer", 2, 4, queue="own")
    nodes = (gpu_node("n1", 8), gpu_node("n2", 4), gpu_node("n3", 6, pods=1))
    queues = (gpu_queue("lent", deserved=0), gpu_queue("own", deserved=16))
    snapshot = snapshot_of(*nodes, *queues, held, fixed, dear, comer)
    prepared = prepare(snapshot, policy_for(snapshot, "capacity", evict=("reclaim",)), exact_least)
    victims = possible_victims(prepared)
    assert victims is not None
    startable = frozenset(range(len(prepared.problem.demands)))
    classes = gang_classes(prepared.problem, standings(prepared, startable, victims))
    check = PlanCheck(
        prepared.problem, victims, classes, NeededVictims(prepared.problem, victims, classes)
    )
    greedy = GreedyVictims(prepared.problem, victims, classes, check, lambda: False, {})
    plan = greedy.plan(Assignment({}))
    after = without(prepared.problem, victims, plan.evicted)
    assert len(plan.evicted) == 4
    assert int(room_after(after, plan).free.min()) >= 0
