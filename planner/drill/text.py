"""A need as a person writes it: ``chat=8,per-pod=4,kind=NVIDIA-H100,pool=a,node=zone=b``."""

from __future__ import annotations

import difflib
from typing import Any

from models.drill import Need
from models.findings import UsageError

_FORM = "write it like chat=8 or chat=8,per-pod=4,kind=NVIDIA-H100-80GB-HBM3,pool=h100,node=zone=a"
_KEYS = ("per-pod", "kind", "pool", "node")
MOST_GPUS = 1_000_000
"""More GPUs than any cluster has: a slip of the keyboard."""


def parse_need(text: str) -> Need:
    """A need; ``kind`` is a GPU model, ``pool`` and ``node`` (a label) may be repeated.

    Raises
    ------
    UsageError
        Another form, an unknown key (the nearest one is named), or a number that is none.
    """
    first, *rest = (part.strip() for part in text.split(","))
    name, equals, gpus = first.rpartition("=")
    if not equals or not name.strip():
        raise UsageError(f"--need {text!r}: {_FORM}")
    fields: dict[str, Any] = {"pools": [], "labels": {}}
    for part in rest:
        _take(fields, part, text)
    return Need(
        service=name.strip(),
        gpus=_positive(gpus, "GPUs", text),
        per_pod=fields.get("per-pod"),
        gpu_model=fields.get("kind", ""),
        pools=tuple(fields["pools"]),
        labels=fields["labels"],
    )


def _take(fields: dict[str, Any], part: str, text: str) -> None:
    key, equals, value = (one.strip() for one in part.partition("="))
    if key not in _KEYS:
        near = difflib.get_close_matches(key, _KEYS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(_KEYS)}"
        raise UsageError(f"--need {text!r}: unknown part {part!r}; {hint}")
    if not equals or not value:
        raise UsageError(f"--need {text!r}: {key} has no value; {_FORM}")
    if key == "pool":
        fields["pools"].append(value)
    elif key == "node":
        label, between, wanted = value.partition("=")
        if not between or not label:
            raise UsageError(f"--need {text!r}: write a node label like node=zone=a")
        fields["labels"][label] = wanted
    elif key in fields:
        raise UsageError(f"--need {text!r}: {key} is there twice")
    else:
        fields[key] = _positive(value, "per-pod", text) if key == "per-pod" else value


def _positive(text: str, what: str, whole: str) -> int:
    number = text.strip()
    if not (number.isascii() and number.isdigit()) or not 0 < int(number[:12]) <= MOST_GPUS:
        raise UsageError(
            f"--need {whole!r}: {what} must be a whole number from 1 to {MOST_GPUS:,}, not {number!r}"
        )
    return int(number)
