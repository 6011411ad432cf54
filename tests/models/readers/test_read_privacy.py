"""Nothing but the allow-list reaches a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from models.readers import read_snapshot
from models.writers.snapshot_json import snapshot_to_json

SECRET = "hunter2"


def fat_pod(objects: Any) -> Any:
    box = {
        "name": "main",
        "image": f"registry/{SECRET}:1",
        "command": ["run", SECRET],
        "args": [SECRET],
        "env": [{"name": "TOKEN", "value": SECRET}],
        "envFrom": [{"secretRef": {"name": SECRET}}],
        "volumeMounts": [{"name": SECRET, "mountPath": "/"}],
        "livenessProbe": {"exec": {"command": [SECRET]}},
        "resources": {"limits": {"nvidia.com/gpu": 1}},
    }
    meta = {
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": SECRET,
            "example.org/token": SECRET,
            "volcano.sh/preemptable": "false",
            "gangplan.io/runtime": "1h",
        },
        "managedFields": [{"manager": SECRET}],
        "labels": {"app": "a", "env": "prod"},
    }
    spec = {
        "containers": [box],
        "initContainers": [box],
        "volumes": [{"name": SECRET, "secret": {"secretName": SECRET}}],
        "imagePullSecrets": [{"name": SECRET}],
        "serviceAccountName": SECRET,
        "hostname": SECRET,
    }
    status = {
        "message": SECRET,
        "podIP": SECRET,
        "containerStatuses": [{"image": SECRET, "restartCount": 1}],
    }
    return objects.pod("p", meta=meta, spec=spec, status=status)


def others(objects: Any) -> list[Any]:
    task = objects.task("main", 1)
    task["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": SECRET}]
    job = objects.job("j", task, plugins={"env": [SECRET]}, volumes=[{"mountPath": SECRET}])
    node = objects.node()
    node["spec"]["providerID"] = SECRET
    node["status"]["images"] = [{"names": [SECRET]}]
    node["status"]["nodeInfo"] = {"machineID": SECRET}
    config_map = objects.obj("ConfigMap", "v1", "c", "ml", data={"a": SECRET})
    return [job, node, config_map, objects.obj("Secret", "v1", "s", "ml", stringData={"a": SECRET})]


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_secrets_do_not_reach_a_snapshot(
    read: Any, objects: Any, tmp_path: Path, form: str
) -> None:
    items = [fat_pod(objects), *others(objects)]
    if form == "json":
        snapshot = read(*items)
    else:
        (tmp_path / "a.yaml").write_text(yaml.safe_dump({"kind": "List", "items": items}))
        snapshot = read_snapshot([tmp_path / "a.yaml"])
    assert SECRET not in repr(snapshot)
    assert SECRET.encode() not in snapshot_to_json(snapshot)
    (pod,) = snapshot.pods
    assert pod.annotations == {"gangplan.io/runtime": "1h", "volcano.sh/preemptable": "false"}
    assert pod.labels == {"app": "a", "env": "prod"}
    assert pod.restarts == 1
    assert not pod.preemptable
