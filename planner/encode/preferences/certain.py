"""Points that a pod loses on a node whatever else a plan does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from planner.problem.wishes import SPREAD_POINTS, BoolArray, IntArray, PodWish, Wishes


def certain_losses(now: Wishes, emptied: Wishes) -> Mapping[int, IntArray]:
    """Wish to ``[nodes]`` points; wishes that lose none for certain are left out.

    Parameters
    ----------
    now
        Wishes beside all pods that hold a node: the most company that those who stay can be.
    emptied
        Wishes beside the pods that no plan evicts: whoever they disturb, they disturb in every plan.
    """
    found = {wish: losses.copy() for wish, losses in now.losses.items()}

    def add(wish: int, points: int, unmet: BoolArray) -> None:
        lost = points * unmet.astype(np.int64)
        found[wish] = found[wish] + lost if wish in found else lost

    for one in now.pods:
        if one.near:
            add(one.owner, one.points, _lonely(one))
    for one in emptied.pods:
        if not one.near:
            add(one.owner, one.points, (one.place >= 0) & (_held(one) > 0))
    for spread in now.spreads:
        for owner in spread.owners:
            add(owner, SPREAD_POINTS, spread.place < 0)
    return {wish: losses for wish, losses in found.items() if losses.any()}


def _lonely(one: PodWish) -> BoolArray:
    """Nodes outside all domains, and those without company where no new pod can be any."""
    outside: BoolArray = one.place < 0
    return outside if one.selected else outside | (_held(one) == 0)


def _held(one: PodWish) -> IntArray:
    """``[nodes]`` the matching pods of the node's domain."""
    found: IntArray = np.append(one.held, 0)[one.place]
    return found
