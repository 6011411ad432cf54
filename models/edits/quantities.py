"""Amounts in edits: Kubernetes quantities, changes such as ``+8``, and the short name ``gpu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from models.edits.edit import EditError, Situation
from models.edits.suggest import unknown
from models.gpu import whole_gpu_names
from models.resources import CPU, MEMORY, PODS, Resources
from models.snapshot import Snapshot
from models.units import QuantityError, to_base_units

SHORT = "gpu"
Number = int | Annotated[str, Field(pattern=r"^[+-]?[0-9]{1,9}$")]
"""A whole number, or a change such as ``+1``."""


def _no_truth(value: Any) -> Any:
    """``true`` is no number, though Python takes it for 1."""
    if isinstance(value, bool):
        raise ValueError("is no whole number")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
"""A whole number; texts of digits are read."""
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_ALWAYS = (CPU, MEMORY, PODS, "ephemeral-storage", "storage")
_BYTES = (MEMORY, "ephemeral-storage", "storage", "hugepages-")


def resource_name(name: str, situation: Situation) -> str:
    """The full name of a resource; ``gpu`` stands for the GPU resource of the cluster's nodes.

    Raises
    ------
    EditError
        ``gpu`` where nodes offer several GPU resources, or none; a name that is nowhere in the snapshot.
    """
    if name != SHORT:
        return _known_name(name, situation.snapshot)
    total = situation.snapshot.total
    found = [
        one for one in whole_gpu_names(situation.policy.policy.gpu_models) if total.amount(one)
    ]
    if len(found) != 1:
        hint = f"write one of {', '.join(found)}" if found else "write the full resource name"
        raise EditError(
            f"'gpu' is not clear here: the nodes offer {len(found)} GPU resources", hint
        )
    return found[0]


def _known_name(name: str, snapshot: Snapshot) -> str:
    """The name, if a node, a queue or a pod has it; a slip of the pen would limit nothing and say nothing."""
    if name in _ALWAYS or name in snapshot.total:
        return name
    queues = {
        one
        for queue in snapshot.queues
        for amounts in (queue.deserved, queue.guarantee, queue.capability)
        for one in amounts
    }
    if name in queues or any(name in pod.spec.request for pod in snapshot.pods):
        return name
    raise unknown("resource", name, sorted({SHORT, CPU, MEMORY, PODS, *snapshot.total, *queues}))


def resources_from(amounts: Mapping[str, str | int], situation: Situation) -> Resources:
    """Exact amounts of a mapping of quantities; names need not be known yet.

    Raises
    ------
    EditError
        No quantity; the resource is named.
    """
    return Resources(
        {
            resource_name(key, situation) if key == SHORT else key: _amount(key, value)
            for key, value in amounts.items()
        }
    )


def changed_amounts(
    now: Resources, amounts: Mapping[str, str | int | None], situation: Situation
) -> Resources:
    """Listed amounts replaced, added to (``+8``), taken from (``-8``) or, with null, no longer listed.

    Raises
    ------
    EditError
        No quantity, or less than nothing would be left.
    """
    found = now.as_dict()
    for key, value in amounts.items():
        name = resource_name(key, situation)
        if value is None:
            found.pop(name, None)
            continue
        text = str(value).strip()
        if text[:1] in ("+", "-"):
            step = _amount(name, text[1:])
            found[name] = found.get(name, 0) + (step if text[0] == "+" else -step)
        else:
            found[name] = _amount(name, value)
        if found[name] < 0:
            raise EditError(f"{name} would be below 0", f"take away at most {now.amount(name):,}")
    return Resources(found)


def quantity_text(name: str, amount: int) -> str:
    """An amount as a quantity that reads back exactly."""
    return f"{amount}m" if name == "cpu" else str(amount)


def changed_number(now: int, value: str | int) -> int:
    """A whole number, or a change of the present one (``+1``, ``-1``)."""
    if isinstance(value, str) and value[:1] in ("+", "-"):
        return now + int(value)
    return int(value)


def _amount(name: str, value: str | int) -> int:
    if str(value).strip().endswith(_BINARY) and not name.startswith(_BYTES):
        raise EditError(
            f"{name}: {value!r} is an amount of bytes, and {name} is counted",
            "write a number without a unit, such as 8",
        )
    try:
        return to_base_units("cpu" if name == "cpu" else name, value)
    except QuantityError as error:
        raise EditError(
            f"{name}: {error}", "write a Kubernetes quantity such as 8 or 64Gi"
        ) from None
