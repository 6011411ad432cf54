"""How the verifier writes amounts and violations."""

from __future__ import annotations

from fractions import Fraction

from models.gpu import WHOLE_GPU_RESOURCES
from models.plan import RuleViolation
from models.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from models.rules import RuleId
from models.schedule_rules import ScheduleRule

_KI = 1024


def violation(rule: RuleId | ScheduleRule, subject: str, message: str) -> RuleViolation:
    """A broken rule; ``message`` says what is the case, with numbers and units, and what to do."""
    return RuleViolation(rule=rule.value, object=subject, message=message)


def amount_text(resource: str, amount: int | Fraction) -> str:
    """An amount in base units with its unit; exact for whole numbers.

    cpu is shown in cores, bytes in the largest binary unit that divides the amount.
    """
    if isinstance(amount, Fraction) and amount.denominator != 1:
        return f"{float(amount):.3f} {_base_unit(resource)}"
    whole = int(amount)
    if resource == CPU:
        return units(whole // 1000 if whole % 1000 == 0 else whole / 1000, "core")
    if resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith("hugepages-"):
        return _bytes_text(whole)
    return units(whole, _base_unit(resource).removesuffix("s"))


def units(amount: float, noun: str) -> str:
    """``1 pod``, ``2 pods``."""
    return f"{amount} {noun if amount == 1 else noun + 's'}"


def _base_unit(resource: str) -> str:
    if resource == CPU:
        return "milli-cores"
    if resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith("hugepages-"):
        return "bytes"
    if resource == PODS:
        return "pods"
    return "GPUs" if resource in WHOLE_GPU_RESOURCES else "units"


def _bytes_text(amount: int) -> str:
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if amount and amount % _KI**power == 0:
            return f"{amount // _KI**power} {unit}"
    return f"{amount} bytes"
