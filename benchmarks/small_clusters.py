"""Small clusters of 4 to 32 nodes with random pods and priorities: how many plans are proved within a second.

``python benchmarks/small_clusters.py [--instances 1000] [--first SEED]``. The shapes are those of a published study of
constraint programming in a scheduler plugin (Christensen, Giallorenzo, Mauro, "Priority Matters", 2025, and the
generator in its repository): 4, 8, 16 or 32 nodes of one size, 4 or 8 pods per node, replica sets of one to four pods
with 100m to 1000m CPU and 100 MB to 1000 MB memory, one, two or four priorities, and nodes just so large that all pods
ask for 90, 95, 100 or 105 per cent of them. Numbers are drawn anew, not taken over. Every pod waits as a gang of one:
nothing runs that would have to move. Seconds are wall seconds of the search, on one worker.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

SIZES = (4, 8, 16, 32)
PODS_PER_NODE = (4, 8)
PRIORITIES = (1, 2, 4)
USAGES = (0.90, 0.95, 1.00, 1.05)
REPLICAS = (1, 4)
CPU_MILLI = (100, 1_000)
MEMORY = (100_000_000, 1_000_000_000)
LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Shape:
    """What an instance is drawn for."""

    nodes: int
    per_node: int
    priorities: int
    usage: float

    @classmethod
    def of(cls, seed: int) -> Shape:
        """Seeds go through all combinations in turn."""
        rest, size = divmod(seed, len(SIZES))
        rest, per_node = divmod(rest, len(PODS_PER_NODE))
        rest, priorities = divmod(rest, len(PRIORITIES))
        usage = USAGES[rest % len(USAGES)]
        return cls(SIZES[size], PODS_PER_NODE[per_node], PRIORITIES[priorities], usage)


@dataclass(frozen=True, slots=True)
class Done:
    """One instance; ``greedy`` and ``gangs`` are the pods that a greedy scheduler and the plan start."""

    shape: Shape
    pods: int
    greedy: int
    gangs: int
    proved: bool
    search_s: float
    plan_s: float
    cpu_s: float
    open_tiers: tuple[str, ...]


def instance(random: Random, shape: Shape) -> dict[str, Any]:
    """A list as kubectl prints it."""
    sets: list[tuple[int, int, int, int]] = []
    left = shape.nodes * shape.per_node
    while left:
        replicas = min(random.randint(*REPLICAS), left)
        left -= replicas
        rank = random.randint(1, shape.priorities)
        sets.append((replicas, random.randint(*CPU_MILLI), random.randint(*MEMORY), rank))
    cpu = _of_node([(count, cpu) for count, cpu, _, _ in sets], shape)
    memory = _of_node([(count, memory) for count, _, memory, _ in sets], shape)
    items: list[dict[str, Any]] = [_queue()]
    items += [_node(f"n-{n:02}", cpu, memory) for n in range(shape.nodes)]
    items += [_priority(rank) for rank in range(1, shape.priorities + 1)]
    names = (f"w-{number:03}" for number in range(shape.nodes * shape.per_node))
    for replicas, cpu, memory, rank in sets:
        for _ in range(replicas):
            items += _gang(next(names), rank, cpu, memory)
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _of_node(asked: Sequence[tuple[int, int]], shape: Shape) -> int:
    """What a node has, so that the pods ask for the usage; at least what the largest pod asks for."""
    total = math.ceil(sum(count * amount for count, amount in asked) / shape.usage)
    return max(math.ceil(total / shape.nodes), *(amount for _, amount in asked))


def _queue() -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "default"},
        "spec": {"weight": 1},
        "status": {"state": "Open"},
    }


def _node(name: str, cpu: int, memory: int) -> dict[str, Any]:
    amounts = {"cpu": f"{cpu}m", "memory": str(memory), "pods": "110"}
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


def measure(seed: int, folder: str, limit_s: float, *, guard: bool) -> Done:
    """Make and plan one instance."""
    from pathlib import Path

    from planner.problem.limits import Limits
    from planner.usecases.inputs.checked_input import read_checked
    from planner.usecases.planning import make_plan

    shape = Shape.of(seed)
    path = Path(folder) / f"{seed}.json"
    path.write_text(json.dumps(instance(Random(seed), shape)), "utf-8")
    given = read_checked([path])
    path.unlink()
    limits = Limits(time_limit_s=limit_s, seed=seed, workers=1)
    cpu, wall = time.process_time(), time.perf_counter()
    plan = make_plan(given.snapshot, given.policy, limits, guard=guard, baseline=True, fixes=False)
    tiers = plan.certificate.tiers
    greedy = 0 if plan.baseline is None else plan.baseline.gangs_started
    return Done(
        shape,
        shape.nodes * shape.per_node,
        greedy,
        plan.summary.gangs_started,
        all(tier.bound == tier.value for tier in tiers),
        plan.certificate.stage_seconds()["solve"],
        time.perf_counter() - wall,
        time.process_time() - cpu,
        tuple(tier.name for tier in tiers if tier.bound != tier.value),
    )


COLUMNS = (
    "instances",
    "proved",
    "share",
    "the same where greedy leaves pods",
    "median search, s",
    "longest, s",
    "longest plan, s",
    "median CPU seconds of a plan",
)


def table(found: Sequence[Done]) -> Iterator[str]:
    """Markdown: a row per size, pods per node, priorities and usage."""
    yield f"| shape | {' | '.join(COLUMNS)} |"
    yield "|---|" + "---:|" * len(COLUMNS)
    for title, chosen in _rows():
        some = [one for one in found if chosen(one.shape)]
        if some:
            yield f"| {title} | {' | '.join(_cells(some))} |"


def _rows() -> Iterator[tuple[str, Callable[[Shape], bool]]]:
    for nodes in SIZES:
        yield f"{nodes} nodes", lambda shape, nodes=nodes: shape.nodes == nodes
    for pods in PODS_PER_NODE:
        yield f"{pods} pods per node", lambda shape, pods=pods: shape.per_node == pods
    for count in PRIORITIES:
        yield f"priorities: {count}", lambda shape, count=count: shape.priorities == count
    for usage in USAGES:
        yield f"{100 * usage:.0f} % asked for", lambda shape, usage=usage: shape.usage == usage
    yield "all", lambda shape: True


def _cells(some: Sequence[Done]) -> Iterator[str]:
    hard = [one for one in some if one.greedy < one.pods]
    yield f"{len(some):,}"
    yield f"{sum(one.proved for one in some):,}"
    yield _share(some)
    yield f"{_share(hard)} of {len(hard):,}"
    yield f"{statistics.median(one.search_s for one in some):.2f}"
    yield f"{max(one.search_s for one in some):.2f}"
    yield f"{max(one.plan_s for one in some):.2f}"
    yield f"{statistics.median(one.cpu_s for one in some):.2f}"


def _share(some: Sequence[Done]) -> str:
    if not some:
        return "–"
    return f"{100 * sum(one.proved for one in some) / len(some):.1f} %"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print Markdown, and which tiers stay open on standard error."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds of one search")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--guard", action="store_true", help="search in a child process")
    options = parser.parse_args(arguments)
    found: list[Done] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.instances):
            found.append(measure(seed, folder, options.limit, guard=options.guard))
            if not found[-1].proved:
                print(
                    f"seed {seed} ({found[-1].shape}): open {', '.join(found[-1].open_tiers)}; "
                    f"{found[-1].gangs} of {found[-1].pods} pods, greedy {found[-1].greedy}",
                    file=sys.stderr,
                )
    for line in table(found):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
