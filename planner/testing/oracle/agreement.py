"""Compares a plan's certificate with the values of the enumeration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from models.plan import Tier

_TAIL = ("packing",)


def disagreements(tiers: Iterable[Tier], best: Mapping[str, int]) -> list[str]:
    """What differs, one line per tier; empty where the plan is as good as the best and lists the same tiers.

    A start tier that only one side lists is no difference where nothing can count in it (no GPUs and no gangs).
    Tiers of evictions that the enumeration does not list must be 0. Domain tiers are compared by their place.
    """
    found = _by_level({tier.name: tier.value for tier in tiers})
    lines = []
    for name, value in best.items():
        if name not in found and (value or name in _TAIL) and not name.endswith("shortfall"):
            lines.append(f"{name}: not in the certificate, enumeration says {value}")
        elif name in found and found[name] != value:
            lines.append(f"{name}: {found[name]} in the certificate, enumeration says {value}")
    for name, value in found.items():
        counts = not name.endswith("shortfall") and name not in best
        if counts and value:
            lines.append(f"{name}: {value} in the certificate, enumeration has no such tier")
    shared = [name for name in found if name in best]
    if shared != [name for name in best if name in found]:
        lines.append(f"the tiers come in another order: {', '.join(shared)}")
    return lines


def _by_level(tiers: Mapping[str, int]) -> dict[str, int]:
    """The tiers with ``domains.<level>`` called ``level <n>``, as the enumeration calls them."""
    levels = [name for name in tiers if name.startswith("domains.")]
    return {
        f"level {levels.index(name)}" if name in levels else name: value
        for name, value in tiers.items()
    }
