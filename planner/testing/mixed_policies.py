"""Priorities, windows, node groups, waiting times and marks that meet in tiny clusters; with what plans must do."""

from __future__ import annotations

from dataclasses import replace

from models.cluster import Node
from models.queues import NodeGroupRules
from planner.testing.by_hand import gpu_node, gpu_queue, work
from planner.testing.mixed_parts import (
    NOW,
    Mixed,
    case,
    cluster,
    marked,
    queue,
)
from planner.testing.random_nodes import GPU

GROUP, ZONE = "volcano.sh/nodegroup-name", "volcano.sh/revocable-zone"
BOTH = ("preempt", "reclaim")


@case
def _priority_before_age_and_the_least_victims() -> Mixed:
    low = [work(f"low{i}", 1, 1, priority=10 * i, nodes=("n1",)) for i in range(3)]
    big = work("big", 2, 1, priority=15, created=3)
    return Mixed(
        cluster(gpu_node("n1", 3), gpu_queue("q"), *low, big),
        {"big": "start", "low0": "evict", "low1": "evict", "low2": "keep"},
        {"evict": ["preempt"]},
    )


@case
def _a_gang_that_never_preempts_waits() -> Mixed:
    low = work("low", 1, 1, nodes=("n1",))
    high = work("high", 1, 1, priority=10)
    high = replace(
        high,
        pods=tuple(
            replace(pod, spec=replace(pod.spec, preemption_policy="Never")) for pod in high.pods
        ),
    )
    return Mixed(
        cluster(gpu_node("n1", 1), gpu_queue("q"), low, high),
        {"high": "wait", "low": "keep"},
        {"evict": list(BOTH)},
    )


@case
def _a_closed_window_and_a_preemption() -> Mixed:
    zoned = replace(gpu_node("n2", 2), labels={ZONE: "night"})
    low = work("low", 2, 1, nodes=("n1",) * 2)
    high = marked(work("high", 2, 1, priority=9), revocable_zone="*")
    return Mixed(
        cluster(gpu_node("n1", 2), zoned, gpu_queue("q"), low, high),
        {"high": "start", "low": "evict"},
        {"evict": ["preempt"], "revocable_zones": {"night": "22:00-06:00"}, "now": NOW},
    )


@case
def _an_open_window_spares_the_victims() -> Mixed:
    zoned = replace(gpu_node("n2", 2), labels={ZONE: "noon"})
    low = work("low", 2, 1, nodes=("n1",) * 2)
    high = marked(work("high", 2, 1, priority=9), revocable_zone="*")
    return Mixed(
        cluster(gpu_node("n1", 2), zoned, gpu_queue("q"), low, high),
        {"high": "start", "low": "keep"},
        {"evict": ["preempt"], "revocable_zones": {"noon": "11:00-13:00"}, "now": NOW},
    )


def _grouped(name: str, group: str, gpus: int) -> Node:
    return replace(gpu_node(name, gpus), labels={GROUP: group})


@case
def _a_node_group_and_its_victims() -> Mixed:
    queues = (
        replace(gpu_queue("a", deserved=2), node_groups=NodeGroupRules(required=("g1",))),
        gpu_queue("b", deserved=0),
    )
    taker = work("taker", 2, 1, queue="a")
    inside = work("inside", 2, 1, queue="b", nodes=("n1",) * 2)
    outside = work("outside", 2, 1, queue="b", nodes=("n2",) * 2)
    return Mixed(
        cluster(_grouped("n1", "g1", 2), _grouped("n2", "g2", 2), *queues, taker, inside, outside),
        {"taker": "start", "inside": "evict", "outside": "keep"},
        {"evict": ["reclaim"], "nodegroup": True},
    )


@case
def _sla_orders_two_gangs_that_both_could_preempt() -> Mixed:
    low = work("low", 2, 1, nodes=("n1",) * 2)
    late = work("late", 2, 1, priority=5, created=0)
    soon = work("soon", 2, 1, priority=5, created=1)
    marks = (("late", "2h"), ("soon", "10m"))
    gangs = [
        replace(
            one,
            gang=replace(one.gang, annotations={"volcano.sh/sla-waiting-time": wait}),
        )
        for one, (_, wait) in zip((late, soon), marks, strict=True)
    ]
    return Mixed(
        cluster(gpu_node("n1", 2), gpu_queue("q"), low, *gangs),
        {"soon": "start", "late": "wait", "low": "evict"},
        {"evict": ["preempt"], "sla": True},
    )


