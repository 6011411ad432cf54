"""What kubectl prints around the fields that matter: managedFields, images, environment, volumes, statuses."""

from __future__ import annotations

import hashlib
import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

KubeObject = dict[str, Any]
DAY = datetime(2026, 9, 14, 6, 0, tzinfo=UTC)
SECRET_MARK = "do-not-keep"
"""Part of every value that a reader must drop: secrets in the environment, commands, applied manifests."""

IMAGES = (
    "registry.example/train/pytorch",
    "registry.example/eval/harness",
    "registry.example/serve/triton",
    "registry.example/web/api",
    "registry.example/data/loader",
    "registry.example/base/cuda",
)


def stamp(minutes: float) -> str:
    """RFC 3339 time, minutes after the morning of the export's day."""
    return (DAY + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def uid(*names: object) -> str:
    """The same UUID-like text for the same names."""
    digest = hashlib.sha256("/".join(map(str, names)).encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"


def tag(length: int, *names: object) -> str:
    """A suffix as controllers append it to names."""
    return uid(*names).replace("-", "")[:length]


def version_of(*names: object) -> str:
    """A stable ``resourceVersion``."""
    return str(800_000_000 + int(uid(*names)[:6], 16))


def metadata(
    kind: str, name: str, namespace: str = "", *, minutes: float = 0, **more: Any
) -> KubeObject:
    """``metadata`` as an API server fills it; ``more`` holds labels, annotations, owners, deletion."""
    found: KubeObject = {
        "creationTimestamp": stamp(minutes),
        "managedFields": managed_fields(kind, minutes),
        "name": name,
        "resourceVersion": version_of(kind, namespace, name),
        "uid": uid(kind, namespace, name),
    }
    if namespace:
        found["namespace"] = namespace
    found.update({key: value for key, value in more.items() if value})
    return found


def managed_fields(kind: str, minutes: float) -> list[KubeObject]:
    """Field ownership, which is most of what kubectl prints for small objects."""
    labels = {".": {}, "f:app": {}, "f:app.kubernetes.io/name": {}}
    paths = {
        "f:conditions": {'k:{"type":"Ready"}': {".": {}, "f:status": {}, "f:type": {}}},
        "f:phase": {},
        "f:startTime": {},
    }
    container = {"f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:resources": {}}
    spec = {"f:containers": {'k:{"name":"main"}': container}}
    entries = (
        ("kube-controller-manager", {"f:metadata": {"f:labels": labels}, "f:spec": spec}),
        ("kubelet", {"f:status": paths}),
    )
    return [
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
            "manager": manager if kind != "Node" else f"{manager}-node",
            "operation": "Update",
            "time": stamp(minutes + 1),
        }
        for manager, fields in entries
    ]


def applied(kind: str, name: str) -> dict[str, str]:
    """The annotation of ``kubectl apply`` with the whole manifest, secrets and all."""
    manifest = {
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"token": f"{SECRET_MARK}-{uid(name)}"},
    }
    return {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(manifest)}


def image_list(rng: random.Random, count: int = 30) -> list[KubeObject]:
    """``status.images`` of a node."""
    found = []
    for _ in range(count):
        name = rng.choice(IMAGES)
        digest = f"{rng.getrandbits(256):064x}"
        names = [f"{name}@sha256:{digest}", f"{name}:v{rng.randrange(1, 90)}.{rng.randrange(10)}"]
        found.append({"names": names, "sizeBytes": rng.randrange(10**7, 2 * 10**10)})
    return found


def environment(name: str) -> list[KubeObject]:
    """Environment of a container: settings, references, and a secret somebody wrote in plain text."""
    plain = {
        "NCCL_DEBUG": "INFO",
        "DATA_ROOT": f"s3://datasets/{name}/shards",
        "DB_PASSWORD": f"{SECRET_MARK}-{uid('password', name)}",
        "HF_TOKEN": f"{SECRET_MARK}-{uid('token', name)}",
    }
    found: list[KubeObject] = [{"name": key, "value": value} for key, value in plain.items()]
    reference = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}
    found.append({"name": "POD_NAME", "valueFrom": reference})
    return found


def container(
    name: str, requests: dict[str, str], *, limits: dict[str, str] | None = None
) -> KubeObject:
    """The one container of a pod; extended resources are limited to what is requested unless said otherwise."""
    extended = {key: value for key, value in requests.items() if "/" in key}
    return {
        "args": [f"--run={name}", f"--secret={SECRET_MARK}-{uid('argument', name)}"],
        "command": ["/opt/run/entrypoint.sh"],
        "env": environment(name),
        "image": f"{IMAGES[len(name) % len(IMAGES)]}:v3.2",
        "imagePullPolicy": "IfNotPresent",
        "name": "main",
        "resources": {"limits": extended if limits is None else limits, "requests": requests},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "name": "api",
                "readOnly": True,
            },
            {"mountPath": "/dev/shm", "name": "shm"},
        ],
    }


def volumes() -> list[KubeObject]:
    """Volumes that bind a pod to no node."""
    token = {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
    root = {
        "configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}
    }
    return [
        {"name": "api", "projected": {"defaultMode": 420, "sources": [token, root]}},
        {"emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}, "name": "shm"},
    ]


def pod_status(pod: str, phase: str, minutes: float, *, node: str, reason: str = "") -> KubeObject:
    """Status of a pod in a phase; ``reason`` such as Evicted or ContainerCreating."""
    bound = bool(node)
    conditions = [
        {
            "lastProbeTime": None,
            "lastTransitionTime": stamp(minutes),
            "status": str(bound),
            "type": "PodScheduled",
        }
    ]
    if not bound:
        conditions[0] |= {
            "message": "0/500 nodes are available: 500 Insufficient nvidia.com/gpu.",
            "reason": "Unschedulable",
        }
        return {"conditions": conditions, "phase": "Pending", "qosClass": "Burstable"}
    for kind in ("Initialized", "Ready"):
        ready = phase == "Running" or kind == "Initialized"
        conditions.append(
            {
                "lastProbeTime": None,
                "lastTransitionTime": stamp(minutes + 1),
                "status": str(ready),
                "type": kind,
            }
        )
    states = {
        "Running": {"running": {"startedAt": stamp(minutes + 1)}},
        "Pending": {"waiting": {"reason": reason or "ContainerCreating"}},
    }
    ended = {
        "terminated": {
            "exitCode": int(phase == "Failed"),
            "finishedAt": stamp(minutes + 90),
            "reason": phase,
        }
    }
    return {
        "conditions": conditions,
        "containerStatuses": [
            {
                "containerID": f"containerd://{uid(pod)}{uid(pod, 1)}",
                "image": IMAGES[0],
                "imageID": f"{IMAGES[0]}@sha256:{uid(pod, 2)}",
                "lastState": {},
                "name": "main",
                "ready": phase == "Running",
                "restartCount": 0,
                "started": phase == "Running",
                "state": states.get(phase, ended),
            }
        ],
        "hostIP": "10.1.2.3",
        "hostIPs": [{"ip": "10.1.2.3"}],
        "phase": phase,
        "podIP": "10.128.4.5",
        "podIPs": [{"ip": "10.128.4.5"}],
        "qosClass": "Burstable",
        "startTime": stamp(minutes),
        **({"reason": reason} if reason and phase == "Failed" else {}),
    }
