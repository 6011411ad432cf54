"""Running pods that a plan may evict, by index: what rows about victims iterate over.

Vectors run over the dimensions of the placement problem; entitlements also need dimensions that no waiting pod asks
for, so queue amounts are kept by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.resources import Resources
from planner.problem.placement import IntArray

EACH_ALONE = -1
"""Gang index of a kind whose every pod is the only one of its gang."""


@dataclass(frozen=True, slots=True)
class VictimKind:
    """Pods that are the same for every rule about victims, wherever they run.

    Attributes
    ----------
    queue
        Name of the queue.
    gang
        Index into ``Victims.gangs``, or :data:`EACH_ALONE`.
    vector
        Request over the problem's dimensions, ``pods`` = 1.
    gpus
        GPUs of one pod.
    lost
        GPU-seconds lost with one pod.
    working_gpus
        GPUs of one pod, 0 where its gang is idle as measured.
    budgets
        Indices of the PodDisruptionBudgets that count it.
    subgroups
        Indices into the gang's subgroups.
    reclaimable
        Its queue may be reclaimed from.
    seconds
        When its room is free after it is told to leave; 0 where time does not count.
    started
        When the first of its pods started, seconds since 1970; 0 = unknown. It settles ties only.
    """

    queue: str
    priority: int
    gang: int
    role: str
    request: Resources
    vector: tuple[int, ...]
    gpus: int
    lost: int
    budgets: tuple[int, ...] = ()
    subgroups: tuple[int, ...] = ()
    reclaimable: bool = True
    seconds: int = 0
    started: int = 0
    working_gpus: int = 0


@dataclass(frozen=True, slots=True)
class VictimSubGroup:
    """One subgroup of a victim gang: its policy, the policy's size and its running pods."""

    policy: int
    size: int
    running: int


@dataclass(frozen=True, slots=True)
class VictimGang:
    """A running gang of several pods, some of which may be evicted.

    Attributes
    ----------
    whole
        Every running pod may be evicted, so it can be given up.
    surplus
        Pods beyond what makes it ready; 0 where a loss always costs the whole gang.
    role_surplus
        The same per role, where role minima bind.
    min_subgroups
        Per subgroup policy how many complete subgroups must stay.
    demand
        Index of its demand for further pods, -1 for none.
    """

    name: str
    running: int
    whole: bool
    surplus: int
    role_surplus: Mapping[str, int] = field(default_factory=dict)
    subgroups: tuple[VictimSubGroup, ...] = ()
    min_subgroups: tuple[int, ...] = ()
    demand: int = -1


@dataclass(frozen=True, slots=True)
class VictimPods:
    """Pods of one kind on one node; the names in the order in which they leave."""

    kind: int
    node: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Starter:
    """What decides for whom a starting gang may evict (one per demand).

    Attributes
    ----------
    causes
        It waits and its pods may preempt at all.
    lacking
        Pods that count for the entitlement.
    asks
        Names of the dimensions that its pods request.
    """

    priority: int
    causes: bool
    lacking: int
    asks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Share:
    """Amounts of one queue by dimension, base units: what counts, is deserved, guaranteed and used by running pods."""

    deserved: Mapping[str, int]
    counted: frozenset[str]
    guarantee: Mapping[str, int]
    used: Mapping[str, int]


@dataclass(frozen=True)
class Victims:
    """All possible victims of a problem.

    Attributes
    ----------
    budgets
        Disruptions that each PodDisruptionBudget allows.
    starters
        Per demand of the problem.
    entitlement_levels
        Queue to the queues whose unmet share its gangs may use: itself, then ancestors.
    exceeded_levels
        Queue to its ancestors that must be above deserved too when it is reclaimed from, near ones first.
    excess
        Node to how much its pods request beyond allocatable, per dimension (nodes with such an excess only).
    queue_excess
        The same for queues above their limit.
    gpu_pods
        Node to its pods with GPUs, whoever they belong to.
    harm
        Kinds of harm, the worst first.
    domains
        Per node the number of its topology domain.
    """

    kinds: tuple[VictimKind, ...]
    gangs: tuple[VictimGang, ...]
    pods: tuple[VictimPods, ...]
    budgets: tuple[int, ...]
    starters: tuple[Starter, ...]
    shares: Mapping[str, Share]
    preempt: bool
    reclaim: bool
    proportional: bool
    entitlement_levels: Mapping[str, tuple[str, ...]]
    exceeded_levels: Mapping[str, tuple[str, ...]]
    queue_chains: Mapping[str, tuple[int, ...]]
    excess: Mapping[int, IntArray]
    queue_excess: Mapping[int, IntArray]
    gpu_pods: Mapping[int, int]
    harm: tuple[str, ...]
    domains: tuple[int, ...] = ()

    def by_node(self) -> dict[int, list[VictimPods]]:
        """Possible victims per node."""
        found: dict[int, list[VictimPods]] = {}
        for one in self.pods:
            found.setdefault(one.node, []).append(one)
        return found
