from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.describe import describe
from benchmarks.generate import as_list, generate, main, write
from benchmarks.spec import GPU, MODEL_LABEL, ClusterSpec

ROOT = Path(__file__).resolve().parents[2]
SMALL = ClusterSpec(nodes=60, gangs=40, queues=5, seed=3)


@pytest.fixture(scope="module")
def thousand() -> list[dict[str, object]]:
    return generate(ClusterSpec())


def test_equal_settings_give_equal_bytes_and_seeds_differ():
    first, second = json.dumps(generate(SMALL)), json.dumps(generate(SMALL))
    assert first == second
    assert json.dumps(generate(ClusterSpec(nodes=60, gangs=40, queues=5, seed=4))) != first


def test_the_thousand_node_instance_is_as_hard_as_promised(thousand):
    found = describe(thousand)
    assert (found.nodes, found.waiting_gangs, found.queues) == (1000, 300, 12)
    assert found.pods == 5280
    assert 0.55 <= found.gpus_used / found.gpus_allocatable <= 0.70
    assert 0.015 <= found.gpus_unhealthy / (found.gpus_allocatable + found.gpus_unhealthy) <= 0.025
    assert found.cpu_or_memory_bound >= 0.10 * found.nodes
    assert found.node_classes >= 200
    assert 1.4 * found.gpus_free <= found.demand_gpus <= 2.4 * found.gpus_free


def test_the_instance_has_every_feature(thousand):
    by_kind = {kind: [one for one in thousand if one["kind"] == kind] for kind in KINDS}
    models = {node["metadata"]["labels"][MODEL_LABEL] for node in by_kind["Node"]}
    assert len(models) == 3
    faulty = [
        (int(node["status"]["allocatable"][GPU]), int(node["status"]["capacity"][GPU]))
        for node in by_kind["Node"]
    ]
    assert (7, 8) in faulty
    assert any(node["spec"].get("taints") for node in by_kind["Node"])
    waiting = [one for one in by_kind["PodGroup"] if one["status"]["phase"] != "Running"]
    assert any("minTaskMember" in one["spec"] for one in waiting)
    assert {one["spec"]["priorityClassName"] for one in waiting} == {
        "production",
        "normal",
        "besteffort",
    }
    pending = [pod for pod in by_kind["Pod"] if "nodeName" not in pod["spec"]]
    assert any("tolerations" in pod["spec"] for pod in pending)
    assert any("nodeSelector" in pod["spec"] for pod in pending)
    daemons = {pod["spec"]["nodeName"] for pod in by_kind["Pod"] if is_daemon(pod)}
    assert len(daemons) == 1000
    pods_of_jobs = {pod["metadata"]["ownerReferences"][0]["name"] for pod in pending}
    assert by_kind["Job"]
    assert not pods_of_jobs & {job["metadata"]["name"] for job in by_kind["Job"]}


KINDS = ("Node", "Pod", "PodGroup", "Job", "Queue")


def is_daemon(pod: dict) -> bool:
    return pod["metadata"]["ownerReferences"][0]["kind"] == "DaemonSet"


def test_no_node_is_overbooked(thousand):
    free = {
        node["metadata"]["name"]: int(node["status"]["allocatable"][GPU])
        for node in thousand
        if node["kind"] == "Node"
    }
    for pod in thousand:
        if pod["kind"] == "Pod" and "nodeName" in pod["spec"]:
            requests = pod["spec"]["containers"][0]["resources"]["requests"]
            free[pod["spec"]["nodeName"]] -= int(requests.get(GPU, 0))
    assert min(free.values()) >= 0


def test_queue_model_decides_on_deserved_and_on_the_plugin():
    for model in ("capacity", "proportion"):
        objects = generate(ClusterSpec(nodes=20, gangs=10, queues=4, queue_model=model))
        queues = [one for one in objects if one["kind"] == "Queue"]
        assert all(("deserved" in one["spec"]) == (model == "capacity") for one in queues)
        config = next(one for one in objects if one["kind"] == "ConfigMap")
        assert f"- name: {model}" in config["data"]["volcano-scheduler.conf"]


