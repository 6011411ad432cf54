"""Which cards a snapshot has and who asks for them; empty where nobody shares a card."""

from __future__ import annotations

from functools import cached_property

from models.cards.asks import share_ask, whole_ask
from models.cards.inventory import memory_cards, milli_cards, told_cards, vgpu_cards
from models.cards.kinds import MEMORY_SHARE, MILLI, VGPU, CardAsk, CardKind, Vector
from models.cluster import Node
from models.gpu import gpus_in, whole_gpu_names
from models.policy import GpuModelRule
from models.snapshot import Snapshot
from models.workloads import Pod, PodSpec


class CardBook:
    """Cards of nodes and asks of pods, for the families that some pod of the snapshot asks for a share of.

    Where nobody shares whole GPUs, they are no cards but a plain sum, as Kubernetes counts them.
    """

    def __init__(self, snapshot: Snapshot, rule: GpuModelRule) -> None:
        self._snapshot = snapshot
        self._gpu_names = whole_gpu_names(rule)
        self._asks: dict[int, tuple[PodSpec, CardAsk | None]] = {}

    @cached_property
    def families(self) -> frozenset[str]:
        """Families of which some pod asks for a share."""
        specs = {id(pod.spec): pod.spec for pod in self._snapshot.pods}
        for gang in self._snapshot.gangs:
            specs.update((id(one.spec), one.spec) for one in gang.templates)
        return frozenset(ask.family for spec in specs.values() if (ask := share_ask(spec)))

    @property
    def whole_names(self) -> tuple[str, ...]:
        """Resources of which one unit is a whole card of those that others share."""
        return self._gpu_names if MILLI in self.families else ()

    def __bool__(self) -> bool:
        return bool(self.families)

    def ask(self, spec: PodSpec) -> CardAsk | None:
        """What pods of a specification ask of cards; whole GPUs count where others share them."""
        known = self._asks.get(id(spec))
        if known is None:
            found = share_ask(spec)
            if found is None and MILLI in self.families:
                gpus = gpus_in(spec.request, self._gpu_names)
                found = whole_ask(gpus) if gpus else None
            known = self._asks[id(spec)] = (spec, found)
        return known[1]

    def cards(self, node: Node) -> list[tuple[str, CardKind]]:
        """Identity and kind of the cards of a node."""
        found: list[tuple[str, CardKind]] = []
        if MILLI in self.families:
            found += milli_cards(node, self._gpu_names)
        if VGPU in self.families:
            found += vgpu_cards(node)
        if MEMORY_SHARE in self.families:
            found += memory_cards(node)
        return found

    def told(self, pod: Pod, cards: list[tuple[str, CardKind]]) -> list[tuple[int, Vector]] | None:
        """Cards that a running pod says it holds, None where it says nothing (or nothing that can be)."""
        ask = self.ask(pod.spec)
        return None if ask is None else told_cards(pod, ask, cards)
