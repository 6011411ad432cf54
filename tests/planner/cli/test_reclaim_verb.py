"""``reclaim``: options, formats, exit codes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from models.drill import DrillResult
from models.plan import RuleViolation, Verification
from planner.drill import run as drill_run

Gangplan = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[3]
LENT = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: gpu-1}
  status: {allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}}
- apiVersion: v1
  kind: Node
  metadata: {name: gpu-2}
  status: {allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata: {name: chat}
  spec: {deserved: {nvidia.com/gpu: "16"}}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata: {name: batch}
  spec: {deserved: {nvidia.com/gpu: "0"}}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {namespace: ml, name: train, creationTimestamp: "2026-11-01T10:00:00Z"}
  spec: {minMember: 1, queue: batch}
- apiVersion: v1
  kind: Pod
  metadata: {namespace: ml, name: train-0, annotations: {scheduling.k8s.io/group-name: train}}
  spec:
    schedulerName: volcano
    nodeName: gpu-1
    terminationGracePeriodSeconds: 9
    containers:
    - {name: main, resources: {requests: {nvidia.com/gpu: "8"}, limits: {nvidia.com/gpu: "8"}}}
  status: {phase: Running, startTime: "2026-11-01T11:00:00Z"}
- apiVersion: v1
  kind: Pod
  metadata:
    namespace: ml
    name: old-0
    deletionTimestamp: "2026-11-01T11:00:40Z"
  spec:
    nodeName: gpu-2
    containers: [{name: main, resources: {requests: {nvidia.com/gpu: "4"}}}]
  status: {phase: Running}
"""


@pytest.fixture
def lent(tmp_path: Path) -> Path:
    path = tmp_path / "lent.yaml"
    path.write_text(LENT)
    return path


def summary(done: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)["summary"]
    return found


def test_the_answer_comes_first(gangplan: Gangplan, lent: Path) -> None:
    done = gangplan("reclaim", lent, "--need", "chat=12")
    assert done.exit_code == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith("In time: chat has 12 GPUs back after 10 s of 30 s, 4 of them free now")
    assert "ml/train" in done.stdout


def test_terminating_pods_count_from_their_deletion_time(gangplan: Gangplan, lent: Path) -> None:
    """The export is from 11:00:00; the pod is gone at 11:00:40."""
    every = ["reclaim", lent, "--need", "chat=16", "-o", "json"]
    done = gangplan(*every)
    assert (summary(done)["gpusInTime"], summary(done)["lastSecond"]) == (12, 40)
    assert summary(gangplan(*every, "--deadline", "40s"))["inTime"] is True


def test_the_document_satisfies_its_schema(gangplan: Gangplan, lent: Path) -> None:
    done = gangplan("reclaim", lent, "--need", "chat=16", "-o", "json")
    schema = json.loads((ROOT / "data/schema/drill-result.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads(done.stdout), schema)
    as_yaml = gangplan("reclaim", lent, "--need", "chat=16", "-o", "yaml", "--deterministic")
    assert yaml.safe_load(as_yaml.stdout)["kind"] == "DrillResult"


@pytest.mark.parametrize("form", ["table", "wide", "md", "html"])
def test_every_form_tells_the_same(gangplan: Gangplan, lent: Path, form: str) -> None:
    done = gangplan("reclaim", lent, "--need", "chat=16", "-o", form)
    assert done.exit_code == 0, done.stderr
    assert "12 of 16 GPUs can be back" in done.stdout
    assert ("<svg" in done.stdout) == (form == "html")


def test_csv_holds_the_curve(gangplan: Gangplan, lent: Path, tmp_path: Path) -> None:
    place = tmp_path / "out"
    done = gangplan("reclaim", lent, "--need", "chat=16", "-o", "csv", "--out", place)
    assert done.exit_code == 0, done.stderr
    names = {one.stem for one in place.iterdir()}
    assert {"curve", "leaving", "gangs", "holders", "changes", "needs", "places"} <= names
    rows = list(csv.DictReader(io.StringIO((place / "curve.csv").read_text())))
    assert [(row["second"], row["gpus_planned"], row["gpus_most"]) for row in rows] == [
        ("0", "4", "4"),
        ("10", "12", "12"),
        ("30", "12", "12"),
        ("40", "16", "16"),
    ]


def test_not_in_time_is_no_error_unless_it_is_required(gangplan: Gangplan, lent: Path) -> None:
    every = ["reclaim", lent, "--need", "chat=16"]
    assert gangplan(*every).exit_code == 0
    done = gangplan(*every, "--require", "gpusMissing=0")
    assert done.exit_code == 7
    assert "required gpusMissing=0, but gpusMissing is 4" in done.stderr
    assert gangplan(*every, "--require", "lastSecond<=40").exit_code == 0
    never = gangplan("reclaim", lent, "--need", "chat=17", "--require", "lastSecond<=40")
    assert never.exit_code == 7
    assert "lastSecond is null" in never.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing option"),
        (["--need", "chat"], "write it like chat=8"),
        (["--need", "=8"], "write it like chat=8"),
        (["--need", "chat=0"], "whole number"),
        (["--need", "chat=1.5"], "whole number"),
        (["--need", "chat=-1"], "whole number"),
        (["--need", "chat=9999999999999"], "whole number"),
        (["--need", "chat=8,pol=3"], "did you mean 'pool'"),
        (["--need", "chat=8,per-pod"], "no value"),
        (["--need", "chat=8,per-pod=0"], "whole number"),
        (["--need", "chat=8,kind=a,kind=b"], "there twice"),
        (["--need", "chat=8,node=zone"], "node=zone=a"),
        (["--need", "chta=8"], "did you mean 'chat'"),
        (["--need", "chat=8", "--need", "chat=9"], "add the GPUs up"),
        (["--need", "chat=8", "--deadline", "soon"], "whole seconds"),
        (["--need", "chat=8", "--deadline", "0s"], "at least 1s"),
        (["--need", "chat=8", "--deadline", "1.5s"], "whole seconds"),
        (["--need", "chat=8", "--overhead", "-1"], ""),
        (["--need", "chat=8", "--require", "gpusBack"], "gpusInTime>=8"),
        (["--need", "chat=8", "--require", "gpusAfter>=1"], "no figure"),
    ],
)
def test_wrong_use_is_2(gangplan: Gangplan, lent: Path, arguments: list[str], words: str) -> None:
    done = gangplan("reclaim", lent, *arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_overhead_and_kinds_of_nodes(gangplan: Gangplan, lent: Path) -> None:
    late = gangplan("reclaim", lent, "--need", "chat=8", "--overhead", "5s", "-o", "json")
    assert summary(late)["lastSecond"] == 14
    one = "chat=4,per-pod=2,node=kubernetes.io/hostname=gpu-2"
    done = gangplan("reclaim", lent, "--need", one)
    assert done.exit_code == 2
    assert "no node with GPUs has the label" in done.stderr


def test_names_of_an_export_cannot_drive_the_terminal(gangplan: Gangplan, lent: Path) -> None:
    done = gangplan("reclaim", lent, "--need", "cha\x1b[31mt=8")
    assert done.exit_code == 2
    assert "\x1b[31m" not in done.stderr


def test_the_same_drill_twice_is_the_same_document(gangplan: Gangplan, lent: Path) -> None:
    every = ["reclaim", lent, "--need", "chat=16", "-o", "json", "--deterministic"]
    first, second = (json.loads(gangplan(*every).stdout) for _ in range(2))
    for one in (first, second):
        one["certificate"].pop("seconds")
        for tier in one["certificate"]["tiers"]:
            tier.pop("seconds")
    assert first == second
    assert first["certificate"]["reproducible"] is True


def test_namespace_and_queue_narrow_what_is_listed(gangplan: Gangplan, lent: Path) -> None:
    other = lent.with_name("other.yaml")
    other.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {namespace: other, name: one}\n"
        "spec: {containers: []}\nstatus: {phase: Running}\n"
    )
    done = gangplan("reclaim", lent, other, "--need", "chat=12", "-o", "json", "-n", "other")
    document = json.loads(done.stdout)
    assert document["gangs"] == []
    assert document["summary"]["podsEvicted"] == 1
    assert document["filter"] == {"namespaces": ["other"], "queues": []}


