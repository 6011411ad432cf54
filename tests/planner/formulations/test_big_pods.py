"""GPUs that stay idle beside large pods, against all fillings of a node."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from planner.formulations.placement.big_pods import big_pod_weights


@pytest.mark.parametrize("seed", range(150))
def test_no_filling_of_a_node_breaks_the_row(seed: int) -> None:
    rng = Random(seed)
    room = [rng.randint(2, 8), rng.randint(4, 16), rng.randint(4, 16)]
    requests = {
        kind: {0: rng.randint(0, 4), 1: rng.randint(1, 12), 2: rng.randint(0, 12)}
        for kind in range(rng.randint(2, 4))
    }
    most = [
        min(room[d] // amount for d, amount in asked.items() if amount)
        for asked in requests.values()
    ]
    for dimension in (1, 2):
        weights = big_pod_weights(room, requests, 0, dimension)
        if weights is None:
            continue
        for counts in product(*(range(n + 1) for n in most)):
            used = [
                sum(n * requests[kind].get(d, 0) for kind, n in enumerate(counts)) for d in range(3)
            ]
            if all(a <= b for a, b in zip(used, room, strict=True)):
                assert sum(n * weights[kind] for kind, n in enumerate(counts)) <= room[0]


def test_a_pod_that_takes_nearly_all_memory_takes_the_gpus_too() -> None:
    """4 of 7 GPUs and 773 of 803 GB: no other pod fits, so three GPUs stay idle."""
    requests = {0: {0: 4, 1: 773}, 1: {0: 1, 1: 51}}
    assert big_pod_weights([7, 803], requests, 0, 1) == {0: 7, 1: 1}
    assert big_pod_weights([7, 1606], requests, 0, 1) is None


def test_kinds_without_a_large_pod_are_told_by_one_amount_each() -> None:
    """A table of all amounts was made for every pair of slices and resources: half of building a model of MIG nodes."""
    looked: list[int] = []

    class Asked(dict[int, int]):
        def get(self, key: int, default: int = 0) -> int:  # type: ignore[override]
            looked.append(key)
            return super().get(key, default)

    requests = {kind: Asked({gpu: 1, 8: 10}) for kind, gpu in enumerate(range(8))}
    assert big_pod_weights([4] * 8 + [100], requests, 0, 8) is None
    assert looked == [8] * 8