def test_hierarchy_gives_parents_that_cover_their_children():
    objects = generate(ClusterSpec(nodes=40, gangs=10, queues=6, hierarchy=True))
    queues = {one["metadata"]["name"]: one["spec"] for one in objects if one["kind"] == "Queue"}
    children = [spec for spec in queues.values() if "parent" in spec]
    assert len(children) == 6
    for parent in {spec["parent"] for spec in children}:
        deserved = sum(int(spec["deserved"][GPU]) for spec in children if spec["parent"] == parent)
        assert int(queues[parent]["deserved"][GPU]) == deserved


def test_topology_gives_hyper_nodes_over_every_node_once():
    objects = generate(ClusterSpec(nodes=200, gangs=200, queues=4, topology=True))
    leaves = [one["spec"] for one in objects if one["kind"] == "HyperNode"]
    members = [
        member["selector"]["exactMatch"]["name"]
        for spec in leaves
        if spec["tier"] == 1
        for member in spec["members"]
    ]
    assert sorted(members) == [f"gpu-{index:05d}" for index in range(200)]
    assert any("networkTopology" in one.get("spec", {}) for one in objects)


def test_pods_are_counted_exactly_or_refused():
    assert describe(generate(ClusterSpec(nodes=50, gangs=20, queues=3, pods=400))).pods == 400
    with pytest.raises(ValueError, match=r"need .* pods, more than the 60 asked for"):
        generate(ClusterSpec(nodes=50, gangs=20, queues=3, pods=60))
    with pytest.raises(ValueError, match="no room for"):
        generate(ClusterSpec(nodes=2, gangs=1, queues=1, pods=5000))


@pytest.mark.parametrize("name", ["nodes", "gangs", "queues"])
def test_nothing_is_generated_for_zero(name):
    with pytest.raises(ValueError, match="at least 1"):
        ClusterSpec(**{name: 0})


def test_hierarchy_needs_the_capacity_model():
    with pytest.raises(ValueError, match="capacity"):
        ClusterSpec(hierarchy=True, queue_model="proportion")


def test_the_smallest_pod_can_be_raised():
    objects = generate(ClusterSpec(nodes=40, gangs=60, queues=3, smallest=4))
    requests = [
        int(one["spec"]["containers"][0]["resources"]["requests"].get(GPU, 0))
        for one in objects
        if one["kind"] == "Pod" and "nodeName" not in one["spec"]
    ]
    assert {count for count in requests if count} == {4, 8}
    with pytest.raises(ValueError, match="1, 2, 4 or 8"):
        ClusterSpec(smallest=3)


def test_files_are_lists_and_compress_reproducibly(tmp_path):
    objects = generate(ClusterSpec(nodes=4, gangs=3, queues=2))
    write(objects, tmp_path / "one.json")
    write(objects, tmp_path / "one.json.gz")
    write(objects, tmp_path / "two.json.gz")
    plain = (tmp_path / "one.json").read_bytes()
    assert json.loads(plain) == as_list(objects)
    packed = (tmp_path / "one.json.gz").read_bytes()
    assert gzip.decompress(packed) == plain
    assert packed == (tmp_path / "two.json.gz").read_bytes()


def test_the_script_runs_from_anywhere(tmp_path):
    script = ROOT / "benchmarks" / "generate.py"
    run = subprocess.run(
        [sys.executable, str(script), "--nodes", "5", "--gangs", "4", "--out", "c.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "c.json").read_text())["kind"] == "List"


def test_the_command_line_names_a_wrong_number(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["generate.py", "--nodes", "20", "--pods", "3"])
    assert main() == 2
    assert "more than the 3 asked for" in capsys.readouterr().err
