from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from models.effective import resolve_policy
from models.policy import Policy
from models.queues import Queue
from models.resources import CPU, Resources
from models.selectors import LabelSelector
from models.workloads import SubGroupPolicy
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.explain.waiting import waiting_reasons
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.usecases.planning import make_plan

Explain = Callable[..., dict[str, dict]]
Q = gpu_queue("q")


def with_roles(name: str, pods: dict[str, tuple[int, dict[str, int]]], **keys: int) -> Work:
    """A gang of which every pod is needed: role to (pods, request)."""
    total = sum(count for count, _ in pods.values())
    made = work(name, pods=total, **keys)  # type: ignore[arg-type]
    rows = [(role, request) for role, (count, request) in pods.items() for _ in range(count)]
    members = tuple(
        replace(pod, role=role, spec=replace(pod.spec, request=Resources(request)))
        for pod, (role, request) in zip(made.pods, rows, strict=True)
    )
    minimum = {role: count for role, (count, _) in pods.items()}
    return Work(replace(made.gang, role_minimum=minimum), members)


def test_structural_reasons_are_given_as_they_are(explain: Explain) -> None:
    closed = Queue("c", state="Closed")
    hard = work("hard")
    claimed = replace(hard.pods[0].spec, special_rules=("resourceClaims",))
    hard = replace(hard, pods=(replace(hard.pods[0], spec=claimed),))
    found = explain(gpu_node("n1"), Q, closed, work("shut", queue="c"), hard)
    assert set(found["shut"]) == {"queue_closed"}
    assert set(found["hard"]) == {"unsupported"}


def test_running_and_finished_gangs_need_no_reason(explain: Explain) -> None:
    done = work("done")
    done = replace(done, gang=replace(done.gang, finished=True), pods=())
    found = explain(gpu_node("n1"), Q, work("runs", gpus=8, nodes=("n1",)), done)
    assert found == {}


def test_a_gang_that_runs_below_its_minimum_keeps_its_room(explain: Explain) -> None:
    """One of its two pods of 8 GPUs runs on the only node that is large enough: the other never fits."""
    half = work("half", pods=2, gpus=8, nodes=("n1",))
    found = explain(gpu_node("n1"), gpu_node("n2", 4), Q, half)
    assert set(found["half"]) == {"never_fits"}
    taker = work("taker", gpus=1, nodes=("n2",))
    found = explain(gpu_node("n1"), gpu_node("n2"), Q, half, taker)
    assert set(found["half"]) == {"cluster_capacity"}


def test_a_role_that_does_not_fit_is_named(explain: Explain) -> None:
    gang = with_roles("new", {"driver": (1, {CPU: 1000}), "worker": (2, {CPU: 1000, GPU: 8})})
    running = work("old", gpus=1, nodes=("n1",))
    nodes = (gpu_node("n1"), gpu_node("n2"), gpu_node("n3", 4), gpu_node("n4", 4))
    reason = explain(*nodes, Q, running, gang)["new"]["fragmentation"]
    assert reason.message.startswith("needs 2 pods of role worker of 8 GPUs each; 23 GPUs")
    assert reason.data["role"] == "worker"
    assert reason.data["podsFit"] == 1


def test_roles_that_fit_one_by_one_but_not_together(explain: Explain) -> None:
    """Beside what runs 5 CPUs are free on two nodes each: 3 + 3 and 4 do not pack, 10 would."""
    gang = with_roles("new", {"a": (2, {CPU: 3000}), "b": (1, {CPU: 4000})})
    nodes = (gpu_node("n1", 0, cpu_milli=9000), gpu_node("n2", 0, cpu_milli=5000))
    running = with_roles("old", {"": (1, {CPU: 4000})})
    running = replace(
        running,
        gang=replace(running.gang, role_minimum={}),
        pods=tuple(replace(pod, node="n1", phase="Running") for pod in running.pods),
    )
    reason = explain(*nodes, Q, running, gang)["new"]["fragmentation"]
    assert reason.message == (
        "one by one, 2 pods of role a and 1 pod of role b would fit into what is free, "
        "but no packing of them was found"
    )
    assert [row["podsFit"] for row in reason.data["parts"]] == [2, 1]


