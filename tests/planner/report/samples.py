"""Plan documents as a planner would write them, small and large, made without one."""

from __future__ import annotations

import random

from models.plan import (
    Baseline,
    Certificate,
    FindingEntry,
    GangEntry,
    NodeEntry,
    PlanResult,
    PodGroupEntry,
    QueueEntry,
    Reason,
    SnapshotEntry,
    Summary,
    Tier,
    Verification,
    stage_entries,
)
from models.resources import Resources

GPU = "nvidia.com/gpu"
GIB = 1024**3


def amounts(gpus: int, *, cpu_per_gpu: int = 12_000, gib_per_gpu: int = 96) -> Resources:
    return Resources(
        {GPU: gpus, "cpu": gpus * cpu_per_gpu, "memory": gpus * gib_per_gpu * GIB, "pods": gpus}
    )


def node(name: str, model: str, before: int, after: int, *, conditions=(), gpus: int = 8):
    whole = Resources({GPU: gpus, "cpu": 128_000, "memory": 1_024 * GIB, "pods": 110})
    return NodeEntry(
        name=name,
        node_class=f"{model.lower()}-8",
        pool=model.split("-")[0].lower(),
        domain="spine-1/leaf-1",
        gpu_model=model,
        allocatable=whole,
        before=amounts(before),
        after=amounts(after),
        conditions=conditions,
    )


def pods(action: str, where: dict[str, int], gang: str, role: str = "worker"):
    made, entries = 0, []
    for name, count in where.items():
        names = tuple(f"{gang}-{role}-{made + place}" for place in range(count))
        entries.append(PodGroupEntry(role=role, action=action, node=name, count=count, names=names))
        made += count
    return tuple(entries)


def gang(name: str, queue: str, decision: str, *, minimum: int, gpus: int, where=None, **more):
    namespace = name.split("/")[0]
    action = "keep" if decision == "keep" else "place"
    entries = pods(action, where or {}, name)
    placed = sum(entry.count for entry in entries)
    return GangEntry(
        namespace=namespace,
        name=name.split("/")[1],
        kind="Job",
        queue=queue,
        priority=more.pop("priority", 100),
        min_member=minimum,
        decision=decision,
        pods=entries,
        gpus=gpus,
        pods_before=placed if decision == "keep" else 0,
        pods_after=placed,
        created=more.pop("created", "2026-11-28T20:00:00Z"),
        **more,
    )


def demo_plan() -> PlanResult:
    h100 = [f"h100-{index:02d}" for index in range(1, 7)]
    a100 = [f"a100-{index:02d}" for index in range(1, 4)]
    nodes = (
        *(node(name, "H100-80GB", 8, 8) for name in h100[:2]),
        *(node(name, "H100-80GB", 0, 8) for name in h100[2:4]),
        node(h100[4], "H100-80GB", 4, 6),
        node(h100[5], "H100-80GB", 0, 0),
        node(a100[0], "A100-40GB", 2, 6),
        node(a100[1], "A100-40GB", 8, 8),
        node(a100[2], "A100-40GB", 1, 1, conditions=("unschedulable",)),
        NodeEntry(
            name="cpu-01",
            node_class="cpu",
            allocatable=Resources({"cpu": 64_000, "memory": 256 * GIB, "pods": 110}),
            before=Resources({"cpu": 4_000, "memory": 8 * GIB, "pods": 9}),
            after=Resources({"cpu": 4_000, "memory": 8 * GIB, "pods": 9}),
        ),
    )
    return PlanResult(
        summary=Summary(
            sentence=(
                "3 of 5 waiting gangs can start now; 53 of 72 GPUs allocated (73.6 %, now 43.1 %). Proved optimal in "
                "1.8 s. Verified: 0 violations."
            ),
            gpus_allocatable=72,
            gpus_before=31,
            gpus_after=53,
            gangs_started=3,
            gangs_waiting=2,
            gangs_unsupported=1,
            pods_placed=12,
        ),
        snapshot=SnapshotEntry(
            as_of="2026-11-29T08:15:00Z",
            digest="sha256:4f0c1d9a77e3b2450d11c0ffee8899aa00112233445566778899aabbccddeeff",
            sources=("nodes.json", "pods.json", "podgroups.json", "queues.json"),
            nodes=10,
            pods=61,
            node_classes=6,
            gang_classes=7,
            findings=demo_findings(),
            missing_kinds={"HyperNode": "no topology rule is checked"},
            ignored={"Event": 214, "ConfigMap": 3},
        ),
        policy=demo_policy(),
        certificate=demo_certificate(),
        verification=Verification(rules=13),
        gangs=demo_gangs(),
        queues=demo_queues(),
        nodes=nodes,
        baseline=Baseline(gpus_after=45, gangs_started=2, node_order="tightest fit"),
    )


