"""Clusters of one size whose nodes come in more or fewer kinds: a small cluster, copied until it is as large."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.generate import generate
from benchmarks.spec import ClusterSpec, KubeObject

HOST_LABEL = "kubernetes.io/hostname"


def cluster_of_kinds(spec: ClusterSpec, kinds: int) -> list[KubeObject]:
    """The cluster of ``spec`` with ``kinds`` nodes of its own; every node stands for as many copies as it takes.

    A copy has the same hardware and the same pods, which belong to the same gangs. Queues and waiting gangs are those
    of ``spec``.

    Raises
    ------
    ValueError
        The nodes cannot be divided into so many kinds of the same size.
    """
    copies, rest = divmod(spec.nodes, kinds)
    if rest or not copies:
        raise ValueError(f"{spec.nodes:,} nodes are not divided into {kinds:,} kinds")
    small = generate(replace(spec, nodes=kinds, gangs=1))
    nodes = [one for one in small if one["kind"] == "Node"]
    running = [one for one in small if one.get("spec", {}).get("nodeName")]
    groups = [one for one in small if _is_running(one)]
    copied = [_copy(one, number) for one in (*nodes, *running) for number in range(copies)]
    return [*copied, *groups, *_others(generate(spec))]


def _others(objects: Sequence[KubeObject]) -> Iterator[KubeObject]:
    """Queues, waiting gangs with their pods, classes and configuration."""
    for one in objects:
        if (
            one["kind"] != "Node"
            and not one.get("spec", {}).get("nodeName")
            and not _is_running(one)
        ):
            yield one


def _is_running(one: KubeObject) -> bool:
    return one["kind"] == "PodGroup" and one["status"]["phase"] == "Running"


def _copy(one: KubeObject, number: int) -> KubeObject:
    """Copy ``number`` of a node, or of a pod that runs on it."""
    found: KubeObject = copy.deepcopy(one)
    found["metadata"]["name"] += f"-{number}"
    if one["kind"] == "Pod":
        found["spec"]["nodeName"] += f"-{number}"
    elif HOST_LABEL in found["metadata"].get("labels", {}):
        found["metadata"]["labels"][HOST_LABEL] = found["metadata"]["name"]
    return found
