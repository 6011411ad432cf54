"""Write a made-up but realistic export of a Volcano cluster, as fat as kubectl prints it (about 60 MB at 500 nodes).

Usage: ``python data/make_export.py FOLDER [--nodes 500] [--seed 7] [--only-namespace NS] [--consistent]``

It holds one of everything that real exports hold: several GPU label schemes and none at all, unhealthy, cordoned and
lost nodes, DaemonSet, static, creating, terminating and finished pods, other schedulers' pods, terminal, restarting
and suspended Jobs, leftover PodGroups, overlapping files, a kind without CRD, and the usual mistakes of people.
``--only-namespace`` plays a user who may list the pods of one namespace only.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the parts importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data.export.files import write_files
from data.export.machines import hyper_nodes, make_hosts, node_object
from data.export.oddities import add_oddities
from data.export.system import add_daemons, add_ended, add_foreign_waiting, add_services
from data.export.tenants import add_queues, add_tenants
from data.export.work import JobPlan, add_running_job, add_waiting_job
from data.export.world import Shape, World

JOB_SHAPES = (
    ("pretrain", "pretrain", 8, Shape(22_000, 131_072, 8), "production"),
    ("nlp", "nlp", 4, Shape(64_000, 524_288, 4), "research"),
    ("vision", "vision", 4, Shape(16_000, 98_304, 2), "research"),
    ("eval", "eval", 8, Shape(8_000, 65_536, 1), "besteffort"),
)


def make_export(nodes: int, seed: int, *, consistent: bool = False) -> World:
    """All objects of a cluster with this many nodes; the same for the same arguments."""
    rng = random.Random(seed)
    world = World(make_hosts(nodes, rng), rng)
    add_daemons(world)
    add_services(world, cpu_pods=nodes * 5, gpu_pods=nodes // 5)
    add_oddities(world, consistent=consistent)
    _add_jobs(world, running=max(4, nodes // 4), waiting=max(4, nodes // 8))
    add_foreign_waiting(world, max(4, nodes // 20))
    add_ended(world, nodes * 2)
    gpus = sum(host.gpus for host in world.hosts)
    add_tenants(world)
    add_queues(world, gpus)
    world.add("nodes", *(node_object(host, rng) for host in world.hosts))
    world.add("hypernodes.topology.volcano.sh", *hyper_nodes(world.hosts))
    return world


def _add_jobs(world: World, *, running: int, waiting: int) -> None:
    for index in range(running + waiting):
        namespace, queue, replicas, shape, priority = JOB_SHAPES[index % len(JOB_SHAPES)]
        size = replicas * world.rng.choice((1, 1, 2))
        started = index < running
        plan = JobPlan(
            namespace,
            f"{queue}-{index:04}",
            queue,
            size,
            shape,
            priority_class=priority,
            min_available=size if index % 3 else size * 3 // 4,
            minutes=index - running,
            phase="Running" if started else world.rng.choice(("Pending", "Inqueue")),
            annotations={"gangplan.io/runtime": "6h"} if index % 5 == 0 else {},
        )
        if not (started and add_running_job(world, plan)):
            add_waiting_job(world, replace(plan, phase="Pending") if started else plan)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, write the files, say what was written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--only-namespace", default="", help="leave the pods of all other namespaces out"
    )
    parser.add_argument("--consistent", action="store_true", help="leave the half-listed gang out")
    options = parser.parse_args(arguments)
    if options.nodes < 6:
        parser.error("--nodes must be 6 or more: one of each pool")
    world = make_export(options.nodes, options.seed, consistent=options.consistent)
    paths = write_files(world, options.folder, only_namespace=options.only_namespace)
    size = sum(path.stat().st_size for path in paths)
    counts = ", ".join(
        f"{len(objects):,} {kind.partition('.')[0]}"
        for kind, objects in sorted(world.objects.items())
    )
    print(f"{options.folder}: {len(paths)} files, {size / 1e6:,.1f} MB: {counts}")


if __name__ == "__main__":
    main()
