"""Write a seeded cluster as a stripped ``kubectl get … -o json`` export.

Usage: ``python benchmarks/generate.py --nodes 1000 --gangs 300 --queues 12 --seed 1 --out cluster.json.gz``
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.describe import describe
from benchmarks.hardware import make_hosts, make_hyper_nodes
from benchmarks.residents import fill_with_cpu_work, make_residents
from benchmarks.spec import PODS_PER_NODE, ClusterSpec, KubeObject
from benchmarks.tenants import (
    make_priority_classes,
    make_queues,
    make_scheduler_config,
    make_tenants,
)
from benchmarks.waiting import make_waiting


def generate(spec: ClusterSpec) -> list[KubeObject]:
    """All objects of an instance, kind by kind.

    Raises
    ------
    ValueError
        More pods are asked for than fit, or fewer than the nodes and gangs need.
    """
    rng = random.Random(spec.seed)
    tenants = make_tenants(spec, rng)
    hosts, nodes = make_hosts(spec, rng)
    residents = make_residents(hosts, tenants, rng)
    free_gpus = sum(host.gpus for host in hosts if not host.broken)
    waiting = make_waiting(spec, tenants, free_gpus, rng)
    needed = len(residents.pods) + len(waiting.pods)
    wanted = spec.pods if spec.pods is not None else int(PODS_PER_NODE * spec.nodes)
    if spec.pods is not None and wanted < needed:
        raise ValueError(
            f"nodes and gangs need {needed:,} pods, more than the {wanted:,} asked for"
        )
    cpu_work = fill_with_cpu_work(hosts, max(0, wanted - needed), rng)
    queues = make_queues(spec, tenants, hosts, rng)
    return [
        *nodes,
        *residents.pods,
        *cpu_work,
        *waiting.pods,
        *residents.gangs,
        *waiting.groups,
        *waiting.jobs,
        *queues,
        *make_priority_classes(),
        make_scheduler_config(spec),
        *(make_hyper_nodes(nodes) if spec.topology else []),
    ]


def as_list(objects: Sequence[KubeObject]) -> KubeObject:
    """The objects as one ``kind: List``."""
    return {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": list(objects)}


def write(objects: Sequence[KubeObject], path: Path) -> None:
    """Write a ``kind: List``, one object per line; ``.gz`` compresses, without a time stamp."""
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in objects)
    text = f'{{"apiVersion":"v1","kind":"List","metadata":{{}},"items":[\n{lines}\n]}}\n'
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, compresslevel=6, mtime=0)
    path.write_bytes(data)


def parse(arguments: Sequence[str] | None = None) -> tuple[ClusterSpec, Path | None]:
    """Settings and output file from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=300, help="waiting gangs")
    parser.add_argument("--queues", type=int, default=12)
    parser.add_argument("--pods", type=int, help="pods in all, pending ones included")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queue-model", choices=("capacity", "proportion"), default="capacity")
    parser.add_argument("--hierarchy", action="store_true", help="queues below parents")
    parser.add_argument("--smallest", type=int, default=1, help="GPUs of the smallest waiting pod")
    parser.add_argument("--topology", action="store_true", help="HyperNodes and hard topology")
    parser.add_argument(
        "--topology-share",
        type=float,
        default=0.0,
        help="gangs with a topology, half hard, half soft",
    )
    parser.add_argument("--nodes-per-leaf", type=int, default=16)
    parser.add_argument(
        "--out", type=Path, help="FILE.json or FILE.json.gz; without it, figures only"
    )
    values = vars(parser.parse_args(arguments))
    out = values.pop("out")
    try:
        return ClusterSpec(**values), out
    except ValueError as error:
        parser.error(str(error))


def main() -> int:
    """Generate, describe and write one instance."""
    spec, out = parse()
    try:
        objects = generate(spec)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in describe(objects).lines():
        print(line)
    if out is not None:
        write(objects, out)
        print(f"wrote {out.stat().st_size / 1e6:,.1f} MB to {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
