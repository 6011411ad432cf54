"""GPUs that nothing can use beside a pod of more than half a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planner.problem.placement import IntArray

_EXACT = 2**62
"""Products below are exact in the arithmetic of arrays; no row is made of larger amounts."""


def big_pod_weights(
    room: Sequence[int],
    requests: Mapping[int, Mapping[int, int]],
    gpu: int,
    dimension: int,
) -> dict[int, int] | None:
    """GPUs per pod of each kind, with those that stay idle beside it; None where no pod leaves any idle.

    Kinds that ask for more than half of ``dimension`` are at most one per node, so ``sum weight * pods <= GPUs`` holds
    on every node: beside one of them the others hold at most what fits into the rest. How much that is, is bounded
    dimension by dimension by the best ratio of GPUs to the amount asked for.
    """
    have_here = room[dimension]
    if not any(
        2 * asked.get(dimension, 0) > have_here and asked.get(gpu) for asked in requests.values()
    ):
        return None
    kinds = list(requests)
    asks = np.array(
        [[requests[kind].get(d, 0) for d in range(len(room))] for kind in kinds], dtype=np.int64
    ).reshape(len(kinds), len(room))
    have, gpus = np.array(room, dtype=np.int64), asks[:, gpu]
    if int(have.max(initial=0)) * int(gpus.max(initial=0)) >= _EXACT:
        return None
    weights = {kind: int(n) for kind, n in zip(kinds, gpus, strict=True)}
    wasted = False
    for row in np.flatnonzero((2 * asks[:, dimension] > have[dimension]) & (gpus > 0)):
        left = have - asks[row]
        others = asks[(gpus > 0) & (asks <= np.where(asks > 0, left, 0)).all(axis=1)]
        idle = int(left[gpu]) - _most_gpus(left, others, gpu)
        if idle > 0:
            weights[kinds[row]] += idle
            wasted = True
    return weights if wasted else None


def _most_gpus(left: IntArray, others: IntArray, gpu: int) -> int:
    """At most so many GPUs of these kinds in what is left: the least over the dimensions that all of them ask for."""
    if not len(others):
        return 0
    most = int(left[gpu])
    for d, have in enumerate(left):
        if d != gpu and others[:, d].all():
            most = min(most, int((have * others[:, gpu] // others[:, d]).max()))
    return most
