"""A policy's own list of tiers: names that exist, each once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from models.findings import Finding, InputError
from models.policy import Policy
from planner.problem.wishes import TIER

CLASSES = ("covered", "rest", "all")
GOALS = ("shortfall", "gpus", "gangs", "elastic")
TAIL = (
    "working_evicted",
    "gangs_given_up",
    "pods_evicted",
    "pods_moved",
    "lost_work",
    "eviction_domains",
    "elastic",
    "packing",
)
_START = re.compile(rf"({'|'.join(CLASSES)})\.[1-9][0-9]*\.({'|'.join(GOALS)})", re.ASCII)
_LEVEL = re.compile(r"domains\.[^\s]+")
_RANK = re.compile(r"[1-9][0-9]*", re.ASCII)


def tier_names(policy: Policy) -> tuple[str, ...] | None:
    """The policy's own tiers, None where it uses a named objective.

    Raises
    ------
    InputError
        The list is empty, or a name is unknown (the nearest known one is named) or appears twice.
    """
    names = policy.objective
    if not isinstance(names, tuple):
        return None
    faults = [fault for place, name in enumerate(names) if (fault := _fault(name, names[:place]))]
    if not names:
        faults = ["objective lists no tier: name at least one, or leave the key out"]
    if faults:
        remedy = "name tiers such as covered.1.gpus, elastic or packing, each once"
        findings = [Finding("policy_unknown_tier", "error", "policy", f, remedy) for f in faults]
        raise InputError(f"policy: {faults[0]}", findings)
    return names


def absent_tiers(names: Sequence[str] | None, present: Iterable[str]) -> tuple[Finding, ...]:
    """One finding per tier of an own list that counts nothing in the snapshot and was left out."""
    known = set(present)
    return tuple(
        Finding(
            "objective_tier_absent",
            "info",
            f"policy/objective/{name}",
            f"tier {name} has nothing to count in this snapshot and is left out",
            "none needed; remove it from the list if it is not meant",
        )
        for name in names or ()
        if name not in known
    )


def _fault(name: str, before: Sequence[str]) -> str:
    if name in before:
        return f"objective names tier {name!r} twice"
    if TIER in before:
        return f"objective names tier {TIER!r} before {name!r}: what pods prefer is decided last"
    if name in (*TAIL, TIER) or _START.fullmatch(name) or _LEVEL.fullmatch(name):
        return ""
    return f"unknown tier {name!r} in objective: did you mean {_nearest(name)!r}?"


def _nearest(name: str) -> str:
    rank = _RANK.search(name)
    place = rank.group() if rank else "1"
    known = [f"{kind}.{place}.{goal}" for kind in CLASSES for goal in GOALS] + [*TAIL, TIER]
    return difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
