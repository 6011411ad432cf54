from __future__ import annotations

from dataclasses import replace

from models.resources import Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import RoleTemplate, SubGroupPolicy
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.oracle.gang_options import GangView, view_gang
from planner.testing.random_snapshots import policy_for


def _view(one: Work) -> GangView:
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), one)
    return _view_in(snapshot)


def _view_in(snapshot: Snapshot) -> GangView:
    return view_gang(snapshot, policy_for(snapshot, "capacity"), snapshot.gangs[0])


def test_a_gang_takes_its_minimum_or_more_but_never_less() -> None:
    view = _view(work("a", 4, 2, minimum=3))
    assert sorted(option.pods for option in view.options) == [3, 4]
    assert (view.gpus, view.least_pods, view.ready) == (6, 3, False)


def test_a_minimum_of_zero_counts_as_one() -> None:
    view = _view(work("a", 2, 2, minimum=0))
    assert (view.gpus, view.least_pods) == (2, 1)


def test_running_and_succeeded_pods_count_towards_the_minimum() -> None:
    one = work("a", 4, 1, minimum=3, nodes=("n1",))
    assert _view(one).gpus == 2
    done = replace(one.pods[1], phase="Succeeded")
    one = Work(one.gang, (one.pods[0], done, *one.pods[2:]))
    view = _view(one)
    assert (view.gpus, view.least_pods) == (1, 1)
    leaving = replace(one.pods[0], terminating=True)
    assert _view(Work(one.gang, (leaving, *one.pods[1:]))).gpus == 2


def test_role_minima_bind_only_where_the_gang_minimum_covers_them() -> None:
    one = work("a", 3, 1, minimum=2)
    pods = tuple(replace(p, role=r) for p, r in zip(one.pods, "mww", strict=True))
    bound = replace(one.gang, role_minimum={"m": 1, "w": 1})
    view = _view(Work(bound, pods))
    assert {tuple((k.role, n) for k, n in option.counts) for option in view.options} == {
        (("m", 1), ("w", 1)),
        (("m", 1), ("w", 2)),
    }
    loose = replace(one.gang, role_minimum={"m": 1, "w": 3})
    assert len(_view(Work(loose, pods)).options) == 3


def test_a_subgroup_is_complete_or_empty() -> None:
    one = work("a", 4, 1, minimum=2)
    pods = tuple(replace(p, labels={"ring": str(n // 2)}) for n, p in enumerate(one.pods))
    policy = SubGroupPolicy("rings", LabelSelector(), ("ring",), size=2, min_subgroups=1)
    view = _view(Work(replace(one.gang, subgroups=(policy,)), pods))
    assert sorted(option.pods for option in view.options) == [2, 2, 4]
    uneven = Work(replace(one.gang, subgroups=(replace(policy, min_subgroups=2),)), pods[:3])
    assert _view(uneven).options == ()


def test_gpus_are_the_least_of_any_minimal_set() -> None:
    one = work("a", 3, 4, minimum=2)
    small = replace(one.pods[0].spec, request=Resources({"cpu": 9000}))
    view = _view(Work(one.gang, (replace(one.pods[0], spec=small), *one.pods[1:])))
    assert view.least_request == {"cpu": 2000, "nvidia.com/gpu": 4}


def test_pods_that_a_template_promises_can_be_placed() -> None:
    one = work("a", 1, 1, minimum=2)
    template = RoleTemplate("", one.pods[0].spec, replicas=3)
    view = _view(Work(replace(one.gang, templates=(template,)), one.pods))
    assert max(option.pods for option in view.options) == 3
    assert view.least_pods == 2


def test_gated_foreign_and_unsupported_pods_are_not_placed() -> None:
    one = work("a", 2, 1)
    gated = replace(one.pods[0], spec=replace(one.pods[0].spec, scheduling_gates=("quota",)))
    assert _view(Work(one.gang, (gated, one.pods[1]))).options == ()
    foreign = replace(one.pods[0], spec=replace(one.pods[0].spec, scheduler_name="other"))
    assert _view(Work(one.gang, (foreign, one.pods[1]))).options == ()
