"""Who holds what a waiting gang lacks, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.checks.wording import amount_text, counted

QUEUES, GANGS = 2, 2


def held_by(data: Mapping[str, Any]) -> str:
    """``6 running pods: queue a 24 GPUs, queue b 8 GPUs; most: ml/x 16 GPUs``; "" where a reason has no ``heldBy``."""
    held = data.get("heldBy")
    if not held or not held.get("amount"):
        return ""
    name = str(held["dimension"])
    queues = list(held["queues"].items())
    told = [f"{_queue(queue)} {_amount(name, amount)}" for queue, amount in queues[:QUEUES]]
    if len(queues) > QUEUES:
        told.append(counted(len(queues) - QUEUES, "more queue"))
    gangs = [f"{gang} {_amount(name, amount)}" for gang, amount in held["gangs"].items()]
    most = f"; most: {', '.join(gangs[:GANGS])}" if gangs else ""
    return f"{counted(int(held['pods']), 'running pod')}: {', '.join(told)}{most}"


def _amount(name: str, amount: int) -> str:
    return counted(amount, "GPU") if name.endswith("/gpu") else amount_text(name, amount)


def _queue(name: str) -> str:
    return f"queue {name}" if name else "outside all queues"
