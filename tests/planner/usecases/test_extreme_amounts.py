"""Amounts beyond every machine: exact, a finding, no harm to others, no cost."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from planner.cli.app import app

GPU = "nvidia.com/gpu"
VOLCANO = "scheduling.volcano.sh/v1beta1"


def _object(kind: str, name: str, api: str = "v1", **rest: Any) -> dict[str, Any]:
    meta = {"name": name, "creationTimestamp": "2026-11-20T00:00:00Z"}
    if kind not in ("Node", "Queue"):
        meta["namespace"] = "ml"
    return {"apiVersion": api, "kind": kind, "metadata": meta, **rest}


def node(name: str, **amounts: str) -> dict[str, Any]:
    held = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: "8", **amounts}
    ready = [{"type": "Ready", "status": "True"}]
    return _object("Node", name, status={"allocatable": held, "conditions": ready})


def queue(name: str = "q", **spec: Any) -> dict[str, Any]:
    return _object("Queue", name, VOLCANO, spec=spec, status={"state": "Open"})


def _containers(amounts: dict[str, str]) -> list[dict[str, Any]]:
    return [{"name": "c", "resources": {"requests": amounts, "limits": amounts}}]


def gang(
    name: str, pods: int, amounts: dict[str, str], on: str = "", owner: str = "q"
) -> list[dict[str, Any]]:
    """A PodGroup whose pods all exist, waiting or on a node."""
    phase = "Running" if on else "Pending"
    spec = {"minMember": pods, "queue": owner}
    found = [_object("PodGroup", name, VOLCANO, spec=spec, status={"phase": phase})]
    for number in range(pods):
        place = {"nodeName": on} if on else {}
        pod = {"schedulerName": "volcano", "containers": _containers(amounts), **place}
        one = _object("Pod", f"{name}-{number}", spec=pod, status={"phase": phase})
        one["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": name}
        found.append(one)
    return found


def job(name: str, replicas: int, least: int, amounts: dict[str, str]) -> dict[str, Any]:
    template = {"spec": {"containers": _containers(amounts)}}
    task = {"name": "w", "replicas": replicas, "template": template}
    spec = {"queue": "q", "schedulerName": "volcano", "minAvailable": least, "tasks": [task]}
    return _object("Job", name, "batch.volcano.sh/v1alpha1", spec=spec)


SMALL = gang("small", 2, {"cpu": "1", GPU: "1"})
CASES: dict[str, list[dict[str, Any]]] = {
    "cpu of a pod": [node("n1"), queue(), *gang("odd", 1, {"cpu": "9000P", GPU: "1"})],
    "sums of memory": [node("n1"), queue(), *gang("odd", 3, {"memory": "5Ei"})],
    "pods without end": [
        node("n1"),
        queue(),
        job("odd", 10**9, 10**9, {"memory": "64Gi", GPU: "8"}),
    ],
    "both": [node("n1"), queue(), job("odd", 2**31 - 1, 2, {"cpu": "9000P", "memory": "7Ei"})],
}


@pytest.fixture
def document(tmp_path: Path) -> Callable[..., Any]:
    """The JSON document of a verb over these objects."""

    def run(verb: str, objects: list[dict[str, Any]], *options: str) -> Any:
        path = tmp_path / "cluster.yaml"
        path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects}))
        done = CliRunner().invoke(app, [verb, str(path), *options, "-o", "json"])
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)

    return run


def decisions(plan: Any) -> dict[str, str]:
    return {one["name"]: one["decision"] for one in plan["gangs"]}


@pytest.mark.parametrize("case", CASES)
def test_what_never_fits_waits_and_the_rest_is_planned(document, case: str) -> None:
    plan = document("plan", [*CASES[case], *SMALL])
    assert decisions(plan) == {"odd": "wait", "small": "start"}
    (odd,) = (one for one in plan["gangs"] if one["name"] == "odd")
    assert "never_fits" in {one["code"] for one in odd["reasons"]}
    assert plan["verification"]["violations"] == []
    assert plan["certificate"]["status"] == "OPTIMAL"


@pytest.mark.parametrize("verb", ["schedule", "inspect", "whatif", "explain"])
@pytest.mark.parametrize("case", CASES)
def test_every_verb_answers(document, verb: str, case: str) -> None:
    options = {"whatif": ("--drain", "n1"), "explain": ("--gang", "ml/odd")}.get(verb, ())
    assert document(verb, [*CASES[case], *SMALL], *options)


@pytest.mark.parametrize("form", ["table", "html", "md", "csv"])
def test_every_form_of_the_report_holds_the_exact_amount(tmp_path: Path, form: str) -> None:
    path, out = tmp_path / "cluster.yaml", tmp_path / "out"
    items = [*CASES["sums of memory"], *SMALL]
    path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}))
    done = CliRunner().invoke(app, ["plan", str(path), "-o", form, "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    if form == "csv":
        assert str(3 * 5 * 2**60) in (out / "queues.csv").read_text()


def test_running_pods_with_odd_amounts_fill_their_node_only(document) -> None:
    """Two amounts of 2^63 - 1 once became -2 in 64 bits, so that the full node had free GPUs."""
    odd = gang("odd", 2, {GPU: str(2**63 - 1), "cpu": "9000P"}, on="n1", owner="r")
    queues = [queue(), queue("r")]
    plan = document("plan", [node("n1"), node("n2"), *queues, *odd, *SMALL])
    assert decisions(plan) == {"odd": "keep", "small": "start"}
    (small,) = (one for one in plan["gangs"] if one["name"] == "small")
    assert {one["node"] for one in small["pods"]} == {"n2"}
    assert plan["summary"]["gpusBefore"] == 2 * (2**63 - 1)


def test_a_node_with_an_odd_amount_is_a_finding_and_takes_nothing_of_it(document) -> None:
    plan = document("plan", [node("n1"), node("n2", **{GPU: "9E"}), queue(), *SMALL])
    assert decisions(plan) == {"small": "start"}
    (found,) = (one for one in plan["snapshot"]["findings"] if one["code"] == "node_amount_odd")
    assert found["object"] == "node/n2"
    assert plan["summary"]["gpusAllocatable"] == 8


def test_quotas_beyond_everything_bind_nothing(document) -> None:
    wide = {"cpu": "9000P", "memory": "9000P", GPU: "9E"}
    open_queue = queue(capability=wide, deserved={GPU: "8E", "cpu": "9000P"})
    for verb in ("plan", "schedule"):
        plan = document(verb, [node("n1"), open_queue, *SMALL])
        assert plan["summary"]["sentence"].startswith("1 ")


@pytest.mark.parametrize("verb", ["plan", "inspect", "schedule"])
def test_a_job_of_a_billion_pods_costs_what_one_of_ten_costs(document, verb: str) -> None:
    """20 s and 1.7 GiB: the pods were written down one by one."""
    document(verb, [node("n1"), queue(), job("odd", 10, 2, {"memory": "64Gi"})])
    before, spent = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, []
    for replicas in (10, 10**9):
        begun = time.process_time()
        document(verb, [node("n1"), queue(), job("odd", replicas, 2, {"memory": "64Gi"})])
        spent.append(time.process_time() - begun)
    assert spent[1] < 3 * spent[0] + 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 200_000


def test_the_given_pod_of_9000p(document, shared: Path) -> None:
    text = (shared / "cases" / "faults" / "one-pod-cpu2.yaml").read_text()
    plan = document("plan", yaml.safe_load(text)["items"])
    (only,) = plan["gangs"]
    assert only["decision"] == "wait"
    assert [one["code"] for one in only["reasons"]] == ["never_fits"]
    assert only["reasons"][0]["data"]["perPod"]["cpu"] == 9_000 * 10**15 * 1_000
    assert "pod_larger_than_any_node" in {one["code"] for one in plan["snapshot"]["findings"]}
