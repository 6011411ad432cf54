"""The gang placement problem at one instant, by index: what a formulation iterates over.

Vectors run over ``dimensions`` (base units; the last one is ``pods``). Shapes are distinct pods: a request and the
nodes that admit it. Nothing in here needs further preparation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.problem.cards import CardTable
from planner.problem.domain_rooms import DomainRoom
from planner.problem.spreads import Spread
from planner.problem.topology import NO_TOPOLOGY, TopologyForest
from planner.problem.wishes import Wishes

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Item:
    """Pods of one role and shape that a gang may receive.

    Attributes
    ----------
    count
        At most so many.
    step
        They come in multiples of this.
    names
        Full names of the pods that exist; the rest of ``count`` is promised by the template.
    subgroup
        Index into the gang's ``subgroups``, one per policy; -1 where a policy does not select them.
    choices
        Domains of which one must hold each ``step`` of pods (partitions that do not exist yet); None = anywhere.
    wish
        Number of what preferred rules can tell of its pods (see :mod:`planner.problem.wishes`), 0 = nothing.
    """

    role: str
    shape: int
    count: int
    names: tuple[str, ...] = ()
    step: int = 1
    subgroup: tuple[int, ...] = ()
    choices: tuple[int, ...] | None = None
    wish: int = 0


@dataclass(frozen=True, slots=True)
class SubGroup:
    """One subgroup: pods it has (running; counted adds succeeded ones) and its size.

    ``choices`` are the domains of which one must hold all its pods, running ones included; None = anywhere.
    """

    policy: int
    size: int
    running: int
    counted: int
    choices: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """Pods that the objective wants in few domains: a gang's, a subgroup's, or those of subgroups to come.

    ``subgroup`` is -1 but for a subgroup.

    Attributes
    ----------
    weight
        Pods of the gang's minimum, or of the subgroup's size.
    running
        Nodes of its running pods.
    items
        Items of promised pods, whose subgroups are not known yet: a domain counts once for every ``size`` of their pods
        there, rounded up.
    size
        Pods of such a subgroup.
    """

    subgroup: int
    weight: int
    running: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    size: int = 1

    @property
    def whole(self) -> bool:
        """The gang with all its pods."""
        return self.subgroup < 0 and not self.items

    def holds(self, index: int, subgroups: Sequence[int]) -> bool:
        """Whether the pods of an item, by its number and its subgroups, are part of it."""
        return index in self.items if self.items else self.whole or self.subgroup in subgroups

    def times(self, pods: int) -> int:
        """How often a domain with so many of its pods counts."""
        return -(-pods // self.size) if self.items else int(pods > 0)


@dataclass(frozen=True, slots=True)
class Demand:
    """What one gang may receive and needs.

    Attributes
    ----------
    ready
        The gang runs already; further pods are elastic and nothing is needed.
    need
        Pods it still lacks to be ready, succeeded ones counted.
    role_need
        Role to pods still lacking, where role minima bind.
    minimum
        Per dimension the least that any minimal set of lacking pods requests (``pods``: their least number).
    gpus
        The fewest GPUs that any minimal set of lacking pods requests, in the problem's GPU unit.
    queue_chain
        Queue and ancestors whose limits bind, as indices.
    choices
        Disjoint domains of which one must hold all its pods, running ones included; None = anywhere.
    gathered
        What the objective wants in few domains once the gang starts.
    shares_domains
        Its pods take room that nodes of a domain share: counting node by node does not tell whether it fits.
    admission
        What its start takes of the scheduler's admission: (index into ``admission_room``, amount).
    """

    gang: int
    items: tuple[Item, ...]
    ready: bool
    need: int
    role_need: tuple[tuple[str, int], ...] = ()
    subgroups: tuple[SubGroup, ...] = ()
    min_subgroups: tuple[int, ...] = ()
    minimum: tuple[int, ...] = ()
    gpus: int = 0
    queue: int = 0
    queue_chain: tuple[int, ...] = ()
    choices: tuple[int, ...] | None = None
    gathered: tuple[Gathered, ...] = ()
    shares_domains: bool = False
    admission: tuple[tuple[int, int], ...] = ()

    @property
    def simple(self) -> bool:
        """One item and nothing but a number needed: its fit is a count."""
        plain = not self.grouped and not self.shares_domains
        return len(self.items) == 1 and plain and self.items[0].step == 1

    @property
    def grouped(self) -> bool:
        """Subgroups or partitions restrict which pods may be placed, or where."""
        inner = any(item.choices is not None for item in self.items)
        return bool(self.subgroups) or any(self.min_subgroups) or inner


@dataclass(frozen=True)
class PlacementProblem:
    """Nodes, shapes, demands and queue limits.

    Attributes
    ----------
    free
        ``[nodes, dimensions]`` room beside everything that holds a node; never negative.
    requests
        ``[shapes, dimensions]`` request of one pod, ``pods`` = 1.
    admits
        ``[shapes, nodes]`` whether the predicates admit the shape.
    shape_gpus
        ``[shapes]`` GPUs of one pod in the GPU unit.
    node_gpus, node_has_gpu_pods
        ``[nodes]`` allocatable whole GPUs, and whether a pod with GPUs holds the node already.
    queue_room
        Queue index to ``[dimensions]`` of what new pods may still request there; -1 = without limit.
    gpu_scale
        Thousandths of a GPU per unit of ``gpu_unit``.
    cards
        Cards of the nodes where pods share them, else None.
    domain_rooms
        Rooms that nodes of a domain share.
    spreads
        Constraints that keep pods even over domains.
    wishes, wish_of
        What pods would rather have, and the wish of each shape; only in a problem whose shapes tell wishes apart.
    counts_domains
        Models count over topology domains, whatever their number, and do not decide which of them holds which gang.
    admission_room
        What gangs that start may take together of each limit of the scheduler's admission (I9).
    deserved_milli_gpus, running_gpus
        Per queue index: deserved GPUs in thousandths (0 = none), GPUs of its running pods in the GPU unit.
    """

    dimensions: tuple[str, ...]
    node_names: tuple[str, ...]
    free: IntArray
    requests: IntArray
    admits: BoolArray
    shape_gpus: IntArray
    node_gpus: IntArray
    node_has_gpu_pods: BoolArray
    gang_names: tuple[str, ...]
    gang_order: tuple[tuple[str, str], ...]
    demands: tuple[Demand, ...]
    queue_names: tuple[str, ...]
    queue_room: Mapping[int, IntArray]
    deserved_milli_gpus: Mapping[int, int]
    running_gpus: Mapping[int, int]
    gpu_unit: str = "GPU"
    topology: TopologyForest = NO_TOPOLOGY
    gpu_scale: int = 1000
    cards: CardTable | None = None
    domain_rooms: tuple[DomainRoom, ...] = ()
    spreads: tuple[Spread, ...] = ()
    wishes: Wishes | None = None
    wish_of: tuple[int, ...] = ()
    counts_domains: bool = False
    admission_room: tuple[int, ...] = ()

    @property
    def pods_dimension(self) -> int:
        """Index of ``pods``."""
        return len(self.dimensions) - 1


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a startable demand stands in the objective; a running gang that can grow has a rank and no class.

    ``grows_in`` is the class in which its elastic pods count, with its rank.
    """

    demand: int
    tier_class: str
    rank: int
    grows_in: str = "rest"
