"""A pending pod of a gang that runs is in a table with its reason."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from models.effective import resolve_policy
from models.plan import GangEntry, PlanResult
from models.readers import read_snapshot
from planner.problem.limits import Limits
from planner.report.formats import Style
from planner.report.plan_report import plan_report
from planner.report.writers.table import write_table
from planner.usecases.explain.explaining import Question, explain_gangs
from planner.usecases.planning import make_plan
from planner.verify.check import verify

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {
        "allocatable": {"cpu": "64", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


def pod(name: str, gang: str, gpus: int, node: str = "", **spec: Any) -> dict[str, Any]:
    box = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    marks = {"scheduling.k8s.io/group-name": gang}
    bound = {"nodeName": node} if node else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "annotations": marks},
        "spec": {"schedulerName": "volcano", "containers": [box], **bound, **spec},
        "status": {"phase": "Running" if node else "Pending"},
    }


def group(name: str, queue: str = "default") -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"minMember": 1, "queue": queue},
        "status": {"phase": "Running"},
    }


def queue(name: str, gpus: int) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"capability": {"nvidia.com/gpu": gpus}},
        "status": {"state": "Open"},
    }


def plan_of(folder: Path, *objects: dict[str, Any]) -> PlanResult:
    path = folder / "export.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE, *objects]}))
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot, flags={"queue_model": "capacity"})
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    assert not verify(snapshot, policy, plan).violations
    return plan


def entry(plan: PlanResult, name: str) -> GangEntry:
    return next(gang for gang in plan.gangs if gang.name == name)


def codes(gang: GangEntry) -> list[str]:
    return [one.code for one in gang.reasons]


def test_pods_without_room(tmp_path: Path) -> None:
    mine = [pod("a-0", "a", 4, "n1"), pod("a-1", "a", 4), pod("a-2", "a", 4)]
    plan = plan_of(tmp_path, group("a"), *mine, group("b"), pod("b-0", "b", 2, "n1"))
    gang = entry(plan, "a")
    assert (gang.decision, gang.pods_pending, codes(gang)) == ("keep", 2, ["cluster_capacity"])
    assert "2 further pods of running gangs wait" in plan.summary.sentence
    stream = io.StringIO()
    write_table(plan_report(plan), stream, Style(width=160))
    assert "Running gangs with pods that wait" in stream.getvalue()
    assert "Needs 4 GPUs" in stream.getvalue()


def test_one_pod_grows_and_one_has_no_quota(tmp_path: Path) -> None:
    mine = [pod("a-0", "a", 2, "n1"), pod("a-1", "a", 2), pod("a-2", "a", 2)]
    plan = plan_of(tmp_path, queue("small", 4), group("a", "small"), *mine)
    gang = entry(plan, "a")
    assert (gang.decision, gang.pods_after, gang.pods_pending) == ("grow", 2, 1)
    assert codes(gang)[0].startswith("quota")


def test_gates_and_other_schedulers_are_named(tmp_path: Path) -> None:
    gated = pod("a-1", "a", 1, schedulingGates=[{"name": "example.com/budget"}])
    other = pod("b-1", "b", 1, schedulerName="kai-scheduler")
    gangs = [group("a"), pod("a-0", "a", 1, "n1"), gated, group("b"), pod("b-0", "b", 1, "n1")]
    plan = plan_of(tmp_path, *gangs, other)
    assert codes(entry(plan, "a")) == ["admission_gate"]
    assert codes(entry(plan, "b")) == ["not_enough_pods"]
    assert "kai-scheduler" in entry(plan, "b").reasons[0].message


def test_a_gang_that_gets_all_its_pods_has_none_left(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, group("a"), pod("a-0", "a", 1, "n1"), pod("a-1", "a", 1))
    gang = entry(plan, "a")
    assert (gang.decision, gang.pods_pending, gang.reasons) == ("grow", 0, ())


def test_the_verifier_misses_pods_that_are_not_told(tmp_path: Path) -> None:
    mine = [pod("a-0", "a", 8, "n1"), pod("a-1", "a", 8)]
    plan = plan_of(tmp_path, group("a"), *mine)
    snapshot = read_snapshot([tmp_path / "export.json"])
    policy = resolve_policy(snapshot, flags={"queue_model": "capacity"})
    for change in ({"pods_pending": 0}, {"reasons": ()}):
        gangs = tuple(one.model_copy(update=change) for one in plan.gangs)
        wrong = verify(snapshot, policy, plan.model_copy(update={"gangs": gangs}))
        assert {one.object for one in wrong.violations} == {"gang/ml/a"}


def test_explain_tells_of_them_without_being_asked(tmp_path: Path) -> None:
    mine = [pod("a-0", "a", 8, "n1"), pod("a-1", "a", 8)]
    plan_of(tmp_path, group("a"), *mine)
    snapshot = read_snapshot([tmp_path / "export.json"])
    policy = resolve_policy(snapshot, flags={"queue_model": "capacity"})
    told = explain_gangs(snapshot, policy, Limits(), Question(namespaces=("ml",)), guard=False)
    (gang,) = told.gangs
    assert gang.sentence == "it runs and stays: 1 pod on n1; 1 further pod waits"
    assert [one.code for one in gang.reasons] == [
        "never_fits"
    ]  # beside its own pod, on the only node


def test_a_gang_that_only_finished_pods_make_ready_starts(tmp_path: Path) -> None:
    done = {**pod("a-0", "a", 1), "status": {"phase": "Succeeded"}}
    plan = plan_of(tmp_path, group("a"), done, pod("a-1", "a", 8), pod("a-2", "a", 8))
    gang = entry(plan, "a")
    assert (gang.decision, gang.pods_pending) == ("start", 0)
