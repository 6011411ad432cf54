"""Roles, subgroups, budgets, shares and queue trees that meet in tiny clusters; each with what its plan must do."""

from __future__ import annotations

from models.queues import Queue
from models.resources import CPU
from planner.testing.by_hand import gpu_node, gpu_queue, work
from planner.testing.gangs_by_hand import roles
from planner.testing.mixed_parts import (
    Mixed,
    asking,
    budget,
    case,
    cluster,
    in_rings,
    marked,
    of,
    queue,
    running,
)
from planner.testing.random_nodes import GPU


@case
def _roles_reclaim_the_master_and_worker() -> Mixed:
    comer = of(roles("comer", 3, master=(1, 1, 0), worker=(2, 2, 2)), "own")
    jobs = [work(f"job{i}", 1, 2, queue="lent", nodes=("n1",)) for i in range(2)]
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    decided = {"comer": "start", "job0": "evict", "job1": "evict"}
    return Mixed(cluster(*parts, comer, *jobs), decided, {"evict": ["reclaim"]})


@case
def _a_role_minimum_keeps_surplus_of_another_role() -> Mixed:
    held = of(roles("held", 3, master=(1, 1, 1), worker=(3, 2, 1)), "lent")
    held = running(held, "n1", "n1", "n1", "n1")
    comer = work("comer", 1, 1, queue="own")
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, held, comer), {"comer": "start", "held": "shrink"}, {"evict": ["reclaim"]}
    )


@case
def _two_pods_beyond_the_role_surplus_cost_the_gang() -> Mixed:
    held = of(roles("held", 3, master=(1, 1, 1), worker=(3, 2, 1)), "lent")
    held = running(held, "n1", "n1", "n1", "n1")
    comer = work("comer", 2, 1, queue="own")
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, held, comer), {"comer": "start", "held": "evict"}, {"evict": ["reclaim"]}
    )


@case
def _whole_subgroups_leave() -> Mixed:
    held = in_rings(
        work("held", 4, 1, minimum=2, queue="lent", nodes=("n1",) * 4), 0, 0, 1, 1, size=2, least=1
    )
    comer = work("comer", 2, 1, queue="own")
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, held, comer), {"comer": "start", "held": "shrink"}, {"evict": ["reclaim"]}
    )


@case
def _a_budget_saves_one_subgroup() -> Mixed:
    held = in_rings(
        work("held", 4, 1, minimum=2, queue="lent", nodes=("n1",) * 4), 0, 0, 1, 1, size=2, least=1
    )
    comer = work("comer", 2, 1, queue="own")
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    snapshot = cluster(*parts, marked(held, labels={"app": "x"}), comer, budget(1, app="x"))
    return Mixed(snapshot, {"comer": "wait", "held": "keep"}, {"evict": ["reclaim"], "pdb": True})


@case
def _a_budget_lets_another_gang_go() -> Mixed:
    safe = marked(work("safe", 1, 2, queue="lent", nodes=("n1",)), labels={"app": "x"})
    dear = work("dear", 2, 1, queue="lent", nodes=("n1",) * 2)
    comer = work("comer", 1, 2, queue="own")
    parts = (gpu_node("n1", 4), gpu_queue("lent", deserved=0), gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, safe, dear, comer, budget(0, app="x")),
        {"safe": "keep", "dear": "evict", "comer": "start"},
        {"evict": ["reclaim"], "pdb": True},
    )


@case
def _reclaim_counts_the_dimension_that_is_lent() -> Mixed:
    lent = queue("lent", deserved={GPU: 4, CPU: 2000})
    own = queue("own", deserved={GPU: 0, CPU: 8000})
    jobs = [
        asking(work(f"job{i}", 1, queue="lent", nodes=("n1",)), cpu=2000, gpu=1) for i in range(2)
    ]
    comer = asking(work("comer", 1, queue="own"), cpu=2000)
    node = gpu_node("n1", 4, cpu_milli=4000)
    decided = {"comer": "start"}
    return Mixed(cluster(node, lent, own, *jobs, comer), decided, {"evict": ["reclaim"]})