@case
def _protected_pods_make_a_gang_give_up_the_others() -> Mixed:
    held = work("held", 3, 1, minimum=1, queue="lent", nodes=("n1",) * 3)
    first = marked(replace(held, pods=held.pods[:1]), preemptable="false")
    held = replace(held, pods=(*first.pods, *held.pods[1:]))
    comer = work("comer", 2, 1, queue="own")
    parts = (gpu_node("n1", 3), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, held, comer), {"held": "shrink", "comer": "start"}, {"evict": ["reclaim"]}
    )


@case
def _a_protected_pod_saves_its_gang() -> Mixed:
    held = work("held", 3, 1, minimum=3, queue="lent", nodes=("n1",) * 3)
    first = marked(replace(held, pods=held.pods[:1]), preemptable="false")
    held = replace(held, pods=(*first.pods, *held.pods[1:]))
    comer = work("comer", 1, 1, queue="own")
    parts = (gpu_node("n1", 3), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, held, comer), {"held": "keep", "comer": "wait"}, {"evict": ["reclaim"]}
    )


@case
def _a_capability_and_a_preemption_in_the_same_queue() -> Mixed:
    low = work("low", 2, 1, nodes=("n1",) * 2)
    high = work("high", 2, 1, priority=7)
    return Mixed(
        cluster(gpu_node("n1", 8), gpu_queue("q", capability=2), low, high),
        {"high": "start", "low": "evict"},
        {"evict": ["preempt"]},
    )


@case
def _a_queue_that_is_not_reclaimable() -> Mixed:
    lent = queue("lent", deserved={GPU: 0}, reclaimable=False)
    held = work("held", 2, 1, queue="lent", nodes=("n1",) * 2)
    comer = work("comer", 2, 1, queue="own")
    parts = (gpu_node("n1", 2), lent, gpu_queue("own", deserved=2))
    return Mixed(
        cluster(*parts, held, comer), {"held": "keep", "comer": "wait"}, {"evict": list(BOTH)}
    )


@case
def _elastic_pods_yield_no_victims() -> Mixed:
    held = work("held", 2, 1, queue="lent", nodes=("n1",) * 2)
    comer = work("comer", 4, 1, minimum=1, queue="own")
    parts = (gpu_node("n1", 3), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, held, comer), {"held": "keep", "comer": "start"}, {"evict": ["reclaim"]}
    )


@case
def _two_queues_take_from_a_third() -> Mixed:
    jobs = [work(f"job{i}", 1, 1, queue="c", nodes=("n1",)) for i in range(4)]
    queues = (
        gpu_queue("a", deserved=2),
        gpu_queue("b", deserved=1),
        gpu_queue("c", deserved=1),
    )
    one, two = work("one", 2, 1, queue="a"), work("two", 1, 1, queue="b")
    return Mixed(
        cluster(gpu_node("n1", 4), *queues, *jobs, one, two),
        {"one": "start", "two": "start"},
        {"evict": ["reclaim"]},
    )


@case
def _a_restart_policy_costs_the_whole_job() -> Mixed:
    fragile = work("fragile", 3, 1, minimum=1, queue="lent", nodes=("n1",) * 3)
    fragile = replace(fragile, gang=replace(fragile.gang, restarts_on_eviction=True))
    single = work("single", 1, 1, queue="lent", nodes=("n1",))
    comer = work("comer", 1, 1, queue="own")
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, fragile, single, comer),
        {"fragile": "keep", "single": "evict", "comer": "start"},
        {"evict": ["reclaim"]},
    )


@case
def _scattered_gangs_are_not_taken_twice() -> Mixed:
    """Both nodes could give two GPUs, but only one gang need go."""
    across = work("across", 2, 2, queue="lent", nodes=("n1", "n2"))
    local = [work(f"local{i}", 1, 2, queue="lent", nodes=(f"n{i}",)) for i in (1, 2)]
    comer = work("comer", 2, 2, queue="own")
    parts = (gpu_node("n1", 4), gpu_node("n2", 4))
    queues = (gpu_queue("lent", deserved=0), gpu_queue("own", deserved=8))
    return Mixed(
        cluster(*parts, *queues, across, *local, comer),
        {"across": "evict", "local1": "keep", "local2": "keep", "comer": "start"},
        {"evict": ["reclaim"]},
    )


@case
def _a_terminating_pod_holds_its_node() -> Mixed:
    ending = work("ending", 1, 2, queue="lent", nodes=("n1",))
    ending = replace(ending, pods=tuple(replace(pod, terminating=True) for pod in ending.pods))
    held = work("held", 1, 2, queue="lent", nodes=("n2",))
    comer = work("comer", 1, 2, queue="own")
    parts = (gpu_node("n1", 2), gpu_node("n2", 2))
    queues = (gpu_queue("lent", deserved=0), gpu_queue("own", deserved=8))
    return Mixed(
        cluster(*parts, *queues, ending, held, comer),
        {"held": "evict", "comer": "start"},
        {"evict": ["reclaim"]},
    )
