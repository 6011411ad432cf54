"""Tiny random cases in which gangs that prefer something start at the expense of running ones."""

from __future__ import annotations

import random
from dataclasses import replace

from models.pod_terms import PodAffinityTerm, Preferences, PreferredNodes, PreferredPods
from models.pod_terms import SpreadConstraint as Spread
from models.selectors import Expression, LabelSelector, NodeSelectorTerm
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import policy_of
from planner.testing.random_preferences import SOFT
from planner.testing.random_snapshots import RandomCase

APP, SIDE = "app", "side"


def evicting_wishes(seed: int) -> RandomCase:
    """Two or three nodes of two GPUs, mostly full of pods of low priority; two gangs of high priority wait."""
    rnd = random.Random(f"wishes beside evictions {seed}")
    nodes = []
    for index in range(rnd.randint(2, 3)):
        labels = {SIDE: rnd.choice("ab")} if rnd.random() < 0.9 else {}
        taints = (SOFT,) if rnd.random() < 0.4 else ()
        nodes.append(replace(gpu_node(f"n{index}", 2), labels=labels, taints=taints))
    there = [
        _dressed(rnd, work(f"low{index}", 1, rnd.choice((1, 2)), nodes=(node.name,)))
        for index, node in enumerate(nodes)
        if rnd.random() < 0.8
    ]
    coming = []
    for index in range(2):
        pods = rnd.choice((1, 1, 2))
        least = rnd.randint(1, pods)
        gang = work(f"high{index}", pods, rnd.choice((1, 2)), minimum=least, priority=9)
        coming.append(_dressed(rnd, gang, wishing=True))
    snapshot = snapshot_of(*nodes, gpu_queue("q"), *there, *coming)
    policy = policy_of(snapshot, evict=("preempt",))
    return RandomCase(f"evicting_wishes({seed})", snapshot, policy)


def _dressed(rnd: random.Random, one: Work, *, wishing: bool = False) -> Work:
    """With a label on its pods, and perhaps with wishes."""
    label = {APP: rnd.choice("xy")}
    spec = one.pods[0].spec
    if wishing:
        spec = replace(spec, preferences=_wanted(rnd))
    return replace(one, pods=tuple(replace(pod, spec=spec, labels=label) for pod in one.pods))


def _wanted(rnd: random.Random) -> Preferences:
    weight = rnd.choice((1, 7, 50))
    side = NodeSelectorTerm((Expression(SIDE, "In", (rnd.choice("ab"),)),))
    selector = LabelSelector(((APP, rnd.choice("xyz")),))
    term = PreferredPods(weight, PodAffinityTerm(SIDE, selector))
    return rnd.choice(
        (
            Preferences(nodes=(PreferredNodes(weight, side),)),
            Preferences(near=(term,)),
            Preferences(apart=(term,)),
            Preferences(spread=(Spread(SIDE, 1, selector),)),
            Preferences(nodes=(PreferredNodes(weight, side),), apart=(term,)),
        )
    )
