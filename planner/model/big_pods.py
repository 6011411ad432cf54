"""GPUs that nothing can use beside a pod of more than half a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from planner.problem.placement import IntArray

_EXACT = 2**62
"""Products below are exact in the arithmetic of arrays; no row is made of larger amounts."""


def big_pod_weights(
    room: Sequence[int],
    requests: Mapping[int, Mapping[int, int]],
    gpus: Iterable[int],
    dimensions: Sequence[int],
) -> dict[tuple[int, int], dict[int, int]]:
    """GPUs per pod of each kind with those that stay idle beside it, by dimension of GPUs and dimension that binds.

    Kinds that ask for more than half of a dimension are at most one per node, so ``sum weight * pods <= GPUs`` holds
    on every node: beside one of them the others hold at most what fits into the rest. How much that is, is bounded
    dimension by dimension by the best ratio of GPUs to the amount asked for. Pairs of dimensions in which no pod leaves
    any GPU idle are left out.
    """
    kinds, have = list(requests), np.array(room, dtype=np.int64)
    asks = np.zeros((len(kinds), len(room)), dtype=np.int64)
    for row, asked in enumerate(requests.values()):
        asks[row, list(asked)] = list(asked.values())
    large = 2 * asks > have
    binding = [d for d in dimensions if large[:, d].any()]
    found = {}
    for gpu in gpus if binding else ():
        each = asks[:, gpu]
        if int(have.max(initial=0)) * int(each.max(initial=0)) >= _EXACT:
            continue
        rows = np.flatnonzero(large[:, binding].any(axis=1) & (each > 0))
        idle = np.zeros(len(kinds), dtype=np.int64)
        idle[rows] = np.maximum(_idle(have - asks[rows], asks[each > 0], gpu), 0)
        for dimension in binding:
            more = np.where(large[:, dimension], idle, 0)
            if more.any():
                weights = (each + more).tolist()
                found[gpu, dimension] = dict(zip(kinds, weights, strict=True))
    return found


def _idle(left: IntArray, asks: IntArray, gpu: int) -> IntArray:
    """``[rows]`` GPUs that stay idle at least in ``[rows, dimensions]`` rooms, whatever ``[kinds, …]`` fills them.

    Kinds fit where they ask for no more than is left; the GPUs that they take at most are the least over the
    dimensions that all of them ask for.
    """
    fit = ((asks <= left[:, None, :]) | (asks == 0)).all(axis=2)
    most = np.where(fit.any(axis=1), left[:, gpu], 0)
    for d in range(left.shape[1]):
        if d == gpu:
            continue
        asked = asks[:, d]
        each = left[:, d, None] * asks[:, gpu] // np.maximum(asked, 1)
        best = np.where(fit, each, 0).max(axis=1, initial=0)
        bound = ~(fit & (asked == 0)).any(axis=1)
        most = np.where(bound, np.minimum(most, best), most)
    return left[:, gpu] - most
