"""Write objects as the files that the documented export command leaves: one per kind, as kubectl prints them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from data.export.fat import KubeObject
from data.export.world import World

HEAD = '{\n    "apiVersion": "v1",\n    "items": [\n'
TAIL = '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n'
EMPTY_KIND = "resourceclaims.resource.k8s.io"
"""The command asked for this kind too, but the cluster has no such CRD: the file is empty."""
OVERLAP_NAMESPACE = "nlp"


def write_files(world: World, folder: Path, *, only_namespace: str = "") -> list[Path]:
    """One JSON file per kind, a second export of one namespace, a YAML file with anchors, and an empty file.

    With ``only_namespace`` pods of other namespaces are missing, as for a user who may not list them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind, objects in sorted(world.objects.items()):
        listed = objects
        if kind == "pods" and only_namespace:
            listed = [one for one in objects if one["metadata"]["namespace"] == only_namespace]
        written.append(_write_list(folder / f"{kind}.json", listed))
    if not only_namespace:
        written.append(_write_overlap(world, folder / f"pods-{OVERLAP_NAMESPACE}.json"))
    written.append(_write_anchored(folder / "extra.yaml"))
    empty = folder / f"{EMPTY_KIND}.json"
    empty.write_bytes(b"")
    return [*written, empty]


def _write_list(path: Path, objects: Iterable[KubeObject]) -> Path:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEAD)
        for index, text in enumerate(_indented(objects)):
            file.write(",\n" * bool(index) + text)
        file.write(TAIL)
    return path


def _indented(objects: Iterable[KubeObject]) -> Iterator[str]:
    for one in objects:
        text = json.dumps(one, indent=4, sort_keys=True)
        yield "\n".join(f"        {line}" for line in text.split("\n"))


def _write_overlap(world: World, path: Path) -> Path:
    """The pods of one namespace once more, exported a little earlier: some were not bound yet."""
    pods = [
        one for one in world.objects["pods"] if one["metadata"]["namespace"] == OVERLAP_NAMESPACE
    ]
    older = copy.deepcopy(pods)
    for pod in [one for one in older if one["spec"].get("nodeName")][:2]:
        del pod["spec"]["nodeName"]
        pod["status"] = {"phase": "Pending"}
        pod["metadata"]["resourceVersion"] = str(int(pod["metadata"]["resourceVersion"]) - 40)
    return _write_list(path, [{"apiVersion": "v1", "kind": "List", "items": older}])


def _write_anchored(path: Path) -> Path:
    """Hand-kept manifests: anchors, several documents, Windows line ends, an older API version."""
    labels = {"team": "vision", "cost-center": "4711"}
    documents = [
        {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "vision", "labels": labels},
            "spec": {
                "minMember": 2,
                "queue": "vision",
                "minResources": {"cpu": "16", "memory": "128Gi", "nvidia.com/gpu": "2"},
            },
            "status": {"phase": "Pending"},
        }
        for name in ("manual-1", "manual-2")
    ]
    listing = {"apiVersion": "v1", "kind": "List", "items": documents}
    text = yaml.safe_dump(listing, sort_keys=False).replace("\n", "\r\n")
    path.write_bytes(text.encode())
    return path
