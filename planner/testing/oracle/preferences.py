"""The fewest points that gangs can lose, among all plans that are best in everything above, by trying every plan."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from models.gpu import gpus_in
from models.pod_terms import SpreadConstraint
from models.snapshot import Snapshot
from planner.testing.oracle.pod_rules import Placed, domain, legal, picks, ways

_GPU = ("nvidia.com/gpu",)


def fewest_points(snapshot: Snapshot) -> tuple[int, int, int, int]:
    """Most GPUs, most gangs, most GPUs on nodes without GPU pods, then fewest points; gangs are all or nothing."""
    there = [
        (pod, snapshot.node_by_name[pod.node])
        for pod in snapshot.pods
        if pod.node is not None and pod.holds_node
    ]
    best = (0, 0, _idle(snapshot, there), 0)
    every = [snapshot.pods_by_gang[gang.full_name] for gang in snapshot.gangs]
    for chosen in itertools.product((False, True), repeat=len(every)):
        pods = [pod for take, gang in zip(chosen, every, strict=True) if take for pod in gang]
        gpus = sum(gpus_in(pod.spec.request, _GPU) for pod in pods)
        if (gpus, sum(chosen)) < best[:2]:
            continue
        for placed in ways(snapshot, pods):
            if legal(snapshot, there, placed):
                idle = _idle(snapshot, [*there, *placed])
                lost = points(snapshot, there, placed)
                mine = (gpus, sum(chosen), idle, lost)
                best = max(best, mine, key=lambda one: (*one[:3], -one[3]))
    return best


def _idle(snapshot: Snapshot, everyone: Sequence[Placed]) -> int:
    used = {node.name for pod, node in everyone if gpus_in(pod.spec.request, _GPU)}
    return sum(gpus_in(node.allocatable, _GPU) for node in snapshot.nodes if node.name not in used)


def points(snapshot: Snapshot, there: Sequence[Placed], placed: Sequence[Placed]) -> int:
    """Pod by pod, each term by looking at everybody else."""
    everyone = [*there, *placed]
    total = 0
    for me in placed:
        pod, node = me
        wanted = pod.spec.preferences
        for taint in node.taints:
            if not any(one.tolerates(taint) for one in pod.spec.tolerations):
                total += 100
        if wanted is None:
            continue
        total += sum(n.weight for n in wanted.nodes if not n.term.matches(node.name, node.labels))
        for near, terms in ((True, wanted.near), (False, wanted.apart)):
            for one in terms:
                here = domain(node, one.term.topology_key)
                company = any(
                    other is not me
                    and here is not None
                    and domain(other[1], one.term.topology_key) == here
                    and picks(one.term.selector, one.term.same_labels, pod, other[0])
                    for other in everyone
                )
                total += one.weight * (company != near)
    return total + sum(_uneven(snapshot, everyone, placed, rule) for rule in _rules(placed))


def _rules(placed: Sequence[Placed]) -> set[SpreadConstraint]:
    """Constraints of newcomers; all pods here are of one namespace and admitted everywhere."""
    return {
        one
        for pod, _ in placed
        if pod.spec.preferences is not None
        for one in pod.spec.preferences.spread
    }


def _uneven(
    snapshot: Snapshot,
    everyone: Sequence[Placed],
    placed: Sequence[Placed],
    rule: SpreadConstraint,
) -> int:
    owners = [
        (pod, node)
        for pod, node in placed
        if pod.spec.preferences is not None and rule in pod.spec.preferences.spread
    ]
    key = rule.topology_key
    counts: Counter[str] = Counter({value: 0 for n in snapshot.nodes if (value := domain(n, key))})
    counts.update(
        value
        for pod, node in everyone
        if picks(rule.selector, (), owners[0][0], pod) and (value := domain(node, key))
    )
    came = Counter(domain(node, key) for _, node in owners)
    fewest = min(counts.values(), default=0)
    lost = came.pop(None, 0)
    for value, pods in came.items():
        lost += max(min(pods, counts[value or ""] - fewest - rule.max_skew), 0)
    return 100 * lost
