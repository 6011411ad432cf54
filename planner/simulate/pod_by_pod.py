"""A scheduler without gangs: every pod for itself, so that gangs may hold each other up for ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.placement import Placement
from models.readiness import Supply
from models.snapshot import Snapshot
from planner.simulate.candidates import Candidate, candidates
from planner.simulate.job_order import JobOrder
from planner.simulate.node_scores import NodeScores
from planner.simulate.node_weights import NodeWeights
from planner.simulate.room import Room, free_amounts
from planner.simulate.shapes import Shapes
from planner.simulate.volcano import merged


@dataclass(frozen=True)
class PodByPod:
    """Where pods end up when nobody waits for a whole gang.

    Attributes
    ----------
    placements
        Every pod that found a node.
    held_pods, held_gpus
        Per gang that received pods: pods that it holds afterwards, running ones included, and the GPUs of the
        placed ones.
    started_gangs
        Gangs that became ready.
    deadlocked_gangs
        Gangs that received pods and are not ready: they hold what they have and wait for the rest, for ever if no
        other work ends.
    """

    placements: tuple[Placement, ...]
    held_pods: Mapping[str, int]
    held_gpus: Mapping[str, int]
    started_gangs: tuple[str, ...]
    deadlocked_gangs: tuple[str, ...]

    @property
    def idle_gpus(self) -> int:
        """GPUs that deadlocked gangs hold without working."""
        return sum(self.held_gpus[name] for name in self.deadlocked_gangs)


def place_pod_by_pod(snapshot: Snapshot, policy: EffectivePolicy) -> PodByPod:
    """Place pods in turn, one of each gang per round, on the node with most free GPUs; pods that fit nowhere wait.

    This is what a scheduler without groups does with gangs that arrive together: higher priority first, among
    equals the pods come in mixed. Nodes bind as always (I1, I2); queues are not looked at, because such a scheduler
    knows none. Gangs with rules that are not modelled take no part.
    """
    order_of = JobOrder(snapshot, policy)
    gangs = sorted(candidates(snapshot, policy), key=lambda one: order_of.key(one.gang))
    shapes = Shapes(
        snapshot, policy, [(one, gang.gang.queue) for gang in gangs for one in gang.supplies]
    )
    free = free_amounts(snapshot, shapes.dimensions)
    gpus = dict.fromkeys(whole_gpu_names(policy.policy.gpu_models), 1)
    scores = NodeScores(snapshot, NodeWeights(balanced=0, binpack=0, spread_over=gpus))
    room = Room(policy, shapes, free, scores, shapes.cards)
    turns = [
        (-gang.gang.priority, turn, order, supply, pod)
        for order, gang in enumerate(gangs)
        for turn, (supply, pod) in enumerate(_pods(gang.supplies))
    ]
    counts: dict[int, list[int]] = {
        order: [0] * len(one.supplies) for order, one in enumerate(gangs)
    }
    placements = []
    for _, _, order, supply, pod in sorted(turns):
        gang, pods = gangs[order], gangs[order].supplies[supply]
        taken = room.take(shapes.number(pods, gang.gang.queue), 1)
        for node, _ in taken:
            counts[order][supply] += 1
            name = pods.names[pod : pod + 1]
            where = snapshot.nodes[node].name
            placements.append(Placement(gang.gang.full_name, pods.role, where, 1, name))
    return _result(policy, placements, [(one, counts[order]) for order, one in enumerate(gangs)])


def _pods(supplies: Sequence[Supply]) -> list[tuple[int, int]]:
    """(supply, pod) of every pod that waits, roles in the order of their names."""
    order = sorted(range(len(supplies)), key=lambda one: (supplies[one].role, supplies[one].names))
    return [(index, pod) for index in order for pod in range(supplies[index].count)]


def _result(
    policy: EffectivePolicy,
    placements: list[Placement],
    gangs: list[tuple[Candidate, list[int]]],
) -> PodByPod:
    names = whole_gpu_names(policy.policy.gpu_models)
    receiving = [(gang, counts) for gang, counts in gangs if any(counts)]
    stuck = [gang.gang.full_name for gang, counts in receiving if not _ready(gang, counts)]
    return PodByPod(
        placements=merged(placements),
        held_pods={
            gang.gang.full_name: len(gang.running) + sum(counts) for gang, counts in receiving
        },
        held_gpus={
            gang.gang.full_name: sum(
                count * gpus_in(supply.spec.request, names)
                for supply, count in zip(gang.supplies, counts, strict=True)
            )
            for gang, counts in receiving
        },
        started_gangs=tuple(
            gang.gang.full_name
            for gang, _ in receiving
            if not gang.ready and gang.gang.full_name not in stuck
        ),
        deadlocked_gangs=tuple(stuck),
    )


def _ready(gang: Candidate, counts: list[int]) -> bool:
    """Minimum, role minima and subgroups hold with the placed pods; pods without a name count for any subgroup."""
    if gang.ready:
        return True
    by_role: dict[str, int] = {}
    for supply, count in zip(gang.supplies, counts, strict=True):
        by_role[supply.role] = by_role.get(supply.role, 0) + count
    if sum(counts) < gang.need or any(
        by_role.get(role, 0) < need for role, need in gang.role_need.items()
    ):
        return False
    return _enough_subgroups(gang, counts)


def _enough_subgroups(gang: Candidate, counts: list[int]) -> bool:
    for number, policy in enumerate(gang.gang.subgroups):
        sizes: dict[tuple[str, ...], int] = {}
        unnamed = 0
        for supply, count in zip(gang.supplies, counts, strict=True):
            if supply.promised:
                unnamed += count
            elif (key := supply.subgroups[number]) is not None:
                sizes[key] = sizes.get(key, 0) + count
        for pod in (*gang.running, *gang.succeeded):
            if (key := policy.key_of(pod)) is not None:
                sizes[key] = sizes.get(key, 0) + 1
        whole = sum(size >= policy.size for size in sizes.values())
        if whole + unnamed // max(policy.size, 1) < policy.min_subgroups:
            return False
    return True
