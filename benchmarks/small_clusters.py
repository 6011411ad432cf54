"""Small clusters of 4 to 32 nodes with random pods and priorities: how many plans are proved within a second.

``python benchmarks/small_clusters.py [--instances 1000]``. The shapes are those of a published study of constraint
programming in a scheduler: nodes of one size, pods with random CPU and memory at 90 to 105 per cent of what the
cluster has, four priorities, some pods in replica sets. Every pod waits as a gang of one (a replica set of n: n gangs
alike). Seconds are those of the search, on one worker.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

SIZES = (4, 8, 16, 32)
PODS_PER_NODE = (4, 8)
USAGES = (0.90, 0.95, 1.00, 1.05)
PRIORITIES = 4
NODE_CPU_MILLI = 16_000
NODE_MEMORY = 64 << 30
LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Done:
    """One instance."""

    nodes: int
    proved: bool
    search_s: float
    cpu_s: float
    open_tiers: tuple[str, ...]


def instance(random: Random, nodes: int, per_node: int, usage: float) -> dict[str, Any]:
    """A list as kubectl prints it."""
    items: list[dict[str, Any]] = [_queue(), *(_node(f"n-{n:02}") for n in range(nodes))]
    items += [_priority(number) for number in range(PRIORITIES)]
    pods = nodes * per_node
    mean_cpu = usage * NODE_CPU_MILLI / per_node
    mean_memory = usage * NODE_MEMORY / per_node
    made = 0
    while made < pods:
        replicas = min(random.choice((1, 1, 2, 3, 4)), pods - made)
        cpu = max(int(random.uniform(0.3, 1.7) * mean_cpu) // 100 * 100, 100)
        memory = max(int(random.uniform(0.3, 1.7) * mean_memory) >> 26 << 26, 1 << 26)
        rank = random.randrange(PRIORITIES)
        for _ in range(replicas):
            items += _gang(f"w-{made:03}", rank, cpu, memory)
            made += 1
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _queue() -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "default"},
        "spec": {"weight": 1},
        "status": {"state": "Open"},
    }


def _node(name: str) -> dict[str, Any]:
    amounts = {"cpu": f"{NODE_CPU_MILLI}m", "memory": str(NODE_MEMORY), "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _priority(rank: int) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": f"p{rank}"},
        "value": 100 * rank,
    }


def _gang(name: str, rank: int, cpu: int, memory: int) -> list[dict[str, Any]]:
    group = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "s", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"minMember": 1, "queue": "default", "priorityClassName": f"p{rank}"},
        "status": {"phase": "Pending"},
    }
    requests = {"cpu": f"{cpu}m", "memory": str(memory)}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "s",
            "annotations": {"scheduling.k8s.io/group-name": name},
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {
            "schedulerName": "volcano",
            "priorityClassName": f"p{rank}",
            "containers": [{"name": "main", "resources": {"requests": requests}}],
        },
        "status": {"phase": "Pending"},
    }
    return [group, pod]


def measure(seed: int, folder: str, limit_s: float) -> Done:
    """Make and plan one instance."""
    import json
    from pathlib import Path

    from planner.problem.limits import Limits
    from planner.service.checked_input import read_checked
    from planner.service.planning import make_plan

    random = Random(seed)
    nodes = SIZES[seed % len(SIZES)]
    per_node = PODS_PER_NODE[seed // len(SIZES) % len(PODS_PER_NODE)]
    usage = USAGES[seed // len(SIZES) // len(PODS_PER_NODE) % len(USAGES)]
    path = Path(folder) / f"{seed}.json"
    path.write_text(json.dumps(instance(random, nodes, per_node, usage)), "utf-8")
    given = read_checked([path])
    path.unlink()
    limits = Limits(time_limit_s=limit_s, seed=seed, workers=1)
    cpu = time.process_time()
    plan = make_plan(given.snapshot, given.policy, limits, guard=False, baseline=False, fixes=False)
    tiers = plan.certificate.tiers
    return Done(
        nodes,
        all(tier.bound == tier.value for tier in tiers),
        plan.certificate.stages["solve"],
        time.process_time() - cpu,
        tuple(tier.name for tier in tiers if tier.bound != tier.value),
    )


def table(found: Sequence[Done]) -> Iterator[str]:
    """Markdown: one row per size."""
    yield "| nodes | instances | proved | share | median search, s | longest, s | median CPU seconds of a plan |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for nodes in (*SIZES, 0):
        some = [one for one in found if nodes in (0, one.nodes)]
        if not some:
            continue
        proved = sum(one.proved for one in some)
        yield (
            f"| {nodes or 'all'} | {len(some):,} | {proved:,} | {100 * proved / len(some):.1f} % | "
            f"{statistics.median(one.search_s for one in some):.2f} | {max(one.search_s for one in some):.2f} | "
            f"{statistics.median(one.cpu_s for one in some):.2f} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print Markdown, and which tiers stay open on standard error."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds of one search")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    options = parser.parse_args(arguments)
    found: list[Done] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.instances):
            found.append(measure(seed, folder, options.limit))
            if not found[-1].proved:
                print(f"seed {seed}: open {', '.join(found[-1].open_tiers)}", file=sys.stderr)
    for line in table(found):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
