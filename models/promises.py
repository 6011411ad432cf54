"""Why no pods of a gang come beyond those that exist: codes, and their sentences for findings and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from models.workloads import Gang

ENDED: Final = "owner_ended"
SUSPENDED: Final = "owner_suspended"
AT_ZERO: Final = "owner_at_zero"
GONE: Final = "owner_gone"
REPLACED: Final = "replaced"
PODS_ENDED: Final = "pods_ended"
TOO_FEW: Final = "owner_makes_fewer"
ALL_MADE: Final = "all_pods_made"

NO_MORE: Final[Mapping[str, str]] = {
    ENDED: "its {owner} has ended",
    SUSPENDED: "its {owner} is suspended",
    AT_ZERO: "its {owner} is scaled to 0",
    GONE: "its {owner} is gone and it never had a pod",
    REPLACED: "its {owner} has a newer PodGroup",
    PODS_ENDED: "all its pods have ended",
    TOO_FEW: "its {owner} makes fewer pods for it than minMember asks for",
    ALL_MADE: "its {owner} makes all pods at once and has made fewer than minMember asks for",
}
"""Code to sentence."""
LEFTOVER: Final = frozenset({ENDED, AT_ZERO, GONE, REPLACED, PODS_ENDED})
"""Codes of groups that nothing will ever fill, where no pod of theirs is left."""


def no_more_text(gang: Gang) -> str:
    """``its PyTorchJob is suspended``; "" where nothing speaks against further pods."""
    sentence = NO_MORE.get(gang.no_more, "")
    return sentence.format(owner=gang.owner_kind or "controller")
