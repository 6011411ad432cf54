"""Placement problems of the benchmark's distributions made directly, where Kubernetes objects would only cost time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.hardware import Host, make_hosts
from benchmarks.residents import (
    CPU_HOG_SHARE,
    DAEMON,
    HOG_LEAVES_CPU,
    parts_for,
    put,
    shape_for,
)
from benchmarks.spec import MODEL_LABEL, PRIORITIES, ClusterSpec, Shape
from benchmarks.tenants import (
    CAPABILITY_FACTOR,
    CAPPED_SHARE,
    DESERVED_SHARE,
    Tenant,
    make_tenants,
)
from benchmarks.waiting import DEMAND_FACTOR, SIZES, WaitingGang, size_weights, waiting_gang
from planner.problem.placement import (
    BoolArray,
    Demand,
    IntArray,
    Item,
    PlacementProblem,
    Standing,
)

MIB = 1 << 20
PODS_PER_NODE = 109
"""Pods that a node takes beside its DaemonSet pod."""

ShapeKey = tuple[Shape, str, bool]
"""Request, GPU model that is asked for ("" = any), whether the taint is tolerated."""


@dataclass
class _Shapes:
    """Shapes in the order in which gangs ask for them first."""

    numbers: dict[ShapeKey, int] = field(default_factory=dict)

    def number(self, key: ShapeKey) -> int:
        """Index of a shape, new or known."""
        return self.numbers.setdefault(key, len(self.numbers))


def scale_problem(spec: ClusterSpec) -> tuple[PlacementProblem, tuple[Standing, ...]]:
    """A cluster with GPUs, CPU and memory in use as in ``generate.py``, its waiting gangs, and their standings.

    Simpler than a whole cluster: queues have deserved GPUs and caps, no guarantees; a gang is covered while the gangs
    of its queue up to it, in order of priority, fit into what the queue deserves.
    """
    rng = random.Random(spec.seed)
    tenants = make_tenants(spec, rng)
    hosts, _ = make_hosts(spec, rng)
    _occupy(hosts, tenants, rng)
    free = sum(host.gpus for host in hosts if not host.broken)
    weights = size_weights(SIZES, DEMAND_FACTOR * free / spec.gangs)
    loads = [tenant.waiting_load for tenant in tenants]
    gangs = []
    for number in range(spec.gangs):
        gpus = rng.choices(SIZES, weights)[0]
        tenant = rng.choices(tenants, loads)[0]
        gangs.append(waiting_gang(spec, f"exp-{number:05d}", tenant, gpus, rng))
    return _problem(hosts, tenants, gangs, rng)


def _occupy(hosts: Sequence[Host], tenants: Sequence[Tenant], rng: random.Random) -> None:
    """What runs on the hosts; its GPUs count for queues drawn by their load."""
    loads = [tenant.running_load for tenant in tenants]
    for host in hosts:
        put(host, DAEMON)
        for size in () if host.broken else parts_for(host, rng):
            shape = shape_for(host, size, rng)
            if shape is not None:
                put(host, shape)
                rng.choices(tenants, loads)[0].takes(shape)
        if 0 < host.gpus < host.machine.gpus and rng.random() < CPU_HOG_SHARE:
            host.cpu_milli = min(host.cpu_milli, rng.choice(HOG_LEAVES_CPU))


def _problem(
    hosts: Sequence[Host],
    tenants: Sequence[Tenant],
    gangs: Sequence[WaitingGang],
    rng: random.Random,
) -> tuple[PlacementProblem, tuple[Standing, ...]]:
    shapes = _Shapes()
    queues = {tenant.name: number for number, tenant in enumerate(tenants)}
    demands = [_demand(number, gang, queues, shapes) for number, gang in enumerate(gangs)]
    keys = list(shapes.numbers)
    requests = np.array([_vector(shape) for shape, _, _ in keys], dtype=np.int64)
    total = sum(host.machine.gpus for host in hosts)
    weights = sum(tenant.weight for tenant in tenants)
    deserved = {
        number: int(DESERVED_SHARE * total * tenant.weight / weights)
        for number, tenant in enumerate(tenants)
    }
    room = {
        number: np.array(
            [max(int(CAPABILITY_FACTOR * deserved[number]) - tenant.gpus, 0), -1, -1, -1]
            if rng.random() < CAPPED_SHARE
            else [-1, -1, -1, -1],
            dtype=np.int64,
        )
        for number, tenant in enumerate(tenants)
    }
    free = np.array(
        [[h.gpus, h.cpu_milli, h.memory_mib * MIB, PODS_PER_NODE] for h in hosts], dtype=np.int64
    )
    node_gpus = np.array([host.machine.gpus for host in hosts], dtype=np.int64)
    problem = PlacementProblem(
        dimensions=("gpu", "cpu", "memory", "pods"),
        node_names=tuple(host.name for host in hosts),
        free=free,
        requests=requests,
        admits=_admits(keys, hosts),
        shape_gpus=requests[:, 0].copy(),
        node_gpus=node_gpus,
        node_has_gpu_pods=free[:, 0] < node_gpus,
        gang_names=tuple(f"{gang.tenant.namespace}/{gang.name}" for gang in gangs),
        gang_order=tuple((f"{gang.minute:06d}", gang.name) for gang in gangs),
        demands=tuple(_with_minimum(one, requests) for one in demands),
        queue_names=tuple(tenant.name for tenant in tenants),
        queue_room=room,
        deserved_milli_gpus={number: 1000 * gpus for number, gpus in deserved.items()},
        running_gpus={number: tenant.gpus for number, tenant in enumerate(tenants)},
    )
    return problem, _standings(problem, gangs, deserved)


def _vector(shape: Shape) -> list[int]:
    return [shape.gpus, shape.cpu_milli, shape.memory_mib * MIB, 1]


def _demand(number: int, gang: WaitingGang, queues: dict[str, int], shapes: _Shapes) -> Demand:
    model = gang.pod_spec.get("nodeSelector", {}).get(MODEL_LABEL, "")
    tolerates = bool(gang.pod_spec.get("tolerations"))
    items = tuple(
        Item(role, shapes.number((shape, model, tolerates)), replicas)
        for role, (shape, _, replicas) in gang.roles.items()
    )
    several = len(gang.roles) > 1
    queue = queues[gang.tenant.name]
    return Demand(
        gang=number,
        items=items,
        ready=False,
        need=gang.minimum,
        role_need=tuple((r, least) for r, (_, least, _) in gang.roles.items()) if several else (),
        gpus=sum(shape.gpus * least for shape, least, _ in gang.roles.values()),
        queue=queue,
        queue_chain=(queue,),
    )


def _with_minimum(demand: Demand, requests: IntArray) -> Demand:
    needs = dict(demand.role_need)
    least = np.zeros(requests.shape[1], dtype=np.int64)
    for item in demand.items:
        least += requests[item.shape] * needs.get(item.role, demand.need)
    return replace(demand, minimum=tuple(least.tolist()))


def _admits(keys: Sequence[ShapeKey], hosts: Sequence[Host]) -> BoolArray:
    models = np.array([host.machine.model for host in hosts])
    tainted = np.array([host.research for host in hosts])
    closed = np.array([host.broken for host in hosts])
    return np.array(
        [
            ~closed & (tolerates | ~tainted) & ((models == model) if model else True)
            for _, model, tolerates in keys
        ]
    )


def _standings(
    problem: PlacementProblem, gangs: Sequence[WaitingGang], deserved: dict[int, int]
) -> tuple[Standing, ...]:
    """Ranks by priority inside each queue; covered while the queue's deserved GPUs last."""
    fitting = [
        number
        for number, demand in enumerate(problem.demands)
        if all(problem.admits[item.shape].any() for item in demand.items)
    ]
    found: dict[int, Standing] = {}
    used = dict(problem.running_gpus)
    ranks: dict[int, list[int]] = {}
    fitting.sort(key=lambda n: (-PRIORITIES[gangs[n].priority], problem.gang_order[n]))
    for number in fitting:
        demand, value = problem.demands[number], PRIORITIES[gangs[number].priority]
        known = ranks.setdefault(demand.queue, [])
        if value not in known:
            known.append(value)
        used[demand.queue] += demand.gpus
        covered = used[demand.queue] <= deserved[demand.queue]
        found[number] = Standing(number, "covered" if covered else "rest", known.index(value) + 1)
    return tuple(found[number] for number in sorted(found))