def test_subgroups_are_named_where_only_they_fail(explain: Explain) -> None:
    """Two rings of two pods, one small and one large each; no node has room for a large pod beside others."""
    made = with_roles("new", {"small": (2, {CPU: 3000}), "large": (2, {CPU: 4000})})
    rings = SubGroupPolicy("rings", LabelSelector(), ("ring",), size=2, min_subgroups=2)
    pods = tuple(replace(pod, labels={"ring": str(i % 2)}) for i, pod in enumerate(made.pods))
    gang = Work(replace(made.gang, subgroups=(rings,)), pods)
    running = with_roles("old", {"": (1, {CPU: 4000})})
    running = replace(
        running,
        gang=replace(running.gang, role_minimum={}),
        pods=tuple(replace(pod, node="n1", phase="Running") for pod in running.pods),
    )
    nodes = [gpu_node("n1", 0, cpu_milli=9000)]
    nodes += [gpu_node(f"n{i}", 0, cpu_milli=5000) for i in (2, 3)]
    reason = explain(*nodes, Q, running, gang)["new"]["fragmentation"]
    assert "no packing of them in complete subgroups was found" in reason.message


def test_pods_of_several_kinds_are_counted_together(explain: Explain) -> None:
    gang = work("new", pods=3, minimum=3)
    amounts = ({CPU: 1000, GPU: 8}, {CPU: 1000, GPU: 8}, {CPU: 1000, GPU: 7})
    pods = tuple(
        replace(pod, spec=replace(pod.spec, request=Resources(one)))
        for pod, one in zip(gang.pods, amounts, strict=True)
    )
    running = [work(f"old{i}", gpus=2, nodes=(f"n{i}",)) for i in (1, 2, 3)]
    nodes = [gpu_node(f"n{i}") for i in (1, 2, 3)] + [gpu_node("n4", 5)]
    reason = explain(*nodes, Q, *running, replace(gang, pods=pods))["new"]["fragmentation"]
    assert reason.message == (
        "needs 3 pods out of 2 kinds; no pod fits into what is free on the nodes"
    )


@pytest.mark.parametrize("with_search", [True, False])
def test_a_plan_that_left_a_gang_out_says_so(with_search: bool) -> None:
    """The search ended before this gang was tried: no obstacle is made up."""
    snapshot = snapshot_of(gpu_node("n1"), Q, work("new", gpus=1))
    policy = resolve_policy(snapshot, Policy.model_validate({"queue_model": "capacity"}))
    prepared = prepare(snapshot, policy, exact_least)
    startable = startable_demands(prepared.problem, exact_fit)
    reasons = waiting_reasons(
        prepared,
        Assignment({}),
        startable,
        standings(prepared, startable),
        exact=exact_fit if with_search else None,
        deadline=lambda: True,
    )
    (reason,) = reasons["ml/new"]
    assert "the search ended before" in reason.message


def test_without_a_search_open_questions_still_give_a_reason(explain: Explain) -> None:
    gang = with_roles("new", {"a": (2, {CPU: 3000}), "b": (2, {CPU: 2000})})
    nodes = (gpu_node("n1", 0, cpu_milli=5000), gpu_node("n2", 0, cpu_milli=4000))
    snapshot = snapshot_of(*nodes, Q, gang)
    policy = resolve_policy(snapshot, Policy.model_validate({"queue_model": "capacity"}))
    prepared = prepare(snapshot, policy, exact_least)
    found = waiting_reasons(prepared, Assignment({}), frozenset(), ())
    assert len(found["ml/new"]) >= 1


def test_the_plan_carries_the_reasons() -> None:
    snapshot = snapshot_of(gpu_node("n1"), Q, work("high", gpus=6, priority=5), work("low", gpus=4))
    policy = resolve_policy(snapshot, Policy.model_validate({"queue_model": "capacity"}))
    plan = make_plan(snapshot, policy, Limits(deterministic=True), guard=False)
    entries = {gang.name: gang for gang in plan.gangs}
    assert [one.code for one in entries["low"].reasons] == ["cluster_capacity", "lower_priority"]
    assert entries["high"].reasons == ()
