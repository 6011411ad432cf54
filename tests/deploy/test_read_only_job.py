from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.nightly.config import parse_config
from models.readers.intake import Intake
from models.readers.kinds import KINDS, SCHEDULER_CONFIG
from planner.nightly.config_file import read_config
from planner.nightly.inputs import gather

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
OBJECTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((DEPLOY / "cronjob.yaml").read_text(encoding="utf-8"))
)
READING = {"get", "list", "watch"}
SCRIPT = DEPLOY / "export-cluster.sh"

KUBECTL = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$2" in
nodes) echo '{"kind":"NodeList","apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Node",
  "metadata":{"name":"n"},"status":{"allocatable":{"cpu":"8","nvidia.com/gpu":"8"},
  "conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-09-15T20:00:00Z"}]}}]}';;
pods) [ -z "$BROKEN" ] || { echo "Error: $BROKEN" >&2; exit 1; }
  echo '{"kind":"PodList","apiVersion":"v1","items":[]}';;
hyper*) echo "error: the server doesn't have a resource type \\"hypernodes\\"" >&2; exit 1;;
configmap) echo 'Error from server (NotFound): configmaps "x" not found' >&2; exit 1;;
*) echo '{"kind":"List","apiVersion":"v1","items":[]}';;
esac
"""


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [one for one in OBJECTS if one["kind"] == kind]


def rules() -> list[dict[str, Any]]:
    return [rule for one in of_kind("ClusterRole") + of_kind("Role") for rule in one["rules"]]


def test_the_account_may_read_and_nothing_else() -> None:
    assert rules()
    for rule in rules():
        assert set(rule["verbs"]) <= READING
        assert "*" not in rule["apiGroups"] + rule["resources"]
        assert "secrets" not in rule["resources"]
        assert not [one for one in rule["resources"] if "/" in one]  # no exec, no log
    names = {one["metadata"]["name"] for one in of_kind("ClusterRole") + of_kind("Role")}
    bound = of_kind("ClusterRoleBinding") + of_kind("RoleBinding")
    assert {one["roleRef"]["name"] for one in bound} == names
    for one in bound:
        assert one["subjects"] == [
            {"kind": "ServiceAccount", "name": name, "namespace": "gangplan"}
            for name in ("gangplan", "gangplan-dashboard")
        ]


def test_the_account_may_list_exactly_what_is_read() -> None:
    (cluster,) = of_kind("ClusterRole")
    allowed = [
        (group, one)
        for rule in cluster["rules"]
        for group in rule["apiGroups"]
        for one in rule["resources"]
    ]
    assert sorted(allowed) == sorted((one.group, one.resource) for one in KINDS)
    assert {verb for rule in cluster["rules"] for verb in rule["verbs"]} == {"list"}
    assert {(one.group, one.kind) for one in (*KINDS, SCHEDULER_CONFIG)} == set(
        Intake()._taker_table()
    )


def test_the_script_gets_exactly_what_is_read() -> None:
    lines = re.findall(r"^print (\S+)", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(lines) == sorted([*(one.full_resource for one in KINDS), "configmap"])


def test_the_job_runs_alone_unprivileged_and_is_not_repeated() -> None:
    (cron,) = of_kind("CronJob")
    spec = cron["spec"]
    assert spec["concurrencyPolicy"] == "Forbid"
    assert spec["timeZone"]
    job = spec["jobTemplate"]["spec"]
    assert job["backoffLimit"] == 0
    pod = job["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["terminationGracePeriodSeconds"] >= 60
    (container,) = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    writable = {one["mountPath"] for one in container["volumeMounts"] if not one.get("readOnly")}
    config = parse_config(config_map()["nightly.yaml"], source="nightly.yaml")
    assert config.output in writable
    limit = container["args"][container["args"].index("--time-limit") + 1]
    assert limit.endswith("m")
    assert int(limit[:-1]) * 60 + config.inputs.timeout < job["activeDeadlineSeconds"]


def config_map() -> dict[str, Any]:
    (found,) = of_kind("ConfigMap")
    return {name: yaml.safe_load(text) for name, text in found["data"].items()}


def test_the_image_has_a_user_without_rights() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert "USER 10001:10001" in lines
    last_from = max(place for place, line in enumerate(lines) if line.startswith("FROM"))
    assert lines.index("USER 10001:10001") > last_from
    copied = {
        line.split()[-2] for line in lines if line.startswith("COPY") and "--from" not in line
    }
    for name in copied - {"LICENSE"}:
        assert (DEPLOY.parent / name).exists(), name


def test_the_sample_file_is_read_and_its_inputs_are_there() -> None:
    config = read_config(DEPLOY / "nightly.yaml")
    assert [str(one) for one in config.report_for][2:] == ["tenant eval", "service chat"]
    assert gather(config).given.snapshot.nodes


@pytest.fixture
def kubectl(tmp_path, monkeypatch) -> Path:
    """A kubectl that prints a tiny cluster and writes down how it was called."""
    tool = tmp_path / "bin" / "kubectl"
    tool.parent.mkdir()
    tool.write_text(KUBECTL)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("BROKEN", "")
    return tmp_path / "calls"


def test_the_export_script_only_gets_and_its_output_is_read(kubectl, tmp_path) -> None:
    config = parse_config(
        {"inputs": {"command": [str(SCRIPT)]}}, source="nightly.yaml", folder=tmp_path
    )
    given = gather(config).given
    assert [node.name for node in given.snapshot.nodes] == ["n"]
    calls = kubectl.read_text().splitlines()
    assert len(calls) > 10
    assert all(call.startswith("get ") for call in calls)


def test_the_export_script_fails_where_a_kind_cannot_be_read(kubectl, monkeypatch) -> None:
    monkeypatch.setenv("BROKEN", "pods is forbidden")
    done = subprocess.run([SCRIPT], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 1
    assert "pods is forbidden" in done.stderr