def demo_findings():
    return (
        FindingEntry(
            code="queue_capability_below_deserved",
            severity="warning",
            object="queue/eval",
            message="capability 16 GPUs is below deserved 20 GPUs; 16 GPUs count",
            remedy="raise spec.capability or lower spec.deserved",
        ),
        FindingEntry(
            code="pod_unknown_gang",
            severity="error",
            object="pod/eval/orphan-0",
            message="names PodGroup eval/orphan, which the export does not hold",
            remedy="export podgroups.scheduling.volcano.sh with -A",
        ),
        FindingEntry(
            code="no_hypernodes", severity="info", object="snapshot", message="no HyperNode found"
        ),
    )


def demo_policy():
    return {
        "queue_model": {"value": "capacity", "origin": "scheduler ConfigMap"},
        "evict": {"value": [], "origin": "default"},
        "scheduler_names": {"value": ["volcano"], "origin": "file"},
        "gpu_models": {
            "value": {"label_keys": [], "names": {}, "resource_names": []},
            "origin": "default",
        },
    }


def demo_certificate() -> Certificate:
    def tier(name, sense, unit, value, bound=None, seconds=0.1, **more):
        proved = value if bound is None else bound
        gap = abs(proved - value) / max(1, abs(value))
        return Tier(
            name=name, sense=sense, unit=unit, value=value, bound=proved, gap=gap,
            seconds=seconds, backend="cpsat", **more,
        )  # fmt: skip

    return Certificate(
        status="OPTIMAL",
        tiers=(
            tier("covered.1.shortfall", "min", "points", 1_250, seconds=0.4),
            tier("covered.1.gpus", "max", "GPUs", 20, seconds=0.6),
            tier("covered.1.gangs", "max", "gangs", 2),
            tier("rest.1.gpus", "max", "GPUs", 2),
            tier("elastic", "max", "pods", 0),
            tier("packing", "max", "GPUs", 8, 9, conditional=False, seconds=0.5),
        ),
        properties="proved",
        reproducible=True,
        seconds=1.83,
        stages=stage_entries(
            {"read": 0.12, "prepare": 0.05, "solve": 1.5, "verify": 0.1, "explain": 0.06}
        ),
        seed=0,
        workers=2,
        deterministic=True,
        versions={"gangplan": "0.1.0", "ortools": "9.15.6755", "python": "3.11.7"},
        policy_digest="sha256:aa11bb22cc33dd44",
    )


