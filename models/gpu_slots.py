"""GPUs that are slots of shared cards: replicas of time-slicing and MPS, as the device plugin advertises them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from models.cluster import Node

_RESOURCES: Final = ("nvidia.com/gpu", "nvidia.com/gpu.shared")
_REPLICAS: Final = "nvidia.com/gpu.replicas"
_STRATEGY: Final = "nvidia.com/gpu.sharing-strategy"
_COUNT: Final = "nvidia.com/gpu.count"
_NO_SHARING: Final = "none"


@dataclass(frozen=True, slots=True)
class Slots:
    """``count`` units of a resource of one node, or of some, that are slots of ``cards``."""

    resource: str
    count: int
    cards: int
    per_card: int
    strategy: str = ""


def slots_of(node: Node) -> Slots | None:
    """Slots of a node; None where each GPU that it offers is a card.

    The labels are those of GPU feature discovery: replicas per card above 1, and the strategy.
    """
    per_card = _number(node.labels.get(_REPLICAS, ""))
    strategy = node.labels.get(_STRATEGY, "")
    resource = next((name for name in _RESOURCES if node.allocatable.amount(name)), "")
    if per_card < 2 or strategy == _NO_SHARING or not resource:
        return None
    count = node.allocatable.amount(resource)
    cards = -(-count // per_card)
    listed = _number(node.labels.get(_COUNT, ""))
    return Slots(resource, count, min(cards, listed) if listed else cards, per_card, strategy)


def slot_sums(nodes: Iterable[Node], gpu_names: tuple[str, ...]) -> tuple[int, int]:
    """How many of the GPUs that nodes offer are slots, and of how many cards."""
    found = [one for node in nodes if (one := slots_of(node)) and one.resource in gpu_names]
    return sum(one.count for one in found), sum(one.cards for one in found)


def slot_words(slots: int, cards: int, gpus: int) -> str:
    """``64 of the 72 GPUs are slots of 16 shared cards``; "" for none."""
    if not slots:
        return ""
    which = "all" if slots == gpus else f"{slots:,}"
    shared = "1 shared card" if cards == 1 else f"{cards:,} shared cards"
    return f"{which} of the {gpus:,} GPUs {'is a slot' if slots == 1 else 'are slots'} of {shared}"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 6 else 0
