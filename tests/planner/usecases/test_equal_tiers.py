"""Where all tiers are equal: older gangs start before younger ones, siblings lose pods before strangers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.effective import resolve_policy
from models.plan import PlanResult
from models.queues import Queue
from models.readers import read_snapshot
from models.resources import Resources
from models.selectors import Taint, Toleration
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_elastic import elastic_case
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for
from planner.usecases.inputs.policies import read_policy
from planner.usecases.planning import make_plan


def _plan(snapshot: Snapshot, model: str = "capacity", **keys: object) -> PlanResult:
    policy = policy_for(snapshot, model, **keys)
    return make_plan(snapshot, policy, Limits(time_limit_s=20), guard=False)


def _decisions(plan: PlanResult) -> dict[str, str]:
    return {one.name: one.decision for one in plan.gangs}


def _tolerating(one: Work, key: str) -> Work:
    """The same work whose pods tolerate a taint; it makes a class of its own."""
    tolerations = (Toleration(key, "Exists"),)
    pods = tuple(replace(p, spec=replace(p.spec, tolerations=tolerations)) for p in one.pods)
    return replace(one, pods=pods)


@pytest.mark.parametrize("first", ["a", "b"])
def test_the_older_of_gangs_that_ask_for_the_same_starts(first: str) -> None:
    """They tolerate different taints, so that they are no class; one of them fits."""
    ages = {name: int(name != first) for name in ("a", "b")}
    works = [_tolerating(work(name, 2, 1, created=age), name) for name, age in ages.items()]
    found = _decisions(_plan(snapshot_of(gpu_node("n1", 2), gpu_queue("q"), *works)))
    assert {name for name, decision in found.items() if decision == "start"} == {first}


def test_a_node_that_only_the_younger_may_use_changes_nothing_of_that() -> None:
    """Three gangs, two nodes; the second is open to the youngest alone: the oldest goes to the first."""
    only = replace(gpu_node("n2", 2), taints=(Taint("k", "NoSchedule", "v"),))
    youngest = _tolerating(work("c", 2, 1, created=2), "k")
    works = [work("a", 2, 1, created=0), _tolerating(work("b", 2, 1, created=1), "x"), youngest]
    plan = _plan(snapshot_of(gpu_node("n1", 2), only, gpu_queue("q"), *works))
    assert _decisions(plan) == {"a": "start", "b": "wait", "c": "start"}


def _with_twin(snapshot: Snapshot) -> tuple[Snapshot, str]:
    """One more gang that asks for what the first waiting one asks for; it is younger and tolerates more."""
    gang = next(
        one
        for one in snapshot.gangs
        if one.name.startswith("wait") and snapshot.pods_of(one)[0].spec.request.amount(GPU)
    )
    twin = replace(gang, name="twin", aliases=("ml/twin",), created="2026-11-02T00:00:00Z")
    pods = [
        replace(
            pod,
            name=f"twin-{place}",
            gang="ml/twin",
            spec=replace(pod.spec, tolerations=(Toleration("k", "Exists"),)),
        )
        for place, pod in enumerate(snapshot.pods_of(gang))
    ]
    more = replace(snapshot, gangs=(twin, *snapshot.gangs), pods=(*pods, *snapshot.pods))
    return more, gang.name


@pytest.mark.parametrize("evicting", [False, True])
def test_no_younger_gang_of_a_random_cluster_starts_first(evicting: bool) -> None:
    apart = 0
    for seed in range(30):
        case = elastic_case(seed, evicting=evicting)
        if not any(p.spec.request.amount(GPU) for p in case.snapshot.pods if "wait" in p.name):
            continue
        snapshot, older = _with_twin(case.snapshot)
        plan = make_plan(snapshot, case.policy, Limits(time_limit_s=20), guard=False)
        found = _decisions(plan)
        assert (found[older], found["twin"]) != ("wait", "start"), case.name
        apart += found[older] != found["twin"]
    assert apart > 2


def _family(sibling: int, stranger: int) -> Snapshot:
    """x of p1 needs two GPUs; p2, its sibling, and q1 are above what they deserve and run pods of one age each."""

    def queue(name: str, parent: str, deserved: int) -> Queue:
        return Queue(name, parent=parent, deserved=Resources({GPU: deserved}))

    return snapshot_of(
        gpu_node("n1", sibling + stranger),
        queue("root", "", 0),
        queue("p", "root", 6),
        queue("p1", "p", 3),
        queue("p2", "p", 3),
        queue("q", "root", 2),
        queue("q1", "q", 2),
        work("r", sibling, 1, minimum=1, queue="p2", nodes=("n1",) * sibling),
        work("s", stranger, 1, minimum=1, queue="q1", nodes=("n1",) * stranger),
        work("x", 2, 1, queue="p1"),
    )


def test_a_sibling_loses_pods_before_a_stranger() -> None:
    plan = _plan(_family(5, 4), "hierarchy", evict=("reclaim",))
    assert _decisions(plan) == {"r": "shrink", "s": "keep", "x": "start"}
    assert plan.summary.pods_evicted == 2


def test_a_stranger_loses_pods_where_the_sibling_has_what_it_deserves() -> None:
    plan = _plan(_family(3, 5), "hierarchy", evict=("reclaim",))
    assert _decisions(plan) == {"r": "keep", "s": "shrink", "x": "start"}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("d47-taints", {"x": 2, "y": 2, "z": 0}),
        ("e15-elastic-fill-order", {"e": 6, "x": 0}),
        ("e16-hier-siblings", {"r2": 3, "s": 3, "x": 2}),
    ],
)
def test_as_the_scheduler_decides(name: str, wanted: dict[str, int], shared: Path) -> None:
    path = shared / "data" / "volcano_runs" / f"{name}.json"
    if not path.is_file():
        pytest.skip("the outcomes of the scheduler beside the checkout are absent")
    snapshot = read_snapshot([path])
    policy = read_policy(path.with_suffix(".policy.yaml"))
    plan = make_plan(snapshot, resolve_policy(snapshot, policy), Limits(20), guard=False)
    assert {one.name: one.pods_after for one in plan.gangs} == wanted
