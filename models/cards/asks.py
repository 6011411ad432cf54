"""What a pod specification asks of cards."""

from __future__ import annotations

from models.cards.kinds import (
    MEMORY_SHARE,
    MILLI,
    MILLI_RESOURCE,
    SHARE_MEMORY,
    SHARE_NUMBER,
    VGPU,
    VGPU_CORES,
    VGPU_MEMORY,
    VGPU_NUMBER,
    VGPU_PERCENT,
    WHOLE_MILLI,
    CardAsk,
)
from models.workloads import PodSpec

MODE_KEY = "volcano.sh/vgpu-mode"
USE_KEY = "nvidia.com/use-gputype"
REFUSE_KEY = "nvidia.com/nouse-gputype"
CARD_RULE_KEYS = (MODE_KEY, USE_KEY, REFUSE_KEY)
HAMI = "hami-core"


def share_ask(spec: PodSpec) -> CardAsk | None:
    """What a pod with a share of a card (or with vGPUs) asks for; None for any other pod.

    Volcano reads a vGPU request without a number as one card, one without any memory as the whole memory
    (``resourcereqs`` of its deviceshare plugin).
    """
    request = spec.request
    if VGPU_NUMBER in request or VGPU_MEMORY in request:
        return _vgpu(spec)
    if request.amount(SHARE_NUMBER):
        return CardAsk(MEMORY_SHARE, request.amount(SHARE_NUMBER), whole=True)
    if request.amount(SHARE_MEMORY):
        return CardAsk(MEMORY_SHARE, 1, amount=request.amount(SHARE_MEMORY))
    milli = request.amount(MILLI_RESOURCE)
    if milli:
        return CardAsk(MILLI, 1, amount=milli) if milli < WHOLE_MILLI else _whole(milli)
    return None


def _whole(milli: int) -> CardAsk:
    """A thousand milli-GPU and more are whole cards; a part beyond them is a whole card too."""
    return CardAsk(MILLI, -(-milli // WHOLE_MILLI), whole=True)


def whole_ask(gpus: int) -> CardAsk:
    """What a pod with whole GPUs asks for where others share cards."""
    return CardAsk(MILLI, gpus, whole=True)


def _vgpu(spec: PodSpec) -> CardAsk:
    request, rules = spec.request, dict(spec.card_rules)
    memory = request.amount(VGPU_MEMORY)
    percent = request.amount(VGPU_PERCENT)
    return CardAsk(
        VGPU,
        request.amount(VGPU_NUMBER) or 1,
        amount=memory,
        percent=0 if memory else percent or 100,
        cores=request.amount(VGPU_CORES),
        mode=rules.get(MODE_KEY, ""),
        models=_parts(rules.get(USE_KEY, "")),
        not_models=_parts(rules.get(REFUSE_KEY, "")),
    )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip().upper() for part in text.split(",") if part.strip())