def demo_gangs():
    return (
        gang("online/chat", "online", "keep", minimum=1, gpus=8,
             where={"h100-05": 4, "a100-01": 2, "a100-03": 1}),
        gang("pre/llama-8b", "pretrain", "keep", minimum=16, gpus=16,
             where={"h100-01": 8, "h100-02": 8}),
        gang("eval/mmlu", "eval", "keep", minimum=8, gpus=8, where={"a100-02": 8}),
        gang("pre/llama-70b", "pretrain", "start", minimum=16, gpus=16, priority=1000,
             where={"h100-03": 8, "h100-04": 8}, startable=True, tier_class="covered", rank=1),
        gang("eval/humaneval", "eval", "start", minimum=4, gpus=4, where={"a100-01": 4},
             startable=True, tier_class="covered", rank=1),
        gang("eval/smoke", "eval", "start", minimum=2, gpus=2, where={"h100-05": 2},
             startable=True, tier_class="rest", rank=1),
        gang("pre/moe-24", "pretrain", "wait", minimum=24, gpus=24, created="2026-11-27T06:30:00Z",
             reasons=(
                 Reason(code="fragmentation",
                        message="needs 3 whole nodes of 8 H100-80GB; 1 is free, 2 more GPUs lie in fragments",
                        data={"nodesNeeded": 3, "nodesFree": 1, "fragmentGpus": 2}),
                 Reason(code="quota", message="queue pretrain has 32 of 40 GPUs left to its limit",
                        data={"limit": 40, "used": 32}),
             ), startable=False),
        gang("eval/mig-probe", "eval", "wait", minimum=1, gpus=1, priority=10,
             reasons=(Reason(code="unsupported", message="requires hard topology (rule I6)"),)),
    )  # fmt: skip


def demo_queues():
    def queue(name, weight, deserved, before, after, waiting, started, **more):
        return QueueEntry(
            name=name, weight=weight, parent="root", deserved=amounts(deserved),
            before=amounts(before), after=amounts(after), requested=amounts(after + 8),
            borrowed=amounts(max(0, after - deserved)), lent=amounts(max(0, deserved - after)),
            limit=Resources({GPU: deserved + 8}), gangs_waiting=waiting, gangs_started=started,
            **more,
        )  # fmt: skip

    return (
        queue("pretrain", 4, 40, 16, 32, 1, 1),
        queue("eval", 2, 12, 8, 14, 1, 2, capability=Resources({GPU: 16})),
        queue("online", 2, 20, 7, 7, 0, 0, guarantee=Resources({GPU: 8})),
    )


REASONS = (
    ("quota", "queue {queue} has {n} of {m} GPUs left to its limit"),
    ("cluster_capacity", "needs {m} GPUs, {n} are free after the gangs that go first"),
    ("fragmentation", "needs {m} whole nodes; {n} are free"),
    ("lower_priority", "gangs of higher priority in queue {queue} take the last {n} GPUs"),
)


