"""Amounts in edits: Kubernetes quantities, changes such as ``+8``, and the short name ``gpu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from models.edits.edit import EditError, Situation
from models.gpu import whole_gpu_names
from models.resources import Resources
from models.units import QuantityError, to_base_units

SHORT = "gpu"
Number = int | Annotated[str, Field(pattern=r"^[+-]?[0-9]{1,9}$")]
"""A whole number, or a change such as ``+1``."""


def resource_name(name: str, situation: Situation) -> str:
    """The full name of a resource; ``gpu`` stands for the GPU resource of the cluster's nodes.

    Raises
    ------
    EditError
        ``gpu`` where nodes offer several GPU resources, or none.
    """
    if name != SHORT:
        return name
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


def resources_from(amounts: Mapping[str, str | int], situation: Situation) -> Resources:
    """Exact amounts of a mapping of quantities.

    Raises
    ------
    EditError
        No quantity; the resource is named.
    """
    return Resources(
        {resource_name(key, situation): _amount(key, value) for key, value in amounts.items()}
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
    try:
        return to_base_units("cpu" if name == "cpu" else name, value)
    except QuantityError as error:
        raise EditError(
            f"{name}: {error}", "write a Kubernetes quantity such as 8 or 64Gi"
        ) from None
