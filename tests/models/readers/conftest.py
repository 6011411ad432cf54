"""Objects as kubectl prints them, in few words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.readers import read_snapshot
from models.snapshot import Snapshot

VOLCANO = "scheduling.volcano.sh/v1beta1"
Raw = dict[str, Any]


class Objects:
    """Makes raw objects."""

    def obj(self, kind: str, version: str, name: str, namespace: str = "", **fields: Any) -> Raw:
        meta = {
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            **fields.pop("meta", {}),
        }
        return {"apiVersion": version, "kind": kind, "metadata": meta, **fields}

    def node(self, name: str = "n1", gpus: int = 8, **meta: Any) -> Raw:
        amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
        return self.obj(
            "Node",
            "v1",
            name,
            meta={"labels": {"kubernetes.io/hostname": name}, **meta},
            spec={},
            status={"allocatable": amounts, "capacity": dict(amounts)},
        )

    def pod(self, name: str, namespace: str = "ml", gpus: int = 1, **options: Any) -> Raw:
        spec = {
            "schedulerName": options.pop("scheduler", "volcano"),
            "containers": [
                {"name": "main", "resources": {"requests": {"cpu": "4", "nvidia.com/gpu": gpus}}}
            ],
            **options.pop("spec", {}),
        }
        status = {"phase": options.pop("phase", "Pending"), **options.pop("status", {})}
        meta = dict(options.pop("meta", {}))
        if group := options.pop("group", ""):
            meta["annotations"] = {
                "scheduling.k8s.io/group-name": group,
                **meta.get("annotations", {}),
            }
        if owner := options.pop("owner", None):
            meta["ownerReferences"] = [{"kind": owner[0], "name": owner[1], "controller": True}]
        if node := options.pop("node", ""):
            spec["nodeName"] = node
        assert not options
        return self.obj("Pod", "v1", name, namespace, meta=meta, spec=spec, status=status)

    def group(self, name: str, minimum: int = 1, namespace: str = "ml", **options: Any) -> Raw:
        meta = dict(options.pop("meta", {}))
        if owner := options.pop("owner", None):
            meta["ownerReferences"] = [{"kind": owner[0], "name": owner[1], "controller": True}]
        status = options.pop("status", {"phase": "Inqueue"})
        return self.obj(
            "PodGroup",
            VOLCANO,
            name,
            namespace,
            meta=meta,
            spec={"minMember": minimum, **options},
            status=status,
        )

    def queue(self, name: str, **spec: Any) -> Raw:
        return self.obj("Queue", VOLCANO, name, spec=spec)

    def task(self, name: str, replicas: int, gpus: int = 8, **fields: Any) -> Raw:
        container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
        template = {"spec": {"containers": [container]}}
        return {"name": name, "replicas": replicas, "template": template, **fields}

    def job(
        self,
        name: str,
        *tasks: Raw,
        status: Raw | None = None,
        meta: Raw | None = None,
        **spec: Any,
    ) -> Raw:
        extra = {"status": status} if status else {}
        return self.obj(
            "Job",
            "batch.volcano.sh/v1alpha1",
            name,
            "ml",
            meta=meta or {},
            spec={"tasks": list(tasks), **spec},
            **extra,
        )


@pytest.fixture(scope="session")
def objects() -> Objects:
    return Objects()


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Snapshot]:
    """Write objects as one kubectl list and read it."""

    def run(*items: Raw) -> Snapshot:
        path = tmp_path / "export.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
        return read_snapshot([path])

    return run
