"""What a gang may receive and what blocks it, whatever room there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec, RoleTemplate
from planner.encode.demands import GangCase, gang_cases
from planner.encode.queue_limits import QueueLimits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import policy_of, prepared_of

SPEC = PodSpec(request=Resources({"cpu": 1000, "nvidia.com/gpu": 1}), scheduler_name="volcano")
Change = Callable[[Pod], Pod]


def _gang(one: Work, **changes: Any) -> Work:
    return replace(one, gang=replace(one.gang, **changes))


def _pods(one: Work, change: Change, first: int = 0, last: int = 99) -> Work:
    pods = [change(pod) if first <= at < last else pod for at, pod in enumerate(one.pods)]
    return replace(one, pods=tuple(pods))


def _case(one: Work, snapshot: Snapshot | None = None, **policy: object) -> GangCase:
    cluster = snapshot or snapshot_of(gpu_node("n1"), gpu_queue("q"), one)
    effective = policy_of(cluster, **policy)
    cases = gang_cases(cluster, effective, QueueLimits(cluster, effective))
    return next(case for case in cases if case.gang.name == one.gang.name)


def _codes(case: GangCase) -> list[str]:
    return [reason.code for reason in case.blocked]


def _with_role(role: str) -> Change:
    return lambda pod: replace(pod, role=role)


def _gated(pod: Pod) -> Pod:
    return replace(pod, spec=replace(pod.spec, scheduling_gates=("quota.example/wait",)))


def test_a_plain_waiting_gang_lacks_its_minimum() -> None:
    case = _case(work("x", 4, minimum=3))
    assert (case.need, case.ready, case.plannable, _codes(case)) == (3, False, True, [])
    assert case.supplies[0].count == 4


def test_running_and_succeeded_pods_count_and_failed_do_not() -> None:
    one = work("x", 5, minimum=4, nodes=("n1",))
    one = _pods(one, lambda pod: replace(pod, phase="Succeeded"), 1, 2)
    one = _pods(one, lambda pod: replace(pod, phase="Failed"), 2, 3)
    assert _case(one).need == 2


def test_a_terminating_pod_does_not_count() -> None:
    one = work("x", 3, minimum=2, nodes=("n1",))
    one = _pods(one, lambda pod: replace(pod, terminating=True), 0, 1)
    assert _case(one).need == 2


def test_a_minimum_of_zero_still_needs_a_first_pod() -> None:
    assert _case(work("x", 3, minimum=0)).need == 1
    running = _case(work("x", 3, minimum=0, nodes=("n1",)))
    assert (running.ready, running.need) == (True, 0)


def test_binding_roles_lack_what_does_not_run_yet() -> None:
    one = _gang(work("x", 4, minimum=4, nodes=("n1",)), role_minimum={"head": 1, "worker": 3})
    one = _pods(_pods(one, _with_role("worker")), _with_role("head"), 3, 4)
    assert dict(_case(one).role_need) == {"head": 1, "worker": 2}


def test_roles_do_not_bind_where_the_minimum_is_below_their_sum() -> None:
    one = _gang(work("x", 4, minimum=2), role_minimum={"head": 1, "worker": 3})
    assert dict(_case(one).role_need) == {}


def test_roles_that_lack_more_than_the_gang_raise_the_need() -> None:
    one = _gang(work("x", 4, minimum=3, nodes=("n1", "n1")), role_minimum={"head": 1, "worker": 2})
    one = _pods(_pods(one, _with_role("head"), 2, 3), _with_role("extra"), 0, 2)
    one = replace(one, pods=(*one.pods[:3], replace(one.pods[3], role="worker")))
    assert _case(one).need == 3


def test_too_few_pods_are_said_with_numbers() -> None:
    case = _case(work("x", 2, minimum=5))
    assert _codes(case) == ["not_enough_pods"]
    assert case.blocked[0].data["pods"] == 2
    assert "2 of at least 5" in case.blocked[0].message


def test_a_missing_role_is_named() -> None:
    one = _pods(work("x", 3), _with_role("worker"))
    case = _case(_gang(one, role_minimum={"head": 1, "worker": 2}))
    assert "1 of role head" in case.blocked[0].message


def test_gated_pods_block_only_where_the_others_are_too_few() -> None:
    assert _codes(_case(_pods(work("x", 4), _gated, 0, 1))) == ["admission_gate"]
    free = _case(_pods(work("x", 4, minimum=3), _gated, 0, 1))
    assert _codes(free) == []
    assert sum(supply.count for supply in free.supplies) == 3


def test_gates_do_not_hide_that_pods_are_missing() -> None:
    case = _case(_pods(work("x", 4, minimum=6), _gated, 0, 1))
    assert _codes(case) == ["admission_gate", "not_enough_pods"]


def test_pods_of_another_scheduler_are_not_placed() -> None:
    def foreign(pod: Pod) -> Pod:
        return replace(pod, spec=replace(pod.spec, scheduler_name="default-scheduler"))

    one = _pods(work("x", 2), foreign)
    case = _case(one)
    assert _codes(case) == ["not_enough_pods"]
    assert "another scheduler (default-scheduler)" in case.blocked[0].message
    assert _codes(_case(one, scheduler_names=("default-scheduler",))) == []


def test_promised_pods_are_the_replicas_that_do_not_exist() -> None:
    one = _gang(
        _pods(work("x", 2, minimum=4), _with_role("w")), templates=(RoleTemplate("w", SPEC, 4),)
    )
    case = _case(one)
    assert case.plannable
    assert sorted(supply.count for supply in case.supplies) == [2, 2]


def test_promised_partitions_come_whole() -> None:
    template = RoleTemplate("w", SPEC, 7, partition_size=2)
    one = _gang(work("x", 0, minimum=7), templates=(template,))
    assert _codes(_case(one)) == ["not_enough_pods"]
    assert _codes(_case(_gang(one, min_member=6))) == []


def test_a_role_that_depends_on_an_unknown_one_blocks() -> None:
    templates = (RoleTemplate("w", SPEC, 2, depends_on=("head",)),)
    assert _codes(_case(_gang(work("x", 0, minimum=2), templates=templates))) == ["dependency"]
    both = (*templates, RoleTemplate("head", SPEC, 1))
    assert _codes(_case(_gang(work("x", 0, minimum=2), templates=both))) == []


def test_a_closed_queue_blocks_even_a_running_gang() -> None:
    one = work("x", 2, minimum=1, queue="nowhere", nodes=("n1",))
    case = _case(one)
    assert (_codes(case), case.ready) == (["queue_closed"], True)


def test_a_gang_without_its_group_waits_at_the_gate() -> None:
    assert _codes(_case(_gang(work("x", 1), missing_group=True))) == ["admission_gate"]


def test_a_finished_gang_asks_for_nothing() -> None:
    case = _case(_gang(work("x", 2), finished=True))
    assert (case.supplies, case.blocked, case.plannable) == ((), (), False)


def test_a_blocked_gang_is_no_demand_and_still_a_case() -> None:
    prepared = prepared_of(
        snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 1), work("y", 1, queue="nowhere"))
    )
    assert [prepared.problem.gang_names[one.gang] for one in prepared.problem.demands] == ["ml/x"]
    assert len(prepared.cases) == 2


@pytest.mark.parametrize("gang", [Gang("ml", "x", queue="q", min_member=1)])
def test_a_gang_without_any_pod_or_promise_is_not_plannable(gang: Gang) -> None:
    case = _case(Work(gang, ()))
    assert not case.plannable
    assert _codes(case) == ["not_enough_pods"]
