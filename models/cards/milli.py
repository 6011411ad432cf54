"""GPUs in the unit in which the objective counts them: whole GPUs, or thousandths where shares or slices exist."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from models.cards.book import CardBook
from models.cards.kinds import (
    CARD_RESOURCES,
    MEMORY_SHARE,
    MILLI_RESOURCE,
    SHARE_NUMBER,
    VGPU,
    VGPU_CORES,
    VGPU_MEMORY,
    VGPU_NUMBER,
    VGPU_PERCENT,
    WHOLE_MILLI,
)
from models.cluster import Node
from models.gpu import gpus_in, whole_gpu_names
from models.policy import GpuModelRule
from models.resources import Resources
from models.snapshot import Snapshot

_SLICE = re.compile(r"/mig-(\d+)g\.")
_SLICES_PER_GPU = 7
_MILLI_PER_CORE = 10
_PERCENT = 100


class GpuMeasure:
    """Counts the GPUs of requests and nodes.

    Attributes
    ----------
    scale
        Thousandths per unit: 1000 where whole GPUs are counted, 1 where milli-GPU are.
    """

    def __init__(self, snapshot: Snapshot, rule: GpuModelRule, book: CardBook) -> None:
        self._snapshot, self._book = snapshot, book
        self.names = whole_gpu_names(rule)
        self._counted: dict[Resources, int] = {}

    @cached_property
    def fine(self) -> bool:
        """Some pod asks for a share or a slice, or some node offers one."""
        if self._book:
            return True
        maps = [node.allocatable for node in self._snapshot.nodes]
        specs = {id(pod.spec): pod.spec for pod in self._snapshot.pods}
        maps += [spec.request for spec in specs.values()]
        maps += [one.spec.request for gang in self._snapshot.gangs for one in gang.templates]
        names = {name for amounts in maps for name, amount in amounts.items() if amount}
        return any(name in CARD_RESOURCES or _SLICE.search(name) for name in names)

    @property
    def scale(self) -> int:
        """See above."""
        return 1 if self.fine else WHOLE_MILLI

    @property
    def unit(self) -> str:
        """Name of the unit."""
        return "milli-GPU" if self.fine else "GPU"

    def of(self, request: Mapping[str, int]) -> int:
        """GPUs of a request (or a sum of requests without vGPUs), in the unit."""
        if not isinstance(request, Resources):
            return self._count(request)
        found = self._counted.get(request)  # tens of thousands of pods make a few dozen requests
        if found is None:
            found = self._counted[request] = self._count(request)
        return found

    def _count(self, request: Mapping[str, int]) -> int:
        return self.milli(request) if self.fine else gpus_in(request, self.names)

    def milli(self, request: Mapping[str, int]) -> int:
        """Thousandths of GPUs of one pod; a vGPU counts its percent of the cores, without one its part of the memory.

        A slice counts its part of seven.
        """
        total = WHOLE_MILLI * gpus_in(request, self.names)
        total += request.get(MILLI_RESOURCE, 0) + slices_milli(request)
        total += WHOLE_MILLI * request.get(SHARE_NUMBER, 0)
        return total + self._vgpu_milli(request)

    def _vgpu_milli(self, request: Mapping[str, int]) -> int:
        cards = request.get(VGPU_NUMBER, 0) or (1 if VGPU_MEMORY in request else 0)
        if request.get(VGPU_CORES):
            return cards * request[VGPU_CORES] * _MILLI_PER_CORE
        memory = request.get(VGPU_MEMORY, 0)
        if not memory:
            return cards * (request.get(VGPU_PERCENT, 0) or _PERCENT) * _MILLI_PER_CORE
        whole = next((one for one in self._card_memory if one >= memory), 0)
        return cards * (WHOLE_MILLI * memory // whole if whole else WHOLE_MILLI)

    @cached_property
    def _card_memory(self) -> tuple[int, ...]:
        """Memory of the kinds of vGPU cards, ascending; a part is told of the smallest card that could hold it."""
        kinds = {kind for node in self._snapshot.nodes for _, kind in self._book.cards(node)}
        return tuple(sorted({kind.capacity[0] for kind in kinds if kind.family == VGPU}))

    def holds(self, request: Mapping[str, int]) -> bool:
        """Whether a pod, or some pod of a sum, counts any GPUs."""
        return self.of(request) > 0

    def of_node(self, node: Node) -> int:
        """GPUs that a node offers, in the unit: its whole GPUs, slices, and cards with shares."""
        whole = gpus_in(node.allocatable, self.names)
        if not self.fine:
            return whole
        shared = sum(1 for _, kind in self._book.cards(node) if kind.family in _OWN_CARDS)
        return WHOLE_MILLI * (whole + shared) + slices_milli(node.allocatable)


_OWN_CARDS = frozenset({"vgpu", MEMORY_SHARE})


def slices_milli(amounts: Mapping[str, int]) -> int:
    """Thousandths of GPUs in MIG slices: ``k`` of seven parts each, rounded down."""
    total = 0
    for name, amount in amounts.items():
        found = _SLICE.search(name)
        if found is not None:
            total += amount * (WHOLE_MILLI * int(found[1]) // _SLICES_PER_GPU)
    return total
