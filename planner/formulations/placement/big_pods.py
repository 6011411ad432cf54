"""GPUs that nothing can use beside a pod of more than half a node."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


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
    big = [
        kind for kind, asked in requests.items() if 2 * asked.get(dimension, 0) > room[dimension]
    ]
    weights = {kind: asked.get(gpu, 0) for kind, asked in requests.items()}
    wasted = False
    for kind in big:
        left = [have - requests[kind].get(d, 0) for d, have in enumerate(room)]
        others = [asked for asked in requests.values() if asked.get(gpu, 0) and _fits(asked, left)]
        beside = _most_gpus(left, others, gpu)
        idle = left[gpu] - beside
        if idle > 0 and weights[kind]:
            weights[kind] += idle
            wasted = True
    return weights if wasted else None


def _fits(asked: Mapping[int, int], left: Sequence[int]) -> bool:
    return all(amount <= left[d] for d, amount in asked.items())


def _most_gpus(left: Sequence[int], others: Collection[Mapping[int, int]], gpu: int) -> int:
    """At most so many GPUs of these kinds in what is left: the least over the dimensions that all of them ask for."""
    if not others:
        return 0
    most = left[gpu]
    for d, have in enumerate(left):
        if d == gpu or any(not asked.get(d, 0) for asked in others):
            continue
        most = min(most, max(have * asked[gpu] // asked[d] for asked in others))
    return most
