"""Several clusters: found by folder, planned alike by every engine, each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from models.findings import UsageError
from models.plan import PlanResult
from planner.execute.jobs import Executor
from planner.execute.local import LocalProcesses
from planner.problem.limits import Limits
from planner.report.clusters.document import ClusterEntry, Clusters
from planner.report.clusters.report import clusters_report
from planner.testing.here import Here
from planner.usecases.clusters.find import clusters_of
from planner.usecases.clusters.run import ClusterJobs, begin, plan_cluster, plan_clusters

SHARED = ClusterJobs(Limits(time_limit_s=20, deterministic=True))
CLUSTER = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {{name: gpu-1}}
  status:
    allocatable: {{cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "{gpus}"}}
    conditions: [{{type: Ready, status: "True"}}]
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata: {{name: research}}
  spec: {{weight: 1}}
  status: {{state: Open}}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {{namespace: ml, name: train, creationTimestamp: "2026-11-01T10:00:00Z"}}
  spec: {{minMember: 1, queue: research}}
  status: {{phase: Pending}}
- apiVersion: v1
  kind: Pod
  metadata:
    namespace: ml
    name: train-0
    creationTimestamp: "2026-11-01T10:00:00Z"
    annotations: {{scheduling.k8s.io/group-name: train}}
  spec:
    schedulerName: volcano
    containers: [{{name: c, resources: {{requests: {{cpu: "1", nvidia.com/gpu: "4"}}}}}}]
  status: {{phase: Pending}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two folders, one file, one broken file, and what is no cluster."""
    place = tmp_path / "exports"
    for name, gpus in (("east", 8), ("west", 2)):
        (place / name).mkdir(parents=True)
        (place / name / "all.yaml").write_text(CLUSTER.format(gpus=gpus), "utf-8")
    (place / "north.yaml").write_text(CLUSTER.format(gpus=4), "utf-8")
    (place / "broken.json").write_text('{"kind":', "utf-8")
    (place / "notes.txt").write_text("not a cluster", "utf-8")
    (place / ".hidden").mkdir()
    return place


def _stripped(result: Clusters) -> list[ClusterEntry]:
    return [one.model_copy(update={"seconds": 0.0}) for one in result.clusters]


def _plain(plan: PlanResult) -> str:
    certificate = plan.certificate.model_copy(
        update={
            "seconds": 0.0,
            "tiers": tuple(t.model_copy(update={"seconds": 0.0}) for t in plan.certificate.tiers),
        }
    )
    return plan.model_copy(update={"certificate": certificate}).model_dump_json()


@pytest.fixture(scope="module", params=["local", pytest.param("ray", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Two local processes, and a Ray cluster of two nodes."""
    if request.param == "local":
        yield LocalProcesses(2)
        return
    pytest.importorskip("ray", reason="Ray is not installed (extra 'ray')")
    from planner.execute.ray_cluster import RayCluster
    from planner.testing.two_ray_nodes import two_ray_nodes

    with two_ray_nodes() as address:
        yield RayCluster(address)


def test_every_engine_gives_the_same_plans(folder: Path, engine: Executor) -> None:
    clusters = clusters_of([str(folder)])
    plans: dict[str, dict[str, str]] = {}

    def run(executor: Executor) -> Clusters:
        kept = plans.setdefault(executor.name, {})

        def keep(name: str, plan: PlanResult) -> str:
            kept[name] = _plain(plan)
            return f"{name}.json"

        return plan_clusters(clusters, SHARED, executor, keep=keep)

    here, there = run(Here()), run(engine)
    assert _stripped(here) == _stripped(there)
    assert len(plans[engine.name]) == 3
    assert plans[Here().name] == plans[engine.name]


def test_a_broken_cluster_takes_no_other_along(folder: Path) -> None:
    result = plan_clusters(clusters_of([str(folder)]), SHARED, Here())
    entries = {one.name: one for one in result.clusters}
    assert list(entries) == ["broken", "east", "north", "west"]
    assert (entries["broken"].exit_code, entries["broken"].gpus_after) == (3, None)
    assert "broken.json" in entries["broken"].error
    assert [entries[n].gangs_started for n in ("east", "north", "west")] == [1, 1, 0]
    assert (result.gpus_allocatable, result.gpus_after, result.gangs_waiting) == (14, 8, 1)
    assert result.sentence.startswith("3 of 4 clusters planned, 1 without a plan.")
    assert clusters_report(result).warnings[0].startswith("broken: ")


def test_a_stop_keeps_what_is_planned(folder: Path) -> None:
    kept: list[str] = []

    def keep(name: str, plan: PlanResult) -> str:
        kept.append(name)
        return ""

    result = plan_clusters(
        clusters_of([str(folder)]), SHARED, Here(), keep=keep, stopped=lambda: bool(kept)
    )
    assert kept == ["east"]
    assert [one.name for one in result.clusters] == ["broken", "east"]
    assert "2 not begun" in result.sentence
    assert "2 clusters not begun before the stop" in clusters_report(result).warnings


def test_an_earlier_plan_is_taken_by_name(folder: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    (earlier / "west.json").write_text('{"kind": "Other"}', "utf-8")
    shared = ClusterJobs(SHARED.limits, previous=earlier)
    east, west = (
        plan_cluster(begin(shared), one)
        for one in clusters_of([str(folder / "east"), str(folder / "west")])
    )
    assert not east.error
    assert (west.exit_code, "is not a plan document" in west.error) == (3, True)


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (["-"], "not standard input"),
        (["{folder}/.hidden"], "neither a sub-folder nor a snapshot file"),
        (["{folder}/east", "{folder}/east"], "two clusters are called 'east'"),
        (["{folder}/east", "{folder}/clusters"], "may not be called 'clusters'"),
    ],
)
def test_what_is_no_set_of_clusters_is_refused(folder: Path, paths: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        clusters_of([path.format(folder=folder) for path in paths])


def test_names_are_those_of_folders_and_files_without_suffix(folder: Path) -> None:
    (folder / "south.json.gz").touch()
    assert [one.name for one in clusters_of([str(folder)])] == [
        *("broken", "east", "north", "south", "west")
    ]