def large_plan(*, nodes: int, gangs: int, queues: int = 12, seed: int = 7) -> PlanResult:
    """A generated document whose sums agree; gangs start as long as free GPUs last, about half of them wait."""
    dice = random.Random(seed)
    models = ("H100-80GB", "A100-80GB", "L40S-48GB")
    start = [_large_node(index, models, dice) for index in range(nodes)]
    names = [f"team-{index:02d}" for index in range(queues)]
    room = {
        entry.name: 8 - entry.before[GPU]
        for entry in start
        if not entry.conditions and entry.before[GPU] < 8
    }
    entries = [_large_gang(index, names, room, dice) for index in range(gangs)]
    added: dict[str, int] = {}
    for entry in entries:
        for pod in entry.pods:
            added[pod.node] = added.get(pod.node, 0) + 2 * pod.count
    node_entries = tuple(
        entry.model_copy(update={"after": amounts(entry.before[GPU] + added.get(entry.name, 0))})
        for entry in start
    )
    before = sum(entry.before[GPU] for entry in node_entries)
    after = sum(entry.after[GPU] for entry in node_entries)
    started = sum(1 for entry in entries if entry.decision == "start")
    most = 8 * nodes
    return PlanResult(
        summary=Summary(
            sentence=(
                f"{started:,} of {gangs:,} waiting gangs can start now; {after:,} of {most:,} GPUs allocated "
                f"({100 * after / most:.1f} %, now {100 * before / most:.1f} %). Proved within 0.40 % in 41 s. "
                "Verified: 0 violations."
            ),
            gpus_allocatable=most,
            gpus_before=before,
            gpus_after=after,
            gangs_started=started,
            gangs_waiting=gangs - started,
            pods_placed=sum(entry.pods_after for entry in entries),
        ),
        snapshot=SnapshotEntry(
            as_of="2026-11-29T08:15:00Z", digest="sha256:" + "ab" * 32, nodes=nodes,
            pods=5 * nodes, node_classes=420, gang_classes=900, sources=("cluster.json.gz",),
        ),
        policy=demo_policy(),
        certificate=large_certificate(),
        verification=Verification(rules=13),
        gangs=tuple(entries),
        queues=tuple(_large_queue(name, entries, before // queues) for name in names),
        nodes=node_entries,
        baseline=Baseline(gpus_after=before + 9 * (after - before) // 10, gangs_started=started // 2),
    )  # fmt: skip


def large_certificate() -> Certificate:
    tiers = []
    for rank in (1, 2, 3):
        for kind, sense, unit, value, bound in (
            ("shortfall", "min", "points", 41_250, 41_250),
            ("gpus", "max", "GPUs", 9_960, 10_000),
            ("gangs", "max", "gangs", 730, None),
        ):
            gap = None if bound is None else abs(bound - value) / max(1, value)
            tiers.append(
                Tier(name=f"covered.{rank}.{kind}", sense=sense, unit=unit, value=value, bound=bound,
                     gap=gap, conditional=rank > 1, seconds=4.2, backend="highs")
            )  # fmt: skip
    return demo_certificate().model_copy(
        update={"status": "FEASIBLE", "tiers": tuple(tiers), "properties": "maximal"}
    )


def _large_node(index, models, dice):
    before = dice.choice((0, 2, 4, 4, 6, 8, 8))
    closed = ("NotReady",) if dice.random() < 0.02 else ()
    model = models[index % len(models)]
    name = f"{model.split('-')[0].lower()}-{index:05d}"
    return node(name, model, before, before, conditions=closed)


def _large_gang(index, names, room, dice):
    queue = dice.choice(names)
    size = dice.choice((1, 2, 4, 8, 16, 32))
    name = f"{queue}/job-{index:05d}-finetune"
    common = {
        "minimum": size,
        "gpus": 2 * size,
        "priority": dice.choice((10, 100, 1000)),
        "created": f"2026-11-{dice.randint(10, 28)}T{dice.randint(0, 23):02d}:00:00Z",
    }
    where = _take(room, size) if dice.random() < 0.5 else {}
    if where:
        return gang(name, queue, "start", where=where, rank=1, tier_class="covered", **common)
    code, text = dice.choice(REASONS)
    message = text.format(queue=queue, n=dice.randint(1, 20), m=2 * size)
    return gang(name, queue, "wait", reasons=(Reason(code=code, message=message),), **common)


def _take(room, size):
    """Nodes for members of 2 GPUs each, or none; takes from ``room`` what it gives."""
    where = {}
    left = size
    for name, free in room.items():
        if not left:
            break
        count = min(free // 2, left)
        if count:
            where[name] = count
            left -= count
    if left:
        return {}
    for name, count in where.items():
        room[name] -= 2 * count
        if room[name] < 2:
            del room[name]
    return where


def _large_queue(name, entries, before):
    mine = [entry for entry in entries if entry.queue == name]
    gpus = before + sum(entry.gpus for entry in mine if entry.decision == "start")
    deserved = (before * 5 // 4) // 8 * 8
    return QueueEntry(
        name=name, weight=1 + len(mine) % 3, deserved=amounts(deserved), before=amounts(before),
        after=amounts(gpus), borrowed=amounts(max(0, gpus - deserved)),
        lent=amounts(max(0, deserved - gpus)), limit=amounts(2 * deserved), requested=amounts(2 * gpus),
        gangs_waiting=sum(1 for entry in mine if entry.decision == "wait"),
        gangs_started=sum(1 for entry in mine if entry.decision == "start"),
    )  # fmt: skip