@case
def _nothing_is_lent_in_a_dimension_that_the_victim_asks_for() -> Mixed:
    lent = queue("lent", deserved={GPU: 4, CPU: 4000})
    own = queue("own", deserved={GPU: 4, CPU: 4000})
    jobs = [
        asking(work(f"job{i}", 1, queue="lent", nodes=("n1",)), cpu=2000, gpu=1) for i in range(2)
    ]
    comer = asking(work("comer", 1, queue="own"), cpu=2000, gpu=1)
    node = gpu_node("n1", 4, cpu_milli=4000)
    decided = {"comer": "wait", "job0": "keep", "job1": "keep"}
    return Mixed(cluster(node, lent, own, *jobs, comer), decided, {"evict": ["reclaim"]})


@case
def _a_guarantee_keeps_the_last_pod() -> Mixed:
    lent = queue("lent", deserved={GPU: 0}, guarantee={GPU: 2})
    jobs = [work(f"job{i}", 1, 1, queue="lent", nodes=("n1",)) for i in range(4)]
    comer = work("comer", 3, 1, queue="own")
    small = work("small", 2, 1, queue="own", created=1)
    parts = (gpu_node("n1", 4), lent, gpu_queue("own", deserved=4))
    return Mixed(
        cluster(*parts, *jobs, comer, small),
        {"comer": "wait", "small": "start"},
        {"evict": ["reclaim"]},
    )


def _tree() -> tuple[Queue, ...]:
    return (
        queue("dept-a", deserved={GPU: 4}),
        queue("dept-b", deserved={GPU: 4}),
        queue("a1", "dept-a", deserved={GPU: 2}),
        queue("a2", "dept-a", deserved={GPU: 2}),
        queue("b1", "dept-b", deserved={GPU: 4}),
    )


@case
def _a_leaf_gives_back_surplus_in_a_tree() -> Mixed:
    held = work("held", 6, 1, minimum=4, queue="a1", nodes=("n1",) * 6)
    comer = work("comer", 2, 1, queue="b1")
    return Mixed(
        cluster(gpu_node("n1", 6), *_tree(), held, comer),
        {"comer": "start", "held": "shrink"},
        {"evict": ["reclaim"], "hierarchy": True},
    )


@case
def _a_sibling_reclaims_inside_the_department() -> Mixed:
    held = work("held", 4, 1, minimum=2, queue="a1", nodes=("n1",) * 4)
    other = work("other", 2, 1, queue="b1", nodes=("n1",) * 2)
    comer = work("comer", 2, 1, queue="a2")
    return Mixed(
        cluster(gpu_node("n1", 6), *_tree(), held, other, comer),
        {"comer": "start", "held": "shrink", "other": "keep"},
        {"evict": ["reclaim"], "hierarchy": True, "ancestor_reclaim_level": 1},
    )


@case
def _an_ancestor_within_its_share_protects_its_leaf() -> Mixed:
    held = work("held", 3, 1, minimum=1, queue="a1", nodes=("n1",) * 3)
    comer = work("comer", 1, 1, queue="b1")
    filler = work("filler", 3, 1, queue="b1", nodes=("n1",) * 3)
    return Mixed(
        cluster(gpu_node("n1", 6), *_tree(), held, filler, comer),
        {"comer": "wait", "held": "keep"},
        {"evict": ["reclaim"], "hierarchy": True, "ancestor_reclaim_level": 1},
    )


@case
def _without_ancestor_levels_the_leaf_is_reclaimed() -> Mixed:
    held = work("held", 3, 1, minimum=1, queue="a1", nodes=("n1",) * 3)
    comer = work("comer", 1, 1, queue="b1")
    filler = work("filler", 3, 1, queue="b1", nodes=("n1",) * 3)
    return Mixed(
        cluster(gpu_node("n1", 6), *_tree(), held, filler, comer),
        {"comer": "start", "held": "shrink"},
        {"evict": ["reclaim"], "hierarchy": True},
    )
