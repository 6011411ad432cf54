"""The cards of a node, and those that a running pod holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from models.cards.asks import HAMI
from models.cards.kinds import (
    FULL_CORES,
    MEMORY_SHARE,
    MILLI,
    SHARE_MEMORY,
    SHARE_NUMBER,
    VGPU,
    VGPU_CORES,
    VGPU_MEMORY,
    VGPU_NUMBER,
    WHOLE_MILLI,
    CardAsk,
    CardKind,
    Vector,
)
from models.cluster import Node
from models.workloads import Pod

REGISTER_KEY = "volcano.sh/node-vgpu-register"
IDS_KEY = "volcano.sh/vgpu-ids-new"
INDEX_KEYS = ("gangplan.io/gpu-index", "volcano.sh/gpu-index", "alibabacloud.com/gpu-index")
_REGISTER_FIELDS = 6
_NUMBER = re.compile(r"[0-9]{1,12}", re.ASCII)


def vgpu_cards(node: Node) -> list[tuple[str, CardKind]]:
    """Identity and kind of the healthy vGPU cards of a node, in the order of its register.

    The register is ``id,shares,memory MiB,model,healthy,mode:`` per card. Without one the cards are those of what the
    node lists as allocatable, if it divides evenly: 100 percent of cores make a card.
    """
    text = node.annotations.get(REGISTER_KEY, "")
    found = []
    for entry in filter(None, text.split(":")):
        fields = [field.strip() for field in entry.split(",")]
        if len(fields) < _REGISTER_FIELDS - 1 or not all(map(_NUMBER.fullmatch, fields[1:3])):
            continue
        mode = fields[5] if len(fields) >= _REGISTER_FIELDS else HAMI
        healthy = fields[4].lower() in ("true", "t", "1")
        if healthy and mode != "mig":  # the geometry of dynamic MIG is not in the snapshot
            capacity = (int(fields[2]), FULL_CORES, int(fields[1]))
            found.append((fields[0], CardKind(VGPU, capacity, fields[3], mode or HAMI)))
    return found if text else _listed_vgpus(node)


def _listed_vgpus(node: Node) -> list[tuple[str, CardKind]]:
    offered = node.allocatable
    cards = offered.amount(VGPU_CORES) // FULL_CORES
    shares, memory = offered.amount(VGPU_NUMBER), offered.amount(VGPU_MEMORY)
    if not cards or not shares or shares % cards or memory % cards:
        return []
    kind = CardKind(VGPU, (memory // cards, FULL_CORES, shares // cards), mode=HAMI)
    return [(str(index), kind) for index in range(cards)]


def memory_cards(node: Node) -> list[tuple[str, CardKind]]:
    """Cards of Volcano's older sharing by memory: the node lists their number and their memory in all."""
    cards = node.allocatable.amount(SHARE_NUMBER)
    memory = node.allocatable.amount(SHARE_MEMORY) // cards if cards else 0
    kind = CardKind(MEMORY_SHARE, (memory, 0, 0))
    return [(str(index), kind) for index in range(cards)] if memory else []


def milli_cards(node: Node, gpu_names: Sequence[str]) -> list[tuple[str, CardKind]]:
    """Whole GPUs of a node as cards of 1000 milli-GPU; a node with two kinds of whole GPUs shares none."""
    offered = [n for name in gpu_names if (n := node.allocatable.amount(name))]
    kind = CardKind(MILLI, (WHOLE_MILLI, 0, 0))
    return [(str(index), kind) for index in range(offered[0])] if len(offered) == 1 else []


def told_cards(
    pod: Pod, ask: CardAsk, cards: Sequence[tuple[str, CardKind]]
) -> list[tuple[int, Vector]] | None:
    """Cards that a running pod holds by its annotation, as positions; None where it does not tell."""
    if ask.family == VGPU:
        return _told_ids(pod.annotations, cards)
    text = next((pod.annotations[key] for key in INDEX_KEYS if key in pod.annotations), "")
    parts = [part for part in text.replace("-", ",").split(",") if part.strip()]
    if not parts or not all(part.strip().isdigit() for part in parts):
        return None
    by_name = {name: position for position, (name, kind) in enumerate(cards)}
    found: list[tuple[int, Vector]] = []
    for part in parts:
        position = by_name.get(part.strip())
        vector = ask.on(cards[position][1]) if position is not None else None
        if position is None or vector is None:
            return None
        found.append((position, vector))
    return found


def _told_ids(
    annotations: Mapping[str, str], cards: Sequence[tuple[str, CardKind]]
) -> list[tuple[int, Vector]] | None:
    """``id,type,memory,cores:`` per card, containers separated by ``;``."""
    by_name = {name: position for position, (name, kind) in enumerate(cards)}
    found: list[tuple[int, Vector]] = []
    for entry in annotations.get(IDS_KEY, "").replace(";", ":").split(":"):
        fields = [field.strip() for field in entry.split(",")]
        if len(fields) < 4:
            continue
        position = by_name.get(fields[0])
        if position is None or not all(map(_NUMBER.fullmatch, fields[2:4])):
            return None
        found.append((position, (int(fields[2]), int(fields[3]), 1)))
    return found or None