def test_a_drill_that_fails_verification_is_withheld(
    gangplan: Gangplan,
    lent: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    fault = RuleViolation(rule="drill_room", object="node/gpu-1", message="9 of 8 GPUs")

    def verify(*a: Any) -> Verification:
        return Verification(violations=(fault,), rules=12)

    monkeypatch.setattr(drill_run, "verify_drill", verify)
    monkeypatch.chdir(tmp_path)
    done = gangplan("reclaim", lent, "--need", "chat=12", "-o", "json")
    assert done.exit_code == 6
    assert done.stdout == ""
    assert "9 of 8 GPUs" in done.stderr
    assert len(list(tmp_path.glob("gangplan-bundle-*.zip"))) == 1


def test_an_empty_cluster_has_an_answer(gangplan: Gangplan, tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text(
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: chat}\nspec: {}\n"
    )
    done = gangplan("reclaim", path, "--need", "chat=4", "-o", "json")
    assert done.exit_code == 0, done.stderr
    result = DrillResult.model_validate(json.loads(done.stdout))
    assert (result.summary.gpus_in_time, result.summary.gpus_missing) == (0, 4)
    assert gangplan("reclaim", path, "--need", "chat=4").exit_code == 0


def test_a_drill_document_is_rendered_and_verified_again(
    gangplan: Gangplan, lent: Path, tmp_path: Path
) -> None:
    path = tmp_path / "drill.json"
    made = gangplan("reclaim", lent, "--need", "chat=16", "-o", "json", "--out", path)
    assert made.exit_code == 0, made.stderr
    again = gangplan("report", path)
    assert again.stdout.splitlines()[0].startswith("Not in time: 12 of 16 GPUs")
    assert gangplan("verify", lent, path).exit_code == 0
    document = json.loads(path.read_text())
    document["leaving"][0]["second"] = 3
    path.write_text(json.dumps(document))
    wrong = gangplan("verify", lent, path)
    assert wrong.exit_code == 6
    assert "drill_time" in wrong.stdout
    broken = {**document, "needs": "none"}
    path.write_text(json.dumps(broken))
    assert gangplan("verify", lent, path).exit_code == 3


def test_a_hostile_document_gets_an_answer(gangplan: Gangplan, lent: Path, tmp_path: Path) -> None:
    path = tmp_path / "drill.json"
    gangplan("reclaim", lent, "--need", "chat=12", "-o", "json", "--out", path)
    document = json.loads(path.read_text())
    document["needs"][0].update(pattern="ml/ghost", gpusPerPod=0, service="nobody", queue="none")
    document["places"][0].update(need=-1, node="ghost")
    document["leaving"].append({**document["leaving"][0], "pod": "ml/ghost", "gang": "ml/ghost"})
    document["gangs"].append({**document["gangs"][0], "gang": "ml/ghost"})
    path.write_text(json.dumps(document))
    done = gangplan("verify", lent, path)
    assert done.exit_code == 6, done.stderr
    assert "Traceback" not in done.stderr
