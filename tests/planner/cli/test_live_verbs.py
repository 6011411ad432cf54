"""Verbs on a running cluster, through the whole command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.readers import read_snapshot
from planner.samples import sample_path
from planner.testing.api_server import FakeApiServer, serving

pytest.importorskip("kubernetes", reason="the extra live is not installed")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApiServer]:
    fake = FakeApiServer()
    with serving(fake.respond) as fake.url:
        documents = yaml.safe_load_all(sample_path("demo").read_text(encoding="utf-8"))
        fake.put(one for document in documents for one in document.get("items", [document]))
        config = tmp_path / "kubeconfig"
        config.write_text(fake.kubeconfig())
        monkeypatch.setenv("KUBECONFIG", str(config))
        monkeypatch.chdir(tmp_path)
        yield fake


def test_convert_writes_what_a_file_would_give(
    server: FakeApiServer, gangplan: Any, tmp_path: Path
) -> None:
    assert gangplan("convert", "cluster:prod", "--out", "snap.json.gz").exit_code == 0
    found = read_snapshot([tmp_path / "snap.json.gz"])
    assert found.digest == read_snapshot([sample_path("demo")]).digest
    assert found.sources[0].name.startswith("cluster:prod, Kubernetes v1.34.1, read ")


def test_inspect_and_its_report_name_context_version_and_time(
    server: FakeApiServer, gangplan: Any
) -> None:
    done = gangplan("inspect", "cluster:")
    assert done.exit_code == 0
    assert "cluster:prod, Kubernetes v1.34.1, read 2" in " ".join(done.stdout.split())


def test_plan_and_verify_read_the_cluster(server: FakeApiServer, gangplan: Any) -> None:
    wanted = ("--time-limit", "20s", "-o", "json", "--out", "plan.json", "--quiet")
    assert gangplan("plan", "cluster:prod", *wanted).exit_code == 0
    plan = json.loads(Path("plan.json").read_text())
    assert plan["snapshot"]["sources"][0].startswith("cluster:prod, Kubernetes v1.34.1, read ")
    assert gangplan("verify", "cluster:prod", "plan.json").exit_code == 0


def test_a_plan_without_pods_is_refused(server: FakeApiServer, gangplan: Any) -> None:
    server.forbidden = {"pods"}
    done = gangplan("plan", "cluster:prod")
    assert done.exit_code == 3
    said = " ".join(done.stderr.split())
    assert "may not list pods" in said
    assert '{apiGroups: [""], resources: [pods], verbs: [list]}' in said


def test_doctor_tells_kind_by_kind_what_may_be_read(server: FakeApiServer, gangplan: Any) -> None:
    server.forbidden = {"replicasets.apps"}
    server.unserved = {"hypernodes.topology.volcano.sh"}
    done = gangplan("doctor", "--cluster", "-o", "json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)["cluster"]
    kinds = {one["resource"]: one for one in found["kinds"]}
    assert kinds["replicasets.apps"]["access"] == "forbidden"
    assert "resources: [replicasets]" in kinds["replicasets.apps"]["detail"]
    assert kinds["hypernodes.topology.volcano.sh"]["access"] == "does not exist here"
    assert kinds["pods"]["access"] == "may be read"
    assert kinds["pods"]["objects"] == len(server.lists["/api/v1/pods"])
    assert found["serverVersion"] == "v1.34.1"
    assert found["canPlan"] is True


def test_doctor_fails_where_nothing_could_be_planned(server: FakeApiServer, gangplan: Any) -> None:
    server.forbidden = {"nodes"}
    done = gangplan("doctor", "--cluster")
    assert done.exit_code == 2
    out = " ".join(done.stdout.split())
    assert "The account may not read nodes. Nothing can be planned so." in out


def test_a_night_reads_the_cluster(server: FakeApiServer, gangplan: Any, tmp_path: Path) -> None:
    Path("nightly.yaml").write_text("inputs: cluster:prod\nhorizon: 2h\noutput: nights\n")
    done = gangplan("nightly", "--config", "nightly.yaml", "--time-limit", "10s", "--quiet")
    assert done.exit_code == 0, done.stderr
    run = json.loads(Path("nights/latest/run.json").read_text())
    assert run["snapshot"]["sources"][0].startswith("cluster:prod, Kubernetes v1.34.1, read ")
    kept = read_snapshot(["nights/latest/snapshot.json.gz"])
    assert kept.digest == read_snapshot([sample_path("demo")]).digest


def test_several_clusters_side_by_side_have_names_for_files(server: FakeApiServer) -> None:
    from planner.usecases.clusters.find import clusters_of

    found = clusters_of(["cluster:arn:aws:eks:x:1:cluster/prod", "cluster:"])
    assert [one.name for one in found] == ["arn-aws-eks-x-1-cluster-prod", "current"]


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "cluster:"),
        ("schedule", "cluster:", "--horizon", "2h"),
        ("reclaim", "cluster:", "--need", "online=4", "--deadline", "30s"),
        ("whatif", "cluster:", "--drain", "h100-1", "--jobs", "1"),
    ],
    ids=lambda words: words[0],
)
def test_every_report_names_context_version_and_time(
    server: FakeApiServer, gangplan: Any, words: tuple[str, ...]
) -> None:
    done = gangplan(*words, "--time-limit", "20s", "--quiet")
    assert done.exit_code == 0, done.stderr
    assert "from cluster:prod, Kubernetes v1.34.1, read 2" in " ".join(done.stdout.split())
