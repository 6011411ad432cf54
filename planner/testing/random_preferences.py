"""Small random snapshots whose pods prefer nodes, company, distance and even domains."""

from __future__ import annotations

import random
from dataclasses import replace

from models.pod_terms import (
    PodAffinityTerm,
    Preferences,
    PreferredNodes,
    PreferredPods,
    SpreadConstraint,
)
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration
from models.snapshot import Snapshot
from models.workloads import Pod, PodSpec
from planner.testing.random_pod_rules import KEYS, random_pod_rules, selector_of

SOFT = Taint("busy", "PreferNoSchedule", "yes")


def preferences(rnd: random.Random) -> PodSpec:
    """One to three preferred rules of any kind."""
    nodes, near, apart = [], [], []
    spread: list[SpreadConstraint] = []
    for kind in rnd.choices(("nodes", "near", "apart", "spread"), k=rnd.randint(1, 3)):
        weight = rnd.choice((1, 7, 50, 100))
        if kind == "nodes":
            zone = Expression("zone", "In", (rnd.choice("ab"),))
            nodes.append(PreferredNodes(weight, NodeSelectorTerm((zone,))))
        elif kind == "near":
            near.append(PreferredPods(weight, _term(rnd)))
        elif kind == "apart":
            apart.append(PreferredPods(weight, _term(rnd)))
        elif not spread:
            spread.append(SpreadConstraint(rnd.choice(KEYS), rnd.randint(1, 2), selector_of(rnd)))
    return PodSpec(preferences=Preferences(tuple(nodes), tuple(near), tuple(apart), tuple(spread)))


def _term(rnd: random.Random) -> PodAffinityTerm:
    if rnd.random() < 0.3:
        return PodAffinityTerm(rnd.choice(KEYS), LabelSelector(), same_labels=("gang",))
    return PodAffinityTerm(rnd.choice(KEYS), selector_of(rnd))


def random_preferences(seed: int) -> Snapshot:
    """As :func:`planner.testing.random_pod_rules.random_pod_rules`; some nodes have a soft taint, some pods bear it."""
    rnd = random.Random(f"preferences {seed}")
    found = random_pod_rules(seed, preferences)
    nodes = [replace(one, taints=(SOFT,)) if rnd.random() < 0.3 else one for one in found.nodes]
    bearing = {gang.full_name for gang in found.gangs if rnd.random() < 0.4}
    tolerated = (Toleration("busy", "Exists"),)

    def pod(one: Pod) -> Pod:
        if one.gang not in bearing:
            return one
        return replace(one, spec=replace(one.spec, tolerations=tolerated))

    return replace(found, nodes=tuple(nodes), pods=tuple(map(pod, found.pods)))
