"""How large and how varied random snapshots are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Size:
    """Inclusive ranges of what a random snapshot holds, and how often rare features appear (0..1).

    Attributes
    ----------
    pods
        Pods per gang.
    gpus
        GPUs that one pod may ask for.
    queues
        Queues that may hold gangs; with hierarchy inner queues come on top.
    rare
        Chance of each unusual feature, e.g. a gated pod.
    twins
        Chance that a node or a gang is like the one before it, so that they fall into one class.
    """

    nodes: Range
    waiting: Range
    running: Range
    pods: Range
    gpus: tuple[int, ...]
    queues: Range
    other_pods: Range
    rare: float = 0.12
    twins: float = 0.0


TINY: Final = Size(
    nodes=(1, 4),
    waiting=(4, 6),
    running=(0, 2),
    pods=(1, 4),
    gpus=(0, 1, 1, 1, 2, 2, 3),
    queues=(1, 3),
    other_pods=(0, 2),
    rare=0.06,
)
SMALL: Final = Size(
    nodes=(10, 30),
    waiting=(15, 45),
    running=(5, 15),
    pods=(1, 8),
    gpus=(0, 1, 1, 2, 2, 4, 4, 8),
    queues=(2, 6),
    other_pods=(5, 20),
)
TWINS: Final = replace(TINY, nodes=(2, 4), pods=(1, 3), rare=0.03, twins=0.7)
CROWDED: Final = replace(
    TINY,
    nodes=(1, 3),
    waiting=(2, 3),
    running=(2, 4),
    pods=(1, 3),
    gpus=(0, 1, 1, 2, 2, 3),
    other_pods=(0, 1),
    rare=0.05,
)
"""Few nodes, nearly full: for cases with evictions."""
SIZES: Final = {"tiny": TINY, "twins": TWINS, "small": SMALL, "crowded": CROWDED}
